# SPDX-License-Identifier: Apache-2.0
"""Programs of Python that are saved, and begin again on other numbers of PEs and processes."""

import dataclasses
import itertools
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import imbrex as ix

COMMAND = os.environ.get("IMBREX_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="IMBREX_COMMAND does not name the command imbrex")
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/python"
CELLS = 7


@dataclasses.dataclass
class Friends:
    by_name: dict
    in_a_list: list


class Cell(ix.Chare):
    """A cell of a ring. It adds up the words of the cell before it, which it knows by proxies in its members."""
    words = ix.Mailbox()
    ahead = ix.Mailbox()
    back = ix.Channel()
    forth = ix.Channel()

    def __init__(self, scale):
        self.step, self.sum = 0, 0
        self.field = np.arange(3000.0) * scale
        following = self.peers[(self.where + 1) % CELLS]
        self.friends = Friends({"next": following}, [self.proxy, (self.peers,)])
        self.all = np.array([following, None], dtype=object)
        self.forth.connect(following.back)
        self.back.connect(self.peers[(self.where - 1) % CELLS].forth)

    @ix.entry
    async def run(self, limit, *, scale=1):
        me = self.where
        if self.step == 0:
            self.friends.in_a_list[1][0][(me + 3) % CELLS].ahead.send((me * me, self.proxy, {"who": self.proxy}))
            self.forth.send([me])
        while self.step < limit:
            self.all[0].words.send(self.step, me * self.step * scale)
            self.sum += await self.words.receive(self.step)
            self.field[0] += 1
            self.step += 1
            await self.balance_point(self.run, limit, scale=scale)
        square, who, same = await self.ahead.receive()
        assert who == same["who"] == self.peers[(me - 3) % CELLS]
        [before] = await self.back.receive()
        assert before == (me - 1) % CELLS
        assert self.friends.by_name["next"] == self.all[0] == self.peers[(me + 1) % CELLS]
        assert self.friends.in_a_list == [self.proxy, (self.peers,)]
        assert self.field[0] == limit and self.field[2999] == 2999 * 2
        return self.sum + square

    @ix.entry
    def steps(self):
        return self.step


def sum_after(limit):
    return sum(me * me + sum(me * step for step in range(limit)) for me in range(CELLS))


def on(pes, **options):
    return {"machine": "deterministic", "pes": pes, "seed": 5, "argv": [], **options}


@pytest.fixture
def saved(tmp_path):
    return str(tmp_path / "saved")


def run_in_halves(first, second, saved, pes=(2, 3)):
    """Runs `first` until it makes a checkpoint, at its end, and then `second`, from there. Returns the result of
    `second`."""
    async def to_checkpoint():
        await first()
        await ix.checkpoint()
        ix.exit(0)
    ix.run(to_checkpoint, **on(pes[0], checkpoint=saved))
    return ix.run(second, **on(pes[1], restart=saved))


@pytest.mark.filterwarnings("ignore:.*was never awaited")  # the run ends while its entries run
@pytest.mark.parametrize("before, after", list(itertools.product((1, 2, 3), repeat=2)))
def test_a_ring_goes_on_on_other_pes(saved, before, after):
    limit = 200

    async def main():
        cells = ix.restored("cells", Cell)
        begins_anew = cells is None
        if begins_anew:
            cells = ix.array(Cell, CELLS, 2, named="cells")
        assert (await cells.steps.reduce(ix.min) == 0) == begins_anew
        total = cells.run.reduce(ix.sum, limit)
        if begins_anew:
            while await cells.steps.reduce(ix.min) < 10:
                pass
            made = await ix.checkpoint()
            assert made.number == 1 and made.bytes > 0 and made.path in repr(made)
            ix.exit(0)
        reports = []
        ix.on_restart(reports.append)
        assert [(r.pes_before, r.pes, r.number) for r in reports] == [(before, after, 1)]
        assert await total == sum_after(limit)
        return "done"
    assert ix.run(main, **on(before, checkpoint=saved)) is None
    assert ix.run(main, **on(after, restart=saved)) == "done"


@pytest.mark.filterwarnings("ignore:.*was never awaited")
def test_a_ring_goes_on_after_deaths_of_pes(saved, capfd):
    starts = []

    async def main():
        cells = ix.restored("cells", Cell) or ix.array(Cell, CELLS, 2, named="cells")
        starts.append((ix.num_pes(), await cells.steps.reduce(ix.min)))
        return await cells.run.reduce(ix.sum, 200)
    faults = "pe 1 at event 1500, pes 2; pe 0 at event 3000, pes 4"
    assert ix.run(main, **on(3, checkpoint=saved, checkpoint_every=10, fault=faults)) == sum_after(200)
    assert [pes for pes, _ in starts] == [3, 2, 4] and starts[0][1] == 0 < starts[1][1] < starts[2][1]
    assert capfd.readouterr().err.count("has died at event") == 2


class Alone(ix.Chare):
    box = ix.Mailbox()

    def __init__(self, name):
        self.name = name
        self.heard = 0

    @ix.entry
    def hear(self, n):
        self.heard += n
        return self.name, self.heard


class Place(ix.Chare):
    def __init__(self, number):
        self.number = number
        self.alone = None

    @ix.entry
    def know(self, alone, some):
        self.alone, self.some = alone, some

    @ix.entry
    async def ask(self, n):
        return await self.alone.hear.call(n)

    @ix.entry
    async def count(self):
        return await self.some.value.reduce(ix.sum)

    @ix.entry
    def value(self):
        return self.number


@pytest.mark.parametrize("kind", ["in blocks", "round robin", "sparse", "keyed"])
def test_arrays_of_all_kinds_sections_and_single_chares(saved, kind):
    keys = {"keyed": ["a", ("b", 2), b"c", 4], "sparse": [(0, 1), (7, 3), (900, 0), (3, 3)]}.get(
        kind, [(i, j) for i in range(3) for j in range(2)])

    async def first():
        if kind == "keyed":
            places = ix.keyed_array(Place, named="places")
        elif kind == "sparse":
            places = ix.sparse_array(Place, (1000, 4), named="places")
        else:
            placement = ix.round_robin if kind == "round robin" else ix.in_blocks
            places = ix.array(Place, (3, 2), 10, placement=placement, named="places")
        if kind in ("keyed", "sparse"):
            for key in keys:
                places.insert(key, 10)
        alone = [ix.chare(Alone, f"alone {i}", on=i % ix.num_pes()) for i in range(3)]
        alone[1].box.send(3, "a word")
        for i, key in enumerate(keys):
            await places[key].know.call(alone[i % 3], places.section(keys[:2]))
        assert await places[keys[1]].ask.call(5) == ("alone 1", 5)

    async def second():
        places = ix.restored("places", Place)
        if kind != "keyed":
            assert places.shape == ((1000, 4) if kind == "sparse" else (3, 2))
        assert await places.value.reduce(ix.sum) == 10 * len(keys)
        for i, key in enumerate(keys):
            assert (await places[key].ask.call(1))[0] == f"alone {i % 3}"
        assert await places[keys[1]].ask.call(1) == ("alone 1", 5 + sum(i % 3 == 1 for i in range(len(keys))) + 1)
        assert await places[keys[-1]].count.call() == 20
        with pytest.raises(ix.Error, match="has been restored already"):
            ix.restored("places", Place)
        return True
    assert run_in_halves(first, second, saved)


class Reader(ix.Chare):
    box = ix.Mailbox()

    @ix.entry
    async def read(self, count):
        return [await self.box.receive(k) for k in range(count)]


def test_unread_values_of_all_forms_are_saved(saved):
    def values(readers):
        one = readers[2]
        plain = [None, True, 3, 2**70, 0.5, 1j, "text \u20ac", b"bytes", (1, ("deep", one)), np.float32(2),
                 np.arange(3), np.arange(2000.0).reshape(2, 1000), np.array(["a", "b"]), [np.arange(1000), "list"]]
        return plain + [{"proxies": [one, readers], "field": np.arange(1000), "small": np.arange(2)},
                        np.array([one, 1], dtype=object), Friends({"all": readers}, []), readers.section([0, 2])]

    def are_alike(some, others):
        if isinstance(some, np.ndarray):
            return some.dtype == others.dtype and some.tolist() == others.tolist()
        if isinstance(some, dict):
            return list(some) == list(others) and all(are_alike(some[k], others[k]) for k in some)
        if isinstance(some, list):
            return len(some) == len(others) and all(map(are_alike, some, others))
        return type(some) is type(others) and some == others

    async def first():
        readers = ix.array(Reader, 3, named="readers")
        for k, value in enumerate(values(readers)):
            readers[1].box.send(k, value)

    async def second():
        readers = ix.restored("readers", Reader)
        wanted = values(readers)
        found = await readers[1].read.call(len(wanted))
        assert are_alike(found[:-1], wanted[:-1])
        assert await found[-1].read.reduce(ix.gather, 0) == [[], []]
        return True
    assert run_in_halves(first, second, saved)


class Sum(ix.Chare):
    def __init__(self):
        self.value = 0
        self.all = None

    def merge(self, old):
        self.value = sum(each.value for each in old)

    @ix.entry
    def add(self, n, all_of_group):
        self.value += n * (ix.pe() + 1)
        self.all = all_of_group

    @ix.entry
    def look(self):
        return self.value, self.all and len(self.all)


class Setting(ix.Chare):
    def __init__(self):
        self.text = "fresh"

    @ix.entry
    def become(self, text):
        self.text = text

    @ix.entry
    def look(self):
        return self.text


class Unsaved(ix.Chare):
    def __init__(self):
        self.lock = threading.Lock()


@pytest.mark.parametrize("pes", [(2, 3), (3, 2), (2, 2)])
def test_groups_are_restored_and_merged(saved, pes, capfd):
    async def make():
        groups = ix.group(Sum), ix.group(Setting)
        ix.group(Unsaved)
        return *groups, [await ix.restore(each) for each in groups]

    async def first():
        sums, settings, were_restored = await make()
        assert were_restored == [False, False]
        await sums.add.call(5, sums)
        await settings.become.call("old")

    async def second():
        sums, settings, were_restored = await make()
        assert were_restored == [True, True]
        looks = await sums.look.reduce(ix.gather)
        assert await settings.look.reduce(ix.gather) == ["old"] * pes[1]
        return looks
    looks = run_in_halves(first, second, saved, pes)
    values = [5, 10] if pes[0] == pes[1] else [5 * sum(range(1, pes[0] + 1))] * pes[1]
    if pes[0] == pes[1]:
        assert looks == [(v, pes[1]) for v in values]
    else:
        assert [v for v, _ in looks] == values
        assert "its class has no merge" in capfd.readouterr().err


class Walker(ix.Chare):
    def __init__(self):
        self.step = 0

    @ix.entry
    async def walk(self, limit, *, friends, field):
        assert friends == {"self": [self.proxy], "all": self.peers} and field.tolist() == list(range(2000))
        while self.step < limit:
            self.step += await self.all_reduce(1, ix.max)
            await self.balance_point(self.walk, limit, friends=friends, field=field)

    @ix.entry
    async def begin(self, limit):
        self.proxy.walk.send(limit, friends={"self": [self.proxy], "all": self.peers}, field=np.arange(2000))

    @ix.entry
    def steps(self):
        return self.step


def test_an_entry_that_nobody_awaits_goes_on_by_itself(saved):
    async def first():
        walkers = ix.array(Walker, 4, named="walkers")
        walkers.begin.send(200)
        while await walkers.steps.reduce(ix.min) < 10:
            pass

    async def second():
        walkers = ix.restored("walkers", Walker)
        first_step = await walkers.steps.reduce(ix.min)
        await ix.quiescence()
        return first_step, await walkers.steps.reduce(ix.min)
    first_step, last_step = run_in_halves(first, second, saved)
    assert 10 <= first_step < 200 and last_step == 200


def test_values_are_saved(saved):
    async def first():
        assert ix.restored_value("time", 0.0) == 0.0 and ix.restored_value("none") is None
        ix.save("time", 2.5)
        ix.save("much", {"field": np.arange(5), "words": ["a", None]})
        reports = []
        ix.on_restart(reports.append)
        assert reports == []

    async def second():
        much = ix.restored_value("much")
        assert much["words"] == ["a", None] and much["field"].tolist() == [0, 1, 2, 3, 4]
        assert ix.restored_value("of nobody", "default") == "default"
        return ix.restored_value("time", 0.0)
    assert run_in_halves(first, second, saved) == 2.5


class Holder(ix.Chare):
    words = ix.Mailbox()

    def __init__(self, what):
        self.count = 1
        self.part = what

    @ix.entry
    def hold(self, how):
        @dataclasses.dataclass
        class Local:
            n: int
        self.part = {"lambda": lambda: (lambda: 1), "lock": lambda: {"in a list": [threading.Lock()]},
                     "result": lambda: ix.sleep(0), "local": lambda: Local(1), "entry": lambda: self.proxy.hold,
                     "port": lambda: [self.words], "generator": lambda: (n for n in range(3))}[how]()

    @ix.entry
    async def wait(self):
        await self.words.receive()

    @ix.entry
    def say(self):
        return self.count


@pytest.mark.filterwarnings("ignore:.*was never awaited")
@pytest.mark.parametrize("how, words", [
    ("lambda", "<lambda>"), ("lock", "cannot pickle '_thread.lock' object"),
    ("result", "an awaitable, as of call or sleep, cannot be saved: await it before the balance point"),
    ("local", "Can't pickle local object"), ("entry", "an entry or port of a proxy cannot be saved: keep the proxy"),
    ("port", "a port of another chare cannot be saved"), ("generator", "cannot pickle 'generator' object")])
def test_a_member_that_cannot_be_saved_is_named(saved, how, words):
    async def main():
        holders = ix.array(Holder, 3, None, named="holders")
        await holders[1].hold.call(how)
        with pytest.raises(ix.Error) as refused:
            await ix.checkpoint()
        text = str(refused.value)
        assert "Holder(1) cannot be saved: its attribute part: " in text and words in text
        assert await holders.say.reduce(ix.sum) == 3  # the run goes on
        holders[1].destroy()
        await ix.checkpoint()
    ix.run(main, **on(2, checkpoint=saved))


def test_a_proxy_of_an_array_without_a_name_is_refused(saved):
    async def main():
        nameless = ix.array(Place, 2, 1)
        for part in (nameless, {"deep": [nameless[1]]}):
            holder = ix.array(Holder, 1, part, named="holders")
            with pytest.raises(ix.Error, match=r"attribute part: .*Place is saved that has no name: make "
                                               r"that array with one, as in imbrex.array\(.*, named=\"blocks\"\)"):
                await ix.checkpoint()
            await holder.destroy()
    ix.run(main, **on(2, checkpoint=saved))


def test_names_of_arrays_are_checked(saved):
    class Local(ix.Chare):
        pass

    async def main():
        ix.array(Place, 2, 1, named="places")
        with pytest.raises(ix.Error, match='there are two arrays named "places"'):
            ix.array(Holder, 2, 1, named="places")
        for name in ("", 3, b"places"):
            with pytest.raises(TypeError, match="the name of an array is a text, such as named='blocks', not"):
                ix.sparse_array(Place, 2, named=name)
        with pytest.raises(ix.UsageError, match="Local is defined in a function, where no other run finds it"):
            ix.keyed_array(Local, named="locals")
        with pytest.raises(ix.UsageError, match="Local is defined in a function"):
            ix.restored("locals", Local)
        with pytest.raises(TypeError, match="is no chare class"):
            ix.restored("places", int)
        with pytest.raises(TypeError, match="imbrex.restored takes a name, such as 'blocks', not 3"):
            ix.restored(3, Place)
        with pytest.raises(TypeError, match="imbrex.restore takes a group, not"):
            ix.restore(3)
        with pytest.raises(TypeError, match="a proxy is no value to save by imbrex.save"):
            ix.save("proxies", [ix.array(Place, 2, 1)])
        with pytest.raises(TypeError, match="cannot pickle"):
            ix.save("lock", threading.Lock())
    ix.run(main, **on(2, checkpoint=saved))
    for function, arguments in ((ix.restored, ("a", Place)), (ix.restored_value, ("a",)), (ix.save, ("a", 1)),
                                (ix.checkpoint, ()), (ix.restore, (1,)), (ix.on_restart, (print,))):
        with pytest.raises(ix.Error, match="is for entries and main tasks, in imbrex.run"):
            function(*arguments)


def test_what_a_checkpoint_has_not_is_said(saved, capfd):
    async def first():
        ix.array(Place, 2, 1, named="places")
        ix.save("number", 3)

    async def second():
        assert ix.restored("others", Place) is None
        assert 'has no array "others", so it begins anew' in capfd.readouterr().err
        ix.restored("places", Holder)
    with pytest.raises(SystemExit) as ended:
        run_in_halves(first, second, saved)
    assert ended.value.code == 2
    assert '/000001 has elements of test_checkpoints.Place, not of test_checkpoints.Holder' in capfd.readouterr().err

    async def main():
        with pytest.raises(ix.Error, match="the run has no folder for checkpoints: start it with --checkpoint DIR"):
            ix.checkpoint()
        assert ix.restored("places", Place) is None and await ix.restore(ix.group(Setting)) is False
    ix.run(main, **on(1))


def test_an_entry_that_waits_elsewhere_is_named(saved):
    async def main():
        holders = ix.array(Holder, 2, None, named="holders")
        waits = holders[1].wait.call()
        with pytest.raises(ix.Error, match=r"Holder\(1\), entry wait.* waits for words"):
            await ix.checkpoint()
        holders[1].words.send(1)
        await waits
        await ix.checkpoint()
    ix.run(main, **on(2, checkpoint=saved))


class Odd(ix.Chare):
    def __init__(self):
        self.n = 1

    def __setstate__(self, state):
        raise ValueError("no state today")

    @ix.entry
    def look(self):
        return self.n


def test_a_state_that_its_class_refuses_is_named(saved, capfd):
    async def first():
        ix.array(Odd, 2, named="odd")

    async def second():
        ix.restored("odd", Odd)
    with pytest.raises(SystemExit) as ended:
        run_in_halves(first, second, saved, (1, 1))
    assert ended.value.code == 2
    err = capfd.readouterr().err
    assert err.startswith(f"imbrex: error: {saved}/000001: reading test_checkpoints.Odd(0) from a checkpoint: "
                          f"ValueError: no state today")


RING = """
import os
import signal
import sys
import imbrex as ix

class Cell(ix.Chare):
    words = ix.Mailbox()

    def __init__(self):
        self.step, self.sum = 0, 0
        self.following = self.peers[(self.where + 1) % len(self.peers)]

    @ix.entry
    async def run(self, limit):
        while self.step < limit:
            self.following.words.send(self.step, self.where * self.step)
            self.sum += await self.words.receive(self.step)
            self.step += 1
            await self.balance_point(self.run, limit)
        return self.sum

    @ix.entry
    def steps(self):
        return self.step

    @ix.entry
    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    cells = ix.restored("cells", Cell)
    if cells is None:
        cells = ix.array(Cell, 6, named="cells")
    reports = []
    ix.on_restart(reports.append)
    print("from", await cells.steps.reduce(ix.min), "restarts", len(reports), flush=True)
    total = cells.run.reduce(ix.sum, 400)
    if not reports and len(sys.argv) > 1:
        while await cells.steps.reduce(ix.min) < 20:
            pass
        await ix.checkpoint()
        if sys.argv[1] == "die":
            await cells[5].die.call()
    print("sum", await total)

ix.run(main)
"""
SUM = 15 * 400 * 399 // 2


def program(folder, text):
    file = folder / "prog.py"
    file.write_text(text)
    return [sys.executable, file]


def started(words, status=0, seconds=60):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=seconds)
    assert done.returncode == status, done.stdout + done.stderr
    return done


