# NVIDIA GPUs. Needs the CUDA toolkit to build; what is built runs, without devices, where there is no driver.
option(FERRY_CUDA "Build the CUDA backend (needs nvcc)" OFF)
include(${CMAKE_CURRENT_SOURCE_DIR}/backends/gpu/sources.cmake)
set(FERRY_BACKEND_OPTION FERRY_CUDA)
set(FERRY_BACKEND_ENABLED ${FERRY_CUDA})
set(FERRY_BACKEND_SOURCES cuda_backend.cpp context.cpp ${FERRY_GPU_SOURCES} ${FERRY_GPU_KERNELS})

if(FERRY_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 90-real 90-virtual)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_include_directories(ferry PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/backends/cuda)
  # The static runtime, so that what is built does not look for one where it runs. Only the flags of Ferry's own device
  # code are set: nothing of them reaches a user of ferry::ferry.
  set_target_properties(ferry PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  target_link_libraries(ferry PRIVATE CUDA::cudart_static)
  # CMake 3.25 emits no language flag for nvcc 13's C++20.
  target_compile_options(ferry PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr>)
endif()
