# SPDX-License-Identifier: Apache-2.0
# Builds an example in a copy of the installed ones, and runs it; and looks whether links between the installed
# documents lead somewhere.
#   PREFIX    where Imbrex is installed;  WORK  a folder to work in
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(documents ${PREFIX}/share/doc/imbrex)
file(REMOVE_RECURSE ${WORK})
file(COPY ${documents}/examples DESTINATION ${WORK})
run(${CMAKE_COMMAND} -S ${WORK}/examples -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${PREFIX}
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${WORK}/build --target ring)
execute_process(COMMAND ${WORK}/build/ring 20 10 --pes 2 OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "the token came to a station 200 times")
  message(FATAL_ERROR "that is not what the example prints: ${output}")
endif()

foreach(page IN ITEMS README.md docs/tutorial.md)
  if(NOT EXISTS ${documents}/${page})
    message(FATAL_ERROR "${documents}/${page} is not installed")
  endif()
  file(READ ${documents}/${page} text)
  string(REGEX MATCHALL "\\([a-z][^]:)# ]*\\.md" links "${text}")
  if(links STREQUAL "")
    message(FATAL_ERROR "${page} should have links to other documents")
  endif()
  cmake_path(GET page PARENT_PATH folder)
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 1 -1 link)
    if(NOT EXISTS ${documents}/${folder}/${link})
      message(SEND_ERROR "${page} has a link to ${link}, which is not installed")
    endif()
  endforeach()
endforeach()
