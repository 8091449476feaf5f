# Finds the runtime library of AMD's HIP, which what Ferry's HIP backend is linked into needs. Defines
#   AmdHip::amdhip64   the target to link; it carries no include folder
find_library(AmdHip_LIBRARY amdhip64 HINTS $ENV{ROCM_PATH} $ENV{HIP_PATH} /opt/rocm PATH_SUFFIXES lib)
mark_as_advanced(AmdHip_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(AmdHip REQUIRED_VARS AmdHip_LIBRARY)
if(AmdHip_FOUND AND NOT TARGET AmdHip::amdhip64)
  add_library(AmdHip::amdhip64 UNKNOWN IMPORTED GLOBAL)
  set_target_properties(AmdHip::amdhip64 PROPERTIES IMPORTED_LOCATION ${AmdHip_LIBRARY})
endif()
