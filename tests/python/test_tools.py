# SPDX-License-Identifier: Apache-2.0
"""The command imbrex on Python programs: it shows the names of the program."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

COMMAND = os.environ.get("IMBREX_COMMAND")
pytestmark = pytest.mark.skipif(not COMMAND, reason="IMBREX_COMMAND does not name the command imbrex")

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/python"
OF_CPP = re.compile(r"imbrex::|object<|index<|basic_string|_node|Node")

CLASSES = """
import sys
import numpy as np
import imbrex as ix

class Block(ix.Chare):
    box = ix.Mailbox()

    def __init__(self, n):
        self.n = n

    @ix.entry
    def poke(self, a):
        self.peers[(self.where + 1) % len(self.peers)].box.send(1, a)

    @ix.entry
    async def get(self):
        total = 0.0
        with ix.phase("receiving", self.where):
            total += (await self.box.receive(1)).sum()
        return await self.all_reduce(total, ix.sum)

    @ix.entry
    def go(self):
        self.migrate_to((ix.pe() + 1) % ix.num_pes())

class Named(ix.Chare):
    @ix.entry
    def ping(self):
        return 1

class Alone(ix.Chare):
    @ix.entry
    def ping(self):
        return 2

    @ix.entry
    def fail(self):
        raise KeyError(2)

async def main():
    blocks = ix.array(Block, 8, 5)
    named = ix.keyed_array(Named)
    for key in ("a", ("b", 1)):
        named.insert(key)
    singles = [ix.chare(Alone, on=pe) for pe in range(ix.num_pes())]
    blocks.poke.send(np.ones(10))
    assert set(await blocks.get.reduce(ix.gather)) == {80.0}
    blocks.section([1, 2, 3]).go.send()
    blocks[5].go.send()
    await ix.quiescence()
    assert await named.ping.reduce(ix.sum) == 2
    for single in singles:
        assert await single.ping.call() == 2
        try:
            await single.fail.call()
        except KeyError:
            pass
    ix.mark("all is done")
    singles[0].destroy()
    await blocks.destroy()

ix.run(main)
"""

OF_CHARM4PY = """
from charm4py import charm, Chare, Array, Future, coro

class Worker(Chare):
    @coro
    def work(self, n, future):
        charm.sleep(0.001)
        self.thisProxy[(self.thisIndex[0] + 1) % 4].note(n)
        self.reduce(future)

    def note(self, n):
        self.noted = n

def main(args):
    done = Future()
    Array(Worker, 4).work(3, done)
    done.get()
    exit()

charm.start(main)
"""


@pytest.fixture
def program(tmp_path):
    def written(text):
        file = tmp_path / "prog.py"
        file.write_text(text)
        return [sys.executable, str(file)]
    return written


def run(*words, status=0, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=100, **options)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("processes", [1, 2])
def test_a_trace_has_the_names_of_the_program(program, tmp_path, processes):
    trace = tmp_path / "t.trace"
    run(COMMAND, "run", "-n", processes, *program(CLASSES), "--trace", trace, "--stats")
    text = run(COMMAND, "trace", "report", trace, "--text", cwd=tmp_path)
    assert not OF_CPP.search(text), text
    assert "begun without a record of their sending" not in text
    [whole] = json.loads(run(COMMAND, "trace", "report", trace, "--json", cwd=tmp_path))["runs"]
    entries = {entry["name"] for entry in whole["entries"]}
    rows = re.findall(r"(\w+); the heaviest is (\S+)", text)
    assert {name for name, _ in rows} == {"Block", "Named", "Alone"}
    for name, heaviest in rows:
        assert heaviest.startswith(name)
    for words in ("Block::poke", "Block::get", "Named::ping", "Alone::ping", "insertion of Named", "insertion of Alone",
                  "broadcast of Block::poke", "section's broadcast of Block::go"):
        assert words in entries, words
    replies = {name for name in entries if name.startswith("reply ")}
    assert replies >= {
        "reply to Block::get", "reply to Named::ping", "reply to Alone::ping", "reply to Alone::fail"}, replies
    assert not {name for name in replies if name.startswith("reply of")}, replies
    if processes > 1:
        assert "migration of Block" in text
        assert "Alone #1 of PE 0" in text
    assert "Named('b', 1)" in text and "receiving" in text


def test_a_trace_of_charm4py_has_the_names_of_its_program(program, tmp_path):
    pytest.importorskip("greenlet")
    trace = tmp_path / "t.trace"
    python, file = program(OF_CHARM4PY)
    run(COMMAND, "run", "-n", 2, python, "-m", "imbrex.charm4py", file, "--trace", trace)
    text = run(COMMAND, "trace", "report", trace, "--text", cwd=tmp_path)
    assert not OF_CPP.search(text), text
    assert "Worker::note" in text and "Worker(3)" in text
    assert "Worker; the heaviest is Worker(" in text
    # The chare sleeps once; all but the sleep counts as its time.
    found = {}
    for row in re.findall(r"(\d+) +\S+ \S+ +\S+ \S+ +(\d+) +\S+ \S+ +(\d+)  (\S+::\S+)$", text, re.MULTILINE):
        *numbers, name = row
        found[name] = [int(n) for n in numbers]
    assert found["Worker::work"] == [4, 4, 4]
    assert found["Worker::note"] == [4, 0, 4]
    assert found["Charm::main"] == [1, 1, 1]


def test_tune_varies_processes_where_each_has_one_pe(program, tmp_path):
    text = CLASSES.replace("ix.run(main)", """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--odf", type=int, default=2)
parser.parse_known_args()
ix.run(main)
""")
    out = tmp_path / "tuned.options"
    made = json.loads(run(COMMAND, "tune", "--json", "--repeat", 3, "--seconds", 25, "--vary", "--odf 1,2", "--phase",
                          "receiving", "--output", out, *program(text), cwd=tmp_path,
                          env={**os.environ, "IMBREX_OPTIONS": ""}))
    words = json.dumps(made)
    assert "global lock" not in words
    assert "--odf 1" in words
    if len(os.sched_getaffinity(0)) > 1 and getattr(sys, "_is_gil_enabled", lambda: True)():
        assert "-n 2" in words and "--pes" not in words


def test_overlap_of_a_recorded_program(tmp_path):
    trace = tmp_path / "t.trace"
    run(COMMAND, "run", "-n", 2, sys.executable, EXAMPLES / "jacobi3d.py", "--trace", trace)
    text = run(COMMAND, "overlap", "--from", trace, cwd=tmp_path)
    assert "80 iterations" in text and "Block::halo" in text
    assert not OF_CPP.search(text), text


def test_overlap_is_verified_by_runs(program, tmp_path):
    text = run(COMMAND, "overlap", "--verify", "--latency", "200us", "--bandwidth", "1GB/s", "--repeat", 1, "--",
               COMMAND, "run", "-n", 2, *program(CLASSES), cwd=tmp_path)
    assert "200" in text
    assert not OF_CPP.search(text), text
