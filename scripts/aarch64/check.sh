#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh [TARGET...]: builds Imbrex for aarch64 on another Debian 12 and runs the unit tests, jacobi3d and
# two of its processes under an emulator: some twenty minutes of one processor to build, ten to run, and 0.6
# GB. With targets only these are built, and those of them that are unit tests are run. Needs clang-19,
# lld-19, mmdebstrap and qemu-user-static.
set -euo pipefail
cd "$(dirname "$0")/../.."

export AARCH64_ROOT=$PWD/build/aarch64-root
libraries=libc6-dev,libstdc++-12-dev,libgcc-12-dev,libhwloc-dev,libucx-dev,libpmix-dev,libpmix2,libfmt-dev,libcli11-dev
libraries=$libraries,nlohmann-json3-dev,libtomlplusplus-dev,libgtest-dev,libotf2-trace-dev,libbenchmark-dev
libraries=$libraries,libxxhash-dev
tests='base.test serial.test coro.test sched.test trace.test net.test core.test'
targets=${*:-jacobi3d imbrex_command $tests}

# An absolute link leads out of the root; the linker then takes the static library beside it.
make_links_relative() {
  find "$AARCH64_ROOT" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$AARCH64_ROOT$(readlink "$link")" "$link"
  done
}

# Programs for aarch64 start by themselves in a user namespace of its own (Linux 6.7 or newer).
under_emulator() {
  EMULATOR=$(command -v qemu-aarch64-static) QEMU_LD_PREFIX=$AARCH64_ROOT unshare -U -r -m bash -c '
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    head=":aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    mask=":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"
    printf "%s" "$head$mask$EMULATOR:F" >/proc/sys/fs/binfmt_misc/register
    exec "$@"' -- "$@"
}

if [ ! -f "$AARCH64_ROOT/made" ]; then
  rm -rf "$AARCH64_ROOT"
  mmdebstrap --quiet --architectures=arm64 --variant=extract --mode=root --include="$libraries" bookworm "$AARCH64_ROOT"
  make_links_relative
  rm -rf "$AARCH64_ROOT/dev"  # so that programs open the host's devices
  touch "$AARCH64_ROOT/made"
fi
cmake --preset release -B build/aarch64 -D CMAKE_TOOLCHAIN_FILE="$PWD/scripts/aarch64/toolchain.cmake" \
  -D CMAKE_CUDA_COMPILER=OFF
# shellcheck disable=SC2086  # a list of words
cmake --build build/aarch64 --target $targets

for test in $tests; do
  case " $targets " in
    # Tests that flood another process, or fill memory to its limit, take minutes under an emulator. Tests that kill
    # their own process hang there. The emulator itself needs a part of the processor of a program that waits.
    *" $test "*)
      under_emulator "build/aarch64/imbrex/${test%.test}/$test" --gtest_brief=1 \
        --gtest_filter='-backpressure.*:*exhausted.*:*death_test.*:idle.*'
      ;;
  esac
done
[ $# -eq 0 ] || exit 0
under_emulator build/aarch64/bin/imbrex run -n 2 build/aarch64/bin/jacobi3d --grid 64,64,64 --pes 1 --odf 1,4 \
  --iters 10 --check
# Modelled times are those of this host.
modelled='--machine simulated --device-model v100 --pes 6 --grid 192,192,192 --odf 1,4 --iters 10 --quiet --json'
# shellcheck disable=SC2086  # a list of words
under_emulator build/aarch64/bin/jacobi3d $modelled build/aarch64/modelled.json
# shellcheck disable=SC2086
build/release/bin/jacobi3d $modelled build/aarch64/modelled-here.json
cmp build/aarch64/modelled.json build/aarch64/modelled-here.json
