# SPDX-License-Identifier: Apache-2.0
"""Chapter 4 of paper 001: memory of devices in messages, by bench/osu, and Jacobi3D by ranks of MPI and Python."""
from judge import Point, near, spans, within
from registry import Chart, draws, measures
from simulate import GPUS_PER_NODE, machine_files, number_of, numbers_of, weak

EAGER = 8  # bytes
PLACES = {"intra": False, "inter": True}
# A machine whose transfers between devices take no time.
FREE_TRANSFERS = "link.device_latency=1ns,link.device=100000GB/s,step.transfer=1ns"
WEAK_NODES, STRONG_NODES = [1, 2, 4, 8, 16, 32, 64, 128, 256], [8, 16, 32, 64, 128, 256]


def gains(found, bench, direct, staging="staging"):
    """{bytes: how many times better than staging}."""
    ours, other = found[bench][direct], found[bench][staging]
    return {size: (other[size] / ours[size] if bench == "latency" else ours[size] / other[size]) for size in ours}


def range_point(where, values, paper, part):
    return Point(where, f"{min(values):.1f} to {max(values):.1f}", spans(values, *paper, part))


@measures(*(f"c4.charm.{place}_{kind}" for place in PLACES for kind in ("latency_range", "latency_eager", "bw_range")))
def gain_of_channels(machine, claim):
    place, kind = claim["metric"].split("_", 1)
    found = gains(machine.osu(PLACES[place]), "bandwidth" if kind == "bw_range" else "latency", "channel")
    value, part = claim["expect"]["value"], claim["tolerance"]
    if kind == "latency_eager":
        return [Point(f"{EAGER} B", f"{found[EAGER]:.1f}", near(found[EAGER], value, part))]
    return [range_point("1 B to 4 MiB", found.values(), value, part)]


def points_of_table(claim, of_place):
    """A column of tables 4.1 and 4.2. `of_place` gives latencies' and bandwidths' gains, by bytes."""
    points = []
    for place, between in PLACES.items():
        latency, bandwidth = of_place(between)
        expect, part = claim["expect"], claim["tolerance"]
        points += [range_point(f"{place}, latency", latency.values(), expect[f"{place}_latency_range"], part),
                   Point(f"{place}, {EAGER} B", f"{latency[EAGER]:.1f}",
                         near(latency[EAGER], expect[f"{place}_eager"], part)),
                   range_point(f"{place}, bandwidth", bandwidth.values(), expect[f"{place}_bw"], part)]
    return points


@measures("c4.AMPI")
def gain_of_ranks(machine, claim):
    def of_place(between):
        found = machine.osu_ranks(between)
        return [gains(found, bench, "mpi", "mpi-staging") for bench in ("latency", "bandwidth")]
    return points_of_table(claim, of_place)


@measures("c4.Charm4py")
def gain_in_python(machine, claim):
    def of_place(between):
        found = machine.osu_of_python(between)
        return [gains(found, bench, "device", "host") for bench in ("latency", "bandwidth")]
    return points_of_table(claim, of_place)


@measures("c4.peakbw")
def peak(machine, claim):
    points = []
    for place, between in PLACES.items():
        reached = max(machine.osu(between)["bandwidth"]["channel"].values())
        expect = claim["expect"]
        points.append(Point(place, f"{reached:.1f} GB/s", near(reached, expect[place], expect["rel_tol"])
                            and reached <= expect[f"peak_{place}"]))
    return points


@measures("c4.ucx")
def outside(machine, claim):
    whole, free = (each.osu_ranks(False, ["latency"])["latency"]["mpi"][EAGER]
                   for each in (machine, machine.changed(FREE_TRANSFERS)))
    return [Point("the transfer", f"{whole - free:.2f} us", whole - free < claim["expect"]["ucx_max"]),
            Point("outside of it", f"{free:.1f} us", near(free, claim["expect"]["outside"], claim["tolerance"]))]


