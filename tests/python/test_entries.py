# SPDX-License-Identifier: Apache-2.0
import asyncio
import contextlib
import dataclasses
import functools
import pickle
import threading
import warnings

import pytest

import imbrex as ix
from imbrex import _core


class Counter(ix.Chare):
    def __init__(self, start=0):
        self.count = start

    @ix.entry
    def add(self, n, times=1):
        self.count += n * times
        return self.count

    @ix.entry
    async def add_slowly(self, n, *, times=1):
        for _ in range(times):
            await ix.sleep(1e-6)
            self.count += n
        return self.count

    @ix.entry
    def collect(self, *values, **named):
        return values, named

    @ix.entry
    async def add_to(self, other, n):
        result = await other.add.call(n)
        return await self.helper(result)

    async def helper(self, n):
        await ix.sleep(0)
        return n + self.count


@dataclasses.dataclass
class Particle(ix.Chare):
    mass: float
    at: tuple = (0, 0)

    @ix.entry
    def move(self, to):
        self.at = to
        self.migrate_to((ix.pe() + 1) % ix.num_pes())

    @ix.entry
    def state(self):
        return self.mass, self.at


@dataclasses.dataclass(slots=True)
class Light(ix.Chare):
    n: int

    @ix.entry
    def get(self):
        return self.n


def test_dataclasses_have_constructors(run):
    async def main():
        particles = ix.array(Particle, 3, 2.5, at=(1, 2))
        particles[1].move.send((3, 4))
        await ix.quiescence()
        assert await particles.state.reduce(ix.gather) == [(2.5, (1, 2)), (2.5, (3, 4)), (2.5, (1, 2))]
        with pytest.raises(TypeError, match="missing a required argument: 'mass'"):
            ix.array(Particle, 3)
        assert await ix.array(Light, 4, 2).get.reduce(ix.sum) == 8
    run(main)


def test_wrong_indices_are_named(run):
    async def main():
        counters = ix.array(Counter, (2, 3))
        for wrong, words in (("ab", "an index is an int, or a tuple of 1 to 6 ints, not 'ab'"),
                             (1.5, "1 to 6 ints, not 1.5"), ((1, "x"), r"1 to 6 ints, not \(1, 'x'\)"),
                             ((), r"1 to 6 ints, not \(\)")):
            with pytest.raises(TypeError, match=words):
                counters[wrong]
            with pytest.raises(TypeError, match=words.replace("an index", "a shape")):
                ix.array(Counter, wrong)
        with pytest.raises(IndexError, match=r"an index is \(0, 4294967296\): each int must fit 32 bits"):
            counters[0, 2**32]
        for make in (ix.array, ix.sparse_array):
            with pytest.raises(TypeError, match="1 to 6 ints, not None; imbrex.keyed_array makes"):
                make(Counter, None)
        with pytest.raises(IndexError, match="a shape is 2147483648: each int must fit 32 bits"):
            ix.sparse_array(Counter, 2**31)
        with pytest.raises(TypeError, match="all of .*Counter cannot be iterated over"):
            list(counters)
        with pytest.raises(TypeError, match=r"Counter\(0, 1\) cannot be iterated over"):
            list(counters[0, 1])
        for wrong in (-1, "x", 1.0):
            with pytest.raises(ValueError, match=f"imbrex.chare takes the number of a PE as on, .* not {wrong!r}"):
                ix.chare(Counter, on=wrong)
        with pytest.raises(TypeError, match="a priority of -32 to 31, not 'high'"):
            ix.chare(Counter, priority="high")
        for wrong in (-33, 32, 2**40):
            with pytest.raises(ValueError, match=f"imbrex.chare: a priority of {wrong}: it is -32 to 31"):
                ix.chare(Counter, priority=wrong)
        for wrong in (99, 2**40):
            with pytest.raises(ix.Error, match=rf"^imbrex.chare: there is no PE {wrong}; this run has PEs 0 to \d$"):
                ix.chare(Counter, on=wrong)
    run(main)


