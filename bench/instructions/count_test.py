#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests count.py on profiles: they are read, a growth is found and named, and figures are kept."""
import collections
import contextlib
import io
import pathlib
import tempfile
import unittest

import callgrind
import count
import figures
import waiting

PROFILE = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 1
cmd: ./program
part: 1

positions: line
events: Ir
summary: 1200

ob=(1) /build/bin/program
fl=(1) ???
fn=(1) send(int)
0 100
+3 20
* 5
cob=(2) /lib/libuct.so.0.0.0
cfi=(2) ???
cfn=(2) 0x0000000000012340
calls=7 0
0 900
0 10

ob=(2)
fl=(2)
fn=(2)
0 800
fn=(3) 0x0000000000012350
0 90
fn=(4) walk'2
0 3

ob=(1)
fn=(1)
-4 5

totals: 1033
"""
# A program with debug information: a function into which another is inlined.
LINES = """\
fl=(1) /home/user/imbrex/imbrex/core/array/send.cpp
fn=(1) send(int)
10 7
fi=(2) /home/user/imbrex/build/../imbrex/base/pool.hpp
30 4
+2 1
fe=(1)
12 2
cfi=(3) /usr/include/stdlib.h
cfn=(2) malloc
calls=1 5
13 100
fi=(2)
31 1

