#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh [--quick]: tries each recipe for which this system has the tool, and prints a list of what was tried, and
# what was left out and why. With --quick it reads the recipes, and builds nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=${1:-}
[ -z "$quick" ] || [ "$quick" = --quick ] || { echo "usage: packaging/check.sh [--quick]" >&2; exit 2; }
list=''
failed=0

note() { list="$list$(printf '%-12s %s' "$1" "$2")"$'\n'; }
# try NAME TEXT COMMAND...: notes that the recipe works, or fails.
try() {
  name=$1 text=$2
  shift 2
  if "$@"; then note "$name" "$text"; else note "$name" "FAILED: $text"; failed=1; fi
}
# has TOOL NAME: true if the system has the tool; else notes that the recipe is left out.
has() { command -v "$1" >/dev/null || { note "$2" "left out: $1 is not installed"; return 1; }; }
# build NAME: false, with a note, if nothing is to be built.
build() { [ -z "$quick" ] || { note "$1" 'left out: --quick builds nothing'; return 1; }; }

same_version() {
  version=$(sed -n 's/^project(imbrex VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  [ -n "$version" ] && grep -q "version(\"$version\")" packaging/spack/packages/imbrex/package.py &&
    grep -q "^  version: $version$" packaging/conda/recipe.yaml &&
    grep -q "^version = '$version'$" packaging/easybuild/imbrex-*.eb &&
    [ -f "packaging/easybuild/imbrex-$version-GCC-13.3.0.eb" ]
}

try versions 'all recipes are of this version' same_version
try spack 'the recipe is right Python' python3 -m py_compile packaging/spack/packages/imbrex/package.py
try slurm 'the script is right for bash' bash -n packaging/slurm/job.sh
if python3 -c 'import yaml' 2>/dev/null; then
  try yaml 'the recipes of conda and Kubernetes can be read' \
    python3 -c 'import sys, yaml; [list(yaml.safe_load_all(open(f))) for f in sys.argv[1:]]' \
    packaging/conda/recipe.yaml packaging/kubernetes/job.yaml packaging/spack/repo.yaml
else
  note yaml 'left out: PyYAML is not installed'
fi
if has eb easybuild; then try easybuild 'the recipe can be read' eb --show-ec packaging/easybuild/imbrex-*.eb; fi
if build debian && has mmdebstrap debian; then
  try debian 'packages are built, and used in a clean Debian' scripts/debian/check.sh
fi
if build wheel; then try wheel 'is built, and used in clean environments' python3 tests/python/check_wheel.py; fi
if build spack && has spack spack; then
  try spack 'builds' spack --env-dir packaging/spack dev-build --keep-prefix imbrex@0.1.0
fi
if build conda && has rattler-build conda; then
  try conda 'builds' rattler-build build --recipe packaging/conda --output-dir build/conda-packages
fi
if build container && has podman container; then
  try container 'is built' podman build -f packaging/containers/Containerfile -t imbrex .
fi

printf '\n%s' "$list"
exit "$failed"
