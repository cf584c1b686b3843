#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a clean Debian, as root: installs the wheel in /root/wheels into an empty virtual environment and uses it,
# first without UCX, then with the system's.
set -eux
cd /root
export PIP_ROOT_USER_ACTION=ignore CXX=clang++-19
python3 -m venv "the venv"
find "the venv" -type f ! -name '*.pyc' | sort >before
bin="/root/the venv/bin"  # never activated
"$bin/pip" install -q --no-index --find-links wheels "imbrex[sessions]"

both_kinds_of_jobs() {
  "$bin/python" hello.py >said
  grep 'hello world from chare 7' said
  "$bin/imbrex" run -n 3 "$bin/python" hello.py >said
  grep 'hello world from chare 7' said
  "$bin/imbrex" run -n 3 "$bin/python" jacobi3d.py 24 2 5
  "$bin/imbrex" run -n 2 project/build/user --pes 1
  "$bin/python" session.py >said
  grep 45 said
}

# A project of C++, with what the wheel holds: no hwloc of the system's is there.
"$bin/python" -m imbrex --cmake-dir
cmake -S project -B project/build -Dimbrex_DIR="$("$bin/python" -m imbrex --cmake-dir)" -DCMAKE_BUILD_TYPE=Release
cmake --build project/build
project/build/user --pes 2

if ldconfig -p | grep libucp; then exit 1; fi
"$bin/imbrex" info --paths >said
grep 'network: UCX .*, .*/site-packages/imbrex/lib/imbrex/libucp.so.0$' said
both_kinds_of_jobs

apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends libucx0
"$bin/imbrex" info --paths >said
grep 'network: UCX .*, /lib.*/libucp.so.0$' said
both_kinds_of_jobs

"$bin/pip" uninstall -qy imbrex numpy cloudpickle
find "the venv" -type f ! -name '*.pyc' | sort | diff before -
if find "the venv" -name '*imbrex*' | grep .; then exit 1; fi
