#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random runs both as traces of Imbrex and as the Chrome traces of PyTorch, a rank for each PE, and compares the
overlap that `imbrex trace report` tells with that of Holistic Trace Analysis (PyPI: HolisticTraceAnalysis).

usage: hta_test.py IMBREX
"""
import json
import logging
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    from hta.analyzers import communication_analysis
    from hta.trace_analysis import TraceAnalysis
    # Holistic Trace Analysis rounds to hundredths of a percent; the comparison is finer.
    communication_analysis.round = lambda numbers, _: numbers
    logging.disable(logging.CRITICAL)
except ImportError as e:
    TraceAnalysis = None
    WHY_NOT = f"Holistic Trace Analysis is missing ({e}); pip install HolisticTraceAnalysis"

ITEM_BEGIN, ITEM_END, SENT, ARRIVED = 1, 2, 7, 9
PROGRAM, RUNTIME = 0, 1
MICROSECOND = 1000
END = 1_000_000


def random_run(chance, pes):
    """For each PE when it computes, and when messages are on their way to it; in microseconds."""
    computes = []
    communicates = []
    for _ in range(pes):
        moments = sorted(chance.sample(range(1, END - 1), 200))
        computes.append(list(zip(moments[::2], moments[1::2])))
        begins = [chance.randrange(1, END - 50_000) for _ in range(60)]
        communicates.append([(b, b + chance.randrange(1, 30_000)) for b in begins])
    return computes, communicates


def write_trace(file, computes, communicates):
    pes = len(computes)
    records = [[] for _ in range(pes)]
    for pe in range(pes):
        for begin, end in computes[pe]:
            records[pe] += [(begin, ITEM_BEGIN, PROGRAM, 0), (end, ITEM_END, 0, 0)]
        for number, (begin, end) in enumerate(communicates[pe]):
            address = (pe + 1) << 20 | number << 6
            records[(pe + 1) % pes].append((begin, SENT, 0, address))
            records[pe].append((end, ARRIVED, 0, address))
            # Only when all is over it runs what came, and in no time.
            records[pe] += [(END, ITEM_BEGIN, RUNTIME, address), (END, ITEM_END, 0, 0)]
    with open(file, "wb") as out:
        out.write(struct.pack("<8sIIIIIIQQqII", b"imbrext1", 1, 64, 0, 1, 0, pes, 5, 0, 0, 0, 0))
        for pe in range(pes):
            records[pe].sort(key=lambda r: r[0])
            content = b"".join(struct.pack("<QBBHIQQ", time * MICROSECOND, kind, detail, 0, 0, address, 0)
                               for time, kind, detail, address in records[pe])
            out.write(struct.pack("<IIII", 0x6b6e6863, 1, pe, len(content)) + content)
        out.write(struct.pack("<IIII", 0x6b6e6863, 4, 0, 0))


def chrome_trace(rank, computes, communicates):
    def kernel(name, stream, number, begin, end):
        return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": begin, "dur": end - begin,
                "args": {"stream": stream, "correlation": number, "device": 0}}
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::run", "pid": 1, "tid": 1, "ts": 0, "dur": END, "args": {}}]
    events += [kernel("jacobi", 7, k, *i) for k, i in enumerate(computes)]
    events += [kernel("ncclKernel_SendRecv", 20, 10_000 + k, *i) for k, i in enumerate(communicates)]
    return {"schemaVersion": 1, "distributedInfo": {"rank": rank}, "traceEvents": events}


class Overlap(unittest.TestCase):
    @unittest.skipIf(TraceAnalysis is None, "" if TraceAnalysis else WHY_NOT)
    def test_is_that_of_holistic_trace_analysis(self):
        for seed in range(5):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                computes, communicates = random_run(random.Random(seed), 3)
                file = pathlib.Path(folder, "run.trace")
                write_trace(file, computes, communicates)
                ranks = {}
                for rank in range(3):
                    ranks[rank] = str(pathlib.Path(folder, f"rank{rank}.json"))
                    text = json.dumps(chrome_trace(rank, computes[rank], communicates[rank]))
                    pathlib.Path(ranks[rank]).write_text(text)
                found = TraceAnalysis(trace_files=ranks, trace_dir="").get_comm_comp_overlap(visualize=False)
                theirs = {row["rank"]: row["comp_comm_overlap_pctg"] / 100 for _, row in found.iterrows()}
                said = subprocess.run([IMBREX, "trace", "report", str(file), "--json"], check=True,
                                      stdout=subprocess.PIPE).stdout
                for pe in json.loads(said)["runs"][0]["pes"]:
                    overlap = pe["overlap"]
                    self.assertGreater(overlap["fraction"], 0.05)
                    self.assertLess(overlap["fraction"], 0.95)
                    self.assertAlmostEqual(overlap["fraction"], theirs[pe["pe"]], delta=1e-6)
                    self.assertEqual(overlap["cut"], 0)


if __name__ == "__main__":
    IMBREX = sys.argv.pop(1)
    unittest.main(verbosity=2, warnings="ignore")