def test_phases_and_marks_say_what_they_take():
    for wrong in (lambda: ix.phase(3), lambda: ix.mark(None)):
        with pytest.raises(TypeError, match="takes a name first, a str, not (3|None)"):
            wrong()
    for wrong in (lambda: ix.phase("a", "b"), lambda: ix.mark("a", 2**63)):
        with pytest.raises(TypeError, match="takes a number of 64 bits second, .*, not ('b'|9223372036854775808)"):
            wrong()
    twice = ix.phase("outside of a run does nothing", 3)
    with twice as same, twice:
        assert same is twice
        ix.mark("nothing, too")


@pytest.fixture
def ended(monkeypatch):
    """The numbers of the blocks of a phase in the order of their ends."""
    numbers = []

    class Begun:
        def __init__(self, name, value):
            self.number = Begun.begun = getattr(Begun, "begun", 0) + 1

        def __enter__(self):
            pass

        def __exit__(self, *raised):
            numbers.append(self.number)
    monkeypatch.setattr(_core, "Phase", Begun)
    return numbers


def test_a_phase_of_several_chares_ends_in_each_what_began_there(run, machine, ended):
    if machine == "processes":
        pytest.skip("each process has its own")
    shared = ix.phase("shared")

    class Taker(ix.Chare):
        port = ix.Mailbox()

        @ix.entry
        async def take(self, by_stack):
            with shared, contextlib.ExitStack() as stack:
                if by_stack:
                    stack.enter_context(shared)
                await self.port.receive(0)

    async def main():
        for by_stack in (False, True):
            takers = ix.array(Taker, 3)
            ended.clear()
            ends = []
            for i in range(3):
                ends.append(takers[i].take.call(by_stack))
                await ix.quiescence()
            for i in (0, 2, 1):
                takers[i].port.send(None)
                await ends[i]
            order = [[1], [3], [2]] if not by_stack else [[2, 1], [6, 5], [4, 3]]
            assert [n - min(ended) + 1 for n in ended] == sum(order, [])
    run(main)


def test_entries_are_sent_and_called(run):
    async def main():
        counters = ix.array(Counter, 4, 10)
        assert await counters[1].add.call(5) == 15
        assert await counters[1].add.call(5, 2) == 25
        assert await counters[1].add.call(n=1, times=3) == 28
        assert await counters[1].add.call(1, times=2) == 30
        assert await counters[3].add_slowly.call(2, times=3) == 16
        counters[2].add.send(7)
        counters[2].add_slowly.send(1, times=2)
        await ix.quiescence()
        assert await counters[2].add.call(0) == 19
        assert await counters[0].add_to.call(counters[2], 1) == 30
        assert await counters[0].collect.call(1, "b", c=3) == ((1, "b"), {"c": 3})
    run(main)


def test_broadcasts_reach_all_elements(run):
    async def main():
        counters = ix.array(Counter, 7)
        counters.add.send(3)
        counters.add_slowly.send(2, times=2)
        await ix.quiescence()
        assert await counters.add.reduce(ix.gather, 0) == [7] * 7
        assert await counters.add.call(1) is None
        assert await counters.add_slowly.reduce(ix.sum, 1) == 7 * 9
    run(main)


