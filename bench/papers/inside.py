# SPDX-License-Identifier: Apache-2.0
"""Chapter 6 of paper 001: chares inside GPUs, by bench/resident."""
from judge import Point, near, within
from registry import Chart, draws, measures

INSIDE = "inside, a PE is a block"
IN_A_NODE = "in a node, a PE is a GPU"
BETWEEN = "between nodes, a PE is a GPU"
SMALL, LARGE = 8, 1 << 20  # bytes


def pings(machine, place):
    """{way: {bytes: microseconds}} of one way."""
    found = {"message": {}, "put": {}, "bare": {}}
    for line in machine.resident():
        if line["bench"] == "pingpong" and line["place"] == place:
            for way, times in found.items():
                times[line["bytes"]] = line[way]
    return found


def sweeps(machine):
    """{version: {GPUs: microseconds of a sweep}} of Jacobi2D."""
    found = {"put": {}, "synchronous": {}, "asynchronous": {}, "asynchronous, ODF 2": {}}
    for line in machine.resident():
        if line["bench"] == "jacobi2d" and line["gpus"] <= 96:
            for version, times in found.items():
                times[line["gpus"]] = line[version]
    return found


def differences(later, earlier):
    return [later[gpus] - earlier[gpus] for gpus in later]


def spread(values):
    return f"{min(values):.1f} to {max(values):.1f} us"


@measures("c6.pp.intra")
def inside_a_device(machine, claim):
    time = pings(machine, INSIDE)["message"][SMALL]
    return [Point(f"{SMALL} B", f"{time:.2f} us", near(time, claim["expect"]["value"], claim["tolerance"]))]


@measures("c6.async")
def asynchronous(machine, claim):
    found = sweeps(machine)
    added = differences(found["asynchronous"], found["synchronous"])
    return [Point("1 to 96 GPUs", spread(added),
                  all(near(each, claim["expect"]["value"], claim["tolerance"]) for each in added))]


@measures("c6.sync")
def synchronous(machine, _claim):
    found = sweeps(machine)
    saved = differences(found["put"], found["synchronous"])
    return [Point("1 to 96 GPUs", spread(saved), all(within(each, 0.5, 10) for each in saved))]


@measures("c6.2x")
def two_chares(machine, _claim):
    found = sweeps(machine)
    gains = [found["asynchronous"][gpus] / time for gpus, time in found["asynchronous, ODF 2"].items()]
    return [Point("1 to 96 GPUs", f"at most {max(gains):.3f}", max(gains) < 1.02)]


@measures("c6.slower")
def slower_than_a_put(machine, _claim):
    points = []
    for place in (IN_A_NODE, BETWEEN):
        found = pings(machine, place)
        ratios = [found["message"][size] / time for size, time in found["bare"].items()]
        points.append(Point(place.split(",")[0], f"{min(ratios):.2f} to {max(ratios):.2f} times as long",
                            min(ratios) > 1))
    return points


@measures("c6.copy")
def copies_dominate(machine, _claim):
    found = pings(machine, INSIDE)["message"]
    return [Point(f"{LARGE} to {SMALL} B", f"{found[LARGE] / found[SMALL]:.0f}", found[LARGE] / found[SMALL] > 10)]


@draws("summit")
def figures_6_20_to_6_22(machine):
    lines = {place: pings(machine, place)["message"] for place in (INSIDE, IN_A_NODE, BETWEEN)}
    return [Chart("figure-6.20", "Ping-pong of chares inside GPUs, one way", "bytes", "us", lines,
                  {"CharminG, inside": {SMALL: 13}}),
            Chart("figure-6.22", "Jacobi2D inside GPUs, 8,192 x 8,192", "GPUs", "us a sweep", sweeps(machine))]
