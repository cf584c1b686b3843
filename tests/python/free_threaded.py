# SPDX-License-Identifier: Apache-2.0
"""Builds the package for a Python without a global lock, and runs its tests there, where threads are PEs. That Python
is what IMBREX_FREE_THREADED_PYTHON names, or python3.14t or python3.13t on PATH; it needs NumPy, nanobind and pytest.
    tests/python/free_threaded.py --source . --folder build/free_threaded
Exit status 77: there is none."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys


def missing_in(python):
    """What that Python lacks, in words; empty: nothing."""
    ask = "import sys, numpy, nanobind, pytest; sys.exit(sys._is_gil_enabled() and 'it has a global lock')"
    asked = subprocess.run([python, "-c", ask], capture_output=True, text=True)
    return asked.stderr.strip().splitlines()[-1] if asked.returncode else ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--source", type=pathlib.Path, required=True, help="the tree of Imbrex")
    options.add_argument("--folder", type=pathlib.Path, required=True, help="where it is built")
    given = options.parse_args()
    python = os.environ.get("IMBREX_FREE_THREADED_PYTHON") or shutil.which("python3.14t") or shutil.which("python3.13t")
    if python is None:
        print("skipped: there is no free-threaded Python; IMBREX_FREE_THREADED_PYTHON may name one")
        return 77
    if missing := missing_in(python):
        print(f"skipped: {python}: {missing}")
        return 77
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(["cmake", "--preset", "release", "-B", given.folder, f"-DPython3_EXECUTABLE={python}",
                    "-DIMBREX_BUILD_BENCH=OFF", "-DIMBREX_BUILD_APPS=OFF"],
                   cwd=given.source, check=True, env=environment)
    subprocess.run(["cmake", "--build", given.folder, "--target", "imbrex_python", "imbrex_command"], check=True,
                   env=environment)
    return subprocess.run(["ctest", "--test-dir", given.folder, "--output-on-failure", "-R",
                           r"^python\.(alone|deterministic|threads|processes|sessions)$"], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
