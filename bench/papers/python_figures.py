# SPDX-License-Identifier: Apache-2.0
"""Figure 4.17 of paper 001 (Choi 2022), Jacobi3D by Charm4py, beside what bench/python/jacobi3d_on_devices.py does in
simulated time."""
from claims import Chart, Claim
from simulate import weak

WEAK_NODES = [1, 2, 4, 8]
STRONG_NODES = [8, 16]
HOST = ("Charm4py's channels copy what goes by the host several times more than ours, so there is less to gain, as in "
        "figure 4.15")


def figure_4_17(machine, nodes):
    claims, charts = [], []
    for scaling, counts, low, high in (("weak", WEAK_NODES, 1.9, 7.3), ("strong", STRONG_NODES, 1.5, 2.7)):
        lines, gains = {"Charm4py-H": {}, "Charm4py-D": {}}, {}
        # 3072^3 cells are more than the memory of fewer GPUs.
        for count in [count for count in nodes or counts if scaling == "weak" or count >= STRONG_NODES[0]]:
            grid = weak(1536, count) if scaling == "weak" else [3072] * 3
            host, device = (machine.jacobi_of_python(grid, count, way) for way in ("host", "device"))
            lines["Charm4py-H"][count], lines["Charm4py-D"][count] = host, device
            gains[count] = host / device
        if not gains:
            continue
        said = ", ".join(f"{count} nodes {gain:.2f}x" for count, gain in gains.items())
        claims += [
            Claim(f"(figure 4.17, {scaling})", "from device to device is faster", said, min(gains.values()) > 1,
                  "three GPUs share a card, at which their transfers wait for each other"),
            Claim(f"(figure 4.17, {scaling}, gain)", f"{low}x to {high}x", said,
                  min(gains.values()) >= low * 0.75 and max(gains.values()) <= high * 1.25, HOST)]
        charts.append(Chart(f"figure-4.17-{scaling}", f"Jacobi3D in Python, {scaling} scaling", "nodes",
                            "us an iteration", lines))
    return claims, charts


FIGURES = {"figure-4.17": figure_4_17}
