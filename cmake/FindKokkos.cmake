# Finds Kokkos 3.4 to 5.x, also where its package is broken. Defines
#   Kokkos::kokkos       the target to link
#   Kokkos_VERSION       such as 3.4.1
#   Kokkos_GPU_BACKEND   CUDA, HIP or SYCL; empty when Kokkos works on the host only
#
# A package of Kokkos' own (KokkosConfig.cmake) is taken as it is, unless it names files that are not there. Two packages
# of Debian's do: that of Debian 12 comes from Trilinos, has no target Kokkos::kokkos, and names an include folder that
# does not exist; that of unstable (5.2) names static libraries that it does not contain, which ends CMake. For those, and
# where there is no package, the header and the libraries are looked for.

# Whether every library that the package's target files name is there; the paths are relative to one of the parents.
function(_kokkos_package_is_sound folder result)
  set(${result} FALSE PARENT_SCOPE)
  file(GLOB targets ${folder}/KokkosTargets*.cmake)
  if(NOT targets)
    return()
  endif()
  foreach(file IN LISTS targets)
    file(STRINGS ${file} lines REGEX "IMPORTED_LOCATION_[A-Z]+ \"\\\${_IMPORT_PREFIX}/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*{_IMPORT_PREFIX}/([^\"]+)\".*" "\\1" path "${line}")
      set(prefix ${folder})
      set(found FALSE)
      while(NOT found)
        if(EXISTS ${prefix}/${path})
          set(found TRUE)
        endif()
        get_filename_component(parent ${prefix} DIRECTORY)
        if(parent STREQUAL prefix)
          break()
        endif()
        set(prefix ${parent})
      endwhile()
      if(NOT found)
        return()
      endif()
    endforeach()
  endforeach()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

if(NOT TARGET Kokkos::kokkos)
  if(Kokkos_DIR AND EXISTS "${Kokkos_DIR}/KokkosConfig.cmake")
    set(_kokkos_config "${Kokkos_DIR}/KokkosConfig.cmake")
  else()
    unset(_kokkos_config CACHE)
    find_file(_kokkos_config KokkosConfig.cmake PATH_SUFFIXES lib/cmake/Kokkos lib64/cmake/Kokkos
              lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Kokkos cmake/Kokkos
              HINTS ${Kokkos_ROOT} $ENV{Kokkos_ROOT} PATHS ${CMAKE_SYSTEM_PREFIX_PATH})
    mark_as_advanced(_kokkos_config)
  endif()
  if(_kokkos_config)
    get_filename_component(_kokkos_folder ${_kokkos_config} DIRECTORY)
    _kokkos_package_is_sound(${_kokkos_folder} _kokkos_is_sound)
    if(_kokkos_is_sound)
      # Which of Kokkos' ways to compile device code is meant is the program's choice: it names the component itself.
      find_package(Kokkos CONFIG QUIET PATHS ${_kokkos_folder} NO_DEFAULT_PATH
                   COMPONENTS ${Kokkos_FIND_COMPONENTS})
    endif()
  endif()
endif()

set(_kokkos_found_by_hand FALSE)
if(NOT TARGET Kokkos::kokkos)
  find_path(Kokkos_INCLUDE_DIR Kokkos_Core.hpp PATH_SUFFIXES kokkos trilinos
            HINTS ${Kokkos_ROOT} $ENV{Kokkos_ROOT})
  find_library(Kokkos_CORE_LIBRARY NAMES kokkoscore trilinos_kokkoscore HINTS ${Kokkos_ROOT} $ENV{Kokkos_ROOT})
  find_library(Kokkos_CONTAINERS_LIBRARY NAMES kokkoscontainers trilinos_kokkoscontainers
               HINTS ${Kokkos_ROOT} $ENV{Kokkos_ROOT})
  mark_as_advanced(Kokkos_INCLUDE_DIR Kokkos_CORE_LIBRARY Kokkos_CONTAINERS_LIBRARY)
  if(Kokkos_INCLUDE_DIR AND Kokkos_CORE_LIBRARY AND Kokkos_CONTAINERS_LIBRARY)
    set(_kokkos_found_by_hand TRUE)
    file(STRINGS ${Kokkos_INCLUDE_DIR}/KokkosCore_config.h _kokkos_lines
         REGEX "^#define (KOKKOS_VERSION [0-9]+|KOKKOS_ENABLE_(CUDA|HIP|SYCL|OPENMP|THREADS)$)")
    set(Kokkos_DEVICES "")
    foreach(line IN LISTS _kokkos_lines)
      if(line MATCHES "KOKKOS_VERSION ([0-9]+)")
        math(EXPR _kokkos_major "${CMAKE_MATCH_1} / 10000")
        math(EXPR _kokkos_minor "${CMAKE_MATCH_1} / 100 % 100")
        math(EXPR _kokkos_patch "${CMAKE_MATCH_1} % 100")
        set(Kokkos_VERSION ${_kokkos_major}.${_kokkos_minor}.${_kokkos_patch})
      elseif(line MATCHES "KOKKOS_ENABLE_([A-Z]+)")
        list(APPEND Kokkos_DEVICES ${CMAKE_MATCH_1})
      endif()
    endforeach()
    add_library(Kokkos::kokkos INTERFACE IMPORTED)
    set_target_properties(Kokkos::kokkos PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES ${Kokkos_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES "${Kokkos_CONTAINERS_LIBRARY};${Kokkos_CORE_LIBRARY};${CMAKE_DL_LIBS}")
    if("OPENMP" IN_LIST Kokkos_DEVICES)
      find_package(OpenMP REQUIRED COMPONENTS CXX)
      set_property(TARGET Kokkos::kokkos APPEND PROPERTY INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_CXX)
    endif()
  endif()
endif()

set(Kokkos_GPU_BACKEND "")
foreach(backend IN ITEMS CUDA HIP SYCL)
  if("${backend}" IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_${backend})
    set(Kokkos_GPU_BACKEND ${backend})
  endif()
endforeach()

if(TARGET Kokkos::kokkos)
  set(_kokkos_target Kokkos::kokkos)
endif()
include(FindPackageHandleStandardArgs)
set(FPHSA_NAME_MISMATCHED TRUE)
find_package_handle_standard_args(Kokkos REQUIRED_VARS _kokkos_target VERSION_VAR Kokkos_VERSION)
