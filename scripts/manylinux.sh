#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a container of manylinux_2_28, whose compiler is new enough: puts into /opt/imbrex what a wheel is built with and
# the container's distribution has not, or not new enough. cibuildwheel runs it before all wheels (pyproject.toml).
# hwloc and UCX are built without what asks for libraries of devices: auditwheel would bundle those, too.
set -eux
prefix=/opt/imbrex
ucx=1.20.1
hwloc=2.12.2
tomlplusplus=3.4.0
xxhash=0.8.3
json=3.12.0
fmt=12.1.0

dnf -y install numactl-devel
work=$(mktemp -d)
cd "$work"
fetch() { curl --fail --location --silent --show-error "$1" | tar -xz; }

fetch "https://download.open-mpi.org/release/hwloc/v${hwloc%.*}/hwloc-$hwloc.tar.gz"
(cd hwloc-$hwloc && ./configure --prefix=$prefix --libdir=$prefix/lib --disable-static --disable-cairo \
  --disable-libxml2 --disable-libudev --disable-pci --disable-opencl --disable-cuda --disable-nvml --disable-rsmi \
  --disable-levelzero --disable-gl && make -j "$(nproc)" install)

fetch "https://github.com/openucx/ucx/releases/download/v$ucx/ucx-$ucx.tar.gz"
(cd ucx-$ucx && ./contrib/configure-release --prefix=$prefix --libdir=$prefix/lib --disable-static --enable-mt \
  --without-verbs --without-rdmacm --without-cuda --without-rocm --without-ze --without-knem --without-xpmem \
  --without-go --without-java --without-fuse3 --without-mad && make -j "$(nproc)" install &&
  install -D LICENSE $prefix/share/ucx/LICENSE)

fetch "https://github.com/marzer/tomlplusplus/archive/refs/tags/v$tomlplusplus.tar.gz"
cp -r tomlplusplus-$tomlplusplus/include $prefix
fetch "https://github.com/Cyan4973/xxHash/archive/refs/tags/v$xxhash.tar.gz"
install -D xxHash-$xxhash/xxhash.h $prefix/include/xxhash.h
fetch "https://github.com/nlohmann/json/archive/refs/tags/v$json.tar.gz"
cmake -S json-$json -B json -DCMAKE_INSTALL_PREFIX=$prefix -DJSON_BuildTests=OFF
cmake --install json
fetch "https://github.com/fmtlib/fmt/archive/refs/tags/$fmt.tar.gz"
cmake -S fmt-$fmt -B fmt -DCMAKE_INSTALL_PREFIX=$prefix -DFMT_TEST=OFF
cmake --build fmt
cmake --install fmt

rm -rf "$work"
