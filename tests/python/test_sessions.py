# SPDX-License-Identifier: Apache-2.0
"""Sessions: chares beside a program of asyncio, a script, and a notebook."""

import asyncio
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest

import imbrex as ix
from imbrex import _folders

pytest.importorskip("cloudpickle")
COMMAND = os.environ.get("IMBREX_COMMAND")
PROCESSES = 2 if COMMAND else 1
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/python"


def classes():
    """Classes that the processes do not know: they are sent by value."""
    class Item:
        def __init__(self, n):
            self.n = n

    class Other(ix.Chare):
        @ix.entry
        def where_am_i(self):
            return self.where, ix.process()

    class Cell(ix.Chare):
        port = ix.Mailbox()

        def __init__(self, first=0, *, step=1):
            self.value = first + step * self.where if isinstance(self.where, int) else first

        @ix.entry
        async def add(self, n, /, *, twice=False):
            return self.value + (2 * n if twice else n)

        @ix.entry
        def pass_on(self, item):
            return Item(item.n + 1), self.proxy

        @ix.entry
        def scaled(self, array, factor):
            array *= factor  # a received value can be written to
            return array

        @ix.entry
        async def take(self, reference):
            return await self.port.receive(reference)

        @ix.entry
        async def make_others(self):
            others = ix.array(Other, 3)
            return await others.where_am_i.reduce(ix.gather)

        @ix.entry
        def fail(self, text):
            raise KeyError(text)

        @ix.entry
        def die(self):
            os.kill(os.getpid(), signal.SIGKILL)

        @ix.entry
        def spin(self):
            while True:
                pass

    return Cell, Item


@pytest.fixture(scope="module")
def shared():
    with ix.start(processes=PROCESSES) as session:
        yield session


@pytest.fixture
def cells(shared):
    Cell, Item = classes()
    return ix.array(Cell, 5, 10), Item


def test_results_are_awaited_in_asyncio(cells):
    a, _ = cells

    async def main():
        assert await a[3].add.call(4) == 17
        assert await a.add.reduce(ix.sum, 1, twice=True) == 5 * 12 + 10
        assert await asyncio.gather(*(a[i % 5].add.call(i) for i in range(40))) == [10 + i % 5 + i for i in range(40)]
        assert await a.add.reduce(lambda x, y: x * y, 0) == 10 * 11 * 12 * 13 * 14
        assert await a.add.call(1) is None
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(a[0].take.call(7), 0.05)
        a[0].port.send(7, "late")
        assert await a[1].add.call(0) == 11
    asyncio.run(main())


def test_who_waits_is_said_where_a_result_does_not_come_in_time(shared, capfd):
    class Half(ix.Chare):
        port = ix.Mailbox()

        @ix.entry
        async def run(self):
            if self.where == 0:
                raise ValueError("the first one fails")
            await self.port.receive()

    halves = ix.array(Half, 2)
    result = halves.run.call()
    told = ""
    while "the first one fails" not in told:  # the processes say so by themselves after a second
        told += capfd.readouterr().err
    with pytest.raises(TimeoutError) as late:
        result.result(0.01)
    words = str(late.value)
    for part in (r"Half\.run\.call\(\) has not ended within 0\.01 s\n",
                 r"ValueError: the first one fails \(thrown by .*Half\(0\), entry run, on PE 0\)",
                 r"Half\(1\), entry run, on PE \d+ waits for port",
                 r"\n  the program waits for the reduction of .*Half::run\n"):
        assert re.search(part, words), words
    assert "_serve" not in words
    halves[1].port.send(0)
    with pytest.raises(ValueError, match="the first one fails"):
        result.result()
    with pytest.raises(ValueError, match="the first one fails"):
        result.result(0.01)


def test_values_go_there_and_back(cells):
    a, Item = cells
    item, proxy = a[2].pass_on.call(Item(41)).result()
    assert (type(item), item.n) == (Item, 42)
    assert proxy.add.call(1).result() == 13
    array = np.arange(60000.0).reshape(200, 300)
    assert np.array_equal(a[4].scaled.call(array, 3).result(), array * 3)
    assert array[0, 1] == 1
    a[0].port.send(2, proxy)
    assert a[0].take.call(2).result().add.call(2).result() == 14


def test_chares_make_others_of_classes_that_came_along(cells):
    a, _ = cells
    assert [i for i, _ in a[4].make_others.call().result()] == [0, 1, 2]


