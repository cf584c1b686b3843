#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits numbers of a machine's file to chapters 3 and 4 of paper 001, and to no others.

    bench/papers/fit.py
    bench/papers/fit.py --only host.launch --only message.send --rounds 3
    bench/papers/fit.py --set host.launch=4us --rounds 0

The programs are run once. A candidate is the machine with other numbers: what Jacobi3D takes there is evaluated by the
flows of these runs. The search changes one number at a time, within what is likely for it, while the deviations become
smaller. It prints each term of the deviation, and the numbers, which it writes into no file.
"""
import argparse
import concurrent.futures
import dataclasses
import sys

import micro_benchmarks
from simulate import ROOT, Machine, Runner, machine_files, number_of, numbers_of, weak

EAGER = micro_benchmarks.EAGER
# What is searched: {number: (least, most)} that are likely.
RANGES = {
    "host.launch": ("1.5us", "12us"),
    "host.call": ("200ns", "2us"),
    "host.query": ("200ns", "1us"),
    "host.copy_bandwidth": ("6GB/s", "20GB/s"),
    "copy.latency": ("3us", "25us"),
    "device.kernel_start": ("800ns", "4us"),
    "message.send": ("500ns", "8us"),
    "message.receive": ("500ns", "8us"),
    "message.bandwidth": ("5GB/s", "30GB/s"),
    "step.envelope": ("200ns", "5us"),
    "step.post": ("200ns", "5us"),
    "step.channel": ("300ns", "4us"),
    "step.notice": ("200ns", "4us"),
    "link.device_rendezvous": ("2us", "30us"),
    "link.card_rendezvous": ("5us", "80us"),
}
# No term counts as more: what no number brings near must not decide about the others.
MOST = 3


@dataclasses.dataclass
class Term:
    """A number of a claim beside that of the paper: a value, or a least and a greatest one."""

    claim: str
    name: str
    ours: float
    low: float
    high: float
    tolerance: float

    def deviation(self):
        """In tolerances; 0 within the range."""
        nearest = min(max(self.ours, self.low), self.high)
        return (self.ours / nearest - 1) / self.tolerance


def near(claim, name, ours, target, tolerance):
    return Term(claim, name, ours, target, target, tolerance)


def terms_of_tables(machine):
    """Tables 4.1 and 4.2 for Charm++: the gains of channels over staging, and the time outside of UCX."""
    tables = {False: ("intra", 3.1, 10.1, 9.1, 1.7, 10.1), True: ("inter", 1.5, 6.8, 6.8, 1.3, 9.4)}
    for between, (place, least, most, eager, least_bandwidth, most_bandwidth) in tables.items():
        found = machine.osu(between)
        gains = {size: time / found["latency"]["channel"][size] for size, time in found["latency"]["staging"].items()}
        rates = [found["bandwidth"]["channel"][size] / rate for size, rate in found["bandwidth"]["staging"].items()]
        yield near("c4.charm", f"{place} latency, least", min(gains.values()), least, 0.25)
        yield near("c4.charm", f"{place} latency, most", max(gains.values()), most, 0.25)
        yield near("c4.charm", f"{place} latency, eager", gains[EAGER], eager, 0.25)
        yield near("c4.charm", f"{place} bandwidth, least", min(rates), least_bandwidth, 0.25)
        yield near("c4.charm", f"{place} bandwidth, most", max(rates), most_bandwidth, 0.25)
    free = machine.changed(micro_benchmarks.FREE_TRANSFERS).osu_ranks(False, ["latency"])["latency"]["mpi"][EAGER]
    yield near("c4.ucx", "us outside", free, 8, 0.25)


def terms_of_messages(machine):
    """Figure 4.15: messages of device memory in Jacobi3D take 5 % to 37 % less time, and 37 % on one node."""
    for name, nodes, grid, low, high in (("weak", 1, weak(1536, 1), 1.587, 1.587),
                                         ("weak", 8, weak(1536, 8), 1.053, 1.587),
                                         ("strong", 16, [3072] * 3, 1.099, 1.37)):
        gain = machine.jacobi(grid, nodes, "host") / machine.jacobi(grid, nodes, "message", waits="faces")
        yield Term("c4.15", f"{name}, {nodes} nodes", gain, low, high, 0.1)


def terms_of_factors(machine, largest):
    """Chapter 3: the gains of overdecomposition, and which factor is best."""
    def time(grid, sixes, odf, completion="poll"):
        """Two streams, and a second wait for the device (section 5.2.3)."""
        return machine.jacobi(grid, sixes, "host", odf=odf, streams="two", completion=completion, waits="updates")

    def times(grid, sixes, odfs):
        return {odf: time(grid, sixes, odf) for odf in odfs}

    one = times(weak(1536, 1), 1, (1, 2, 4, 8, 16))
    yield near("c3.single.odf", "1 / 4", one[1] / one[4], 1.43, 0.1)
    yield Term("c3.single.odf", "least / 4", min(one.values()) / one[4], 1, 1e9, 0.03)
    sync = {odf: time(weak(1536, 1), 1, odf, "sync") for odf in (4, 8, 16)}
    yield near("c3.single.hapi", "sync / poll", max(sync[odf] / one[odf] for odf in sync), 1.83, 0.15)
    for sixes in (4, 8):
        found = times(weak(1536, sixes), sixes, (1, 2, 4))
        yield Term("c3.weak.many", f"{sixes}: 1 / 2", found[1] / found[2], 1.24, 1.37, 0.1)
        yield Term("c3.weak.many", f"{sixes}: least / 2", min(found.values()) / found[2], 1, 1e9, 0.03)
    for sixes in (16, 64):
        found = times([3072] * 3, sixes, (1, 2, 4))
        yield Term("c3.strong.odf", f"{sixes}: least / 2", min(found.values()) / found[2], 1, 1e9, 0.03)
    for sixes, gain in ((8, 1.35), (256, 1.03), (512, 0.92)):
        if sixes <= largest:
            found = times([3072] * 3, sixes, (1, 2))
            yield near("c3.strong.ends", f"{sixes}: 1 / 2", found[1] / found[2], gain, 0.08)


def value_of(text):
    return float(text) if text[-1].isdigit() else number_of(text)


def text_of(value, like):
    """A value in the unit of another one, with three digits."""
    unit = like.lstrip("0123456789._")
    return f"{value / number_of('1' + unit):.3g}{unit}" if unit else f"{value:.3g}"


class Search:
    """A search of numbers that make the deviation of a machine small."""

    def __init__(self, runner, model, fixed, largest, jobs):
        self.runner = runner
        self.model = model
        self.fixed = fixed
        self.largest = largest
        self.jobs = jobs
        self.known = {}

    def terms(self, numbers):
        """All terms of a candidate. The groups are independent of each other, and are evaluated side by side."""
        change = ",".join(f"{name}={text}" for name, text in {**numbers, **self.fixed}.items())
        machine = Machine(self.runner, self.model, change, by_flows=True)
        groups = (terms_of_tables, terms_of_messages, lambda on: terms_of_factors(on, self.largest))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return [term for terms in pool.map(lambda group: list(group(machine)), groups) for term in terms]

    def deviation(self, numbers):
        key = tuple(sorted(numbers.items()))
        if key not in self.known:
            self.known[key] = sum(min(abs(term.deviation()), MOST) ** 2 for term in self.terms(numbers))
        return self.known[key]

    def run(self, numbers, rounds, step=1.5):
        """The best numbers, of changes of one at a time by a step, which becomes smaller when none is better."""
        best = self.deviation(numbers)
        for number in range(rounds):
            before = best
            for name in numbers:
                low, high = map(value_of, RANGES[name])
                for factor in (step, 1 / step):
                    other = min(max(value_of(numbers[name]) * factor, low), high)
                    tried = {**numbers, name: text_of(other, RANGES[name][1])}
                    found = self.deviation(tried)
                    if found < best:
                        best, numbers = found, tried
                        print(f"round {number + 1}: {best:.3f} with {name}={tried[name]}", flush=True)
                        break
            if best > 0.98 * before:
                step = step ** 0.5
        return numbers


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", metavar="NAME", default="summit", help="summit (default)")
    parser.add_argument("--only", metavar="NUMBER", action="append", choices=RANGES, help="search this number only")
    parser.add_argument("--set", metavar="NUMBER=VALUE", action="append", default=[], help="begin with this value")
    parser.add_argument("--rounds", metavar="N", type=int, default=8, help="changes of each number (default 8)")
    parser.add_argument("--largest", metavar="SIXES", type=int, default=512,
                        help="leave out runs of more than six times as many GPUs (default 512)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="evaluations at a time (default 1)")
    parser.add_argument("--bin", metavar="FOLDER", default=str(ROOT / "build/release/bin"),
                        help="where the programs are (default build/release/bin)")
    options = parser.parse_args(words)
    if options.machine not in machine_files() or "node" not in numbers_of(machine_files()[options.machine]):
        parser.error(f"--machine is {options.machine}; chapters 3 and 4 are on summit")
    for each in options.set:
        if each.count("=") != 1 or each.split("=")[0] not in RANGES:
            parser.error(f"--set is {each}; write it as host.launch=4us, with a number of {', '.join(RANGES)}")
    return options


def main(words):
    options = parse(words)
    fixed = dict(each.split("=") for each in options.set)
    file = numbers_of(machine_files()[options.machine])
    begin = {}
    for name in options.only or RANGES:
        table, key = name.split(".")
        begin[name] = fixed.pop(name, file[table][key])
    search = Search(Runner(options.bin, jobs=options.jobs), options.machine, fixed, options.largest, options.jobs)
    found = search.run(begin, options.rounds)
    for term in search.terms(found):
        paper = f"{term.low:g}" if term.low == term.high else f"{term.low:g} to {term.high:g}"
        print(f"{term.claim:16} {term.name:26} {term.ours:8.3f}  the paper {paper:14} {term.deviation():+.2f}")
    print(f"deviation {search.deviation(found):.3f}")
    for name, text in found.items():
        table, key = name.split(".")
        print(f"{name} = {text}, before {file[table][key]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