fl=(3)
fn=(2)
5 100
"""
PE = "imbrex::detail::scheduler::run_item(imbrex::detail::work&)"
SPIN = "imbrex::detail::thread_machine::spin(imbrex::detail::scheduler&) const"
BEFORE = {PE: 100.0, "push()": 60.0, "pop()": 40.0}


def figure_of(functions):
    return figures.Figure(sum(functions.values()), functions)


class Profiles(unittest.TestCase):
    def test_costs_are_of_functions_without_what_they_call(self):
        self.assertEqual(callgrind.costs(PROFILE.splitlines()),
                         {"send(int)": 140, "(without a name) libuct.so.0.0.0": 890, "walk": 3})

    def test_costs_of_inlined_functions_are_of_their_own_files(self):
        files = {"send.cpp": "/home/user/imbrex/imbrex/core/array/send.cpp",
                 "pool.hpp": "/home/user/imbrex/build/../imbrex/base/pool.hpp", "stdlib.h": "/usr/include/stdlib.h"}
        self.assertEqual(callgrind.costs_in_files(LINES.splitlines()),
                         {("send(int)", files["send.cpp"]): 9, ("send(int)", files["pool.hpp"]): 6,
                          ("malloc", files["stdlib.h"]): 100})
        self.assertEqual(callgrind.costs(LINES.splitlines()), {"send(int)": 15, "malloc": 100})

    def test_files_are_those_of_the_library_that_each_repetition_runs_through(self):
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder, "imbrex")
            for name in ("base/pool.hpp", "base/inbox.hpp", "core/send.cpp", "sched/thread_machine.cpp"):
                (library / name).parent.mkdir(parents=True, exist_ok=True)
                (library / name).touch()
            send = ("imbrex::send()", "/a/imbrex/imbrex/core/send.cpp")
            pool = ("imbrex::send()", "../../imbrex/base/pool.hpp")
            loop = (SPIN, "imbrex/sched/thread_machine.cpp")
            start, late = ("start()", "/imbrex/base/inbox.hpp"), ("late()", "imbrex/base/inbox.hpp")
            once = collections.Counter({send: 100, pool: 30, loop: 5, start: 9})
            twice = collections.Counter({send: 150, pool: 80, loop: 900, start: 9, late: 9,
                                         ("pop()", "imbrex/base/pool.hpp"): 10,
                                         ("main", "/a/imbrex/apps/ring.cpp"): 90})
            self.assertEqual(list(figures.files(once, twice, 10, waiting.waits, library).items()),
                             [("base/pool.hpp", 6), ("core/send.cpp", 5)])

    def test_the_difference_is_what_one_repetition_costs(self):
        once = collections.Counter({PE: 1000 + 5000, "start": 70_000, SPIN: 123_456})
        twice = collections.Counter({PE: 1000 + 10_000, "start": 70_000, SPIN: 987, "late": 50})
        found = figures.figure(once, twice, 50, waiting.waits)
        self.assertEqual(found.functions[PE], 100)
        self.assertNotIn(SPIN, found.functions)
        self.assertEqual(found.instructions, 101)

    def test_what_fails_is_told_with_its_words(self):
        with self.assertRaisesRegex(callgrind.Failed, "status 3 of .*sh -c"):
            callgrind.instructions(["sh", "-c", "true"], ["sh", "-c", "exit 3"])


class Judgements(unittest.TestCase):
    def judge(self, functions, tolerance=0.03):
        return figures.judge("message, one PE", figure_of(functions), figure_of(BEFORE), tolerance)

    def test_a_growth_fails_and_is_named(self):
        said = self.judge({**BEFORE, "push()": 64.5, "format()": 3.0, "pop()": 39.5})
        self.assertTrue(said.fails)
        self.assertEqual(said.text.splitlines(), [
            "message, one PE: 207.0 instructions, 3.5% more than the accepted 200.0; by function:",
            "      +4.5  from 60.0 to 64.5: push()",
            "      +3.0  from 0.0 to 3.0: format()"])

    def test_a_function_that_moves_into_another_is_no_growth(self):
        self.assertIsNone(self.judge({PE: 140.0, "push()": 60.0}))

    def test_within_the_tolerance_nothing_is_said(self):
        self.assertIsNone(self.judge({**BEFORE, "push()": 65.9}))
        self.assertIsNone(self.judge({**BEFORE, "push()": 54.1}))
        self.assertIsNone(self.judge({**BEFORE, "push()": 69.9}, 0.05))

    def test_less_is_told_and_does_not_fail(self):
        said = self.judge({**BEFORE, PE: 90.0})
        self.assertFalse(said.fails)
        self.assertIn("190.0 instructions, 5.0% less than the accepted 200.0", said.text)
        self.assertIn("-10.0  from 100.0 to 90.0: " + PE, said.text)

    def test_what_was_never_accepted_fails(self):
        said = figures.judge("message", figure_of(BEFORE), None, 0.03)
        self.assertTrue(said.fails)
        self.assertIn("no figure was accepted yet", said.text)

    def counted_again(self, costs, waits):
        """The findings, whether they fail, and the number of counts, if the counts are these."""
        counts = iter(costs)
        found, said = count.judged("message", lambda: figure_of({PE: next(counts)}), figure_of({PE: 200.0}),
                                   count.Group("", (), {}, waits=waits))
        return found.instructions, said is not None and said.fails, len(costs) - len(list(counts))

    def test_where_PEs_wait_a_growth_is_counted_again(self):
        self.assertEqual(self.counted_again([230.0, 240.0, 202.0, 201.0, 200.0], True), (202.0, False, 3))
        self.assertEqual(self.counted_again([230.0, 225.0, 226.0, 240.0, 200.0], True), (225.0, True, 4))
        self.assertEqual(self.counted_again([190.0, 180.0], True), (190.0, False, 1))
        self.assertEqual(self.counted_again([230.0, 200.0], False), (230.0, True, 1))


class Options(unittest.TestCase):
    def test_files_and_accept_exclude_each_other(self):
        self.assertTrue(count.parse(["--files", "thread"]).files)
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            count.parse(["--files", "--accept"])
        self.assertIn("--files compares with no figures", said.getvalue())


class Files(unittest.TestCase):
    MADE_WITH = {"processor": "x86_64", "compiler": "Clang 19", "build_type": "RelWithDebInfo", "ucx": "1.13.1"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "figures.json")
        written = figures.Figures(self.file)
        written.begin_to_accept(self.MADE_WITH)
        written.accept("thread", "message", figure_of({**BEFORE, "rare()": 0.2}))
        written.write()

    def test_what_was_accepted_is_read_again(self):
        read = figures.Figures(self.file)
        self.assertEqual(read.of("thread", "message"), figures.Figure(200.2, BEFORE))
        self.assertIsNone(read.of("thread", "call"))
        self.assertIsNone(read.of("processes", "message"))

    def test_another_build_is_not_compared(self):
        read = figures.Figures(self.file)
        self.assertIsNone(read.reason_to_skip(self.MADE_WITH, True))
        gnu = {**self.MADE_WITH, "compiler": "GNU 13"}
        self.assertIn("compiler is GNU 13, not Clang 19", read.reason_to_skip(gnu, False))
        with self.assertRaisesRegex(figures.Refused, "compiler is GNU 13"):
            read.begin_to_accept(gnu)
        other_ucx = {**self.MADE_WITH, "ucx": "1.20.0"}
        self.assertIsNone(read.reason_to_skip(other_ucx, False))
        self.assertIn("ucx is 1.20.0", read.reason_to_skip(other_ucx, True))

    def test_all_that_is_counted_was_accepted(self):
        accepted = figures.Figures()
        for group, operations in count.GROUPS.items():
            self.assertEqual(set(accepted.groups.get(group, {})), set(operations.times), group)


if __name__ == "__main__":
    unittest.main()
