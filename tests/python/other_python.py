# SPDX-License-Identifier: Apache-2.0
"""Builds the package for other Pythons than the build's own, and runs its tests there; in one without a global lock
also with threads as PEs. They are what IMBREX_OTHER_PYTHONS names, with `:` between, and need NumPy, nanobind and
pytest.
    IMBREX_OTHER_PYTHONS=python3.13t:python3.13 tests/python/other_python.py --source . --folder build/other_python
Exit status 77: none is named."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys


PARTS = r"^python\.(alone|deterministic|threads|processes|plugin|programs|sessions|tools)$"


def missing_in(python):
    """The reason why that Python cannot be used; empty: it can."""
    asked = subprocess.run([python, "-c", "import numpy, nanobind, pytest"], capture_output=True, text=True)
    return asked.stderr.strip().splitlines()[-1] if asked.returncode else ""


def check(python, source, folder):
    """False if a test fails there."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(["cmake", "--preset", "release", "-B", folder, f"-DPython3_EXECUTABLE={python}",
                    "-DIMBREX_BUILD_BENCH=OFF", "-DIMBREX_BUILD_APPS=OFF"], cwd=source, check=True, env=environment)
    subprocess.run(["cmake", "--build", folder, "--target", "imbrex_python", "imbrex_command"], check=True,
                   env=environment)
    tests = subprocess.run(["ctest", "--test-dir", folder, "--output-on-failure", "-R", PARTS], env=environment)
    return tests.returncode == 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--source", type=pathlib.Path, required=True, help="the tree of Imbrex")
    options.add_argument("--folder", type=pathlib.Path, required=True, help="where each has a build of its own")
    given = options.parse_args()
    named = [name for name in os.environ.get("IMBREX_OTHER_PYTHONS", "").split(":") if name]
    if not named:
        print("skipped: IMBREX_OTHER_PYTHONS names no Python")
        return 77
    pythons = {name: shutil.which(name) for name in named}
    for name, path in pythons.items():
        if path is None:
            sys.exit(f"IMBREX_OTHER_PYTHONS names {name}, which is not there")
        if missing := missing_in(path):
            sys.exit(f"{name}: {missing}")
    failed = [name for n, (name, path) in enumerate(pythons.items())
              if not check(path, given.source, given.folder / str(n))]
    if failed:
        sys.exit(f"tests failed with {', '.join(failed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
