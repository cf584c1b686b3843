# SPDX-License-Identifier: Apache-2.0
"""The messages of messages.py by mpi4py, in microseconds one way: medians of several rounds.

    mpirun -n 2 python messages_mpi4py.py

usage: messages_mpi4py.py [MESSAGES A ROUND [ROUNDS]]
"""
import statistics
import sys
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.rank
n, rounds = (int(word) for word in (sys.argv[1:] + ["4000", "9"][len(sys.argv) - 1:]))


def objects(value, n):
    send, recv = comm.send, comm.recv
    for _ in range(n // 2):
        if rank == 0:
            send(value, 1)
            recv(source=1)
        else:
            send(recv(source=0), 0)


def buffers(array, n):
    send, recv = comm.Send, comm.Recv
    ready = np.empty_like(array)
    for _ in range(n // 2):
        if rank == 0:
            send(array, 1)
            recv(ready, 1)
        else:
            recv(ready, 0)
            send(ready, 0)


def median(exchange, value, n):
    times = []
    for _ in range(rounds):
        comm.Barrier()
        begun = time.perf_counter()
        exchange(value, n)
        times.append((time.perf_counter() - begun) / n)
    return 1e6 * statistics.median(times)


values = {"int": 7, "tuple (7, 2.5, 'abc')": (7, 2.5, "abc"), "array of 8 float64": np.zeros(8),
          "dict by pickle": {"a": 1}}
for name, value in values.items():
    line = f"{name:24} object {median(objects, value, n):8.3f}"
    if isinstance(value, np.ndarray):
        line += f"  buffer {median(buffers, value, n):8.3f}"
    if rank == 0:
        print(line)
big = median(buffers, np.zeros(131072), 200)
if rank == 0:
    print(f"{'array of 1 MiB':24} buffer {big:8.1f}")
