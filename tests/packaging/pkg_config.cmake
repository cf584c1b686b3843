# SPDX-License-Identifier: Apache-2.0
# Compiles a program by a compiler and pkg-config alone, against an installed Imbrex, and runs it; also when what is
# installed was moved.
#   PREFIX    where Imbrex is installed;  WORK  a folder to work in;  PKG_CONFIG  the program
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(CREATE_LINK ${PREFIX} ${WORK}/moved SYMBOLIC)
file(GLOB found RELATIVE ${PREFIX} ${PREFIX}/lib*/pkgconfig/imbrex.pc ${PREFIX}/lib/*/pkgconfig/imbrex.pc)
cmake_path(GET found PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/${folder}:$ENV{PKG_CONFIG_PATH})
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs imbrex
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT flags MATCHES "-I${WORK}/moved/")
  message(FATAL_ERROR "imbrex.pc should name where it lies itself, and says ${flags}")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${COMPILER} ${CMAKE_CURRENT_LIST_DIR}/hello.cpp -o ${WORK}/hello ${flags}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/hello --pes 2 OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "hello 21 from element 4\n$")
  message(FATAL_ERROR "that is not what the program prints: ${output}")
endif()
