# SPDX-License-Identifier: Apache-2.0
"""Figures 7a and 7c of paper 000 (Choi et al., ESPM2 2020), and what its text says of them, beside what apps/minimd
does in simulated time."""
from claims import Chart, Claim, near
from simulate import weak

WEAK_NODES = [1, 2, 4, 8, 16, 32, 64]
STRONG_NODES = [8, 16, 32, 64, 128, 256, 512]
ODFS = [1, 2, 4]
FULL = "our blocks' kernels cover all of their exchange, which the paper's do not"


def us_per_step(machine, cells, nodes, comm, **more):
    run = machine.minimd(cells, nodes, comm, **more)
    return float(run["seconds"]) * 1e6 / float(run["steps"])


def scaling(machine, counts, cells_of):
    """{name of a line: {nodes: us a step}}."""
    lines = {name: {} for name in ("MPI-HS", "MPI-CA", *(f"Charm-ODF-{odf}" for odf in ODFS))}
    for count in counts:
        cells = cells_of(count)
        lines["MPI-HS"][count] = us_per_step(machine, cells, count, "host", mpi=True)
        lines["MPI-CA"][count] = us_per_step(machine, cells, count, "message", mpi=True)
        for odf in ODFS:
            lines[f"Charm-ODF-{odf}"][count] = us_per_step(machine, cells, count, "host", odf=odf)
    return lines


def gain(lines, odf, nodes):
    """The speed-up over one chare for each GPU."""
    return lines["Charm-ODF-1"][nodes] / lines[f"Charm-ODF-{odf}"][nodes] - 1


def best_odf(lines, nodes):
    return min(ODFS, key=lambda odf: lines[f"Charm-ODF-{odf}"][nodes])


def shown(lines, nodes):
    return ", ".join(f"{odf}: {lines[f'Charm-ODF-{odf}'][nodes] / 1e3:.2f}" for odf in ODFS) + " ms"


def figure_7a(machine, nodes):
    counts = nodes or WEAK_NODES
    lines = scaling(machine, counts, lambda count: weak(192, count))
    claims = []
    for count in counts:
        more = gain(lines, 4, count)
        ratio = lines["Charm-ODF-4"][count] / lines["MPI-CA"][count]
        claims += [
            Claim("(figure 7a)", f"ODF 4 best, {count} nodes", f"{best_odf(lines, count)} ({shown(lines, count)})",
                  best_odf(lines, count) == 4),
            Claim("(figure 7a, gain)", f"ODF 4 is 26 to 45 % faster than 1, {count} nodes", f"{more:.0%}",
                  0.26 * 0.75 <= more <= 0.45 * 1.25, FULL),
            Claim("(figure 7a, MPI)", f"MPI-CA {'before' if count == 1 else 'behind'} ODF 4, {count} nodes",
                  f"ODF 4 takes {ratio:.2f} of its time", (ratio > 1) == (count == 1), FULL)]
    if 64 in counts:
        atoms = int(machine.minimd(weak(192, 64), 64, "host")["atoms"])
        claims.append(Claim("c3.md.atoms", "1.8 billion atoms, 64 nodes", f"{atoms:,}", near(atoms, 1.8e9, 0.01)))
    return claims, [Chart("minimd-figure-7a", "MiniMD, 192^3 unit cells a node", "nodes", "us a step", lines)]


def figure_7c(machine, nodes):
    counts = nodes or STRONG_NODES
    lines = scaling(machine, counts, lambda count: [512] * 3)
    claims = []
    for count in counts:
        expected = 4 if count <= 32 else 2 if count < 512 else 1
        claims.append(Claim("(figure 7c)", f"ODF {expected} best, {count} nodes",
                            f"{best_odf(lines, count)} ({shown(lines, count)})", best_odf(lines, count) == expected,
                            "a message costs our PEs less than Charm++'s, so finer blocks pay longer"))
        if count <= 32:
            more = gain(lines, 4, count)
            claims.append(Claim("(figure 7c, gain)", f"ODF 4 is 36 to 42 % faster than 1, {count} nodes",
                                f"{more:.0%}", 0.36 * 0.75 <= more <= 0.42 * 1.25, FULL))
    return claims, [Chart("minimd-figure-7c", "MiniMD, 512^3 unit cells", "nodes", "us a step", lines)]


FIGURES = {"minimd-figure-7a": figure_7a, "minimd-figure-7c": figure_7c}
