# SPDX-License-Identifier: Apache-2.0
# Plug-in registries: each .c file in DIR defines exactly one constant named as
# its stem; this writes the NULL-terminated table of them, sorted by file name.
# ALSO: a second folder; only its files are compiled, those of DIR are in a
# library that is linked, whose own table is then not used.
# ARRAYS: each defines an array, which says by itself where it ends.
#
#   dc_registry(TARGET DIR interp/domains STRUCT interp_domain
#               SYMBOL interp_domains HEADER interp/domain.h)
function(dc_registry target)
  cmake_parse_arguments(R "ARRAYS" "DIR;ALSO;STRUCT;SYMBOL;HEADER" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${R_DIR}
       ${CMAKE_SOURCE_DIR}/${R_DIR}/*.c)
  set(out ${CMAKE_BINARY_DIR}/registry/${R_SYMBOL}.c)
  if(R_ALSO)
    file(GLOB more CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${R_ALSO}
         ${CMAKE_SOURCE_DIR}/${R_ALSO}/*.c)
    list(APPEND files ${more})
    set(out ${CMAKE_BINARY_DIR}/registry/${target}/${R_SYMBOL}.c)
  endif()
  list(SORT files)
  set(decl "")
  set(rows "")
  set(of "")
  set(address "&")
  if(R_ARRAYS)
    set(of "[]")
    set(address "")
  endif()
  foreach(f IN LISTS files)
    get_filename_component(stem ${f} NAME_WE)
    string(APPEND decl "extern const struct ${R_STRUCT} ${stem}${of};\n")
    string(APPEND rows "    ${address}${stem},\n")
    if(NOT R_ALSO)
      target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${R_DIR}/${f})
    elseif(f IN_LIST more)
      target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${R_ALSO}/${f})
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"#include \"${R_HEADER}\"\n${decl}extern const struct ${R_STRUCT} *const ${R_SYMBOL}[];\nconst struct ${R_STRUCT} *const ${R_SYMBOL}[] = {\n${rows}    NULL,\n};\n")
  target_sources(${target} PRIVATE ${out})
endfunction()
