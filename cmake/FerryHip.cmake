# Device code by hipcc, for any ROCm and without CMake's own support for HIP, which does not find distributions' ROCm:
# each source becomes an object by a command of its own, and the program is linked as any other.
macro(ferry_find_hip)
  set(FERRY_ROCM_HINTS $ENV{ROCM_PATH} $ENV{HIP_PATH} /opt/rocm)
  find_program(FERRY_HIPCC hipcc HINTS ${FERRY_ROCM_HINTS} PATH_SUFFIXES bin)
  find_path(FERRY_HIP_INCLUDE hip/hip_runtime_api.h HINTS ${FERRY_ROCM_HINTS} PATH_SUFFIXES include)
  list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
  find_package(AmdHip QUIET MODULE)
  list(POP_FRONT CMAKE_MODULE_PATH)
  if(NOT FERRY_HIPCC OR NOT FERRY_HIP_INCLUDE OR NOT AmdHip_FOUND)
    message(FATAL_ERROR "ferry: FERRY_HIP needs ROCm, and one of hipcc, hip/hip_runtime_api.h and libamdhip64 was not "
                        "found; set ROCM_PATH, or install it (on Debian: hipcc libamdhip64-dev rocm-device-libs)")
  endif()
  set(FERRY_HIP_ARCHITECTURES gfx90a gfx1030 CACHE STRING "AMD GPUs to compile for, as in hipcc --offload-arch")
endmacro()

# For sources that the ordinary compiler reads and that call the runtime.
function(ferry_uses_hip target)
  target_include_directories(${target} SYSTEM PRIVATE ${FERRY_HIP_INCLUDE})
  target_compile_definitions(${target} PRIVATE __HIP_PLATFORM_AMD__=1)
  target_link_libraries(${target} PRIVATE AmdHip::amdhip64)
endfunction()

# Compiles sources of a target as HIP. Include paths and definitions are the target's; a source's property
# FERRY_HIP_OPTIONS adds options.
function(ferry_hip_sources target)
  set(warnings -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion $<$<BOOL:${FERRY_WARNINGS_AS_ERRORS}>:-Werror>)
  list(TRANSFORM FERRY_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
  # Named to a compiler that has it anyway, /usr/include comes too early for the C++ library's own headers.
  set(includes $<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include$>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_${type}}")
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME)
    get_source_file_property(options ${source} FERRY_HIP_OPTIONS)
    if(NOT options)
      set(options)
    endif()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.hip/${name}.o)
    file(RELATIVE_PATH comment ${PROJECT_SOURCE_DIR} ${path})
    # Products are not fused with sums, so that results are those of the host.
    add_custom_command(
      OUTPUT ${object}
      COMMAND
        ${CMAKE_CXX_COMPILER_LAUNCHER} ${FERRY_HIPCC} -x hip ${architectures} -std=c++20 ${flags} ${options} -fPIC
        -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off ${warnings} -Wno-unused-command-line-argument
        "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
        -MD -MT ${object} -MF ${object}.d -c ${path} -o ${object}
      DEPENDS ${path}
      DEPFILE ${object}.d
      COMMENT "Building HIP object of ${comment}"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${object})
  endforeach()
  target_link_libraries(${target} PRIVATE AmdHip::amdhip64)
endfunction()
