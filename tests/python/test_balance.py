# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import imbrex as ix


class Cell(ix.Chare):
    """Its load is known to the class, so that no time matters."""

    def __init__(self, heavy=()):
        self.heavy = heavy
        self.departures = self.arrivals = 0

    def expected_load(self):
        return 9 if self.where in self.heavy else 1

    def departs(self):
        self.departures += 1

    def arrived(self):
        self.arrivals += 1

    @ix.entry
    async def run(self, step, steps):
        if step < steps:
            await self.balance_point(self.run, step + 1, steps)
            await self.run(step + 1, steps)

    @ix.entry
    def look(self):
        assert self.arrivals == self.departures
        return ix.pe(), self.arrivals


async def until_moved(cells):
    """Waits until elements that were asked to move have arrived."""
    await ix.quiescence()
    return await cells.look.reduce(ix.gather)


seen = []


@ix.strategy("to the last")
def to_the_last(p):
    seen.append(p)
    return np.full(len(p.pe), p.pes - 1)


def test_a_strategy_in_python_places_elements(run):
    async def main():
        cells = ix.array(Cell, (3, 2))
        await ix.quiescence()
        found = await ix.rebalance(cells)
        assert found.strategy == "to the last" and found.elements == 6 and found.unmovable == 0
        n = ix.num_pes()
        p = seen[-1]
        assert found.moved == sum(p.pe != n - 1)
        places = await until_moved(cells)
        assert {pe for pe, _ in places} == {n - 1} and sum(arrivals for _, arrivals in places) >= found.moved
        assert p.pes == n and len(p.node) == n and p.node.dtype == np.int32 and isinstance(p.seed, int)
        assert p.load.dtype == np.float64 and p.load.tolist() == [1] * 6
        assert p.movable.tolist() == [True] * 6 and p.pe.dtype == np.int32
        assert p.coordinates.tolist() == [[x, y] for x in range(3) for y in range(2)]
        with pytest.raises(ValueError, match="read-only"):
            p.load[0] = 2
    run(main, balance="to the last")


