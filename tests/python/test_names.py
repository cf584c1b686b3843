# SPDX-License-Identifier: Apache-2.0
"""Reports about chares use the names that the program has given them."""

import dataclasses
import re
import threading

import pytest

import imbrex as ix

OF_CPP = re.compile(r"imbrex::|object<|index<|basic_string|_node\.Node|namespace")


class Thing(ix.Chare):
    port = ix.Mailbox()

    def __init__(self, what=None):
        self.what = threading.Lock() if what == "lock" else what
        if what == "fail":
            raise ValueError("no thing today")

    def __getstate__(self):
        if self.what == "no state":
            raise ValueError("no state today")
        return {"what": self.what}

    def __setstate__(self, state):
        if state["what"] == "no way back":
            raise ValueError("no way back")
        self.__dict__.update(state)

    @ix.entry
    def ping(self):
        return 1

    @ix.entry
    def move(self):
        self.migrate_to((ix.pe() + 1) % ix.num_pes())

    @ix.entry
    async def wait(self):
        await self.port.receive(3)

    @ix.entry
    def look_at_peers(self):
        return len(self.peers)

    @ix.entry
    async def reduce_in_vain(self):
        await self.all_reduce(1, ix.sum)

    @ix.entry
    async def disagree(self):
        await self.all_reduce(self.where, ix.gather if self.where == 1 else ix.sum)

    @ix.entry
    async def reduce_over(self, section):
        await self.all_reduce(section, 1, ix.sum)


class Other(Thing):
    pass


@dataclasses.dataclass(slots=True)  # which makes another class of that name
class Slotted(ix.Chare):
    port = ix.Mailbox()
    value: int
    twice: int = dataclasses.field(init=False)

    @ix.entry
    async def look(self, goes_to):
        if goes_to is not None:
            self.extra = self.value + 1  # in the dictionary, which chares have beside their slots
            self.migrate_to(goes_to)
            return None
        return self.value, self.twice, self.extra, await self.port.receive()

    def __post_init__(self):
        self.twice = 2 * self.value


async def of_shape(shape):
    ix.array(Thing, shape)


async def over_nothing():
    await ix.array(Thing, 0).ping.reduce(ix.sum)


async def over_an_empty_section():
    await ix.array(Thing, 3).section([]).ping.reduce(ix.sum)


async def after_its_end(use):
    a = ix.array(Thing, 3)
    s = a.section([1])
    await a.destroy()
    await ix.quiescence()
    await use(a, s)


async def inserted_twice():
    a = ix.keyed_array(Thing)
    a.insert("b")
    a.insert("b")
    await ix.sleep(100)


async def destroyed(use):
    a = ix.array(Thing, 3)
    a[1].destroy()
    await ix.quiescence()
    await use(a)


async def single_destroyed():
    c = ix.chare(Thing)
    await c.ping.call()
    c.destroy()
    await ix.quiescence()
    await c.ping.call()


async def of_a_single(entry):
    await getattr(ix.chare(Thing), entry).call()


async def not_a_member():
    a = ix.array(Thing, 3)
    await a[0].reduce_over.call(a.section([1, 2]))


async def not_of_its_array():
    a, b = ix.array(Thing, 3), ix.array(Thing, 3)
    await a[0].reduce_over.call(b.section([1, 2]))


async def never_created(a, key):
    await a()[key].ping.call()


async def waiting():
    await ix.array(Thing, 3)[1].wait.call()


async def group_that_moves():
    await ix.group(Thing).move.call()


async def that_disagrees():
    await ix.array(Thing, 3).disagree.call()


async def constructed(how):
    how()
    await ix.sleep(100)


async def that_moves(what):
    ix.array(Thing, 1, what).move.send()
    await ix.sleep(100)


