# SPDX-License-Identifier: Apache-2.0
"""Programs as users start them: alone, and by imbrex run."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

COMMAND = os.environ.get("IMBREX_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="IMBREX_COMMAND does not name the command imbrex")

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/python"

HELLO = """
import imbrex as ix

class Hello(ix.Chare):
    never = ix.Mailbox()

    @ix.entry
    def greet(self, n):
        return f"hello {n} from {self.where}"

    @ix.entry
    def fail(self):
        raise ValueError("on purpose")

    @ix.entry
    async def spin(self):
        print("ready", flush=True)
        while True:
            await ix.sleep(0.001)

    @ix.entry
    def loop(self):
        print("ready", flush=True)
        while True:
            pass
"""
GREET = HELLO + """
async def main():
    chares = ix.array(Hello, 2 * ix.num_pes())
    for line in await chares.greet.reduce(ix.gather, 17):
        print(line)

ix.run(main)
print("process", ix.process(), "of", ix.num_processes())
"""


@pytest.fixture
def program(tmp_path):
    def written(text):
        file = tmp_path / "prog.py"
        file.write_text(text)
        return [sys.executable, str(file)]
    return written


def run(words, timeout=60, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, **options)


def in_processes(n, words):
    return [COMMAND, "run", "-n", str(n), *words]


OUTLIVES = """
import gc, sys
import numpy as np
import imbrex as ix

class Giver(ix.Chare):
    box = ix.Mailbox()

    @ix.entry
    def give(self, n):
        return "x" * n, np.ones(n)

    @ix.entry
    async def keep(self):
        kept.extend((self.box, self.box.receive(7), self.box.receive(1)))

kept = []

async def first():
    givers = ix.array(Giver, 4)
    for n in (3, 300, 30_000):
        kept.extend(givers[i].give.call(n) for i in range(4))
        givers.box.send(1, "y" * n)
    kept.append(givers.give.reduce(ix.gather, 500))
    kept.append(ix.when_all(ix.sleep(0.001), givers[0].give.call(2)))
    await givers[0].keep.call()
    await ix.sleep(0.01)

async def second():
    kept.append(ix.array(Giver, 3).give.call)
    try:
        await kept[0]
    except RuntimeError as e:
        print(e)

ix.run(first)
ix.run(second)
kept.clear()
gc.collect()
print("over")
"""


@pytest.mark.parametrize("options", [(), ("--machine", "deterministic", "--pes", "3")])
def test_what_a_program_keeps_does_not_outlive_the_run(program, options):
    done = run([*program(OUTLIVES), *options],
               env={**os.environ, "MALLOC_PERTURB_": "165", "PYTHONMALLOC": "malloc", "PYTHONWARNINGS": "ignore"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "the run in which it was made has ended\nover\n"


@pytest.mark.parametrize("how", ["", "--machine deterministic --pes 3"])
def test_a_process_that_an_entry_forks_ends_as_others_do(program, how):
    done = run([*program("""
import os, sys
import imbrex as ix

class Forker(ix.Chare):
    @ix.entry
    def fork(self, how):
        print("before", flush=True)
        child = os.fork()
        if child == 0:
            print("in the child")
            if how == "raise":
                raise ValueError("on purpose")
            sys.exit(how)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

async def main():
    forker = ix.array(Forker, 3)[2]
    print([await forker.fork.call(how) for how in (7, None, "words", "raise")])
    child = os.fork()
    if child == 0:
        sys.exit(5)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

ix.run(main)
"""), *how.split()],
               env={**os.environ, "PYTHONWARNINGS": "ignore"})  # warnings of forks beside threads
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == 4 * ["before", "in the child"] + ["[7, 0, 1, 1]", "5", ""]
    assert done.stderr.startswith("words\nTraceback") and done.stderr.endswith("ValueError: on purpose\n")


def test_a_program_alone(program):
    done = run([*program(GREET), "--pes", "1"])
    assert done.stdout == "hello 17 from 0\nhello 17 from 1\nprocess 0 of 1\n", done.stderr
    assert (done.returncode, done.stderr) == (0, "")


def test_what_globals_hold_at_the_end_is_not_reported(program):
    done = run(program("""
import imbrex as ix

step = ix.phase("step")

class Holder(ix.Chare):
    @ix.entry
    async def hold(self):
        global here
        here = ix.executor()
        with step:
            await ix.sleep(0)

async def main():
    await ix.array(Holder, 1).hold.call()

