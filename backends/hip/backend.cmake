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
  ferry_uses_hip(ferry)
  ferry_hip_sources(ferry ${FERRY_GPU_KERNELS})
endif()
