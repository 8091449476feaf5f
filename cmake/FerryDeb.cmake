# A Debian package of what is installed: cpack --config build/host/CPackConfig.cmake
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libferry-dev)
set(CPACK_PACKAGE_VENDOR "The Ferry authors")
set(CPACK_PACKAGE_CONTACT "The Ferry authors <ferry@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Ferry carries arrays of any strides between host and GPU memory, with views as
NumPy has them. Headers, library, and ferry-info, which lists the devices.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libkokkos-dev, libgtest-dev")
if(FERRY_HIP AND NOT BUILD_SHARED_LIBS)
  # Programs link the HIP runtime themselves. CUDA's comes with the toolkit, which is no package of Debian's.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libamdhip64-dev)
endif()
# Debian keeps the licence's text itself, and asks for this file.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/copyright
     "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ferry

Files: *
Copyright: The Ferry authors
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_PACKAGE_NAME})
include(CPack)
