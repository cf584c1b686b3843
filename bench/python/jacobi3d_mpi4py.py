# SPDX-License-Identifier: Apache-2.0
"""examples/python/jacobi3d.py by mpi4py: one block a rank, sent and received at once, then the step.
usage: mpirun -n 2 python jacobi3d_mpi4py.py [CELLS [ITERATIONS]]"""
import sys
import time

import numpy as np
from mpi4py import MPI


def faces(cut, extents):
    """Each neighbour's rank, the layer that it gets, and the layer of ghosts that it fills."""
    for axis in range(3):
        for side in (-1, 1):
            before, after = cut.Shift(axis, side)
            if after != MPI.PROC_NULL:
                inside = [slice(1, -1)] * 3
                inside[axis] = 1 if side < 0 else extents[axis]
                ghosts = [slice(1, -1)] * 3
                ghosts[axis] = 0 if side < 0 else extents[axis] + 1
                yield after, 2 * axis + (side > 0), tuple(inside), tuple(ghosts)


def step(u, new):
    inner = new[1:-1, 1:-1, 1:-1]
    np.add(u[:-2, 1:-1, 1:-1], u[2:, 1:-1, 1:-1], out=inner)
    inner += u[1:-1, :-2, 1:-1]
    inner += u[1:-1, 2:, 1:-1]
    inner += u[1:-1, 1:-1, :-2]
    inner += u[1:-1, 1:-1, 2:]
    inner /= 6.0
    return float(np.abs(inner - u[1:-1, 1:-1, 1:-1]).max())


def main():
    cells, iterations = (int(word) for word in (sys.argv[1:] + ["32", "20"][len(sys.argv) - 1:]))
    cut = MPI.COMM_WORLD.Create_cart(MPI.Compute_dims(MPI.COMM_WORLD.size, 3))
    extents = [cells // n for n in cut.dims]
    u = np.zeros([n + 2 for n in extents])
    new = np.zeros_like(u)
    if cut.coords[0] == 0:
        u[0] = new[0] = 1.0  # the hot wall
    around = list(faces(cut, extents))
    arriving = [np.empty(u[ghosts].shape) for _, _, _, ghosts in around]
    cut.Barrier()
    begun = time.perf_counter()
    change = 0.0
    for _ in range(iterations):
        requests = [cut.Irecv(into, rank, tag ^ 1) for (rank, tag, _, _), into in zip(around, arriving)]
        requests += [cut.Isend(np.ascontiguousarray(u[inside]), rank, tag) for rank, tag, inside, _ in around]
        MPI.Request.Waitall(requests)
        for (_, _, _, ghosts), came in zip(around, arriving):
            u[ghosts] = came
        change = step(u, new)
        u, new = new, u
    change = cut.allreduce(change, MPI.MAX)
    seconds = time.perf_counter() - begun
    total = cut.allreduce(float(u[1:-1, 1:-1, 1:-1].sum()))
    if cut.rank == 0:
        print(f"{cells}^3 cells, {cut.size} ranks: change {change:.6f} after {iterations} iterations, "
              f"sum {total:.6f}, {1e3 * seconds / iterations:.2f} ms an iteration")


main()
