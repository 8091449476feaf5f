# ferry::kokkos: the glue's headers, Ferry, and the Kokkos that was found. Used by Ferry's own build and, installed, by
# find_package(ferry COMPONENTS kokkos).

# Looks for Kokkos and, where there is one that fits, makes `target`; `gpu` is Ferry's GPU backend (CUDA, HIP or empty).
# Arrays in device memory can only be Views where both mean the same device by it, so a Kokkos with another GPU backend
# is refused. `mode`: AUTO says why there is none, ON ends with an error, and with QUIET the caller reads
# FERRY_KOKKOS_PROBLEM, which is empty when all is well.
set(FERRY_KOKKOS_MODULES ${CMAKE_CURRENT_LIST_DIR})
macro(ferry_find_kokkos target gpu mode)
  list(PREPEND CMAKE_MODULE_PATH ${FERRY_KOKKOS_MODULES})
  find_package(Kokkos QUIET MODULE)
  list(POP_FRONT CMAKE_MODULE_PATH)
  set(FERRY_KOKKOS_PROBLEM "")
  if(NOT Kokkos_FOUND)
    set(FERRY_KOKKOS_PROBLEM "Kokkos was not found (on Debian 12: libtrilinos-kokkos-dev, later libkokkos-dev)")
  elseif(Kokkos_VERSION VERSION_LESS 3.4)
    set(FERRY_KOKKOS_PROBLEM "Kokkos ${Kokkos_VERSION} is too old; 3.4 is the first that works")
  elseif(Kokkos_GPU_BACKEND AND NOT Kokkos_GPU_BACKEND STREQUAL "${gpu}")
    if("${gpu}" STREQUAL "")
      set(FERRY_KOKKOS_PROBLEM "this Kokkos works on ${Kokkos_GPU_BACKEND}, and Ferry was built without a GPU backend; build Ferry with FERRY_${Kokkos_GPU_BACKEND}=ON, or take a Kokkos for the host")
    else()
      set(FERRY_KOKKOS_PROBLEM "this Kokkos works on ${Kokkos_GPU_BACKEND}, and Ferry on ${gpu}; build both for the same GPUs")
    endif()
  endif()
  if(FERRY_KOKKOS_PROBLEM STREQUAL "")
    if(NOT TARGET ${target})
      add_library(${target} INTERFACE IMPORTED GLOBAL)
      set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES ferry::ferry Kokkos::kokkos)
    endif()
  elseif("${mode}" STREQUAL "AUTO")
    message(STATUS "ferry: no Kokkos glue: ${FERRY_KOKKOS_PROBLEM}")
  elseif("${mode}" STREQUAL "ON")
    message(FATAL_ERROR "ferry: no Kokkos glue: ${FERRY_KOKKOS_PROBLEM}")
  endif()
endmacro()