def test_arrays_of_all_kinds(shared):
    Cell, _ = classes()
    grid = ix.array(Cell, (3, 2), 5)
    assert (grid.shape, len(grid)) == ((3, 2), 6)
    assert grid[2, 1].add.call(1).result() == 6
    assert grid.section([(0, 0), (2, 1)]).add.reduce(ix.sum, 1).result() == 12
    keyed = ix.keyed_array(Cell)
    keyed.insert("one", 100)
    assert keyed["one"].add.call(1).result() == 101
    group = ix.group(Cell, step=0)
    assert group.add.reduce(ix.sum, 1).result() == shared.num_pes == PROCESSES
    single = ix.chare(Cell, 7)
    assert single.with_priority(-3).add.call(1).result() > 7
    assert grid.created().result() is None
    assert grid.destroy().result() is None
    assert shared.quiescence().result(60) is None
    assert single.add.call(2).result() > 8


def test_a_function_runs_as_a_main_task(shared):
    Cell, _ = classes()

    async def main(n):
        a = ix.array(Cell, n)
        return await a.add.reduce(ix.sum, 1), ix.num_processes()
    assert shared.run(main, 4).result() == (1 + 2 + 3 + 4, PROCESSES)


def test_what_is_wrong_is_said_at_the_call(cells, shared):
    a, _ = cells
    with pytest.raises(AttributeError, match="has no entry or port ad; did you mean add"):
        a.ad
    with pytest.raises(TypeError, match=r"add\(n, /, \*, twice=False\) was given \(\)"):
        a[0].add.call()
    with pytest.raises(TypeError, match="was given"):
        ix.array(type(a)._cls if hasattr(type(a), "_cls") else a._cls, 3, first=1, wrong=2)
    with pytest.raises(IndexError, match="index 5 is outside the array"):
        a[5]
    with pytest.raises(TypeError, match="no chare class"):
        ix.array(int, 3)
    for index in ("x", 1.5, None, (), (1,) * 7):
        with pytest.raises(TypeError, match="an index is an int, or a tuple of 1 to 6 ints, not "):
            a[index]
    assert a[np.int64(3)] == a[3,] == a[[3]] == a[3] != a[4]
    for shape in ("x", 1.5, (), (1,) * 7):
        with pytest.raises(TypeError, match="a shape is an int, or a tuple of 1 to 6 ints, not "):
            ix.array(a._cls, shape)
    with pytest.raises(IndexError, match="a shape is 1099511627776: each int must fit 32 bits"):
        ix.array(a._cls, 2**40)
    for shape, make in ((-1, ix.array), ((2**30, 2**30), ix.array), ((2**30,) * 3, ix.sparse_array)):
        with pytest.raises(ix.Error, match=re.escape(f"cannot have the shape {shape}: each extent must be 0 or more")):
            make(a._cls, shape)
    with pytest.raises(ix.Error, match=f"there is no PE {PROCESSES}; this run has PEs 0 to {PROCESSES - 1}"):
        ix.chare(a._cls, on=PROCESSES)
    with pytest.raises(ix.Error, match="a session goes on already"):
        ix.start()


def test_exceptions_are_raised_where_results_are_awaited(cells):
    a, _ = cells
    with pytest.raises(KeyError, match="on purpose") as raised:
        a[3].fail.call("on purpose").result()
    assert "entry fail, on PE" in str(raised.value.__cause__)
    assert "raise KeyError(text)" in str(raised.value.__cause__)
    assert a[3].add.call(0).result() == 13


def test_who_forgets_to_await_is_told(cells):
    a, _ = cells
    with pytest.warns(RuntimeWarning, match=r"Cell.add.call\(\) was never awaited"):
        a[0].add.call(1)
        while a[0].add.call(1).result() != 11:
            pass


def test_an_interrupt_leaves_the_session_as_it_is(cells):
    a, _ = cells
    never = a[0].take.call(99)
    threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        never.result()
    a[0].port.send(99, "after all")
    assert never.result() == "after all"