ix.run(main)
"""))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_command
def test_a_program_in_processes(program):
    done = run(in_processes(2, program(GREET)))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if "hello" in line] == [f"hello 17 from {i}" for i in range(4)]
    assert sorted(line for line in lines if "process" in line) == ["process 0 of 2", "process 1 of 2"]


@needs_command
@pytest.mark.parametrize("entry", ["fail.send()", "fail.call()"])
def test_an_exception_ends_all_processes(program, entry):
    done = run(in_processes(3, program(HELLO + f"""
async def main():
    chares = ix.array(Hello, 6)
    chares[5].{entry}
    await ix.sleep(100)

ix.run(main)
print("not reached")
""")))
    assert done.returncode == 1
    assert "not reached" not in done.stdout
    assert done.stderr.count("Hello(5), entry fail, on PE 2") >= 1
    assert done.stderr.count("imbrex: error") == 1
    assert 'raise ValueError("on purpose")' in done.stderr


@pytest.mark.parametrize("make, name", [("ix.array(Hello, 3)[1]", "Hello(1)"),
                                        ("ix.chare(Hello)", "Hello #1 of PE 0"),
                                        ("keyed()['key']", "Hello('key')")])
def test_a_crash_names_the_chare(program, make, name):
    done = run(program(HELLO.replace("def fail(self):", "def crash(self):\n        import signal\n"
                                     "        signal.raise_signal(signal.SIGSEGV)\n\n    @ix.entry\n"
                                     "    def fail(self):")
                       + f"""
def keyed():
    a = ix.keyed_array(Hello)
    a.insert("key")
    return a

async def main():
    await {make}.crash.call()

ix.run(main, pes=1)
"""))
    assert done.returncode == -signal.SIGSEGV
    assert f"imbrex: error: {name}, entry crash, on PE 0: crash by SIGSEGV" in done.stderr


def test_memory_that_the_system_refuses_is_told_of(program):
    done = run(["sh", "-c", 'ulimit -v 8000000; exec "$@"', "sh", *program(HELLO + """
async def main():
    try:
        ix.array(Hello, (2**16, 2**17))
    except MemoryError as e:
        print(e)

ix.run(main, pes=1)
""")])
    assert (done.returncode, done.stderr) == (0, "")
    assert "the system refused an allocation while this process held" in done.stdout, done.stdout


@needs_command
def test_processes_must_define_the_same_classes(program):
    done = run(in_processes(2, program("""
import imbrex as ix
if ix.process() == 1:
    class Odd(ix.Chare):
        pass
ix.run(lambda: None)
""")))
    assert done.returncode != 0
    assert "process 1 runs another program than process 0" in done.stderr


def interrupted(words, times=1, until_it_ends=False):
    """Starts a program, which writes that it is ready, and gives it what Ctrl-C does as often as it says so, at last
    perhaps until it ends."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    out = ""
    for _ in range(times):
        while (line := process.stdout.readline()) != "ready\n":
            assert line, process.stderr.read()
            out += line
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    while until_it_ends and process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.01)
    out += process.stdout.read()
    err = process.stderr.read()
    return process.wait(timeout=60), out, err


WAITS_FOR = """
async def main():
    try:
        await ix.array(Hello, ix.num_pes())[ix.num_pes() - 1].{entry}.call()
    finally:
        print("the main task ends")

"""


@pytest.mark.parametrize("machine", ["threads", "deterministic"])
def test_a_report_names_the_lines_at_which_chares_wait(program, machine):
    words = program("""
import imbrex as ix

class Block(ix.Chare):
    halo = ix.Mailbox[int]()

    @ix.entry
    async def run(self):
        print("ready", flush=True)
        return await self.halo.receive(4)

async def main():
    result = ix.array(Block, 2)[1].run.call()
    while True:  # so that the run is never quiet
        await ix.sleep(0.1)

ix.run(main, pes=1, machine="MACHINE")
""".replace("MACHINE", machine))
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    limit = threading.Timer(60, process.kill)
    limit.start()
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGQUIT)
        report = ""
        while "halo" not in report and (line := process.stderr.readline()):
            report += line
    finally:
        limit.cancel()
        process.kill()
        process.communicate()
    assert f"imbrex: report of process 0 of 1 (pid {process.pid}):" in report, report
    wait = r"Block\(1\), entry run, on PE 0 waits for halo with reference 4, at .*:10, in run"
    assert re.search(wait, report), report


