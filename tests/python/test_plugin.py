# SPDX-License-Identifier: Apache-2.0
"""The plug-in of pytest, by tests that pytest runs in a folder of their own."""

import os
import pathlib

import pytest

pytest_plugins = ["pytester"]

COMMAND = os.environ.get("IMBREX_COMMAND")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
needs_command = pytest.mark.skipif(not COMMAND, reason="IMBREX_COMMAND does not name the command imbrex")

CLASSES = """
import pytest
import imbrex as ix

class Cell(ix.Chare):
    last = None

    @ix.entry
    def number(self):
        return self.where

    @ix.entry
    def fail(self):
        raise ValueError("on purpose")

    @ix.entry
    def set(self, value):
        type(self).last = value
"""


@pytest.fixture
def results(pytester):
    def of(text):
        pytester.makepyfile(CLASSES + text)
        return pytester.runpytest_subprocess("-p", "imbrex._pytest", "-v", "-p", "no:cacheprovider", "--strict-markers")
    return of


@pytest.fixture
def names(results):
    def of(text):
        done = results(text)
        return done, [line.split(" ")[0].partition("::")[2] for line in done.outlines if "::" in line and "%]" in line]
    return of


def test_a_test_runs_with_each_seed(names):
    done, tests = names("""
@pytest.mark.imbrex(seeds=3)
async def test_sum():
    assert ix.num_pes() == 3
    assert await ix.array(Cell, 5).number.reduce(ix.sum) == 10

@pytest.mark.imbrex(seeds=(s for s in [7, 9]), pes=2)
@pytest.mark.parametrize("n", [1, 4])
async def test_more(n, tmp_path):
    assert (ix.num_pes(), tmp_path.is_dir()) == (2, True)
    assert await ix.array(Cell, n).number.reduce(ix.sum) == n * (n - 1) // 2

@pytest.mark.imbrex
def test_plain():
    assert ix.pe() == 0

def test_of_no_run():
    pass
""")
    done.assert_outcomes(passed=9)
    assert {"test_sum[seed=1]", "test_sum[seed=3]", "test_plain[processes=1]"} <= set(tests)
    assert any("seed=9" in t and "4" in t for t in tests)


def test_an_order_that_fails_is_told_with_its_seed(results):
    done = results("""
@pytest.mark.imbrex(seeds=12)
async def test_order():
    cell = ix.array(Cell, 1)[0]
    for k in range(4):
        cell.set.send(k)
    await ix.quiescence()
    assert Cell.last == 3, "overtaken"
""")
    outcomes = done.parseoutcomes()
    assert 0 < outcomes["failed"] < 12 and outcomes["passed"] == 12 - outcomes["failed"]
    done.stdout.fnmatch_lines(["*test_order[[]seed=*[]]*", ">*assert Cell.last == 3*", "E*AssertionError: overtaken",
                               "*on the deterministic machine with 3 PEs and seed *"])


def test_failures_in_entries_have_their_traceback(results):
    done = results("""
@pytest.mark.imbrex(seeds=1)
async def test_awaited():
    await ix.array(Cell, 3)[2].fail.call()

@pytest.mark.imbrex(seeds=1)
async def test_not_awaited():
    ix.array(Cell, 3)[2].fail.send()
    await ix.sleep(5)

@pytest.mark.imbrex(seeds=1)
async def test_skipped():
    pytest.skip("no reason")
""")
    done.assert_outcomes(failed=2, skipped=1)
    done.stdout.fnmatch_lines(['*raise ValueError("on purpose")*', "*ValueError: on purpose"])
    done.stdout.fnmatch_lines(["the run with seed 1 ended with status 1*", "*Captured stderr call*",
                               "*Cell(2), entry fail, on PE*", '*raise ValueError("on purpose")*'])