@needs_command
def test_a_job_goes_on_in_other_processes(tmp_path, saved):
    ring = program(tmp_path, RING)
    first = started([COMMAND, "run", "-n", "2", *ring, "save", "--checkpoint", saved])
    assert first.stdout == f"from 0 restarts 0\nsum {SUM}\n"
    shown = started([COMMAND, "checkpoint", "show", saved]).stdout
    assert "cells: Cell" in shown and "by 2 processes, 2 PEs" in shown
    for job in ([COMMAND, "run", "-n", "3"], []):
        again = started([*job, *ring, "--checkpoint", saved, "--checkpoint-every", "100", "--restart", saved])
        found = re.fullmatch(r"from (\d+) restarts 1\nsum (\d+)\n", again.stdout)
        assert 20 <= int(found[1]) and int(found[2]) == SUM


@needs_command
def test_a_job_goes_on_after_a_death(tmp_path):
    job = [COMMAND, "run", "-n", "2", "--restarts", "2", "--checkpoint-memory", "10000000"]
    done = started([*job, *program(tmp_path, RING), "die"])
    lines = done.stdout.splitlines()
    assert lines[0] == "from 0 restarts 0" and lines[-1] == f"sum {SUM}"
    assert int(re.fullmatch(r"from (\d+) restarts 1", lines[1])[1]) >= 20


