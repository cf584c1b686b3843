# SPDX-License-Identifier: Apache-2.0
"""Chapters 3 and 5 of paper 001, and Jacobi3D in paper 000, by apps/jacobi3d."""
from judge import Point, best_point, in_order, in_units, near, within
from registry import Chart, draws, measures
from simulate import GPUS_PER_NODE, weak

WEAK_NODES = [1, 2, 4, 8, 16, 32, 64, 512]
SMALL_NODES = [1, 8, 64, 512]
STRONG_NODES = [8, 16, 32, 64, 128, 256, 512]
FUSION_NODES = [1, 4, 16, 128]
FUSIONS = {"none": "none", "A": "a", "B": "b", "C": "c"}
COMM = {"Charm-H": "host", "Charm-D": "channel"}
CUBE_768, CUBE_3072 = [768] * 3, [3072] * 3


def on(nodes):
    return f"{nodes} node" + ("s" if nodes > 1 else "")


def by_odf(machine, grid, nodes, comm, odfs, **more):
    return {odf: machine.jacobi(grid, nodes, comm, odf=odf, **more) for odf in odfs}


def odfs_at(nodes, most=4):
    """The factors of a row: up to `most`, and twice as many where that is cheap."""
    return [odf for odf in (1, 2, 4, 8) if odf <= most or nodes <= 16]


def mpi(machine, grid, nodes, comm):
    return machine.jacobi(grid, nodes, comm, mpi=True)


# Sizes.

@measures("c5.mem.big", "c5.mem.small")
def memory(machine, claim):
    edge = int(claim["config"]["grid"].split("^")[0])
    _, cells = machine.blocks([edge] * 3, 1)
    size = 2 * 8 * cells[0] * cells[1] * cells[2]
    unit, scale = ("GiB", 2 ** 30) if "value_GiB" in claim["expect"] else ("MiB", 2 ** 20)
    return [Point("1 node", f"{size / scale:.4g} {unit} of blocks of {cells[0]} x {cells[1]} x {cells[2]}",
                  near(size / scale, claim["expect"][f"value_{unit}"], claim["expect"]["rel_tol"]))]


