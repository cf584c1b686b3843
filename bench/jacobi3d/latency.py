#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of an iteration of Jacobi3D over the latency of the network between two processes, which shows the gain of
overlap. Runs several variants in turn and several times: jacobi3d with --overlap none, manual and auto (ODF 2, 4, 8),
the MPI program without overlap by one, 4 and 8 ranks in a process and, over a real link, by MPI without and with manual
overlap. Prints a table of medians and draws them (--svg).

Runs jacobi3d with --overlap none, manual and auto (ODF 2, 4, 8), the program of MPI without overlap by one, 4 and 8
ranks in a process and, over a real link, by MPI without and with manual overlap, in turn and several times; prints a
table of medians and draws them (--svg)."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "link"))
import launch  # noqa: E402
import network  # noqa: E402
import options as link_options  # noqa: E402

AUTO = (2, 4, 8)
RANKS = (1, 4, 8)
COLOURS = {"none": "#b2182b", "manual": "#ef8a62", "auto, ODF 2": "#92c5de", "auto, ODF 4": "#4393c3",
           "auto, ODF 8": "#2166ac", "ranks, ODF 1": "#a6dba0", "ranks, ODF 4": "#5aae61",
           "ranks, ODF 8": "#1b7837", "MPI": "#555555", "MPI, manual": "#999999"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build" / "release")
    parser.add_argument("--over", choices=("model", "link"), default="model",
                        help="model: messages are delayed by --net-latency and --net-bandwidth; link: a real link "
                             "between two network namespaces (see bench/link), also for MPI")
    parser.add_argument("--latency", type=link_options.duration, nargs="+", metavar="TIME",
                        default=[link_options.duration(t) for t in ("50us", "200us", "500us", "1ms")])
    parser.add_argument("--rate", type=link_options.rate, default=10**9, help="such as 1Gbit/s (default)")
    parser.add_argument("--mtu", type=link_options.whole_number(576, 65000), default=65000)
    parser.add_argument("--grid", default="128,128,128")
    parser.add_argument("--iters", type=link_options.whole_number(1, 10**6), default=200)
    parser.add_argument("--repeats", type=link_options.whole_number(1, 1000), default=5)
    parser.add_argument("--svg", type=pathlib.Path, help="where to draw")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all times, in us for an iteration")
    return parser.parse_args()


class Programs:
    """The command lines, and where they run: side by side, or in two namespaces."""

    def __init__(self, asked, latency, hosts, folder):
        self.asked = asked
        self.latency = latency
        self.hosts = hosts
        self.folder = pathlib.Path(folder)
        self.bin = asked.build / "bin"

    def common(self):
        return ["--grid", self.asked.grid, "--iters", str(self.asked.iters), "--warmup", "5"]

    def run(self, program, options=()):
        """A program in two processes, by the model's network or on the two hosts."""
        command = self.bin / "imbrex"
        if self.hosts:
            return launch.by_imbrex(self.hosts, command, options, program)
        return [str(command), "run", "-n", "2", *options, "--net-latency", f"{self.latency}ns", "--net-bandwidth",
                f"{self.asked.rate // 8}B/s", *program]

    def imbrex(self, overlap, odf):
        return self.run([str(self.bin / "jacobi3d"), "--pes", "1", "--overlap", overlap, "--odf", str(odf),
                         *self.common()])

    def ranks(self, odf):
        return self.run([str(self.bin / "jacobi3d_ranks"), "--overlap", "none", *self.common()],
                        ["--pes", "1", "--ranks", str(2 * odf)])

    def mpi(self, overlap):
        return launch.by_mpirun(self.hosts, self.folder,
                                [str(self.bin / "jacobi3d_mpi"), "--overlap", overlap, *self.common()])

    def all(self):
        runs = {"none": self.imbrex("none", 1), "manual": self.imbrex("manual", 1)}
        for odf in AUTO:
            runs[f"auto, ODF {odf}"] = self.imbrex("auto", odf)
        if (self.bin / "jacobi3d_ranks").exists():
            for odf in RANKS:
                runs[f"ranks, ODF {odf}"] = self.ranks(odf)
        if self.hosts and (self.bin / "jacobi3d_mpi").exists():
            runs["MPI"] = self.mpi("none")
            runs["MPI, manual"] = self.mpi("manual")
        return runs

    def time(self, command):
        """us for an iteration, and the checksum of the result."""
        line = self.folder / "line.json"
        line.unlink(missing_ok=True)
        environment = dict(os.environ, **({"UCX_TLS": "tcp,self"} if self.hosts else {}))
        done = subprocess.run([*command, "--json", str(line)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True, timeout=600, env=environment)
        if done.returncode != 0:
            sys.exit(f"status {done.returncode} of {' '.join(command)}\n{done.stderr}")
        result = json.loads(line.read_text().splitlines()[-1])
        return result["us_per_iter"], result["checksum"]


def measure(asked, latency, hosts):
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(asked, latency, hosts, folder)
        times, checksums = {}, set()
        for _ in range(asked.repeats):
            for name, command in programs.all().items():
                microseconds, checksum = programs.time(command)
                times.setdefault(name, []).append(microseconds)
                checksums.add(checksum)
        if len(checksums) != 1:
            sys.exit(f"the results differ: {sorted(checksums)}")
        return times


def over_link(asked, latency):
    link = link_options.Link(delay_ns=latency, rate=asked.rate, mtu=asked.mtu, queue=10_000)
    try:
        with network.Network(link, None, link_options.built_relay()) as hosts:
            return measure(asked, latency, hosts)
    except network.Unavailable as error:
        print(f"no link can be made here: {error}", file=sys.stderr)
        sys.exit(77)


def draw(asked, medians):
    """An SVG of 720 x 440."""
    left, top, width, height = 70, 30, 460, 340
    latencies = sorted(medians)
    names = list(medians[latencies[0]])
    most = max(max(of.values()) for of in medians.values()) * 1.05
    last = latencies[-1] / 1e3 or 1

    def x(latency):
        return left + width * latency / 1e3 / last

    def y(time):
        return top + height * (1 - time / most)

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="440" font-family="sans-serif" '
             'font-size="12">',
             '<rect width="720" height="440" fill="white"/>',
             f'<text x="{left}" y="18" font-weight="bold">Jacobi3D {asked.grid.replace(",", " x ")}, 2 processes, '
             f'{asked.rate / 1e9:g} Gbit/s ({asked.over})</text>']
    for step in range(6):
        value = most * step / 5
        parts.append(f'<path d="M{left} {y(value):.1f}h{width}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value / 1e3:.2f}</text>')
    for latency in latencies:
        parts.append(f'<text x="{x(latency):.1f}" y="{top + height + 18}" text-anchor="middle">'
                     f'{latency / 1e3:g}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{top + height + 40}" text-anchor="middle">'
                 'latency of the network, us</text>'
                 f'<text transform="translate(20 {top + height / 2}) rotate(-90)" text-anchor="middle">'
                 'ms for an iteration</text>')
    for place, name in enumerate(names):
        points = " ".join(f"{x(latency):.1f},{y(medians[latency][name]):.1f}" for latency in latencies)
        dash = ' stroke-dasharray="6 4"' if name.startswith(("MPI", "ranks")) else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"{dash}/>')
        row = top + 14 + 20 * place
        parts.append(f'<path d="M{left + width + 20} {row - 4}h24" stroke="{COLOURS[name]}" stroke-width="2"{dash}/>'
                     f'<text x="{left + width + 50}" y="{row}">{name}</text>')
    asked.svg.write_text("\n".join(parts) + "\n</svg>\n")


def main():
    asked = parse()
    times = {}
    for latency in asked.latency:
        times[latency] = over_link(asked, latency) if asked.over == "link" else measure(asked, latency, None)
        medians = {name: statistics.median(of) for name, of in times[latency].items()}
        print(f"latency {latency / 1e3:g} us: " +
              ", ".join(f"{name} {value:.0f}" for name, value in medians.items()) + " us/iteration")
        best = min(value for name, value in medians.items() if name.startswith("auto"))
        print("  best auto is " +
              ", ".join(f"{medians[name] / best:.2f} times as fast as {name}"
                        for name in medians if not name.startswith("auto")), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps({str(latency): of for latency, of in times.items()}, indent=1) + "\n")
    if asked.svg:
        draw(asked, {latency: {name: statistics.median(of) for name, of in all_of.items()}
                     for latency, all_of in times.items()})


main()