CHANGED = """
import dataclasses
import sys
import imbrex as ix

{classes}

async def main():
    places = ix.restored("places", Place)
    if places is None:
        places = ix.array(Place, 2, named="places")
        await ix.checkpoint()
    print(await places.look.reduce(ix.sum))

ix.run(main)
"""
PLACE = """
class Place(ix.Chare):
    box = ix.Mailbox()

    def __init__(self):
        self.part = Part(1)
        {more}

    @ix.entry
    def look(self):
        return self.part.n
"""
PART = """
@dataclasses.dataclass
class Part:
    n: int
"""
ALONE = """
class Alone(ix.Chare):
    @ix.entry
    def look(self):
        return 1
"""
MAKES_ONE = "self.alone = ix.chare(Alone)"


@pytest.mark.parametrize("before, after, words", [
    (PART + PLACE.format(more=""), PLACE.format(more=""), "Can't get attribute 'Part' on <module '__main__'"),
    (PART + ALONE + PLACE.format(more=MAKES_ONE), PART + PLACE.format(more=""),
     "Alone, a class that this program has not"),
    (PART + PLACE.format(more=""), (PART + PLACE.format(more="")).replace("box =", "bag ="),
     "it was saved with a port box, which the class Place has not"),
    (PART + PLACE.format(more=""), (PART + PLACE.format(more="")).replace("Place(", "Site(") + "\nPlace = Site\n",
     "/000001 has elements of Place, not of Site")])
