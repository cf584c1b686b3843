# SPDX-License-Identifier: Apache-2.0
"""Figures 6.20 to 6.22 of paper 001 (Choi 2022), chares inside GPUs, and what its text says of them, beside what our
program does in simulated time."""
from claims import Chart, Claim
from simulate import GPUS_PER_NODE

INSIDE = "inside, a PE is a block"
IN_A_NODE = "in a node, a PE is a GPU"
BY_BLOCKS = "in a node, a PE is a block"
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


def less(name, paper, ours, what="us"):
    """The paper's times should be undercut: CharminG names its own causes of these costs."""
    return Claim(name, f"about {paper} {what}, and less is the aim", f"{ours:.2f} {what}", ours < paper)


def figure_6_20(machine, _nodes):
    found = pings(machine, INSIDE)
    ratio = found["message"][LARGE] / found["message"][SMALL]
    claims = [less("c6.pp.intra", 13, found["message"][SMALL]),
              Claim("(figure 6.20)", "large messages take the time of their copy", f"1 MiB {ratio:.0f} times 8 B",
                    ratio > 10)]
    return claims, [Chart("figure-6.20", "Ping-pong inside a GPU, one way", "bytes", "us", found)]


def figure_6_21(machine, _nodes):
    claims, charts = [], []
    places = {"a": (IN_A_NODE, BY_BLOCKS), "b": (BETWEEN, None)}
    inside = pings(machine, IN_A_NODE)["message"]
    for letter, (device, blocks) in places.items():
        found = pings(machine, device)
        lines = {"chares, a PE is a GPU": found["message"], "channels, a PE is a GPU": found["put"],
                 "put and flag": found["bare"]}
        if blocks:
            lines["chares, a PE is a block"] = pings(machine, blocks)["message"]
        slower = all(found["message"][size] >= time for size, time in found["bare"].items())
        claims.append(Claim(f"(figure 6.21{letter})", "slower than a put and a flag, at every size",
                            "so" if slower else "not so", slower))
        charts.append(Chart(f"figure-6.21{letter}", f"Ping-pong {device.split(',')[0]}, one way", "bytes", "us", lines))
    between = pings(machine, BETWEEN)["message"]
    claims.append(Claim("(figure 6.21)", "slower between nodes than inside of one",
                        f"{between[SMALL]:.2f} against {inside[SMALL]:.2f} us of 8 B",
                        all(between[size] > time for size, time in inside.items())))
    return claims, charts


def figure_6_22(machine, nodes):
    most = GPUS_PER_NODE * max(nodes or [16])
    lines = {"put": {}, "synchronous": {}, "asynchronous": {}, "asynchronous, ODF 2": {}}
    for line in machine.resident():
        if line["bench"] == "jacobi2d" and line["gpus"] <= most:
            for name, times in lines.items():
                times[line["gpus"]] = line[name]
    put, sync, later, twice = lines.values()
    gains = [put[count] - time for count, time in sync.items()]
    adds = max(later[count] - time for count, time in sync.items())
    best = max(later[count] / time for count, time in twice.items())
    claims = [
        Claim("c6.sync", "a few us faster than with a launch a sweep", f"{min(gains):.1f} to {max(gains):.1f} us",
              0 < min(gains) and max(gains) < 10),
        less("c6.async", 60, adds),
        Claim("c6.2x", "no gain by two chares a PE", f"at most {best:.3f} times", best < 1.02)]
    return claims, [Chart("figure-6.22", "Jacobi2D, 8,192 x 8,192", "GPUs", "us a sweep", lines)]


FIGURES = {"figure-6.20": figure_6_20, "figure-6.21": figure_6_21, "figure-6.22": figure_6_22}
