# SPDX-License-Identifier: Apache-2.0
# Copies a user's project to WORK/project, builds it there against Imbrex, runs it and checks what it prints.
#   KIND      find_package (against an installation in WORK/prefix) or add_subdirectory (with SOURCE inside)
#   BUILD     the build folder of Imbrex, built
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/${KIND}/CMakeLists.txt ${CMAKE_CURRENT_LIST_DIR}/hello.cpp
          ${CMAKE_CURRENT_LIST_DIR}/hello_test.cpp DESTINATION ${WORK}/project)

if(KIND STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  set(how -D CMAKE_PREFIX_PATH=${WORK}/prefix -D CMAKE_BUILD_TYPE=Release)
else()  # all of Imbrex is compiled: with the options of BUILD, so that ccache knows the objects
  set(how -D IMBREX_SOURCE=${SOURCE} -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_CXX_FLAGS=${FLAGS}
          -D CMAKE_COMPILE_WARNING_AS_ERROR=${WARNING_AS_ERROR})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/build -G ${GENERATOR}
                        -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${how}
                ERROR_VARIABLE warnings COMMAND_ERROR_IS_FATAL ANY)
if(warnings MATCHES "No build type")
  message(FATAL_ERROR "a build type was chosen, and still: ${warnings}")
endif()
run(${CMAKE_COMMAND} --build ${WORK}/build)

execute_process(COMMAND ${WORK}/build/hello --pes 2
                OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
run(${WORK}/build/hello_test)
if(KIND STREQUAL "find_package")
  run(${WORK}/prefix/bin/imbrex run -n 1 ${WORK}/build/hello --pes 2)
else()  # what was built so can be installed
  run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)
  run(${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_LIST_DIR}/find_package/CMakeLists.txt ${WORK}/project)
  # Built without a build type, since CMake has no default.
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/found -G ${GENERATOR}
                          -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
                          -D CMAKE_PREFIX_PATH=${WORK}/prefix
                  ERROR_VARIABLE warnings COMMAND_ERROR_IS_FATAL ANY)
  if(NOT warnings MATCHES "No build type is chosen")
    message(FATAL_ERROR "a project without a build type should be warned of, and this was said: ${warnings}")
  endif()
endif()
set(expected "")
foreach(element RANGE 4)
  math(EXPR count "17 + ${element}")
  string(APPEND expected "hello ${count} from element ${element}\n")
endforeach()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the program should have printed\n${expected}")
endif()