@needs_command
@pytest.mark.parametrize("entry", ["spin", "loop"])
def test_an_interrupt_ends_all_processes(program, entry):
    words = in_processes(2, program(HELLO + WAITS_FOR.format(entry=entry) + "ix.run(main)"))
    status, out, _ = interrupted(words)
    assert (status, out) == (128 + signal.SIGINT, "")


@pytest.mark.parametrize("options", ["", 'machine="deterministic", pes=3, seed=7'])
@pytest.mark.parametrize("entry", ["spin", "loop", "wait"])
@pytest.mark.parametrize("by_launcher", [False, pytest.param(True, marks=needs_command)])
def test_an_interrupt_of_one_process_is_raised_by_run(program, by_launcher, entry, options):
    words = program(HELLO + """
    @ix.entry
    async def wait(self):
        try:
            here = ix.executor()  # else nothing could happen any more
            print("ready", flush=True)
            await self.never.receive()
        finally:
            print("the entry ends")

import atexit
atexit.register(print, "at exit")
""" + WAITS_FOR.format(entry=entry) + f"""
try:
    ix.run(main, {options})
except KeyboardInterrupt:
    print("raised", ix.run(lambda: "again"))
    raise
""")
    if entry == "wait" and options:
        pytest.skip("a thread that steps all PEs and has an executor waits for that alone")
    status, out, err = interrupted(in_processes(1, words) if by_launcher else words)
    ends = ["the entry ends"] if entry == "wait" else []
    assert sorted(out.splitlines()) == sorted([*ends, "the main task ends", "raised again", "at exit"]), err
    assert status == (128 + signal.SIGINT if by_launcher else -signal.SIGINT), err
    assert "Traceback" in err and "\nKeyboardInterrupt\n" in err and "imbrex: error" not in err


@pytest.mark.parametrize("message", ["loop.send()", "loop_on.send()"])
def test_an_interrupt_ends_a_broadcast(program, message):
    words = program(HELLO + f"""
    @ix.entry
    async def loop_on(self):
        self.loop()

async def main():
    ix.array(Hello, 3).{message}
    await ix.sleep(3600)

try:
    ix.run(main)
except KeyboardInterrupt:
    print("raised")
""")
    status, out, err = interrupted(words)
    assert (status, out) == (0, "raised\n"), err


def test_an_interrupt_leaves_finally_alone_where_messages_go_on(program):
    words = program(HELLO + """
async def main():
    chare = ix.chare(Hello)
    try:
        print("ready", flush=True)
        while True:
            await chare.greet.call(1)
    finally:
        print(sum(n for n in range(10_000)))

ix.run(main)
""")
    for _ in range(5):
        status, out, err = interrupted(words)
        assert (status, out) == (-signal.SIGINT, "49995000\n"), err
        assert "Exception ignored" not in err


def test_a_handler_of_interrupts_is_kept(program):
    words = program(HELLO + WAITS_FOR.format(entry="spin") + """
import signal
signal.signal(signal.SIGINT, lambda *_: print("handled"))
for again in range(2):
    try:
        ix.run(main)
    except SystemExit as e:
        print(e.code)
""")
    status, out, err = interrupted(words, times=2)
    assert (status, out) == (0, "the main task ends\nhandled\n130\n" * 2), err


def test_a_second_interrupt_ends_the_process(program):
    words = program(HELLO.replace("""print("ready", flush=True)
        while True:
            pass""", """while True:
            try:
                print("ready", flush=True)
                while True:
                    pass
            except KeyboardInterrupt:
                pass""") + WAITS_FOR.format(entry="loop") + "ix.run(main)")
    status, out, err = interrupted(words, times=2, until_it_ends=True)
    assert (status, out) == (-signal.SIGINT, ""), err


@needs_command
def test_a_process_that_is_killed_ends_the_others(program):
    done = run(in_processes(3, program(HELLO + """
import os, signal

class Victim(ix.Chare):
    @ix.entry
    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    ix.array(Victim, 3)[1].die.send()
    await ix.sleep(100)

ix.run(main)
""")))
    assert done.returncode == 137
    assert "rank 1" in done.stderr and "signal 9" in done.stderr


def test_statistics_and_traces_show_names_of_python(program, tmp_path):
    trace = tmp_path / "run.trace"
    done = run(program(GREET) + ["--stats", "--trace", str(trace)])
    assert done.returncode == 0, done.stderr
    assert trace.exists()
    if COMMAND:
        report = run([COMMAND, "trace", "report", str(trace), "--text"])
        assert report.returncode == 0, report.stderr
        assert "Hello::greet" in report.stdout


