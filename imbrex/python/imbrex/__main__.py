# SPDX-License-Identifier: Apache-2.0
"""python -m imbrex --cmake-dir: where find_package(imbrex) looks."""

import pathlib
import sys

if __name__ == "__main__":
    if sys.argv[1:] != ["--cmake-dir"]:
        sys.exit("usage: python -m imbrex --cmake-dir")
    here = pathlib.Path(__file__).resolve().parent
    found = sorted(here.glob("lib*/cmake/imbrex")) + sorted(here.glob("lib*/*/cmake/imbrex"))
    if not found:
        sys.exit("imbrex: this package is not installed: pip install . installs the CMake files with it")
    print(found[0])
