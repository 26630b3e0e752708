# SPDX-License-Identifier: Apache-2.0
# Files that a program carries with it: FILE becomes `const char SYMBOL[]`, its
# bytes and a zero at the end. Declare it as `extern const char SYMBOL[];`.
#
#   dc_embed(TARGET FILE diff/targets/tvm_runner.py SYMBOL diff_tvm_runner)
#
# Several files of C become one text without any #include: what they include
# must stand in front of it.
#
#   dc_embed(TARGET C_FILES a.h b.c SYMBOL name)
#
# With HASH, SYMBOL is not the file but its hash as a Content-Security-Policy
# names it: "sha256-", and base64.
#
#   dc_embed(TARGET HASH reports/html/page.js SYMBOL html_script_hash)
if(CMAKE_SCRIPT_MODE_FILE)
  if(HASH)
    set(alphabet
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    file(SHA256 ${IN} hex)
    set(text "sha256-")
    foreach(at RANGE 0 60 6) # three bytes, four characters; two at the end
      string(SUBSTRING "${hex}00" ${at} 6 part)
      foreach(shift 18 12 6 0)
        math(EXPR six "(0x${part} >> ${shift}) & 63")
        string(SUBSTRING ${alphabet} ${six} 1 character)
        string(APPEND text ${character})
      endforeach()
    endforeach()
    string(REGEX REPLACE "A$" "=" text "${text}")
    file(WRITE ${OUT}
      "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = \"${text}\";\n")
    return()
  endif()
  if(C_FILES)
    set(IN ${OUT}.text)
    file(WRITE ${IN} "")
    string(REPLACE "," ";" C_FILES "${C_FILES}")
    foreach(file IN LISTS C_FILES)
      file(READ ${file} text)
      string(REGEX REPLACE "#include [^\n]*\n" "" text "${text}")
      file(APPEND ${IN} "${text}")
    endforeach()
  endif()
  file(READ ${IN} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1',\n" bytes "${bytes}")
  file(WRITE ${OUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0};\n")
  return()
endif()

set(dc_embed_script ${CMAKE_CURRENT_LIST_FILE})
function(dc_embed target)
  cmake_parse_arguments(E "" "FILE;HASH;SYMBOL" "C_FILES" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/embed/${E_SYMBOL}.c)
  list(TRANSFORM E_C_FILES PREPEND ${CMAKE_SOURCE_DIR}/)
  if(E_HASH)
    set(E_FILE ${E_HASH})
  endif()
  list(TRANSFORM E_FILE PREPEND ${CMAKE_SOURCE_DIR}/)
  list(JOIN E_C_FILES "," files)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${E_FILE} -DC_FILES=${files} -DOUT=${out}
            -DSYMBOL=${E_SYMBOL} -DHASH=${E_HASH}
            -P ${dc_embed_script}
    DEPENDS ${E_FILE} ${E_C_FILES} ${dc_embed_script} VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