def test_wrong_calls_are_refused_where_they_are_made(run):
    async def main():
        c = ix.array(Counter, 2)[1]
        with pytest.raises(AttributeError, match=r"Counter has no entry or port ad; did you mean add\?"):
            c.ad.send(1)
        with pytest.raises(TypeError, match=r"Counter.add\(n, times=1\) was given \(\): missing a required argument"):
            c.add.send()
        with pytest.raises(TypeError, match=r"was given \(int, int, int\): too many positional arguments"):
            c.add.send(1, 2, 3)
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'tims'; did you mean times\?"):
            c.add_slowly.call(1, tims=3)
        with pytest.raises(TypeError, match=r"Counter.add is called by .send\(...\), .call\(...\)"):
            c.add(1)
        with pytest.raises(TypeError, match="Counter.add of one chare has no reduce"):
            c.add.reduce(ix.sum, 1)
        with pytest.raises(TypeError, match=r"Counter.__init__\(start=0\) was given \(int, int\)"):
            ix.array(Counter, 2, 1, 2)
        with pytest.raises(TypeError, match="int'> is no chare class: derive one from imbrex.Chare"):
            ix.array(int, 2)
        with pytest.raises(TypeError, match="needs an operation first"):
            ix.array(Counter, 2).add.reduce()
    run(main)


def test_classes_that_cannot_be_are_refused():
    with pytest.raises(TypeError, match="no entry or port can be called insert"):
        class Wrong(ix.Chare):
            @ix.entry
            def insert(self):
                pass
    with pytest.raises(TypeError, match="is a generator"):
        @ix.entry
        def numbers(self):
            yield 1
    with pytest.raises(TypeError, match="__init__ may not wait, and yields nothing: make it a plain function"):
        class Waiting(ix.Chare):
            async def __init__(self):
                pass
    with pytest.raises(TypeError, match="has no self"):
        class Selfless(ix.Chare):
            @ix.entry
            def alone():
                pass


class Base(ix.Chare):
    @ix.entry
    def name(self):
        return "base"

    @ix.entry
    def both(self):
        return self.name() + self.more()

    def more(self):
        return "-"


class Derived(Base):
    @ix.entry
    def name(self):
        return "derived"

    def more(self):
        return "+" + super().name()


def test_classes_inherit_entries(run):
    async def main():
        assert await ix.chare(Derived).both.call() == "derived+base"
        assert await ix.chare(Base).both.call() == "base-"
    run(main)


def test_entries_are_methods_as_well():
    counter = Counter(3)
    assert counter.add(4) == 7
    with pytest.raises(ix.Error, match="no chare of a run"):
        counter.where
    with pytest.raises(ix.Error, match="imbrex.pe is for entries and main tasks, in imbrex.run"):
        ix.pe()


class Forgetful(ix.Chare):
    @ix.entry
    def forget(self):
        self.all_reduce(1, ix.sum)


def test_forgotten_and_repeated_awaits_are_told(run):
    async def main():
        c = ix.chare(Counter)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            c.add.call(1)
            a = ix.array(Counter, 2)
            a.add.reduce(ix.sum, 1)
            a.add.call(1)
            a.created()
            ix.sleep(0.5)
            ix.quiescence()
            ix.when_all(ix.sleep(0))
            ix.when_any(ix.sleep(0))
            ix.array(Counter, 2).destroy()
            await ix.group(Forgetful)[0].forget.call()
        name = f"{__name__}.Counter"
        forgotten = [f"{name}.add.call()", f"{name}.add.reduce()", f"{name}.add.call()", f"{name}.created()",
                     "imbrex.sleep()", "imbrex.quiescence()", "imbrex.when_all()", "imbrex.when_any()",
                     f"{name}.destroy()", f"{__name__}.Forgetful.all_reduce()"]
        assert [str(w.message) for w in told if "imbrex.sleep" not in str(w.message)] == \
            [f"{f} was never awaited" for f in forgotten if f != "imbrex.sleep()"]
        assert any("imbrex.sleep() was never awaited" in str(w.message) for w in told)
        again = c.add.call(1)
        await again
        with pytest.raises(RuntimeError, match="awaited twice"):
            await again
        with pytest.raises(TypeError, match="yielded a NoneType, which imbrex cannot resume"):
            import asyncio
            await asyncio.sleep(0)
    run(main)


class Patient(ix.Chare):
    box = ix.Mailbox()

    @ix.entry
    async def receive(self):
        return await ix.when_any(self.box.receive(), ix.sleep(100))


