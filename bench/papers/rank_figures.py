# SPDX-License-Identifier: Apache-2.0
"""The columns of AMPI in tables 4.1 and 4.2, and figure 4.16, of paper 001 (Choi 2022), beside what programs of MPI by
our ranks do in simulated time."""
from claims import Chart, Claim, near
from simulate import weak

TABLES = {
    False: ("intra", {"latency": (1.9, 11.7), "eager": 3.6, "bandwidth": (1.3, 10.0)}, 45.4),
    True: ("inter", {"latency": (1.8, 3.5), "eager": 3.4, "bandwidth": (1.3, 2.6)}, 10.0),
}
WEAK_NODES = [1, 8, 64]
STRONG_NODES = [8, 16, 32, 64]
EAGER = 8  # bytes
HOST = "AMPI copies messages in the host's memory, and our ranks do not"


def range_claim(name, paper, ours):
    low, high = min(ours.values()), max(ours.values())
    holds = near(low, paper[0], 0.25) and near(high, paper[1], 0.25)
    return Claim(name, f"{paper[0]}x - {paper[1]}x", f"{low:.1f}x - {high:.1f}x", holds,
                 f"{HOST}; and our transfers of a window begin one after the other")


def table_4_ranks(machine, _nodes):
    claims, charts = [], []
    for between, (place, paper, peak) in TABLES.items():
        found = machine.osu_ranks(between, ["latency", "bandwidth"])
        staging, direct = found["latency"]["mpi-staging"], found["latency"]["mpi"]
        latency = {size: staging[size] / direct[size] for size in direct}
        bandwidth = {size: rate / found["bandwidth"]["mpi-staging"][size]
                     for size, rate in found["bandwidth"]["mpi"].items()}
        reached = max(found["bandwidth"]["mpi"].values())
        claims += [
            range_claim(f"c4.AMPI.{place}_latency_range", paper["latency"], latency),
            Claim(f"c4.AMPI.{place}_eager", f"{paper['eager']}x", f"{latency[EAGER]:.1f}x",
                  near(latency[EAGER], paper["eager"], 0.25),
                  "the message of AMPI that tells of the data is one more, and ours is the data's envelope"),
            range_claim(f"c4.AMPI.{place}_bw", paper["bandwidth"], bandwidth),
            Claim("c4.peakbw", f"{peak} GB/s {place}", f"{reached:.1f} GB/s", near(reached, peak, 0.05)),
            Claim(f"({place}-node)", "from device to device before staging, at every size",
                  f"{min(latency.values()):.2f}x at least", min(latency.values()) > 1)]
        for bench, unit in (("latency", "us"), ("bandwidth", "GB/s")):
            charts.append(Chart(f"table-4-ranks-{place}-{bench}", f"Ranks of MPI on Summit, {place}-node {bench}",
                                "bytes", unit, found[bench]))
    return claims, charts


def figure_4_16(machine, nodes):
    claims, charts = [], []
    for scaling, counts in (("weak", WEAK_NODES), ("strong", STRONG_NODES)):
        lines, gains = {"AMPI-H": {}, "AMPI-D": {}}, {}
        # 3072^3 cells are more than the memory of fewer GPUs.
        for count in [count for count in nodes or counts if scaling == "weak" or count >= STRONG_NODES[0]]:
            grid = weak(1536, count) if scaling == "weak" else [3072] * 3
            host, device = (machine.jacobi_ranks(grid, count, comm) for comm in ("host", "message"))
            lines["AMPI-H"][count], lines["AMPI-D"][count] = host, device
            gains[count] = host / device - 1
        if not gains:
            continue
        said = ", ".join(f"{count} nodes {gain:.0%}" for count, gain in gains.items())
        if scaling == "weak":
            claims.append(Claim("(figure 4.16, weak)", "device to device is faster, by up to 41 %", said,
                                min(gains.values()) > 0 and max(gains.values()) < 0.41 * 1.25, HOST))
        else:
            claims.append(Claim("(figure 4.16, strong)", "device to device is faster by 27 to 74 %", said,
                                0.27 * 0.75 <= min(gains.values()) and max(gains.values()) <= 0.74 * 1.25, HOST))
        charts.append(Chart(f"figure-4.16-{scaling}", f"Jacobi3D by ranks of MPI, {scaling} scaling", "nodes",
                            "us an iteration", lines))
    return claims, charts


FIGURES = {"table-4-ranks": table_4_ranks, "figure-4.16": figure_4_16}
