#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a clean Debian, as root: installs the packages in /root and uses all three.
set -eux
cd /root
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends ./*.deb
export CXX=clang++-19
documents=/usr/share/doc/imbrex

imbrex --version
imbrex demo | grep 'Overlap makes an iteration'
test -s demo-report.html
imbrex new heat
cmake -S heat -B heat/build
cmake --build heat/build
ctest --test-dir heat/build --output-on-failure --no-tests=error

# UCX, which is recommended, is not installed yet: one process runs without it, several report the missing library.
heat/build/heat --pes 1
if imbrex run -n 2 heat/build/heat --pes 1 2>said; then exit 1; fi
grep 'install UCX .*Debian: libucx0' said
apt-get install -qy --no-install-recommends libucx0
imbrex run -n 2 heat/build/heat --pes 1

# shellcheck disable=SC2046  # words
$CXX -O2 "$documents/examples/hello.cpp" -o hello $(pkg-config --cflags --libs imbrex)
./hello --pes 2 | grep 'hello from chare 7 of 8'

cat >sum.c <<'PROGRAM'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d: %d\n", rank, size, sum);
  MPI_Finalize();
}
PROGRAM
imbrex-mpicc -cc=clang-19 -O2 sum.c -o sum
imbrex-mpiexec -n 4 ./sum | grep 'rank 3 of 4: 6'
imbrex run -n 2 --pes 1 --ranks 4 ./sum | grep 'rank 3 of 4: 6'

cp -r "$documents/examples" .
cmake -S examples -B examples/build
cmake --build examples/build --target jacobi
examples/build/jacobi --pes 2 --trace run.trace
imbrex trace report run.trace --text | grep 'block::run'
test -f "$documents/docs/tutorial.md"

apt-get remove -qy imbrex libimbrex-dev imbrex-doc
test ! -e /usr/include/imbrex
