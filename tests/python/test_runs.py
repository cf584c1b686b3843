# SPDX-License-Identifier: Apache-2.0
import sys
import time

import pytest

import imbrex as ix


class Worker(ix.Chare):
    def __init__(self):
        self.order = []

    @ix.entry
    async def work(self, seconds, name):
        await ix.sleep(seconds)
        return name

    @ix.entry
    def pass_on(self, left, path):
        if left == 0:
            self.order.append(path)
        else:
            self.peers[left % len(self.peers)].pass_on.send(left - 1, path + (self.where,))

    @ix.entry
    def paths(self):
        return self.order


def test_results_of_main(run):
    async def later():
        await ix.sleep(0)
        return {"a": [1, 2]}
    if ix.process() == 0:
        assert run(later) == {"a": [1, 2]}
        assert run(lambda: 5) == 5
    else:
        assert run(later) is None
        assert run(lambda: 5) is None


def test_timers_and_when_all_and_when_any(run):
    async def main():
        workers = ix.array(Worker, 3)
        both = await ix.when_all(workers[0].work.call(0.002, "slow"), workers[2].work.call(0, "fast"), ix.sleep(0))
        assert both == ["slow", "fast", None]
        assert await ix.when_all() == []
        first = await ix.when_any(ix.sleep(1000), workers[1].work.call(0.001, "first"))
        assert first == (1, "first")

        async def helper(n):
            await ix.sleep(0)
            return n * n
        assert await ix.when_all(*(helper(n) for n in range(5))) == [0, 1, 4, 9, 16]

        async def raises():
            await ix.sleep(0)
            raise LookupError("inside")
        with pytest.raises(LookupError, match="inside"):
            await ix.when_all(helper(1), raises())
        with pytest.raises(LookupError, match="inside"):
            await ix.when_any(ix.sleep(1000), raises())
        with pytest.raises(ValueError, match="when_any of nothing"):
            await ix.when_any()
        with pytest.raises(TypeError, match="^int cannot be awaited"):
            ix.when_all(3)
    begun = time.monotonic()
    run(main)
    assert time.monotonic() - begun < 100


def test_quiescence_is_reached_when_all_have_done_their_work(run):
    async def main():
        workers = ix.array(Worker, 4)
        for i in range(4):
            workers[i].pass_on.send(17 + i, ())
        await ix.quiescence()
        paths = sum(await workers.paths.reduce(ix.gather), [])
        assert sorted(map(len, paths)) == [17, 18, 19, 20]
    run(main)


def test_a_seed_decides_the_order(machine):
    if machine != "deterministic":
        pytest.skip("other machines have no seeds")

    async def main():
        workers = ix.array(Worker, 4)
        for i in range(12):
            workers[i % 4].pass_on.send(9, (i,))
        await ix.quiescence()
        return await workers.paths.reduce(ix.gather)
    orders = [repr(ix.run(main, argv=[], machine="deterministic", pes=4, seed=seed)) for seed in (1, 1, 2, 3, 4)]
    assert orders[0] == orders[1] and len(set(orders)) > 2


def test_options_are_removed_from_the_command_line(machine, monkeypatch):
    if machine != "alone":
        pytest.skip("one machine is enough")
    monkeypatch.setattr(sys, "argv", ["prog.py", "--machine", "deterministic", "input", "--seed", "3", "--own"])

    async def main():
        return list(sys.argv), ix.num_pes()
    during, _ = ix.run(main, pes=2)
    assert during == ["prog.py", "input", "--own"] == sys.argv


def test_a_run_in_a_run_is_refused(run):
    async def main():
        with pytest.raises(ix.Error, match="in a run"):
            ix.run(main, argv=[])
    run(main)
