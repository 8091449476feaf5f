# What CUDA and HIP share: host code, and kernels that nvcc or hipcc compiles.
file(GLOB FERRY_GPU_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
file(GLOB FERRY_GPU_KERNELS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cu)
