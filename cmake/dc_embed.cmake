# SPDX-License-Identifier: Apache-2.0
# Files that a program carries with it: FILE becomes `const char SYMBOL[]`, its
# bytes and a zero at the end. Declare it as `extern const char SYMBOL[];`.
#
#   dc_embed(TARGET FILE diff/targets/tvm_runner.py SYMBOL diff_tvm_runner)
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${IN} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1',\n" bytes "${bytes}")
  file(WRITE ${OUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0};\n")
  return()
endif()

set(dc_embed_script ${CMAKE_CURRENT_LIST_FILE})
function(dc_embed target)
  cmake_parse_arguments(E "" "FILE;SYMBOL" "" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/embed/${E_SYMBOL}.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_SOURCE_DIR}/${E_FILE} -DOUT=${out}
            -DSYMBOL=${E_SYMBOL} -P ${dc_embed_script}
    DEPENDS ${CMAKE_SOURCE_DIR}/${E_FILE} ${dc_embed_script} VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
