# Every folder under backends/ is a backend. Its backend.cmake sets
#   FERRY_BACKEND_SOURCES   its sources, relative to the folder or absolute
# and, for one that is not always built,
#   FERRY_BACKEND_OPTION    the CMake option that builds it
#   FERRY_BACKEND_ENABLED   that option's value
# A table of all of them, built or not, is compiled into the library: static registration objects would be dropped when
# a static library is linked.
# A macro, because a description may enable a language, which no function can do.
macro(ferry_add_backends target)
  file(GLOB descriptions CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/backends/*/backend.cmake)
  set(FERRY_BACKEND_DECLARATIONS "")
  set(FERRY_BACKEND_ROWS "")
  set(count 0)
  foreach(description IN LISTS descriptions)
    get_filename_component(folder ${description} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    set(FERRY_BACKEND_SOURCES "")
    set(FERRY_BACKEND_OPTION "")
    set(FERRY_BACKEND_ENABLED ON)
    include(${description})
    set(make nullptr)
    if(FERRY_BACKEND_ENABLED)
      list(TRANSFORM FERRY_BACKEND_SOURCES PREPEND ${folder}/ REGEX "^[^/]")
      target_sources(${target} PRIVATE ${FERRY_BACKEND_SOURCES})
      set(make make_${name}_backend)
      string(APPEND FERRY_BACKEND_DECLARATIONS "Backend* ${make}();\n")
    endif()
    string(APPEND FERRY_BACKEND_ROWS "    {\"${name}\", ${make}, \"${FERRY_BACKEND_OPTION}\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(FERRY_BACKEND_COUNT ${count})
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/backend_table.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/backend_table.cpp
                 @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/backend_table.cpp)
endmacro()
