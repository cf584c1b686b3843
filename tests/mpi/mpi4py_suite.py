#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs mpi4py's own tests with its wheel of PyPI and our library, and prints for each number of ranks how many pass.

The wheel goes to a virtual environment in the folder that is named, the tests come from the source package.

usage: mpi4py_suite.py --folder build/mpi4py --bin build/release/bin [--ranks 1,2] [unittest's arguments for main.py]
"""
import argparse
import collections
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import urllib.request
import venv

VERSION = "4.1.2"
# Tests of missing features: dynamic processes, recovery from failures.
WITHOUT = ("test_spawn", "test_dynproc", "test_util_pool", "test_util_dtlib",
           "test_ulfm")
# A test that adds a data representation; and one that takes functions of MPI 4 to be absent where the version is 3.1.
WITHOUT_TESTS = ("testRegister", "testContiguousBigMPI")


def fetch(folder):
    """The tests, and the Python that has the wheel."""
    tests = folder / f"mpi4py-{VERSION}/test"
    if not tests.exists():
        index = urllib.request.Request("https://pypi.org/simple/mpi4py/",
                                       headers={"Accept": "application/vnd.pypi.simple.v1+json"})
        with urllib.request.urlopen(index) as answer:
            files = json.load(answer)["files"]
        source = next(file for file in files if file["filename"] == f"mpi4py-{VERSION}.tar.gz")
        with urllib.request.urlopen(source["url"]) as answer:
            data = answer.read()
        if hashlib.sha256(data).hexdigest() != source["hashes"]["sha256"]:
            raise SystemExit(f"{source['url']}: the file is damaged; try again")
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(folder, filter="data")
    python = folder / "python/bin/python3"
    if not python.exists():
        venv.create(folder / "python", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"mpi4py=={VERSION}", "numpy"],
                   check=True)
    return tests, python


def outcomes(text):
    """{test: outcome} of what unittest -v prints, by rank 0's lines."""
    found = {}
    for name, place, outcome in re.findall(
            r"^(test\w+) \((\S+)\)(?:\n[^\n]*?)? \.\.\. (ok|FAIL|ERROR|skipped|expected failure)", text, re.MULTILINE):
        found[f"{place.removesuffix('.' + name)}.{name}"] = outcome
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of imbrex")
    parser.add_argument("--ranks", default="1,2", help="of each run, separated by commas")
    parser.add_argument("--limit", type=float, default=1200, help="seconds a run")
    arguments, words = parser.parse_known_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tests, python = fetch(folder)
    reached = True
    for ranks in arguments.ranks.split(","):
        command = [(arguments.bin / "imbrex").resolve(), "run", "-n", ranks, "--timeout", str(arguments.limit),
                   "--preload", python, tests / "main.py", "-v", "--no-builddir"]
        for name in WITHOUT:
            command += ["-e", name]
        for name in WITHOUT_TESTS:
            command += ["-x", name]
        done = subprocess.run([*map(str, command), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        (folder / f"{ranks}.log").write_text(done.stdout)
        found = outcomes(done.stdout)
        counts = collections.Counter(found.values())
        print(f"{ranks} ranks: {counts['ok']} passed, {counts['FAIL'] + counts['ERROR']} failed, "
              f"{counts['skipped']} skipped, status {done.returncode}; output in {folder}/{ranks}.log", flush=True)
        for name, outcome in found.items():
            if outcome in ("FAIL", "ERROR"):
                print(f"  {outcome}: {name}")
        reached = reached and counts["ok"] > 0 and counts["FAIL"] + counts["ERROR"] == 0 and done.returncode == 0
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