def test_a_class_of_a_module_is_imported_there(shared, tmp_path, monkeypatch):
    (tmp_path / "imbrex_test_module.py").write_text("import imbrex as ix\n\nclass Own(ix.Chare):\n    @ix.entry\n"
                                                    "    def name(self):\n        return type(self).__module__\n")
    ix.stop()
    monkeypatch.syspath_prepend(tmp_path)
    import imbrex_test_module
    with ix.start(processes=PROCESSES):
        assert ix.array(imbrex_test_module.Own, 3).name.reduce(ix.gather).result() == ["imbrex_test_module"] * 3


@pytest.mark.parametrize("how", ["die", "fail"])
def test_a_session_that_has_failed_can_be_begun_again(how):
    Cell, _ = classes()
    ix.stop()
    ix.start(processes=PROCESSES)
    cell = ix.array(Cell, PROCESSES)[PROCESSES - 1]
    waiting = ix.array(Cell, 2)[0].take.call(1)
    cell.die.send() if how == "die" else cell.fail.send("on purpose")
    with pytest.raises(ix.Error, match="the session has ended") as raised:
        waiting.result(60)
    if how == "fail":
        assert "on purpose" in str(raised.value)
    elif PROCESSES > 1:
        assert "rank 1" in str(raised.value) and "signal 9" in str(raised.value)
    with pytest.raises(ix.Error, match="the session has ended"):
        cell.add.send(1)
    with ix.start(processes=PROCESSES):
        assert ix.array(Cell, 2, 1)[1].add.call(1).result() == 3


def test_the_end_of_a_session_does_not_wait_for_an_entry_that_never_returns():
    Cell, _ = classes()
    with ix.start(processes=PROCESSES):
        spinning = ix.array(Cell, PROCESSES)[PROCESSES - 1].spin.call()
    with pytest.raises(ix.Error, match="the session has ended"):
        spinning.result(60)


@pytest.mark.parametrize("where", ["everywhere", "on the last"])
def test_chares_whose_constructor_fails_say_so_to_who_awaits_them(capfd, where):
    class Broken(ix.Chare):
        def __init__(self, words, where):
            if where == "everywhere" or ix.pe() == ix.num_pes() - 1:
                raise ValueError(words)

        @ix.entry
        def look(self):
            return 1

    ix.stop()
    with ix.start(PROCESSES) as session:
        broken = ix.array(Broken, 4, "no constructor today", where)
        causes = set()
        for waiting in (broken[1].look.call(), broken.look.reduce(ix.sum), broken.created(), broken[1].look.call(),
                        broken.section([0, 1]).look.reduce(ix.sum), session.run(lambda: broken.shape)):
            with pytest.raises(ValueError, match="no constructor today") as raised:
                waiting.result(60)
            causes.add(str(raised.value.__cause__))
        assert len(causes) == 1
        broken[0].look.send()
        Cell, _ = classes()
        assert ix.array(Cell, 2, 1)[1].add.call(1).result(60) == 3  # the session continues
        assert session.num_processes == PROCESSES
    text = capfd.readouterr().err
    assert "Broken(" in text
    assert not any(words in text for words in ("KeyError", "never awaited", "Exception ignored")), text


@pytest.mark.skipif(PROCESSES == 1, reason="all chares of one process are created at once")
def test_who_creates_chares_where_a_process_is_busy_waits_for_these_alone(tmp_path):
    begun, go_on = tmp_path / "begun", tmp_path / "go on"

    class Cell(ix.Chare):
        @ix.entry
        def look(self):
            return 1

        @ix.entry
        def block(self):
            begun.touch()
            while not go_on.exists():
                time.sleep(0.001)

    ix.stop()
    with ix.start(PROCESSES) as session:
        cells = ix.array(Cell, 2 * PROCESSES)
        assert cells.look.reduce(ix.sum).result(60) == 2 * PROCESSES
        blocked = cells[2 * PROCESSES - 1].block.call()
        while not begun.exists():
            time.sleep(0.001)
        late = ix.array(Cell, 2 * PROCESSES)
        of_late = [late[0].look.call(), late.look.reduce(ix.gather), late.section([0, 1]).look.reduce(ix.sum)]
        assert [cells[0].look.call().result(60) for _ in range(3)] == [1, 1, 1]
        assert ix.chare(Cell, on=0).look.call().result(60) == 1
        both = session.run(lambda: (len(late), len(cells)))
        behind = cells[0].look.call()
        assert ix.chare(Cell, on=0).look.call().result(60) == 1
        assert not any(result.done() for result in (blocked, both, behind, *of_late))
        quiet = session.quiescence()
        go_on.touch()
        assert [result.result(60) for result in of_late] == [1, [1] * 2 * PROCESSES, 2]
        assert (both.result(60), behind.result(60)) == ((2 * PROCESSES, 2 * PROCESSES), 1)
        assert (blocked.result(60), quiet.result(60)) == (None, None)


