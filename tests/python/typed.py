# SPDX-License-Identifier: Apache-2.0
"""Code that a type checker must accept, and code that it must refuse: mypy checks this file, which never runs."""
from collections.abc import Awaitable

import imbrex as ix


class Cell(ix.Chare):
    halo = ix.Mailbox[tuple[int, float]]()
    right = ix.Channel[str]()
    left = ix.Channel[str]()
    faces = ix.DeviceChannel()

    def __init__(self, n: int) -> None:
        self.n = n

    @ix.entry
    def add(self, a: int, b: int = 0) -> int:
        return self.n + a + b

    @ix.entry
    async def run(self, steps: int) -> float:
        total = 0.0
        for t in range(steps):
            self.peers[self.where + 1].halo.send(t, (1, 2.0))
            self.peers[0].halo.send(t, "text")  # type: ignore[call-overload]
            side, value = await self.halo.receive(t)
            total += side * value
        self.right.connect(self.peers[0].left)
        self.right.send("a")
        self.right.send(1)  # type: ignore[arg-type]
        await self.balance_point(self.run, steps - 1)
        await self.balance_point(self.run, "1")  # type: ignore[arg-type]
        await self.balance_point(len, 1)  # type: ignore[arg-type]
        return await self.all_reduce(total, ix.max)


    @ix.entry
    async def on_device(self, array: ix.DeviceArray, stream: object) -> ix.DeviceArray:
        self.faces.connect(self.peers[0].faces)
        self.faces.connect(self.peers[0].left)  # type: ignore[arg-type]
        lent = self.faces.send(array)
        got: ix.DeviceArray = await self.faces.receive()
        same: list[int] = await self.faces.receive([1])
        await lent
        await ix.stream(stream)
        text: str = got.shape  # type: ignore[assignment]
        return ix.device_array(await got.copy_to_host()).ready_after(text and same)


@ix.strategy("stay")
def stay(p: ix.Problem) -> object:
    return p.pe


@ix.strategy(3)  # type: ignore[arg-type]
def no_strategy(p: ix.Problem) -> object:
    return stay(p)


async def main() -> list[int]:
    cells = ix.array(Cell, (4, 4), 256)
    result: Awaitable[float] = cells[1, 2].run.call(3)
    wrong: Awaitable[str] = cells[1, 2].run.call(3)  # type: ignore[assignment]
    cells[0, 0].add.send(1, b=2)
    cells[0, 0].add.send("1")  # type: ignore[arg-type]
    cells[0, 0].add.send()  # type: ignore[call-arg]
    cells[0, 0].ad.send(1)  # type: ignore[attr-defined]
    step = await ix.rebalance(cells)
    moved: int = step.moved
    await ix.rebalance(cells[0, 0])  # type: ignore[arg-type]
    single = ix.chare(Cell, 7)
    await single.add.call(await single.add.call(1))
    await result
    await wrong
    with ix.phase("the first", 3) as part:
        first, _ = await ix.when_any(single.run.call(1), ix.sleep(1.5))
    ix.mark(part)  # type: ignore[arg-type]
    found: ix.Array[Cell] | None = ix.restored("cells", Cell)
    ix.save("time", 2.5)
    time: float = ix.restored_value("time", 0.0)
    place: str = ix.restored_value("time", time)  # type: ignore[assignment]
    made = await ix.checkpoint()
    is_restored: bool = await ix.restore(ix.group(Cell, 256))
    ix.on_restart(lambda report: print(found, place, is_restored, report.pes_before, made.bytes))
    ix.sparse_array(Cell, 10, named=3)  # type: ignore[arg-type]
    return [first, cells.shape[0]]


answer: list[int] | None = ix.run(main)


async def beside() -> float:
    with ix.start(processes=2, trace="run.trace") as session:
        again: list[int] = session.run(main).result(timeout=3.0)
        wrong: str = session.run(main).result()  # type: ignore[assignment]
        session.run(len)  # type: ignore[call-overload]
        await session.quiescence()
        cells = ix.array(Cell, 4, 256)
        waited: float = cells[3].run.call(1).result(timeout=5)
        sums = await cells.add.reduce(ix.sum, 1)
        parts: list[int] = cells.add.reduce(ix.gather, 1).result()
        number: int = cells.add.reduce(ix.gather, 1).result()  # type: ignore[assignment]
        both: list[int] = await ix.when_all(cells[0].add.call(1), cells[1].add.call(2))
        texts: list[str] = await ix.when_all(cells[0].add.call(1))  # type: ignore[arg-type]
        place, first = await ix.when_any(cells[0].add.call(1))
        total: int = place + first + number + both[0] + parts[0] + len(texts)
        return await cells[3].run.call(len(again) + len(wrong) + session.num_pes + total) + waited + float(sums)
