# AMD GPUs. Needs ROCm to build; what is built needs its runtime library, and runs, without devices, where there is no
# driver.
option(FERRY_HIP "Build the HIP backend (needs hipcc)" OFF)
include(${CMAKE_CURRENT_SOURCE_DIR}/backends/gpu/sources.cmake)
set(FERRY_BACKEND_OPTION FERRY_HIP)
set(FERRY_BACKEND_ENABLED ${FERRY_HIP})
set(FERRY_BACKEND_SOURCES hip_backend.cpp context.cpp ${FERRY_GPU_SOURCES})

if(FERRY_HIP)
  if(FERRY_CUDA)
    message(FATAL_ERROR "ferry: one build has CUDA or HIP, not both: both are made from backends/gpu")
  endif()
  include(cmake/FerryHip.cmake)
  ferry_find_hip()
  target_include_directories(ferry PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/backends/hip)
  target_include_directories(ferry SYSTEM PRIVATE ${FERRY_HIP_INCLUDE})
  # For the files that the ordinary compiler reads; hipcc sets it itself.
  target_compile_definitions(ferry PRIVATE __HIP_PLATFORM_AMD__=1)
  ferry_hip_sources(ferry ${FERRY_GPU_KERNELS})
endif()