def test_seeds_on_the_command_line(program):
    words = program(HELLO + """
async def main():
    chares = ix.array(Hello, 3)
    print(ix.num_pes(), (await chares.greet.reduce(ix.gather, 3))[2])
ix.run(main)
""")
    done = run(words + ["--machine", "deterministic", "--pes", "3", "--seed", "5"])
    assert (done.stdout, done.returncode) == ("3 hello 3 from 2\n", 0), done.stderr


@pytest.mark.parametrize("rounds", [300, pytest.param(21_000, marks=pytest.mark.nightly)])  # 12 messages in each
def test_memory_and_references_stay_flat(program, rounds):
    done = run([*program("""
import gc, resource, sys
import numpy as np
import imbrex as ix

class Sink(ix.Chare):
    port = ix.Mailbox()

    @ix.entry
    def take(self, value):
        pass

    @ix.entry
    async def answer(self, value):
        return value

    @ix.entry
    async def receive(self, n):
        for _ in range(n):
            await self.port.receive()

async def once(sink, n):
    array, words, own = np.zeros(5000), ("text", 2.5), {"a": [1]}
    for k in range(n):
        for value in (k, words, array, own):
            sink.take.send(value)
            await sink.answer.call(value)
            sink.port.send(value)
        await sink.receive.call(4)

async def main():
    sink = ix.chare(Sink)
    await once(sink, 300)
    gc.collect()
    before = sys.getallocatedblocks()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(4):
        await once(sink, int(sys.argv[1]))
    gc.collect()
    after = sys.getallocatedblocks()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    print(abs(after - before) < 200, grown < 4096, after - before, grown)

ix.run(main)
"""), str(rounds)], timeout=900)
    assert done.stdout.startswith("True True"), done.stdout + done.stderr


@needs_command
@pytest.mark.parametrize("pieces", [1, 7])
def test_an_example_on_devices(pieces):
    heat = np.zeros(72)
    heat[0] = 1
    for _ in range(60):
        heat[1:-1] += 0.25 * (heat[:-2] - 2 * heat[1:-1] + heat[2:])
    words = [sys.executable, str(EXAMPLES / "heat_on_devices.py"), "70", str(pieces), "60", "--device", "emulated"]
    for command in (words, in_processes(3, words)):
        done = run(command)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"70 cells in {pieces} pieces hold {heat[1:-1].sum():.9f} after 60 steps\n"


@needs_command
@pytest.mark.parametrize("members", [1, 4])
def test_arrays_of_devices_go_around(members):
    words = [sys.executable, str(EXAMPLES / "ring_on_devices.py"), str(members), "9", "--device", "emulated"]
    for command in (words, in_processes(3, words)):
        done = run(command)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"the sum after 9 rounds is {9000 * sum(range(members))}\n"


@needs_command
@pytest.mark.parametrize("processes", [1, 2])
def test_exceptions_at_the_end_are_told(program, processes):
    words = program("""
import imbrex as ix

class Late:
    def __del__(self):
        raise ValueError("too late")

class Cell(ix.Chare):
    def __init__(self):
        self.late = Late()

    @ix.entry
    async def wait(self):
        try:
            await ix.sleep(1000)
        finally:
            raise LookupError("while it ends")

async def main():
    cells = ix.array(Cell, 2)
    cells.wait.send()
    await cells.created()
    return "done"

print(ix.run(main), flush=True)
""")
    done = run(in_processes(processes, words))
    assert done.returncode == 0 and "done" in done.stdout, done.stderr
    assert done.stderr.count("ValueError: too late") == 2


def test_command_of_a_wheel_leaves_signals(tmp_path):
    """Python ignores them for itself; a job that writes into a closed pipe ends by that."""
    (tmp_path / "imbrex/bin").mkdir(parents=True)
    command = tmp_path / "imbrex/bin/imbrex"
    command.write_text("#!/bin/sh\nexec grep SigIgn /proc/self/status\n")
    command.chmod(0o755)
    source = pathlib.Path(__file__).parents[2] / "imbrex/python/command.py"
    (tmp_path / "_imbrex_command.py").write_text(source.read_text())
    done = subprocess.run([sys.executable, "-c", "import _imbrex_command; _imbrex_command.main()"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=60)
    ignored = int(done.stdout.split()[1], 16)
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1), done.stdout
