# SPDX-License-Identifier: Apache-2.0
# Builds a program with chares inside a GPU against an installed Imbrex, with its kernel where there is a CUDA compiler,
# and runs it on an emulated device.
#   PREFIX    where Imbrex is installed;  WORK  a folder to work in;  EXAMPLE  the program's folder
#   CUDA_COMPILER  empty where there is none
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(COPY ${EXAMPLE}/ DESTINATION ${WORK}/ring)
set(ENV{CUDACXX} "${CUDA_COMPILER}")
run(${CMAKE_COMMAND} -S ${WORK}/ring -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${PREFIX}
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${WORK}/build/ring --device emulated --pes 2 --machine deterministic
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "the last of 1056 chares got a token 95 times")
  message(FATAL_ERROR "that is not what the example prints: ${output}")
endif()
if(CUDA_COMPILER)
  file(GLOB_RECURSE kernels ${WORK}/build/*ring.cu.o)
  if(kernels STREQUAL "")
    message(FATAL_ERROR "there is a CUDA compiler, but the kernel was not compiled")
  endif()
endif()