FORKER = """
import os
import sys
import imbrex as ix

class Cell(ix.Chare):
    @ix.entry
    async def late(self):
        await ix.sleep(0.05)
        return self.where

with ix.start(processes=PROCESSES) as session:
    cells = ix.array(Cell, 4)
    late = cells[2].late.call()
    for how in ("end", "use", "begin"):
        if (child := os.fork()) == 0:
            if how == "end":
                sys.exit(3)
            for use in (lambda: late.result(), lambda: cells[1].late.call().result(), lambda: ix.array(Cell, 3)):
                try:
                    use()
                except ix.Error as e:
                    assert "forked" in str(e), e
            if how == "begin":
                with ix.start():
                    assert ix.array(Cell, 2)[1].late.call().result() == 1
            session.stop()
            os._exit(4)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    print(late.result(), cells[3].late.call().result(), session.has_ended)
"""


def test_a_forked_process_leaves_the_session_to_who_began_it(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(FORKER.replace("PROCESSES", str(PROCESSES)))
    done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", file], capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["3", "4", "4", "2", "3", "False"]


def test_nothing_is_said_at_the_end_where_frames_are_kept(tmp_path):
    file = tmp_path / "script.py"
    file.write_text("""
import builtins, sys
import imbrex as ix

class Cell(ix.Chare):
    never = ix.Mailbox()

    @ix.entry
    async def wait(self):
        await self.never.receive()

def keep():
    builtins.kept = dict(sys._getframe(1).f_locals)  # as debuggers do, and prompts that keep exceptions

with ix.start() as session:
    waiting = ix.array(Cell, 1)[0].wait.call()
    session.run(keep).result()
print(waiting.exception())
""")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "the session has ended" in done.stdout


def test_options_that_are_none_are_refused():
    ix.stop()
    with pytest.raises(ix.UsageError, match="foo=3: the runtime has no option --foo"):
        ix.start(PROCESSES, foo=3)
    with pytest.raises(ix.UsageError, match="checkpoint_every=3: a session has no checkpoints"):
        ix.start(PROCESSES, checkpoint_every=3)


def order_of_a_race(seed, pause):
    """The order of arrivals at a log, in a session on the deterministic machine."""
    class Log(ix.Chare):
        def __init__(self):
            self.comers = []

        @ix.entry
        def come(self, who):
            self.comers.append(who)

        @ix.entry
        def all(self):
            return self.comers

    class Runner(ix.Chare):
        port = ix.Mailbox()

        @ix.entry
        async def run(self, log):
            await self.port.receive()
            log.come.send((self.where, ix.pe()))

    with ix.start(machine="deterministic", pes=3, seed=seed) as session:
        assert (session.num_pes, session.num_processes) == (3, 1)
        log = ix.chare(Log)
        runners = ix.array(Runner, 9)
        for _ in range(2):
            runners.run.send(log)  # waits for what the program sends next
            time.sleep(pause)
            runners.port.send("go")
            time.sleep(pause)
        session.quiescence().result(10)
        return log.all.call().result(10)


def test_sessions_on_the_deterministic_machine_repeat_exactly():
    ix.stop()
    first = order_of_a_race(7, 0)
    assert sorted(first) == sorted(2 * [(i, i // 3) for i in range(9)])
    assert order_of_a_race(7, 0.03) == order_of_a_race(7, 0) == first
    assert len({tuple(order_of_a_race(seed, 0)) for seed in (1, 2, 3)} | {tuple(first)}) > 1


def test_a_session_in_simulated_time():
    ix.stop()
    Cell, _ = classes()
    with ix.start(machine="simulated", device_model="summit", pes=4):
        cells = ix.array(Cell, 8, 10)
        assert [cells[i].add.call(1).result(10) for i in range(8)] == [11 + i for i in range(8)]
        with pytest.raises(KeyError):
            cells[2].fail.call("on purpose").result(10)
        late = cells[0].take.call(3)
        cells[0].port.send(3, "late")
        assert late.result(10) == "late"


def test_the_environment_may_name_the_machine(monkeypatch):
    ix.stop()
    monkeypatch.setenv("IMBREX_OPTIONS", "--machine deterministic --pes 2")

    def door():
        from imbrex import _serve
        return type(_serve._door).__name__

    with ix.start() as session:
        assert session.num_pes == 2 and session.run(door).result(60) == "DoorForOne"


def test_a_repeatable_session_ends_although_it_is_never_quiet():
    ix.stop()

    class Restless(ix.Chare):
        @ix.entry
        async def go_on(self):
            while True:
                await ix.sleep(0.001)

    with ix.start(machine="deterministic", pes=2):
        going = ix.chare(Restless).go_on.call()
        late = ix.chare(Restless).go_on.call()
    for each in (going, late):
        with pytest.raises(ix.Error, match="the session has ended"):
            each.result(60)


def test_a_session_that_cannot_be_is_refused():
    ix.stop()
    with pytest.raises(ix.UsageError, match="0 processes are impossible"):
        ix.start(processes=0)
    with pytest.raises(ix.UsageError, match="machine='deterministic'.* leave out processes=3, and give pes=3"):
        ix.start(3, machine="deterministic")
    with pytest.raises(ix.Error, match="the session has ended.*status 2.*\n.*no device backend wrong"):
        ix.start(device="wrong")


SCRIPT = """
import asyncio
import imbrex as ix

SCALE = 3

def scaled(x):
    return SCALE * x

class Point:
    def __init__(self, x):
        self.x = x

class Cell(ix.Chare):
    @ix.entry
    async def scale(self, p: Point) -> Point:
        print("scaling in process", ix.process())
        following = self.peers[(self.where + 1) % len(self.peers)]
        return Point(scaled(p.x)) if p.x > 100 else await following.scale.call(Point(scaled(p.x)))

async def main():
    cells = ix.array(Cell, 4)
    return (await cells[0].scale.call(Point(2))).x

if __name__ == "__main__":
    ix.start(processes=PROCESSES)
    print(asyncio.run(main()))
"""


def test_what_a_script_defines_goes_to_the_processes(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(SCRIPT.replace("PROCESSES", str(PROCESSES)))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "486\n" in done.stdout
    assert done.stdout.count("scaling in process 0") >= 2


@pytest.mark.nightly
@pytest.mark.skipif(not COMMAND, reason="IMBREX_COMMAND does not name the command imbrex")
def test_the_notebook():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=60, kernel_name="python3").execute()
    texts = [o.get("text", "") or o["data"]["text/plain"] for c in book.cells if c.cell_type == "code"
             for o in c.outputs]
    assert texts[0] == "2"
    assert any("array([0.97, 0.94" in t for t in texts), texts
    assert any("TypeError: 'str' object cannot be interpreted as an integer" in t for t in texts), texts
    assert any("(0, 0), (1, 0), (2, 1), (3, 1)" in t for t in texts), texts


def test_the_example_of_asyncio():
    done = subprocess.run([sys.executable, EXAMPLES / "beside.py", str(PROCESSES)], capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pi is about 3.1\n" in done.stdout


def test_a_start_removes_what_killed_ones_have_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = subprocess.run([sys.executable, "-c", f"""
import os, signal, tempfile
tempfile.tempdir = {str(tmp_path)!r}
from imbrex import _folders
with _folders.temporary("session") as folder:
    open(folder + "/file", "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""])
    assert killed.returncode == -signal.SIGKILL
    left = os.listdir(tmp_path)
    assert len(left) == 1 and left[0].startswith("imbrex-")
    with _folders.temporary("session") as first, _folders.temporary("session") as second:
        assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, (first, second)))
    assert os.listdir(tmp_path) == []


def test_the_processes_end_with_a_program_that_is_killed(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(f"""
import os, signal
import imbrex as ix

class Cell(ix.Chare):
    @ix.entry
    def process(self):
        return os.getpid()

ix.start(processes={PROCESSES})
print(*set(ix.array(Cell, {PROCESSES}).process.reduce(ix.gather).result()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
""")
    done = subprocess.run([sys.executable, file], stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == -signal.SIGKILL
    for process in map(int, done.stdout.split()):
        while os.path.exists(f"/proc/{process}"):  # this test ends when they do
            time.sleep(0.01)