def test_elements_move_at_their_balance_points(run):
    async def main():
        n = ix.num_pes()
        cells = ix.array(Cell, 4 * n, heavy=tuple(range(4)))
        while True:
            await cells.run.call(0, 4)
            heavy = [pe for pe, _ in (await until_moved(cells))[:4]]
            if max(heavy.count(pe) for pe in range(n)) <= -(-4 // n):
                return
    run(main, balance="greedy", balance_every=2)


def test_a_program_rebalances_an_array_now(run):
    async def main():
        n = ix.num_pes()
        cells, others = ix.array(Cell, 4 * n, heavy=tuple(range(4))), ix.array(Cell, 5)
        await ix.quiescence()
        found = await ix.rebalance(cells)
        assert found.strategy == "greedy" and found.seconds >= 0
        assert (found.elements, found.unmovable) == (4 * n + len(others), len(others))
        assert found.after <= found.before
        assert repr(found).startswith("RebalanceResult(strategy='greedy', before=")
        heavy = [pe for pe, _ in (await until_moved(cells))[:4]]
        assert max(heavy.count(pe) for pe in range(n)) <= -(-4 // n)
        with pytest.raises(TypeError, match="imbrex.rebalance takes an array, not "):
            ix.rebalance(cells[0])
    run(main, balance="greedy")


def test_without_the_option_nothing_moves(run):
    async def main():
        found = await ix.rebalance(ix.array(Cell, 3))
        assert (found.strategy, found.moved) == ("none", 0)
    run(main)


def answer_of(answer):
    return lambda p: answer


@ix.strategy("wrong")
def wrong(p):
    return wrong_answer(p)


def raises(p):
    raise ValueError("out of ideas")


WRONG = {
    "raises": (raises, r"the strategy 'wrong' raised ValueError: out of ideas (test_balance.py, line "),
    "nothing": (answer_of(None), "the strategy 'wrong' returned a NoneType: let it return an integer for each object"),
    "floats": (lambda p: p.load, "returned an array of float64 with 1 dimensions: let it return an integer for each"),
    "table": (lambda p: np.zeros((len(p.pe), 1), int), "returned an array of int64 with 2 dimensions"),
    "few": (lambda p: p.pe[1:], "the strategy 'wrong' returned 2 PEs for 3 objects: let it return one for each"),
    "far": (lambda p: p.pe + 1000, "the strategy 'wrong' moved object 0 to PE 1000: the machine has PEs 0 to "),
    "farther": (lambda p: p.pe.astype(np.int64) + 2**32, f"returned PE {2**32} for object 0: there is no such PE"),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_wrong_strategy_is_named_once(run, machine, capfd, which):
    if machine == "processes":
        pytest.skip("the text is another process's")
    global wrong_answer
    wrong_answer, words = WRONG[which]

    async def main():
        cells = ix.array(Cell, 3)
        places = await cells.look.reduce(ix.gather)
        for _ in range(3):
            assert (await ix.rebalance(cells)).moved == 0
        assert await until_moved(cells) == places
        return "goes on"
    capfd.readouterr()
    assert run(main, balance="wrong") == "goes on"
    text = capfd.readouterr().err
    for said in text.split("imbrex: warning: ")[1:]:
        assert said.startswith("balance: ") and words in said
        assert said.rstrip().endswith("; the run goes on without balancing")
    assert text.count("warning") == (3 if machine == "deterministic" else 1)


@pytest.mark.parametrize("load, words", [
    (None, "It came from test_balance.Unsure("),
    ("much", "TypeError: test_balance.Unsure.expected_load returned 'much': let it return seconds, or None")])
def test_an_expected_load_that_fails_ends_the_run(failure, load, words):
    async def main():
        await ix.rebalance(ix.array(Unsure, 2, load))
    text = failure(main, balance="greedy")
    assert words in text


class Unsure(ix.Chare):
    def __init__(self, load):
        self.load = load

    def expected_load(self):
        return self.load or 1 / 0


class Measured(ix.Chare):
    """Has names of the balancer's for something else."""

    def expected_load(self):
        return None

    @ix.entry
    def departs(self):
        raise AssertionError

    def arrived(self, what):
        raise AssertionError


def test_other_methods_of_these_names_are_not_called(run):
    async def main():
        cells = ix.array(Measured, 4)
        await ix.quiescence()
        found = await ix.rebalance(cells)
        assert found.elements == 4 and max(seen[-1].load) < 1000
        await ix.quiescence()
    run(main, balance="to the last")


def test_a_method_for_the_balancer_may_not_wait():
    with pytest.raises(TypeError, match="Waits.departs is called by the balancer and may not wait"):
        class Waits(ix.Chare):
            async def departs(self):
                pass


def test_an_unknown_strategy_is_refused(failure):
    async def main():
        raise AssertionError
    text = failure(main, status=2, balance="gredy")
    assert "there is no strategy 'gredy'; there are: auto, none, segments" in text and "to the last" in text


def test_strategies_solve_problems_without_a_run():
    p = ix.Problem([4, 4, 1, 1], [0, 0, 0, 0], pes=2)
    for name in ("greedy", "refine", "segments"):
        pes = p.solve(name)
        assert pes.dtype == np.int32
        assert max(np.bincount(pes, p.load, 2)) <= 6
    assert p.solve("to the last").tolist() == [1] * 4 and to_the_last(p).tolist() == [1] * 4
    assert ix.Problem([1, 1], [0, 0], pes=2, movable=[True, False]).solve("to the last").tolist() == [1, 0]
    with pytest.raises(ix.UsageError, match="there is no strategy 'gredy'; there are: auto"):
        p.solve("gredy")
    with pytest.raises(ix.Error, match="load"):
        ix.Problem([-1], [0], pes=2).solve("greedy")
    with pytest.raises(ValueError, match=r"the coordinates have the shape \(2,\): give a row for each of the 2"):
        ix.Problem([1, 1], [0, 0], pes=2, coordinates=[1, 2])


def test_problems_have_edges():
    seen = []

    @ix.strategy("edges to the first", edges=True)
    def to_the_first(p):
        seen.append((p.edges.tolist(), p.edge_bytes.tolist()))
        return p.pe

    ix.Problem([1, 1, 1], [0, 0, 1], pes=2, edges=[[2, 0], [0, 1], [2, 0]], edge_bytes=[3, 1, 4]) \
        .solve("edges to the first")
    ix.Problem([1, 1], [0, 0], pes=2).solve("edges to the first")
    assert seen == [([[0, 1], [2, 0]], [1, 7]), ([], [])]
    with pytest.raises(ValueError, match=r"the edges have the shape \(2,\): give a row of two objects"):
        ix.Problem([1, 1], [0, 0], pes=2, edges=[0, 1])
    with pytest.raises(ix.Error, match="an edge has the object 2 of 2"):
        ix.Problem([1, 1], [0, 0], pes=2, edges=[[0, 2]]).solve("greedy")


def test_problems_have_the_messages_that_objects_send():
    seen = []

    @ix.strategy("by sent bytes")
    def by_sent_bytes(p):
        seen.append((p.bytes.tolist(), p.messages.tolist()))
        return p.pe

    ix.Problem([1, 1], [0, 0], pes=2, bytes=[30, 1.5], messages=[2, 1]).solve("by sent bytes")
    ix.Problem([1, 1], [0, 0], pes=2).solve("by sent bytes")
    assert seen == [([30, 1.5], [2, 1]), ([0, 0], [0, 0])]
    with pytest.raises(ix.Error, match="object 1 sends -1.0"):
        ix.Problem([1, 1], [0, 0], pes=2, bytes=[0, -1]).solve("greedy")


def test_a_strategy_is_registered_by_a_name():
    with pytest.raises(TypeError, match="@imbrex.strategy takes a name"):
        ix.strategy(to_the_last)
    with pytest.raises(TypeError, match="a strategy is a function"):
        ix.strategy("another")(3)
    with pytest.raises(ix.UsageError, match="there is a strategy 'greedy' already"):
        ix.strategy("greedy")

    @ix.strategy("twice")
    def first(p):
        return p.pe

    @ix.strategy("twice")
    def second(p):
        return p.pe * 0
    assert ix.Problem([1], [1], pes=2).solve("twice").tolist() == [0]
