#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh: makes the Debian packages, installs them in a clean Debian 12, and uses them there: some ten minutes of
# one processor to build, and 1.5 GB for a while. Needs what builds Imbrex, dpkg-dev and mmdebstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

./dev package
packages=$(find "$PWD/build/package" -maxdepth 1 -name '*.deb')
[ "$(echo "$packages" | wc -l)" -eq 3 ]

# Installed by apt, which fetches what they depend on; mmdebstrap keeps nothing of the system that it has made.
# shellcheck disable=SC2086  # a list of words
mmdebstrap --quiet --variant=apt --include=cmake,make,clang-19,pkg-config \
  --customize-hook="copy-in $(echo $packages) scripts/debian/use.sh /root" \
  --customize-hook='chroot "$1" sh /root/use.sh' \
  bookworm /dev/null
echo 'check.sh: the packages install, and what they hold works'