def test_a_changed_program_is_told(tmp_path, saved, before, after, words):
    started([*program(tmp_path, CHANGED.format(classes=before)), "--checkpoint", saved])
    started([*program(tmp_path, CHANGED.format(classes=before)), "--restart", saved])
    told = started([*program(tmp_path, CHANGED.format(classes=after)), "--restart", saved], status=2)
    assert saved in told.stderr and words in told.stderr


def test_the_example_goes_on(saved):
    example = [sys.executable, EXAMPLES / "checkpoint.py", "300"]
    first = started([*example, "--checkpoint", saved, "--checkpoint-every", "100"]).stdout.splitlines()
    again = started([*example, "--restart", saved, "--machine", "deterministic", "--pes", "3"]).stdout.splitlines()
    assert first[0] == "the blocks begin at step 0" and first[1].startswith("energy ")
    assert again[0].startswith(f"goes on from {saved}/0") and again[2] == first[1]
    assert int(again[1].removeprefix("the blocks begin at step ")) >= 100


CHARM4PY = """
from charm4py import charm

def main(args):
    print("began")
    charm.exit()

charm.start(main)
"""


@needs_command
def test_programs_of_charm4py_are_not_saved(tmp_path, saved):
    pytest.importorskip("greenlet")
    words = [sys.executable, "-m", "imbrex.charm4py", *program(tmp_path, CHARM4PY)[1:], "--checkpoint", saved]
    for job in ([], [COMMAND, "run", "-n", "2"]):
        told = started([*job, *words], status=2)
        assert "programs of charm4py cannot be saved" in told.stderr and told.stdout == ""
