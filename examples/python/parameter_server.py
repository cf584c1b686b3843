# SPDX-License-Identifier: Apache-2.0
"""A server has the parameters of a model, workers send it gradients and go on without waiting for each other.
usage: parameter_server.py"""
import numpy as np

import imbrex as ix

TRUE = np.array([2.0, -3.0, 0.5])


class Server(ix.Chare):
    def __init__(self):
        self.parameters = np.zeros(len(TRUE))
        self.updates = 0

    @ix.entry
    def current(self) -> np.ndarray:
        return self.parameters

    @ix.entry
    def update(self, gradient: np.ndarray):
        self.parameters -= 0.05 * gradient
        self.updates += 1

    @ix.entry
    def count(self) -> int:
        return self.updates


class Worker(ix.Chare):
    def __init__(self, server):
        self.server = server
        random = np.random.default_rng(self.where)
        self.inputs = random.normal(size=(200, len(TRUE)))
        self.outputs = self.inputs @ TRUE

    @ix.entry
    async def train(self, steps: int):
        for _ in range(steps):
            parameters = await self.server.current.call()
            error = self.inputs @ parameters - self.outputs
            self.server.update.send(self.inputs.T @ error / len(error))


async def main():
    server = ix.chare(Server, on=0)
    workers = ix.array(Worker, 2 * ix.num_pes(), server)
    await workers.train.call(100)
    await ix.quiescence()
    found = await server.current.call()
    assert np.allclose(found, TRUE, atol=1e-3), found
    print(f"{await server.count.call()} updates: the model has learnt its parameters")


ix.run(main)
