# SPDX-License-Identifier: Apache-2.0
# Makes a project by `imbrex new`, as an installed Imbrex has it; configures, builds and tests it, and runs its program.
#   PREFIX    where Imbrex is installed;  WORK  a folder to work in
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${PREFIX}/bin/imbrex new heat)
# Imbrex is found where its command is on the PATH.
set(ENV{PATH} "${PREFIX}/bin:$ENV{PATH}")
run(${CMAKE_COMMAND} -S heat -B heat/build -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
file(STRINGS ${WORK}/heat/build/CMakeCache.txt found REGEX "^(imbrex_DIR|CMAKE_BUILD_TYPE):")
if(NOT "${found}" MATCHES "CMAKE_BUILD_TYPE:STRING=Release.*imbrex_DIR:PATH=${PREFIX}/")
  message(FATAL_ERROR "the project should be a Release on Imbrex in ${PREFIX}, and has ${found}")
endif()
run(${CMAKE_COMMAND} --build heat/build)
run(${CMAKE_CTEST_COMMAND} --test-dir heat/build --output-on-failure --no-tests=error)
execute_process(COMMAND ${WORK}/heat/build/heat --pes 3
                OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "the indices of 100 workers have the sum 4950\n")
  message(FATAL_ERROR "that is not what the program prints")
endif()

execute_process(COMMAND ${PREFIX}/bin/imbrex new heat WORKING_DIRECTORY ${WORK}
                RESULT_VARIABLE status ERROR_VARIABLE complaint)
if(NOT status EQUAL 2 OR NOT complaint MATCHES "^imbrex new: there is something of the name heat here already")
  message(FATAL_ERROR "a folder that exists should be refused; status ${status}: ${complaint}")
endif()
