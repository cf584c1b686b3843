# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of operations of Python programs on one PE, by valgrind: the difference of a run with so many
and one with twice as many, divided by their number.  usage: instructions.py [OPERATION...]"""
import os
import pathlib
import re
import subprocess
import sys

OPERATIONS = ["message-int", "message-tuple", "message-array", "receive-int", "ask-int", "create", "broadcast",
              "message-alone"]
TIMES = 20_000


def count(operation, times):
    program = pathlib.Path(__file__).with_name("operations.py")
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         sys.executable, str(program), operation, str(times)],
        capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(done.stderr)
    return int(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)[1].replace(",", ""))


for name in sys.argv[1:] or OPERATIONS:
    print(f"{name:14} {(count(name, 2 * TIMES) - count(name, TIMES)) / TIMES:8.0f}", flush=True)
