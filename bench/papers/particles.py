# SPDX-License-Identifier: Apache-2.0
"""MiniMD of paper 000 by apps/minimd, and MolDyn of paper 004 by apps/moldyn."""
from judge import Point, best_point, near, within
from registry import Chart, draws, measures
from simulate import GPUS_PER_NODE, weak

WEAK_NODES, STRONG_NODES = [1, 2, 4, 8, 16, 32, 64], [8, 16, 32, 64]
ODFS = [1, 2, 4]


def us_a_step(machine, cells, nodes, comm, **more):
    run = machine.minimd(cells, nodes, comm, **more)
    return run["seconds"] * 1e6 / run["steps"]


def by_odf(machine, cells, nodes):
    return {odf: us_a_step(machine, cells, nodes, "host", odf=odf) for odf in ODFS}


def scales(claim, of_summit):
    """Runs on Lassen end at 192 GPUs."""
    return [sixes for sixes in of_summit if sixes <= 32 or claim["machine"] != "lassen"]


def on(nodes):
    return f"{nodes} node" + ("s" if nodes > 1 else "")


def gpus(sixes):
    """Runs of paper 000 have 6, 12, 24 and so on GPUs, also on Lassen, whose nodes have four."""
    return f"{GPUS_PER_NODE * sixes} GPUs"


@measures("c3.md.atoms")
def atoms(machine, claim):
    count = machine.minimd(weak(192, 64), 64, "host")["atoms"]
    return [Point(gpus(64), f"{count:.4g}", near(count, claim["expect"]["value"], claim["expect"]["rel_tol"]))]


@measures("c3.md.weak.odf", "l3.md.weak.odf")
def weak_odf(machine, claim):
    return [best_point(gpus(nodes), by_odf(machine, weak(192, nodes), nodes), claim["expect"]["value"])
            for nodes in machine.among(scales(claim, WEAK_NODES))]


@measures("c3.md.weak.gain", "c3.md.strong.gain", "l3.md.weak.gain", "l3.md.strong.gain")
def gain(machine, claim):
    points, expect = [], claim["expect"]
    is_weak = claim["config"]["scaling"] == "weak"
    for nodes in machine.among(scales(claim, WEAK_NODES if is_weak else [8, 16, 32])):
        times = by_odf(machine, weak(192, nodes) if is_weak else [512] * 3, nodes)
        more = times[1] / times[4] - 1
        points.append(Point(gpus(nodes), f"{more:.0%}", within(more, expect["min"], expect["max"], claim["tolerance"])))
    return points


@measures("c3.md.weak.mpi")
def before_mpi(machine, _claim):
    points = []
    for nodes in machine.among(WEAK_NODES):
        cells = weak(192, nodes)
        ratio = us_a_step(machine, cells, nodes, "host", odf=4) / us_a_step(machine, cells, nodes, "message", mpi=True)
        points.append(Point(gpus(nodes), f"{ratio:.2f} of its time", ratio > 1 if nodes == 1 else ratio < 1))
    return points


@measures("c3.md.strong.odf", "l3.md.strong.odf")
def strong_odf(machine, claim):
    factors = {int(nodes): odf for nodes, odf in claim["expect"]["value"].items()}
    return [best_point(gpus(nodes), by_odf(machine, [512] * 3, nodes), factors[nodes])
            for nodes in machine.among(scales(claim, STRONG_NODES))]


@draws("summit")
def figures_of_minimd(machine):
    charts = []
    for name, counts, cells_of, title in (
            ("weak", WEAK_NODES, lambda nodes: weak(192, nodes), "MiniMD, 192^3 unit cells a node"),
            ("strong", STRONG_NODES, lambda nodes: [512] * 3, "MiniMD, 512^3 unit cells")):
        lines = {}
        for nodes in counts:
            for odf, time in by_odf(machine, cells_of(nodes), nodes).items():
                lines.setdefault(f"ODF {odf}", {})[nodes] = time
        charts.append(Chart(f"minimd-{name}", title, "nodes", "us a step", lines))
    return charts