def test_what_when_any_does_not_need_is_not_called_forgotten(run):
    async def main():
        patient = ix.chare(Patient)
        patient.box.send(5)
        await ix.quiescence()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert await patient.receive.call() == (0, 5)
    run(main)


class Wrong(ix.Chare):
    box = ix.Mailbox()

    @ix.entry
    def f(self):
        return 1

    @ix.entry
    def go(self, pe):
        self.migrate_to(pe)


def test_wrong_uses_name_the_class_and_the_remedy(run):
    async def main():
        a = ix.array(Wrong, 2)
        name = f"{__name__}.Wrong"
        with pytest.raises(TypeError, match=rf"{name}.f is no result: await what f.call\(...\) returns"):
            await a[1].f
        with pytest.raises(TypeError, match=rf"{name}.box is no result: the chare itself awaits self.box.receive"):
            await a[1].box
        with pytest.raises(TypeError, match=rf"{name}.box of one chare has no receive: the chare itself receives, as "
                                            r"in await self.box.receive\(\)"):
            a[1].box.receive()
        with pytest.raises(TypeError, match=f"{name}.f of one chare has no receive: .*await what call returns"):
            a[1].f.receive()
        with pytest.raises(ValueError, match=f"{name}.box.send: the reference number is {2**70}, and must fit 64 bits"):
            a[1].box.send(2**70, 1)
        for pe in ("x", 2**40, 1.5):
            with pytest.raises(TypeError, match=f"{name}.migrate_to takes the number of a PE, not {pe!r}"):
                await a[1].go.call(pe)
        with pytest.raises(ValueError, match="imbrex.sleep: the seconds are nan"):
            ix.sleep(float("nan"))
        with pytest.raises(TypeError, match="imbrex.sleep takes seconds, a number, not '1'"):
            ix.sleep("1")
        with pytest.raises(TypeError, match="imbrex.exit takes a status from 0 to 255, not 'x'"):
            ix.exit("x")
    run(main)


def test_threads_that_are_no_pe_post_to_an_executor(run):
    async def main():
        counter = ix.chare(Counter, on=0)
        refusals = []

        def beside(here):
            try:
                counter.add.send(1)
            except ix.Error as e:
                refusals.append(str(e))
            for _ in range(5):
                assert here.post(lambda: counter.add.send(2))
        thread = threading.Thread(target=beside, args=(ix.executor(),))
        thread.start()
        del thread  # which holds the executor
        await ix.quiescence()
        assert await counter.add.call(0) == 10
        assert "no PE runs on this thread" in refusals[0] and "imbrex.executor()" in refusals[0]
    run(main)


def test_what_only_a_run_awaits_is_refused_elsewhere():
    for what, words in ((lambda: ix.sleep(1), "imbrex.sleep is for .*asyncio.sleep"),
                        (lambda: ix.when_all(), "imbrex.when_all is for .*asyncio.gather"),
                        (lambda: ix.when_any(), "imbrex.when_any is for .*asyncio.wait"),
                        (lambda: ix.quiescence(), "imbrex.quiescence is for .*session.quiescence"),
                        (lambda: ix.num_pes(), "imbrex.num_pes is for .*session.num_pes")):
        with pytest.raises(ix.Error, match=words):
            what()


def pass_on(function):
    @functools.wraps(function)
    def call(self, *given, **named):
        return function(self, *given, **named)
    return call


UNSET = object()


class Decorated(ix.Chare):
    def __init__(self, first=1, unset=UNSET):
        self.is_unset = unset is UNSET
        self.seen = []

    @pass_on
    @ix.entry
    async def wait(self, seconds):
        await ix.sleep(seconds)
        self.seen.append(seconds)
        return seconds

    @ix.entry
    def forget(self):
        return self.wait(0)

    @ix.entry
    def take(self, first, *, unset=UNSET):
        return self.is_unset and unset is UNSET

    @ix.entry
    def waits(self):
        return self.seen


