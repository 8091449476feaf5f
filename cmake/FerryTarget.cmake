# Sources whose loops are kernels: device code where a GPU backend is built, plain C++ elsewhere.
function(ferry_device_code target)
  if(FERRY_HIP)
    ferry_hip_sources(${target} ${ARGN})
  endif()
  if(NOT FERRY_CUDA)
    return()
  endif()
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  # CMake 3.25 emits no language flag for nvcc 13's C++20. Products are not fused with sums, so that results are those
  # of the host.
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --extended-lambda --expt-relaxed-constexpr --fmad=false>)
endfunction()

# Sources with Kokkos kernels: device code where Kokkos works on a GPU, plain C++ with a Kokkos for the host.
function(ferry_kokkos_code target)
  if(Kokkos_GPU_BACKEND)
    ferry_device_code(${target} ${ARGN})
  endif()
endfunction()

# Flags of Ferry's own code; none of them reaches a user of ferry::ferry.
function(ferry_own_code target)
  set(warnings -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND warnings -Wno-restrict)  # GCC 12 sees overlap in every concatenation of strings at -O3
  endif()
  list(JOIN warnings "," host_warnings)
  set(errors $<BOOL:${FERRY_WARNINGS_AS_ERRORS}>)
  # nvcc hands the first list to the host's compiler; what it writes for that one itself is not pedantic.
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${warnings} -Wpedantic $<${errors}:-Werror>>
            "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_warnings}>"
            "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,${errors}>:-Werror=all-warnings>")
  if(FERRY_SANITIZE)
    # Public, because a program that links a sanitized library must be sanitized too.
    target_compile_options(${target} PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FERRY_SANITIZE}
                                            -fno-omit-frame-pointer -fno-sanitize-recover=all>)
    target_link_options(${target} PUBLIC -fsanitize=${FERRY_SANITIZE})
  endif()
endfunction()
