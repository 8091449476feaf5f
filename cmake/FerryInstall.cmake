# What another project needs to use Ferry: headers, library, ferryConfig.cmake and ferry.pc. No file in it names a folder
# of this machine, so that the installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(FERRY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ferry)
install(TARGETS ferry EXPORT ferryTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ferry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY share/gdb DESTINATION ${CMAKE_INSTALL_DATADIR}/ferry)
install(EXPORT ferryTargets NAMESPACE ferry:: DESTINATION ${FERRY_PACKAGE_DIR})
configure_package_config_file(cmake/ferryConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ferryConfig.cmake
                              INSTALL_DESTINATION ${FERRY_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ferryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ferryConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ferryConfigVersion.cmake
              cmake/FerryKokkos.cmake cmake/FindKokkos.cmake cmake/FindAmdHip.cmake DESTINATION ${FERRY_PACKAGE_DIR})

# For builds without CMake. A static library names all that it needs itself; the CUDA runtime is in a shared one.
set(FERRY_PC_FLAGS "")
set(FERRY_PC_LIBRARIES "-pthread")
if(BUILD_SHARED_LIBS)
  set(FERRY_PC_FLAGS "-DFERRY_SHARED")
elseif(FERRY_CUDA)
  get_target_property(library CUDA::cudart_static IMPORTED_LOCATION)
  get_filename_component(folder ${library} DIRECTORY)
  string(APPEND FERRY_PC_LIBRARIES " -L${folder} -lcudart_static -ldl -lrt")
elseif(FERRY_HIP)
  get_filename_component(folder ${AmdHip_LIBRARY} DIRECTORY)
  string(APPEND FERRY_PC_LIBRARIES " -L${folder} -lamdhip64")
endif()
file(RELATIVE_PATH FERRY_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/ferry.pc.in ${CMAKE_CURRENT_BINARY_DIR}/ferry.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ferry.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
