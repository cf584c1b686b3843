# SPDX-License-Identifier: Apache-2.0
"""Figures 6 and 7 and table 3 of paper 004 (Kawanishi et al. 2023), and what its text says of them, beside what
apps/moldyn does in simulated time."""
from claims import Chart, Claim, near

NODES = [1, 2, 4, 8, 16]
# 128 x 128 cells; the paper calls them 320,000 particles.
PARTICLES = 319_488
CYCLES = 50
KINDS = {"no overlap": "none", "overlap": "auto"}
CALIBRATED = "table 3 is what the model was chosen by"


def seconds(machine, kind, nodes, particles=PARTICLES):
    """The time of 50 cycles."""
    return machine.moldyn(nodes, kind, particles)["ms_per_cycle"] * CYCLES / 1e3


def efficiency(times, nodes):
    return times[1] / (nodes * times[nodes])


def figure_6(machine, nodes):
    counts = nodes or NODES
    times = {name: {count: seconds(machine, kind, count) for count in counts} for name, kind in KINDS.items()}
    claims = []
    if 8 in counts:
        none, overlap = times["no overlap"][8], times["overlap"][8]
        claims.append(Claim("m4.strong.341", "34.1 % shorter, 14.7 s of 22.3, 8 nodes",
                            f"{1 - overlap / none:.1%} shorter, {overlap:.1f} s of {none:.1f}",
                            near(1 - overlap / none, 0.341, 0.1), CALIBRATED))
    if 1 in counts and 16 in counts:
        none, overlap = (efficiency(times[name], 16) for name in KINDS)
        why = "the paper does not give what a node takes alone, of which efficiencies are parts"
        claims += [Claim("m4.eff16.no_overlap", "efficiency below 40 %, 16 nodes", f"{none:.1%}", none < 0.4, why),
                   Claim("m4.eff16.overlap", "efficiency 53.9 %, 16 nodes", f"{overlap:.1%}", near(overlap, 0.539, 0.1),
                         why)]
    if 8 in counts:
        found = machine.moldyn(8, "auto", PARTICLES)
        spread = 1 - found["least_interactions"] / found["most_interactions"]
        claims.append(Claim("m4.balance", "interactions of 8 nodes differ by no more than 2.15 %", f"{spread:.2%}",
                            spread <= 0.0215))
    cells = machine.moldyn(counts[0], "auto", PARTICLES)["cells"]
    claims.append(Claim("m4.cells", "about 16,410 cells", f"{cells:,}", near(cells, 16_410, 0.01)))
    charts = [Chart("moldyn-figure-6", "MolDyn, 320,000 particles, 50 cycles", "nodes", "s", times)]
    if 1 in counts:
        ideal = {count: times["no overlap"][1] / count for count in counts}
        charts[0].lines["ideal"] = ideal
        parts = {name: {count: efficiency(line, count) for count in counts}
                 for name, line in times.items() if name != "ideal"}
        charts.append(Chart("moldyn-figure-6-efficiency", "MolDyn, efficiency", "nodes", "part of ideal", parts))
    return claims, charts


def figure_7(machine, nodes):
    """Where the time of a cycle goes. The paper has no numbers of it in its text."""
    counts = nodes or NODES
    lines = {}
    for name, kind in KINDS.items():
        for count in counts:
            for part, time in machine.moldyn(count, kind, PARTICLES)["ms"].items():
                if time > 1e-3:
                    lines.setdefault(f"{part}, {name}", {})[count] = time
    claims = []
    for count in counts:
        if count == 1:
            continue
        none, overlap = (machine.moldyn(count, kind, PARTICLES)["ms"] for kind in KINDS.values())
        saved = sum(none.values()) - sum(overlap.values())
        claims.append(Claim("(figure 7)", f"the meeting is what overlap saves most of, {count} nodes",
                            f"{none['meeting']:.0f} ms of {saved:.0f}", none["meeting"] > saved / 2))
    return claims, [Chart("moldyn-figure-7", "MolDyn, a cycle", "nodes", "ms", lines)]


def table_3(machine, _nodes):
    """40,000 particles a node."""
    paper = {"no overlap": (14.285, 22.271, 0.641), "overlap": (11.836, 14.682, 0.806)}
    claims, lines = [], {}
    for name, kind in KINDS.items():
        two, eight = seconds(machine, kind, 2, PARTICLES // 4), seconds(machine, kind, 8)
        lines[name] = {2: two, 8: eight}
        first, last, kept = paper[name]
        claims.append(Claim("m4.weak", f"{name}: {first:.1f} s on 2 nodes, {last:.1f} on 8, {kept:.1%}",
                            f"{two:.1f}, {eight:.1f}, {two / eight:.1%}", near(two / eight, kept, 0.1), CALIBRATED))
    return claims, [Chart("moldyn-table-3", "MolDyn, 40,000 particles a node, 50 cycles", "nodes", "s", lines)]


FIGURES = {"moldyn-figure-6": figure_6, "moldyn-figure-7": figure_7, "moldyn-table-3": table_3}
