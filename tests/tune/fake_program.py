#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program whose traces say that it took a time which is a known function of its options, with noise.

usage: fake_program.py [--odf N] [--speed N] [--flat] [--trace FILE] [--trace-full wait] [--help]
Counts its runs in the file "runs" of the folder that it is started in.
"""
import argparse
import pathlib
import random
import struct
import sys

ITEM_BEGIN, ITEM_END = 1, 2
CHUNK, RECORDS, END = 0x6b6e6863, 1, 4

parser = argparse.ArgumentParser()
parser.add_argument("--odf", type=int, default=1)
parser.add_argument("--speed", type=int, default=1)
parser.add_argument("--flat", action="store_true", help="all take the same time, but for the noise")
parser.add_argument("--trace")
parser.add_argument("--trace-full", choices=["wait"])
asked = parser.parse_args()

counter = pathlib.Path("runs")
run = int(counter.read_text()) + 1 if counter.exists() else 1
counter.write_text(str(run))
if asked.odf == 16:
    print("some output\nthere is no room for so many chares\n")
    sys.exit(3)

milliseconds = 100 if asked.flat else {1: 100, 2: 90, 4: 60, 8: 80}[asked.odf] / asked.speed
# The machine becomes slower all the time, and is not steady.
noise = random.Random(run).uniform(0.97, 1.03) * (1 + 0.01 * run)
length = int(milliseconds * 1e6 * noise)
if asked.trace:
    records = [(0, ITEM_BEGIN), (length, ITEM_END)]
    content = b"".join(struct.pack("<QBBHIQQ", time, kind, 0, 0, 0, 0, 0) for time, kind in records)
    with open(asked.trace, "wb") as out:
        out.write(struct.pack("<8sIIIIIIQQqII", b"imbrext1", 1, 64, 0, 1, 0, 1, 5, 0, 0, 0, 0))
        out.write(struct.pack("<IIII", CHUNK, RECORDS, 0, len(content)) + content)
        out.write(struct.pack("<IIII", CHUNK, END, 0, 0))
