#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All measurements of a device, and a table of them: README.md says what. run.sh --help lists the options.
exec python3 "$(dirname "$(readlink -f "$0")")/measure.py" "$@"
