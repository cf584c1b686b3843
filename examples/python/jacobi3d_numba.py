# SPDX-License-Identifier: Apache-2.0
"""jacobi3d.py with a kernel that Numba compiles.
usage: jacobi3d_numba.py [CELLS [BLOCKS_A_SIDE [ITERATIONS]]]"""
import numba
import numpy as np
from jacobi3d import Block, main

import imbrex as ix


@numba.njit("float64(float64[:, :, ::1], float64[:, :, ::1])")  # compiled here, before the run
def sweep(u: np.ndarray, new: np.ndarray) -> float:
    """One iteration inside the ghosts, and the largest change."""
    change = 0.0
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            for k in range(1, u.shape[2] - 1):
                new[i, j, k] = (u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1]
                                + u[i, j, k + 1]) / 6.0
                change = max(change, abs(new[i, j, k] - u[i, j, k]))
    return change


class CompiledBlock(Block):
    def step(self) -> float:
        change = sweep(self.u, self.new)
        self.u, self.new = self.new, self.u
        return change


ix.run(lambda: main(CompiledBlock))