@measures("c4.order")
def order_of_ways(machine, _claim):
    points = []
    for place, between in PLACES.items():
        found = machine.osu(between)["latency"]
        holds = all(found["channel"][size] <= found["message"][size] <= time
                    for size, time in found["staging"].items())
        points.append(Point(place, "so at every size" if holds else "not at every size", holds))
    return points


@measures("hw.summit")
def constants(machine, claim):
    """Numbers of the machine's file."""
    file, expect = numbers_of(machine_files()["summit"]), claim["expect"]
    link, node = file["link"], file["node"]
    rates = {name: number_of(link[name]) / 1e9 for name in ("device", "socket", "card")}
    return [Point("X-bus, both ways", f"{2 * rates['socket']:g} GB/s", near(2 * rates["socket"], expect["xbus"], 0.05)),
            Point("a node's injection", f"{node['sockets'] * rates['card']:g} GB/s",
                  near(node["sockets"] * rates["card"], expect["node"], 0.05)),
            Point("NVLink, reached of its peak", f"{rates['device']:g} GB/s",
                  within(rates["device"], 0.85 * expect["nvlink"], expect["nvlink"])),
            Point("a rail, reached of its peak", f"{rates['card']:g} GB/s",
                  within(rates["card"], 0.85 * expect["rail"], expect["rail"])),
            Point("GPUs of a socket", f"{node['devices'] // node['sockets']}",
                  node["devices"] // node["sockets"] * node["sockets"] == GPUS_PER_NODE),
            Point("memory", f"{file['device']['memory'] / 1e9:g} GB", near(file["device"]["memory"], 16e9, 0.1))]


# Jacobi3D.

def scaled(machine, claim, most=256):
    """The nodes and grids of a claim on weak or strong scaling."""
    if claim["config"]["scaling"] == "weak":
        return [(nodes, weak(1536, nodes)) for nodes in machine.among(WEAK_NODES)
                if nodes <= most]
    return [(nodes, [3072] * 3) for nodes in machine.among(STRONG_NODES) if nodes <= most]


def gain_points(claim, counts, time_of, said=lambda gain: f"{gain:.2f}"):
    """The gain of `direct` over `host` on each number of nodes, which the paper's least and greatest enclose."""
    points, expect = [], claim["expect"]
    for nodes, grid in counts:
        gain = time_of(grid, nodes, "host") / time_of(grid, nodes, "direct")
        points.append(Point(f"{nodes} nodes", said(gain),
                            within(gain, expect["min"], expect["max"], claim["tolerance"])))
    return points


@measures("c4.15.weak", "c4.15.strong")
def jacobi_by_messages(machine, claim):
    return gain_points(claim, scaled(machine, claim, 32), lambda grid, nodes, way: machine.jacobi(
        grid, nodes, "message" if way == "direct" else "host"))


@measures("c4.16.weak", "c4.16.strong")
def jacobi_by_ranks(machine, claim):
    return gain_points(claim, scaled(machine, claim, 8),
                       lambda grid, nodes, way: machine.jacobi_of_ranks(
                           grid, nodes, "message" if way == "direct" else "host"))


@measures("c4.17.weak", "c4.17.strong")
def jacobi_by_python(machine, claim):
    return gain_points(claim, scaled(machine, claim, 8),
                       lambda grid, nodes, way: machine.jacobi_of_python(
                           grid, nodes, "device" if way == "direct" else "host"))


@draws("summit")
def figures_4_11_to_4_14(machine):
    charts = []
    for place, between in PLACES.items():
        found = machine.osu(between)
        for bench, unit in (("latency", "us"), ("bandwidth", "GB/s")):
            paper = {}
            if bench == "bandwidth":
                paper = {"channel, at most": {1 << 22: 44.7 if place == "intra" else 10.0}}
            charts.append(Chart(f"figure-4-{place}-{bench}", f"Memory of devices, {place}-node {bench}", "bytes", unit,
                                {way: values for way, values in found[bench].items() if way != "persistent"}, paper))
    return charts
