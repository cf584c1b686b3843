#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/python/jacobi3d.py beside the same by mpi4py, in turn, in two processes with a slow link between them: ms an
iteration, medians, and the ratio. Needs what bench/link needs; the status is 77 where that is missing.

    bench/python/jacobi3d_over_link.py --mpi4py VENV/bin/python --cells 256,128,96
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/link"))
import launch  # noqa: E402
import network  # noqa: E402
import options as link_options  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--mpi4py", default=sys.executable, metavar="PYTHON", help="with mpi4py by Open MPI")
    parser.add_argument("--cells", type=lambda text: [int(word) for word in text.split(",")], default=[256],
                        help="along a side; several are separated by commas")
    parser.add_argument("--iterations", type=link_options.whole_number(1, 10**6), default=20)
    parser.add_argument("--rounds", type=link_options.whole_number(1, 1000), default=5)
    parser.add_argument("--latency", type=link_options.duration, default="200us")
    parser.add_argument("--rate", type=link_options.rate, default="1Gbit/s")
    return parser.parse_args()


def milliseconds(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600,
                          env=environment, check=False)
    line = re.search(r"change (\S+) after .* ([0-9.]+) ms an iteration", done.stdout)
    if done.returncode != 0 or not line:
        sys.exit(f"status {done.returncode} of {' '.join(command)}\n{done.stdout}{done.stderr}")
    return float(line[2]), line[1]


def compare(asked, hosts, folder, cells):
    environment = dict(os.environ, UCX_TLS="tcp,self", PYTHONPATH=str(asked.build / "python"))
    numbers = [str(cells), "2", str(asked.iterations)]
    own = launch.by_imbrex(hosts, asked.build / "bin/imbrex", [],
                           [sys.executable, str(ROOT / "examples/python/jacobi3d.py"), *numbers])
    theirs = launch.by_mpirun(hosts, folder, [asked.mpi4py, str(ROOT / "bench/python/jacobi3d_mpi4py.py"),
                                              str(cells), str(asked.iterations)])
    times, changes = {"Imbrex": [], "mpi4py": []}, set()
    for _ in range(asked.rounds):
        for name, command in (("Imbrex", own), ("mpi4py", theirs)):
            time, change = milliseconds(command, environment)
            times[name].append(time)
            changes.add(change)
    if len(changes) != 1:
        sys.exit(f"the results differ: {sorted(changes)}")
    ratio = statistics.median(b / a for a, b in zip(times["Imbrex"], times["mpi4py"]))
    return statistics.median(times["Imbrex"]), statistics.median(times["mpi4py"]), ratio


def main():
    asked = parse()
    link = link_options.Link(delay_ns=asked.latency, rate=asked.rate, mtu=65000, queue=10_000)
    print("| cells | Imbrex, ms an iteration | mpi4py | mpi4py / Imbrex |\n|---|---|---|---|")
    try:
        with network.Network(link, None, link_options.built_relay()) as hosts, tempfile.TemporaryDirectory() as folder:
            for cells in asked.cells:
                own, theirs, ratio = compare(asked, hosts, pathlib.Path(folder), cells)
                print(f"| {cells}^3 | {own:.2f} | {theirs:.2f} | {ratio:.2f} |", flush=True)
    except network.Unavailable as error:
        print(f"no link can be made here: {error}", file=sys.stderr)
        sys.exit(77)


if __name__ == "__main__":
    main()