@measures("c5.msg.big", "c5.msg.small")
def faces(machine, claim):
    edge = int(claim["config"]["grid"].split("^")[0])
    nodes = 1 if claim["config"]["nodes"] == 1 else 2
    blocks, cells = machine.blocks(weak(edge, nodes), nodes)
    # A block sends a face in each dimension that is cut.
    size = max(8 * cells[0] * cells[1] * cells[2] // cells[side] for side in range(3) if blocks[side] > 1)
    unit, scale = ("MiB", 2 ** 20) if "value_MiB" in claim["expect"] else ("KiB", 2 ** 10)
    return [Point(on(nodes), f"{size / scale:.4g} {unit}, {' x '.join(map(str, blocks))} blocks",
                  near(size / scale, claim["expect"][f"value_{unit}"], claim["expect"]["rel_tol"]))]


@measures("c5.iters")
def protocol(machine, _claim):
    found = machine.protocol(weak(192, 1), 1, [1, 2, 4, 8, 16])
    shown = f"ODF {', '.join(str(line['odf']) for line in found)}, {found[0]['iters']} iterations"
    return [Point("1 node", shown, [line["odf"] for line in found] == [1, 2, 4, 8, 16]
                  and all(line["iters"] == 100 for line in found))]


# Figure 5.5.

@measures("c5.5a.H.odf", "c5.5a.D.odf")
def weak_odf(machine, claim):
    comm = COMM[claim["config"]["mode"]]
    return [best_point(on(nodes), by_odf(machine, weak(1536, nodes), nodes, comm, odfs_at(nodes)),
                       claim["expect"]["value"]) for nodes in machine.among(WEAK_NODES)]


@measures("c5.5a.DvsH")
def weak_device_gain(machine, claim):
    points = []
    for nodes in machine.among(WEAK_NODES):
        host, channel = (min(by_odf(machine, weak(1536, nodes), nodes, comm, odfs_at(nodes)).values())
                         for comm in COMM.values())
        expect = claim["expect"]
        points.append(Point(on(nodes), f"{host / channel:.3f}",
                            within(host / channel, expect["min"], expect["max"], expect["tol"])))
    return points


@measures("c5.5a.61")
def weak_whole_gain(machine, claim):
    grid, expect = weak(1536, 512), claim["expect"]
    gain = machine.jacobi(grid, 512, "host") / machine.jacobi(grid, 512, "channel", odf=2)
    return [Point(on(512), f"{gain:.3f}", near(gain, expect["value"], expect["rel_tol"]))]


@measures("c5.5a.mpid")
def mpi_of_devices(machine, claim):
    points = []
    for nodes in machine.among(WEAK_NODES[2:]):
        host, device = (mpi(machine, weak(1536, nodes), nodes, comm) for comm in COMM.values())
        points.append(Point(on(nodes), f"{device / host:.3f}",
                            within(device / host, claim["expect"]["min"], claim["expect"]["max"])))
    return points


@measures("c5.5a.flat")
def flat(machine, _claim):
    def slope(of):
        return of(512) / of(8)
    charm = slope(lambda nodes: min(by_odf(machine, weak(1536, nodes), nodes, "host", [1, 2, 4]).values()))
    other = slope(lambda nodes: mpi(machine, weak(1536, nodes), nodes, "host"))
    return [Point("512 to 8 nodes", f"{charm:.3f} against {other:.3f}", charm < other)]


def small_odfs_at(nodes):
    """More blocks of few cells only take longer; the largest runs have up to two for a GPU."""
    return [1, 2, 4] if nodes <= 64 else [1, 2]


@measures("c5.5b.odf")
def small_odf(machine, claim):
    return [best_point(f"{mode}, {on(nodes)}", by_odf(machine, weak(192, nodes), nodes, comm, small_odfs_at(nodes)),
                       claim["expect"]["value"]) for mode, comm in COMM.items() for nodes in machine.among(SMALL_NODES)]


@measures("c5.5b.gpu")
def small_gain(machine, claim):
    points = []
    for nodes in machine.among(SMALL_NODES):
        grid = weak(192, nodes)
        for name, run in (("Charm++", machine.jacobi), ("MPI", lambda *to: mpi(machine, *to))):
            gain = run(grid, nodes, "host") / run(grid, nodes, "channel")
            points.append(Point(f"{name}, {on(nodes)}", f"{gain:.2f}", gain >= claim["expect"]["min"]))
    return points


@measures("c5.5b.unstable")
def small_mpi(machine, claim):
    return [Point(on(nodes), f"{time:.0f} us", time <= claim["expect"]["max_us"])
            for nodes in (64, 512) for time in [mpi(machine, weak(192, nodes), nodes, "channel")]]


# Figure 5.6.

def strong_times(machine, nodes, mode):
    return by_odf(machine, CUBE_3072, nodes, COMM[mode], odfs_at(nodes))


@measures(*(f"c5.6.{kind}.odf.{nodes}" for kind in "HD" for nodes in STRONG_NODES))
def strong_odf(machine, claim):
    nodes = claim["config"]["nodes"]
    return [best_point(on(nodes), strong_times(machine, nodes, claim["config"]["mode"]), claim["expect"]["value"])]


@measures("c5.6.H2H1", "c5.6.D1D2")
def strong_ratio(machine, claim):
    mode, over, under = ("Charm-H", 2, 1) if claim["id"] == "c5.6.H2H1" else ("Charm-D", 1, 2)
    ratio = (machine.jacobi(CUBE_3072, 512, COMM[mode], odf=over)
             / machine.jacobi(CUBE_3072, 512, COMM[mode], odf=under))
    return [Point(on(512), f"{ratio:.3f}", near(ratio, claim["expect"]["value"], claim["expect"]["rel_tol"]))]


@measures("c5.6.submilli")
def submilli(machine, claim):
    time = min(strong_times(machine, 512, "Charm-D").values())
    return [Point(on(512), f"{time:.0f} us", time < claim["expect"]["max_us"])]


@measures("c5.6.HvsMPI")
def crossover(machine, claim):
    before, (_, after) = claim["expect"]["lt1_for_nodes"], claim["expect"]["cross_at"]
    points = []
    for nodes in machine.among([*before, after, 512]):
        ratio = (min(strong_times(machine, nodes, "Charm-H").values())
                 / min(mpi(machine, CUBE_3072, nodes, comm) for comm in COMM.values()))
        points.append(Point(on(nodes), f"{ratio:.3f}", ratio < 1 if nodes in before else ratio > 1))
    return points


@measures("c5.6.Dbest")
def device_first(machine, claim):
    points = []
    for nodes in machine.among(STRONG_NODES):
        host, channel = (min(strong_times(machine, nodes, mode).values()) for mode in COMM)
        ratio = channel / min(host, *(mpi(machine, CUBE_3072, nodes, comm) for comm in COMM.values()))
        points.append(Point(on(nodes), f"{ratio:.3f}", within(ratio, high=claim["expect"]["max"], part=0.03)))
    return points


# Figures 5.7 and 5.8.

def fusions(machine, nodes, odf, graphs=False):
    return {name: machine.jacobi(CUBE_768, nodes, "channel", odf=odf, fusion=kind, graphs=graphs)
            for name, kind in FUSIONS.items()}


@measures("c5.7.odf")
def fine_odf(machine, claim):
    return [best_point(on(nodes), by_odf(machine, CUBE_768, nodes, "channel", [1, 2, 4, 8]),
                       claim["expect"]["value"]) for nodes in machine.among(FUSION_NODES)]


@measures("c5.7.none", "c5.7.C1", "c5.7.C8")
def fusion_gain(machine, claim):
    odf, expect = claim["config"]["odf"], claim["expect"]
    points = []
    for nodes in [128] if claim["config"]["nodes"] == 128 else machine.among([1, 4, 16]):
        base, fused = (machine.jacobi(CUBE_768, nodes, "channel", odf=odf, fusion=kind) for kind in ("none", "c"))
        gain = base / fused
        holds = (near(gain, expect["value"], expect["rel_tol"]) if "value" in expect
                 else within(gain, expect["min"], expect["max"]))
        points.append(Point(on(nodes), f"{gain:.3f} ({in_units({'none': base, 'C': fused})})", holds))
    return points


@measures("c5.7.order")
def fusion_order(machine, claim):
    points = []
    for odf in (1, 8):
        for nodes in machine.among([128]):
            times = fusions(machine, nodes, odf)
            points.append(Point(f"ODF {odf}, {on(nodes)}", in_units(times),
                                in_order([times[name] for name in reversed(claim["expect"]["order"])])))
    return points


@measures("c5.8.g8")
def graph_gain(machine, claim):
    plain, captured = (machine.jacobi(CUBE_768, 128, "channel", odf=8, graphs=graphs) for graphs in (False, True))
    return [Point(on(128), f"{plain / captured:.3f}",
                  near(plain / captured, claim["expect"]["value"], claim["expect"]["rel_tol"]))]


def graph_gains(machine, nodes, odf):
    plain, captured = (fusions(machine, nodes, odf, graphs) for graphs in (False, True))
    return {name: plain[name] / captured[name] for name in plain}


def shown(gains):
    return ", ".join(f"{name}: {gain:.3f}" for name, gain in gains.items())


@measures("c5.8.g1")
def graph_gain_alone(machine, claim):
    points = []
    for nodes in machine.among(FUSION_NODES):
        gains = graph_gains(machine, nodes, 1)
        points.append(Point(on(nodes), shown(gains), all(within(gain, claim["expect"]["min"], claim["expect"]["max"])
                                                         for gain in gains.values())))
    return points


@measures("c5.8.dimin")
def graph_order(machine, claim):
    points = []
    for nodes in machine.among(FUSION_NODES):
        gains = graph_gains(machine, nodes, 8)
        points.append(Point(on(nodes), shown(gains),
                            in_order([gains[name] for name in claim["expect"]["order"]], 0.02)))
    return points


# Figure 5.4 and chapter 3.

@measures("c5.4.sync")
def streams(machine, claim):
    points = []
    for name, grid_of, counts in (("weak", lambda nodes: weak(1536, nodes), [1, 8, 64]),
                                  ("strong", lambda nodes: CUBE_3072, [8, 64])):
        for nodes in counts:
            before, after = (machine.jacobi(grid_of(nodes), nodes, "host", odf=4, streams=policy)
                             for policy in ("two", "four"))
            points.append(Point(f"{name}, {on(nodes)}", f"{before / after:.3f}",
                                before / after > claim["expect"]["min"] + claim["tolerance"]))
    return points


def gpus(sixes):
    return f"{GPUS_PER_NODE * sixes} GPUs"


def pre_optimisation(machine, grid, nodes, odf, completion="poll"):
    """Two streams, as in paper 000."""
    return machine.jacobi(grid, nodes, "host", odf=odf, streams="two", completion=completion)


@measures("c3.single.odf")
def single_gain(machine, claim):
    times = {odf: pre_optimisation(machine, weak(1536, 1), 1, odf) for odf in (1, 2, 4, 8, 16)}
    gain = times[1] / times[4]
    return [best_point("best ODF", times, 4),
            Point("gain", f"{gain:.3f}", near(gain, claim["expect"]["value"], claim["expect"]["rel_tol"]))]


@measures("c3.single.hapi")
def completion_gain(machine, claim):
    gains = {}
    for odf in (1, 2, 4, 8, 16):
        sync, poll = (pre_optimisation(machine, weak(1536, 1), 1, odf, completion) for completion in ("sync", "poll"))
        gains[odf] = sync / poll
    return [Point("ODF 1 to 16", ", ".join(f"{odf}: {gain:.2f}" for odf, gain in gains.items()),
                  near(max(gains.values()), claim["expect"]["value"], claim["expect"]["rel_tol"]))]


@measures("c3.hapi.cb")
def callback_cost(machine, claim):
    differences = {}
    for odf in (1, 2, 4, 8, 16):
        callback, poll = (pre_optimisation(machine, weak(1536, 1), 1, odf, completion)
                          for completion in ("callback", "poll"))
        differences[odf] = callback - poll
    said = ", ".join(f"{odf}: {difference:.0f}" for odf, difference in differences.items()) + " us"
    return [Point("ODF 1 to 16", said,
                  any(near(difference, claim["expect"]["value_us"], claim["tolerance"])
                      for difference in differences.values()))]


# The runs of paper 000 have 6, 12, 24 and so on GPUs, also on Lassen, whose nodes have four.

@measures("c3.weak.few", "c3.weak.many", "l3.weak.few", "l3.weak.many")
def early_weak(machine, claim):
    expect, points = claim["expect"], []
    for sixes in machine.among(expect["sixes"]):
        times = {odf: pre_optimisation(machine, weak(1536, sixes), sixes, odf) for odf in (1, 2, 4)}
        gain = times[1] / times[expect["odf"]] - 1
        point = best_point(gpus(sixes), times, expect["odf"])
        point.ours += f", {gain:+.0%}"
        point.holds &= within(gain, expect["min"], expect["max"], claim["tolerance"])
        points.append(point)
    return points


@measures("c3.strong.odf", "l3.strong.odf")
def early_strong(machine, claim):
    points = []
    for sixes in machine.among(claim["expect"]["sixes"]):
        odfs = [1, 2, 4] if sixes <= 64 else [1, 2]
        times = {odf: pre_optimisation(machine, CUBE_3072, sixes, odf) for odf in odfs}
        points.append(best_point(gpus(sixes), times, claim["expect"]["value"]))
    return points


@measures("c3.strong.ends", "l3.strong.ends")
def early_strong_ends(machine, claim):
    points = []
    for sixes, paper in claim["expect"]["gains"].items():
        one, two = (pre_optimisation(machine, CUBE_3072, int(sixes), odf) for odf in (1, 2))
        points.append(Point(gpus(int(sixes)), f"{one / two - 1:+.0%}, the paper {paper:+.0%}",
                            abs(one / two - 1 - paper) <= claim["tolerance"]))
    return points


# Figures.

def versions(machine, counts, grid_of, factors_at):
    """The four lines of figures 5.5 and 5.6."""
    lines = {name: {} for name in ("MPI-H", "MPI-D", "Charm-H", "Charm-D")}
    for nodes in counts:
        grid = grid_of(nodes)
        for kind, comm in (("H", "host"), ("D", "channel")):
            lines[f"MPI-{kind}"][nodes] = mpi(machine, grid, nodes, comm)
            lines[f"Charm-{kind}"][nodes] = min(by_odf(machine, grid, nodes, comm, factors_at(nodes)).values())
    return lines


@draws("summit")
def figure_5_5(machine):
    return [Chart("figure-5.5a", "Jacobi3D, 1536^3 a node", "nodes", "us an iteration",
                  versions(machine, WEAK_NODES, lambda nodes: weak(1536, nodes), odfs_at)),
            Chart("figure-5.5b", "Jacobi3D, 192^3 a node", "nodes", "us an iteration",
                  versions(machine, SMALL_NODES, lambda nodes: weak(192, nodes), small_odfs_at))]


@draws("summit")
def figure_5_6(machine):
    return [Chart("figure-5.6", "Jacobi3D, 3072^3", "nodes", "us an iteration",
                  versions(machine, STRONG_NODES, lambda nodes: CUBE_3072, odfs_at),
                  {"Charm-D, at most": {512: 1000}})]


@draws("summit")
def figure_5_7(machine):
    charts = []
    for odf, gain in ((1, 1.2), (8, 1.51)):
        times = {nodes: fusions(machine, nodes, odf) for nodes in FUSION_NODES}
        lines = {name: {nodes: times[nodes]["none"] / times[nodes][name] for nodes in times} for name in "ABC"}
        charts.append(Chart(f"figure-5.7-odf-{odf}", f"Jacobi3D, 768^3, gain of fusion, ODF {odf}", "nodes",
                            "times as fast", lines, {"C": {128: gain}}))
    return charts


@draws("summit")
def figure_5_8(machine):
    charts = []
    for odf in (1, 8):
        gains = {nodes: graph_gains(machine, nodes, odf) for nodes in FUSION_NODES}
        lines = {name: {nodes: gains[nodes][name] for nodes in gains} for name in FUSIONS}
        charts.append(Chart(f"figure-5.8-odf-{odf}", f"Jacobi3D, 768^3, gain of graphs, ODF {odf}", "nodes",
                            "times as fast", lines, {"none": {128: 1.5}} if odf == 8 else {}))
    return charts


@draws("summit")
def figure_3_5(machine):
    """A node, as in paper 000."""
    lines = {name: {odf: pre_optimisation(machine, weak(1536, 1), 1, odf, completion) for odf in (1, 2, 4, 8, 16)}
             for name, completion in (("synchronised", "sync"), ("callback", "callback"), ("polled", "poll"))}
    return [Chart("figure-3.5", f"Jacobi3D on {GPUS_PER_NODE} GPUs, 1536^3", "ODF", "us an iteration", lines)]