def test_entries_may_have_decorators_and_defaults_that_cannot_be_sent(run):
    async def main():
        chare = ix.chare(Decorated, first=2)
        chare.wait.send(0.001)
        await ix.quiescence()
        assert await chare.waits.call() == [0.001]
        assert await chare.wait.call(0) == 0
        assert await chare.take.call(first=1)
        with pytest.raises(TypeError, match=r"Decorated\.forget is not async def, but returned a coroutine"):
            await chare.forget.call()
        assert await chare.waits.call() == [0.001, 0]
    run(main)


class Boxed(Counter):
    box = ix.Mailbox()


def test_what_cannot_be_sent_is_named(run):
    async def main():
        chare = ix.chare(Boxed)
        for call, words in ((lambda: chare.collect.send(1, (n for n in ())), "argument 2 of Boxed.collect"),
                            (lambda: chare.collect.call(1, b=lambda: 0), "argument b of Boxed.collect"),
                            (lambda: chare.box.send(lambda: 0), "a value for Boxed.box")):
            with pytest.raises((TypeError, AttributeError, pickle.PicklingError)) as raised:
                call()
            assert raised.value.__notes__ == [words.replace("Boxed", f"{__name__}.Boxed") + " cannot be sent"]
    run(main)


class Open(ix.Chare):
    @ix.entry
    def count(*given):
        return len(given) - 1


@dataclasses.dataclass(frozen=True)
class Frozen(ix.Chare):
    n: int = 1
    box = ix.Mailbox()

    @ix.entry
    async def add(self):
        return self.n + await self.box.receive()


class Asynchronous(ix.Chare):
    @ix.entry
    async def sleep(self):
        await asyncio.sleep(0.01)


def test_unusual_classes(run):
    async def main():
        assert await ix.chare(Open).count.call(1, 2, 3) == 3
        frozen = ix.chare(Frozen, n=5)
        frozen.box.send(3)
        assert await frozen.add.call() == 8
        proxy = ix.keyed_array(Open)
        assert not hasattr(proxy, "shape") and not hasattr(proxy, "local")
        with pytest.raises(TypeError, match="with_priority takes an int from -32 to 31, not 1.5"):
            proxy.with_priority(1.5)
        with pytest.raises(TypeError, match="imbrex.sleep takes seconds, a number, not None"):
            await ix.sleep(None)
        with pytest.raises(RuntimeError) as raised:
            await ix.chare(Asynchronous).sleep.call()
        assert "imbrex.sleep" in raised.value.__notes__[0]
    run(main)
    for wrap in (staticmethod, classmethod, property):
        with pytest.raises(TypeError, match=rf"Wrapped\.f is a {wrap.__name__}: an entry is a method"):
            class Wrapped(ix.Chare):
                f = wrap(ix.entry(lambda *given: 0))


async def give(awaited):
    return await awaited


class Box(ix.Chare):
    box = ix.Mailbox()

    @ix.entry
    async def receive_in_two_places(self):
        value = self.box.receive(3)
        self.proxy.box.send(3, "came")
        with pytest.raises(RuntimeError, match="another coroutine awaits it already"):
            await ix.when_all(give(value), give(value))
        value = self.box.receive(4)
        first, second = give(value), give(value)
        assert first.send(None) is value
        with pytest.raises(RuntimeError, match="another coroutine awaits it already"):
            second.send(None)

    @ix.entry
    def later(self):
        return 5


def test_one_coroutine_awaits_a_thing(run):
    async def main():
        chare = ix.chare(Box)
        for make in (chare.later.call, lambda: ix.sleep(0.001), lambda: ix.array(Box, 3).later.reduce(ix.sum)):
            thing = make()
            with pytest.raises(RuntimeError, match="another coroutine awaits it already"):
                await ix.when_all(give(thing), give(thing))
        await chare.receive_in_two_places.call()
        assert await ix.when_all(give(chare.later.call()), chare.later.call()) == [5, 5]
    run(main)