# MolDyn.

MOLDYN_NODES = [1, 2, 4, 8, 16]
# 128 x 128 cells; the paper calls them 320,000 particles.
PARTICLES = 319_488
CYCLES = 50
KINDS = {"no overlap": "none", "overlap": "auto"}


def ms(machine, kind, nodes, particles=PARTICLES):
    """The time of all cycles."""
    return machine.moldyn(nodes, KINDS[kind], particles)["ms_per_cycle"] * CYCLES


def efficiency(machine, kind, nodes):
    return ms(machine, kind, 1) / (nodes * ms(machine, kind, nodes))


@measures("m4.strong.341")
def shorter(machine, claim):
    without, overlap = (ms(machine, kind, 8) for kind in KINDS)
    expect, part = claim["expect"], claim["tolerance"]
    return [Point("8 nodes", f"{1 - overlap / without:.1%} ({overlap:.0f} of {without:.0f} ms)",
                  near(1 - overlap / without, expect["reduction"], part)
                  and near(overlap, expect["overlap_ms"], part) and near(without, expect["no_overlap_ms"], part))]


@measures("m4.eff16")
def efficiency_of_16(machine, claim):
    without, overlap = (efficiency(machine, kind, 16) for kind in KINDS)
    return [Point("no overlap", f"{without:.1%}", without < claim["expect"]["no_overlap_max"]),
            Point("overlap", f"{overlap:.1%}", near(overlap, claim["expect"]["overlap"], claim["tolerance"]))]


@measures("m4.weak")
def kept(machine, claim):
    points = []
    for kind, name in (("no overlap", "no_overlap"), ("overlap", "overlap")):
        two, eight = ms(machine, kind, 2, PARTICLES // 4), ms(machine, kind, 8)
        of_two, of_eight, part = claim["expect"][name]
        points.append(Point(kind, f"{two:.0f} and {eight:.0f} ms, {two / eight:.1%}",
                            all(near(ours, paper, claim["tolerance"]) for ours, paper in
                                ((two, of_two), (eight, of_eight), (two / eight, part)))))
    return points


@measures("m4.balance")
def balance(machine, claim):
    found = machine.moldyn(8, "auto", PARTICLES)
    spread = 1 - found["least_interactions"] / found["most_interactions"]
    return [Point("8 nodes", f"{spread:.2%}", spread <= claim["expect"]["value"])]


@measures("m4.cells")
def cells(machine, claim):
    count = machine.moldyn(8, "auto", PARTICLES)["cells"]
    return [Point("", f"{count:,}", near(count, claim["expect"]["approx"], claim["tolerance"]))]


@measures("m4.meeting")
def meeting(machine, _claim):
    """The paper's figure 7 shows where the time of a cycle goes."""
    points = []
    for nodes in machine.among(MOLDYN_NODES[1:]):
        without, overlap = (machine.moldyn(nodes, kind, PARTICLES)["ms"] for kind in KINDS.values())
        saved = sum(without.values()) - sum(overlap.values())
        points.append(Point(on(nodes), f"{without['meeting']:.0f} ms, and {saved:.0f} saved",
                            without["meeting"] > saved / 2))
    return points


@draws("fugaku")
def figures_of_moldyn(machine):
    lines = {kind: {nodes: ms(machine, kind, nodes) / 1e3 for nodes in MOLDYN_NODES} for kind in KINDS}
    parts = {kind: {nodes: efficiency(machine, kind, nodes) for nodes in MOLDYN_NODES} for kind in KINDS}
    return [Chart("moldyn", "MolDyn, 320,000 particles, 50 cycles", "nodes", "s", lines,
                  {"no overlap": {8: 22.271}, "overlap": {8: 14.682}}),
            Chart("moldyn-efficiency", "MolDyn, efficiency", "nodes", "part of ideal", parts,
                  {"overlap": {16: 0.539}, "no overlap, at most": {16: 0.4}})]