FAILURES = {
    "a shape below 0": (lambda: of_shape(-1), "an array of Thing cannot have the shape -1"),
    "a shape too large": (lambda: of_shape((10**6, 10**6, 10**6)), "an array of Thing cannot have the shape"),
    "a reduction of nothing": (over_nothing, "the array or section of Thing is empty"),
    "an empty section": (over_an_empty_section, "the array or section of Thing is empty"),
    "an ended array": (lambda: after_its_end(lambda a, s: a[1].ping.call()), "array of Thing has ended"),
    "an ended array, whole": (lambda: after_its_end(lambda a, s: a.ping.reduce(ix.sum)), "array of Thing has ended"),
    "an ended array, sections": (lambda: after_its_end(lambda a, s: s.ping.reduce(ix.sum)), "Thing has ended"),
    "inserted twice": (inserted_twice, "Thing('b') exists already"),
    "destroyed": (lambda: destroyed(lambda a: a[1].ping.call()), "Thing(1) has been destroyed"),
    "a destroyed single": (single_destroyed, "Thing #1 of PE 0 has been destroyed"),
    "a single without peers": (lambda: of_a_single("look_at_peers"), "Thing #1 of PE 0 is a single chare"),
    "a single that reduces": (lambda: of_a_single("reduce_in_vain"), "Thing #1 of PE 0 is a single chare"),
    "no member": (not_a_member, "Thing(0) is not a member of that section"),
    "no member of the array": (not_of_its_array, "Thing(0) is not a member of that section, which is of another"),
    "never created": (lambda: never_created(lambda: ix.sparse_array(Thing, 3), 1), "Thing(1), entry ping"),
    "never created, by key": (lambda: never_created(lambda: ix.keyed_array(Thing), ("a", 1)),
                              "Thing('a', 1), entry ping"),
    "waits": (waiting, "Thing(1), entry wait"),
    "a group that moves": (group_that_moves, "Thing(0) belongs to a group"),
    "disagreeing": (that_disagrees, "Thing"),
    "constructor": (lambda: constructed(lambda: ix.array(Thing, 6, "fail")), "constructor of Thing("),
    "constructor of a group": (lambda: constructed(lambda: ix.group(Thing, "fail")), "constructor of Thing(0)"),
    "constructor of a single": (lambda: constructed(lambda: ix.chare(Thing, "fail")), "constructor of Thing #1 of PE"),
    "constructor by key": (lambda: constructed(lambda: ix.keyed_array(Thing).insert("k", "fail")),
                           "constructor of Thing('k')"),
    "a wrong index": (lambda: never_created(lambda: ix.array(Thing, 3), 7), "Thing"),
    "a wrong dimension": (lambda: never_created(lambda: ix.array(Thing, 3), (1, 2)), "Thing"),
    "a wrong key": (lambda: never_created(lambda: ix.keyed_array(Thing), 1.5),
                    "a key of an array is a str, bytes, an int or a tuple of these, not 1.5"),
}


@pytest.mark.parametrize("which", FAILURES)
def test_failures_name_classes_of_the_program(failure, machine, which):
    main, expected = FAILURES[which]
    if which == "a group that moves" and machine == "alone":
        pytest.skip("there is no other PE")
    text = failure(main).replace(f"{__name__}.", "")
    assert expected in text
    assert not OF_CPP.search(text), text


MOVES = {"lock": "pickling of Thing(0), which migrates, threw TypeError: cannot pickle",
         "no state": "pickling of Thing(0), which migrates, threw ValueError: no state today",
         "no way back": "unpickling of Thing(0), which migrates, threw ValueError: no way back"}


@pytest.mark.parametrize("what", MOVES)
def test_failed_migrations_name_classes_of_the_program(failure, machine, what):
    if machine != "deterministic":
        pytest.skip("nothing moves, or it moves as it is")
    text = failure(lambda: that_moves(what)).replace(f"{__name__}.", "")
    assert re.search("imbrex: error: on PE [0-2]: " + re.escape(MOVES[what]), text), text
    assert not OF_CPP.search(text), text


def test_a_proxy_of_an_earlier_run(failure, run):
    kept = []

    async def main():
        kept.append(ix.array(Thing, 3))
        kept.append(ix.chare(Other))
    run(main)
    for use in (lambda: kept[0].ping.call(), lambda: kept[0][1].ping.call(), lambda: kept[0].created(),
                lambda: kept[0].section([1]).ping.call(), lambda: kept[1].ping.call()):
        async def again(use=use):
            await use()
        text = failure(again)
        assert "belongs to an earlier run" in text
        assert not OF_CPP.search(text), text


def test_a_class_that_is_made_anew_keeps_its_name_and_its_slots(run):
    async def main():
        with pytest.raises(TypeError, match=r"Slotted\.__init__\(value: int\)|Slotted\.__init__\(value:"):
            ix.array(Slotted, 2)
        a = ix.array(Slotted, 2, 21)
        with pytest.raises(AttributeError, match=r"^(\w+\.)?Slotted has no entry or port lok; did you mean look"):
            a[0].lok.send()
        for _ in range(3):
            a[1].port.send(0, "kept")
            await a[1].look.call((ix.num_pes() - 1))
            assert await a[1].look.call(None) == (21, 42, 22, "kept")
            await a[1].look.call(0)
            await ix.quiescence()
    run(main)
