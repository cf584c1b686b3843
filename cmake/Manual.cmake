# SPDX-License-Identifier: Apache-2.0
# Manual pages of the command imbrex, and its completion by bash, made from what it prints.
if(NOT TARGET imbrex_command OR CMAKE_CROSSCOMPILING OR NOT TARGET Python3::Interpreter)
  return()
endif()

set(manual ${imbrex_BINARY_DIR}/manual)
set(scripts ${imbrex_SOURCE_DIR}/scripts/manual.py ${imbrex_SOURCE_DIR}/scripts/options_page.py)
add_custom_command(
  OUTPUT ${manual}/completions/imbrex
  COMMAND Python3::Interpreter ${imbrex_SOURCE_DIR}/scripts/manual.py $<TARGET_FILE:imbrex_command> ${manual}
  DEPENDS imbrex_command ${scripts}
  COMMENT "Writing the manual of the command imbrex"
  VERBATIM
)
add_custom_target(imbrex_manual ALL DEPENDS ${manual}/completions/imbrex)
# Who builds the command alone installs it without a manual.
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT commands OPTIONAL)
install(FILES ${manual}/completions/imbrex DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT commands OPTIONAL)

if(IMBREX_BUILD_TESTS)
  add_test(NAME documents.manual
           COMMAND Python3::Interpreter ${imbrex_SOURCE_DIR}/scripts/manual_test.py
                   $<TARGET_FILE:imbrex_command> ${manual})
  set_tests_properties(documents.manual PROPERTIES TIMEOUT 60)
endif()