@needs_command
def test_a_test_runs_in_processes(results):
    done = results("""
@pytest.mark.imbrex(processes=2, seeds=1)
async def test_both():
    assert ix.num_pes() == 2
    assert await ix.array(Cell, 5).number.reduce(ix.sum) == 10

@pytest.mark.imbrex(processes=2)
async def test_main_fails():
    assert await ix.array(Cell, 5).number.reduce(ix.sum) == 11

@pytest.mark.imbrex(processes=2)
async def test_entry_fails():
    ix.array(Cell, 2)[1].fail.send()
    await ix.sleep(60)

@pytest.mark.imbrex(processes=2)
async def test_skipped():
    pytest.skip("no reason")
""")
    done.assert_outcomes(passed=2, failed=2, skipped=1)
    done.stdout.fnmatch_lines(["the job of 2 processes ended with status 1", "in process 0, call:",
                               "*assert await ix.array(Cell, 5).number.reduce(ix.sum) == 11*", "E*assert 10 == 11*"])
    done.stdout.fnmatch_lines(["the job's standard error output:", "*Cell(1), entry fail, on PE 1*",
                               '*raise ValueError("on purpose")*'])


PROCESSES = pytest.mark.parametrize("processes", [1, pytest.param(2, marks=needs_command)])


@PROCESSES
def test_a_test_whose_run_ends_in_the_middle_has_failed(results, processes):
    done = results("""
import sys

class Ender(ix.Chare):
    @ix.entry
    def end(self):
        sys.exit(0)

@pytest.mark.imbrex(processes=PROCESSES)
async def test_exit():
    ix.exit(0)
    await ix.sleep(60)

@pytest.mark.imbrex(processes=PROCESSES)
def test_exit_of_pythons():
    sys.exit(0)

@pytest.mark.imbrex(processes=PROCESSES)
async def test_exit_by_an_entry():
    ix.array(Ender, 4)[3].end.send()
    await ix.sleep(60)
""".replace("PROCESSES", str(processes)))
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(["*ended with status 0 before the test did*"])


@needs_command
def test_a_job_without_a_result_has_failed(results):
    done = results("""
import os

@pytest.mark.imbrex(processes=2)
def test_of_two():
    os._exit(0)
""")
    done.assert_outcomes(failed=1)


@PROCESSES
def test_what_is_expected_to_fail(results, processes):
    done = results("""
@pytest.mark.xfail(reason="known")
@pytest.mark.imbrex(processes=PROCESSES)
async def test_fails():
    assert 0

@pytest.mark.xfail(raises=ZeroDivisionError)
@pytest.mark.imbrex(processes=PROCESSES)
async def test_raises():
    1 / 0

@pytest.mark.imbrex(processes=PROCESSES)
async def test_says_so():
    pytest.xfail("known")

@pytest.mark.xfail(raises=ZeroDivisionError)
@pytest.mark.imbrex(processes=PROCESSES)
async def test_raises_another():
    raise KeyError

@pytest.mark.xfail
@pytest.mark.imbrex(processes=PROCESSES)
async def test_passes():
    pass

@pytest.mark.xfail(strict=True)
@pytest.mark.imbrex(processes=PROCESSES)
async def test_passes_strictly():
    pass

@pytest.mark.xfail(strict=True)
@pytest.mark.imbrex(processes=PROCESSES)
async def test_fails_strictly():
    assert 0
""".replace("PROCESSES", str(processes)))
    done.assert_outcomes(xfailed=4, failed=2, xpassed=1)
    done.stdout.fnmatch_lines(["*test_raises_another*FAILED*", "*test_passes_strictly*FAILED*"])


@pytest.mark.parametrize("given, words", [
    ("2", "give imbrex(processes=2, seeds=10) named arguments"),
    ("proceses=2", "proceses=2: the runtime has no option --proceses; did you mean processes?"),
    ("sede=3", "sede=3: the runtime has no option --sede; did you mean seed?"),
    ("processes=0", "processes=0 must be a whole number from 1 on"),
    ("processes='2'", "processes='2' must be a whole number from 1 on"),
    ("pes=0", "pes=0 must be a whole number from 1 on"),
    ("seeds=0", "seeds=0 must be a whole number from 1 on, or a list of seeds"),
    ("seeds=[[]", "seeds=[[]] must be a whole number from 1 on, or a list of seeds")])
def test_what_a_marker_does_not_have_is_refused(results, given, words):
    done = results(f"""
@pytest.mark.imbrex({given.replace("[[]", "[]")})
def test_places():
    pass
""")
    assert done.ret != 0
    done.stdout.fnmatch_lines([f"*{words}*"])


@needs_command
def test_the_example(pytester):
    pytester.makepyfile((EXAMPLES / "test_counter.py").read_text())
    pytester.runpytest_subprocess("-p", "imbrex._pytest", "-p", "no:cacheprovider").assert_outcomes(passed=11)
