# Flags of Ferry's own code; none of them reaches a user of ferry::ferry.
function(ferry_own_code target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                      -Woverloaded-virtual $<$<BOOL:${FERRY_WARNINGS_AS_ERRORS}>:-Werror>)
  if(FERRY_SANITIZE)
    # Public, because a program that links a sanitized library must be sanitized too.
    target_compile_options(${target} PUBLIC -fsanitize=${FERRY_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${FERRY_SANITIZE})
  endif()
endfunction()
