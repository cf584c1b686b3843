#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far `jacobi3d --odf auto` is from the best factor: a table of sizes, links and PEs, in simulated time.
    bench/validation/odf.py
    bench/validation/odf.py --few --bin build/release/bin
The status is 1 if a choice is slower than ODF 1, or fewer than nine cells of ten are within 3 % of the best.
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTORS = (1, 2, 4, 8, 16)
NEAR = 1.03


def times_of(program, words, odf):
    """{factor: microseconds of an iteration} of one run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "written"
        subprocess.run([program, *words, "--odf", odf, "--quiet", "--json", str(file)], check=True,
                       stdin=subprocess.DEVNULL)
        return {line["odf"]: line["us_per_iter"] for line in map(json.loads, file.read_text().splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"), help="where the programs are")
    parser.add_argument("--few", action="store_true", help="six cells of the table only")
    options = parser.parse_args()
    program = str(pathlib.Path(options.bin) / "jacobi3d")
    sizes = (64,) if options.few else (32, 64, 96)
    pes = (2, 4) if options.few else (2, 4, 8, 16)
    links = [("20us", "1GB/s"), ("200us", "1GB/s"), ("2ms", "1GB/s"), ("200us", "100MB/s")]
    if options.few:
        links = links[:3]
    print(f"{'cells':>6} {'PEs':>4} {'latency':>8} {'bandwidth':>10} {'chosen':>7} {'best':>5} {'of best':>8} "
          f"{'of ODF 1':>9}")
    near, cells, worse = 0, 0, 0
    for size, count, (latency, bandwidth) in itertools.product(sizes, pes, links):
        words = ["--machine", "simulated", "--grid", f"{size},{size},{size}", "--pes", str(count), "--spin", "1ms",
                 "--net-latency", latency, "--net-bandwidth", bandwidth, "--warmup", "4", "--iters", "20"]
        times = times_of(program, words, ",".join(map(str, FACTORS)))
        [(chosen, time)] = times_of(program, words, "auto").items()
        best = min(times, key=times.get)
        cells += 1
        near += time <= NEAR * times[best]
        worse += time > times[1] * 1.0001
        print(f"{size:>5}^3 {count:>3} {latency:>8} {bandwidth:>10} {chosen:>7} {best:>5} {time / times[best]:>8.3f} "
              f"{time / times[1]:>9.3f}", flush=True)
    print(f"{near} of {cells} within 3 % of the best; {worse} slower than ODF 1")
    return 1 if worse or near < 0.9 * cells else 0


if __name__ == "__main__":
    sys.exit(main())
