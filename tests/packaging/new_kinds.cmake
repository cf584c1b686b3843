# SPDX-License-Identifier: Apache-2.0
# Makes a project of each kind by `imbrex new`, as an installed Imbrex has it; builds, tests and runs each.
#   PREFIX    where Imbrex is installed;  WORK  a folder to work in
#   CUDA_COMPILER  empty where there is none;  MPI  true if Imbrex has a library for programs of MPI
#   PYTHON  a Python that has pytest, and PACKAGE the folder of the package; empty where there is none
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The program must print this text, with these words before and after its name.
function(expect text)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK}
                  OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "^${text}\n$")
    message(FATAL_ERROR "that is not what ${ARGN} prints, but: ${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{PATH} "${PREFIX}/bin:$ENV{PATH}")
set(ENV{CUDACXX} "${CUDA_COMPILER}")

set(kinds grid gpu)
if(MPI)
  list(APPEND kinds mpi)
endif()
foreach(kind IN LISTS kinds)
  run(imbrex new --kind ${kind} ${kind})
  run(${CMAKE_COMMAND} -S ${kind} -B ${kind}/build -G ${GENERATOR}
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
  run(${CMAKE_COMMAND} --build ${kind}/build)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${kind}/build --output-on-failure --no-tests=error)
endforeach()
expect("a plate of 64 x 64 cells in 16 blocks is even after [0-9]+ steps" grid/build/grid --pes 2)
expect("the elements of 20 pieces have the sum 200000" gpu/build/gpu --pes 2 --device emulated)
expect("the elements of 20 pieces have the sum 200000" gpu/build/gpu --pes 6 --machine simulated --device-model v100)
if(CUDA_COMPILER)
  file(GLOB_RECURSE kernels ${WORK}/gpu/build/*kernels.cu.o)
  if(kernels STREQUAL "")
    message(FATAL_ERROR "there is a CUDA compiler, but the kernel was not compiled")
  endif()
endif()
if(MPI)
  expect("16 ranks: the heat of the rod is 1000.000, as before" imbrex mpiexec -n 16 mpi/build/mpi)
  run(imbrex-mpicc -O2 mpi/main.c -o rod)
  expect("3 ranks: the heat of the rod is 1000.000, as before" imbrex mpiexec -n 3 ./rod)
endif()

if(PYTHON)
  set(ENV{PYTHONPATH} "${PACKAGE}")
  run(imbrex new --kind python snake)
  expect("the indices of 100 workers have the sum 4950" ${PYTHON} snake/program.py)
  run(${PYTHON} -m pytest -q -p imbrex._pytest snake)

  get_filename_component(environment ${PYTHON} DIRECTORY)
  get_filename_component(environment ${environment} DIRECTORY)
  run(imbrex new --kind python-cpp cobra)
  run(${CMAKE_COMMAND} -S cobra -B cobra/build -G ${GENERATOR} -D Python_EXECUTABLE=${PYTHON}
      -D Python_ROOT_DIR=${environment} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
  run(${CMAKE_COMMAND} --build cobra/build)
  set(ENV{PYTHONPATH} "${PACKAGE}:${WORK}/cobra/build")
  expect("the indices of 100 workers have the sum 4950" ${PYTHON} cobra/program.py --pes 2)
  run(${PYTHON} -m pytest -q -p imbrex._pytest cobra)
endif()
