#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of charm4py's own list of tests by `python -m imbrex.charm4py`, and fails where one fails.

usage: charm4py_programs.py [--folder FOLDER] [--command IMBREX] [--jobs N] [PART OF A PATH...]

The programs are those of charm4py's source package, which pip brings into FOLDER; they are only run."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SECONDS = 120  # as in charm4py's own list
LEFT_OUT = {
    "tests/interactive/test1.in": "the package does not have its input, and imbrex no such prompt",
    "tests/exec.sh": "the package does not have this script",
    "examples/ray/parameter_server.py": "it needs PyTorch, and loads MNIST",
}


def source(folder):
    """The unpacked source package. pip unpacks it, and fails then, since it cannot be built so."""
    found = sorted(folder.glob("**/test_config.json"))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-clean", "--no-build-isolation",
                            "--no-deps", "--no-binary", "charm4py", "-d", name, "charm4py==1.1"],
                           env={**os.environ, "TMPDIR": str(folder.resolve())}, capture_output=True)
        found = sorted(folder.glob("**/test_config.json"))
    if not found:
        print("skipped: charm4py's source package could not be had: is there a package index?")
        sys.exit(77)
    return found[0].parent.resolve()


def installed(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0


def run(test, folder, command):
    """Status, seconds, and the end of what the program wrote."""
    processes = max(test.get("force_min_processes", 4), 4)
    words = [command, "run", "-n", str(processes), sys.executable, "-m", "imbrex.charm4py", test["path"],
             *test.get("args", "").split(), "++local", f"+p{processes}"]
    begin = time.monotonic()
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS)
        status, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as e:
        status, text = "no end", (e.stdout or b"").decode(errors="replace")
    return status, time.monotonic() - begin, "\n".join(text.splitlines()[-25:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/charm4py"))
    parser.add_argument("--command", default=os.environ.get("IMBREX_COMMAND", "imbrex"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    folder = source(options.folder)
    tests = json.loads((folder / "test_config.json").read_text())
    conditions = {"numbaInstalled": installed("numba")}
    reasons = {}
    chosen = []
    for test in tests:
        if options.parts and not any(part in test["path"] for part in options.parts):
            continue
        reason = LEFT_OUT.get(test.get("prefix", test["path"]))
        if reason is None and not conditions.get(test.get("condition"), True):
            reason = "it needs numba, which is not installed"
        if reason is None:
            chosen.append(test)
        else:
            reasons[" ".join((test.get("prefix", ""), test["path"], test.get("args", ""))).strip()] = reason
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda test: run(test, folder, options.command), chosen)
        for test, (status, seconds, text) in zip(chosen, results, strict=True):
            word = "passed" if status == 0 else "FAILED"
            print(f"{word} {seconds:6.1f} s  {test['path']} {test.get('args', '')}", flush=True)
            if status != 0:
                failed += 1
                print(f"  status {status}\n" + "\n".join("  | " + line for line in text.splitlines()), flush=True)
    for name, reason in reasons.items():
        print(f"left out         {name}: {reason}")
    print(f"{len(chosen) - failed} passed, {failed} failed, {len(reasons)} left out")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
