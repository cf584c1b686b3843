# SPDX-License-Identifier: Apache-2.0
"""The plug-in of pytest: a test is a program.

    @pytest.mark.imbrex(processes=2, seeds=10)
    async def test_sums():
        assert await imbrex.array(Cell, 4).number.reduce(imbrex.sum) == 6

The test function is the main task: once in two processes, and with ten seeds on the deterministic machine.
"""

import dataclasses
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import imbrex
from imbrex import _core, _folders
from imbrex._command_line import command, words_of
from imbrex._run import run as run_program

_REPORTS = "IMBREX_PYTEST_REPORTS"  # in the processes of a test: the folder of their reports
_FIXTURE = "imbrex_run"


@dataclasses.dataclass
class Run:
    """One of the runs of a test."""

    processes: int = 1
    seed: int | None = None
    options: dict = dataclasses.field(default_factory=dict)

    def __str__(self):
        return f"processes={self.processes}" if self.seed is None else f"seed={self.seed}"


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _runs(*, processes=None, seeds=None, pes=None, **options):
    for name, value in (("processes", processes), ("pes", pes)):
        if value is not None and not _is_count(value):
            raise ValueError(f"{name}={value!r} must be a whole number from 1 on")
    given = seeds
    if seeds is None:
        seeds = []
    elif _is_count(seeds):
        seeds = range(1, seeds + 1)
    elif not isinstance(seeds, int):
        seeds = list(seeds)  # once, as it may be a generator
    if isinstance(seeds, int) or (given is not None and not seeds) or not all(
            isinstance(s, int) and s >= 0 for s in seeds):
        raise ValueError(f"seeds={given!r} must be a whole number from 1 on, or a list of seeds: no test would run")
    words_of(options, ["processes", "seeds"])
    by_seed = [Run(seed=s, options={"machine": "deterministic", "pes": pes or processes or 3, "seed": s, **options})
               for s in seeds]
    own = {**options, **({} if pes is None else {"pes": pes})}
    alone = [] if processes is None and by_seed else [Run(processes=processes or 1, options=own)]
    return alone + by_seed


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "imbrex(processes=1, seeds=None, pes=None, **options): the test function is the main task of "
        "imbrex.run, once in `processes` processes, and once for each seed (a number, or a list of seeds) on the "
        "deterministic machine with `pes` PEs, as many as there are processes by default; `options` are those of "
        "imbrex.run")


@pytest.fixture
def imbrex_run(request):
    """The run of this test."""
    return request.param


def pytest_generate_tests(metafunc):
    marker = metafunc.definition.get_closest_marker("imbrex")
    if marker is None:
        return
    try:
        runs = _runs(**marker.kwargs) if not marker.args else None
    except (TypeError, ValueError, imbrex.UsageError) as e:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: imbrex(...): {e}") from None
    if runs is None:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: give imbrex(processes=2, seeds=10) named arguments")
    metafunc.fixturenames.append(_FIXTURE)
    metafunc.parametrize(_FIXTURE, runs, ids=str, indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    __tracebackhide__ = True
    run = getattr(pyfuncitem, "callspec", None) and pyfuncitem.callspec.params.get(_FIXTURE)
    if run is None:
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    there_are = _core.num_processes()
    if there_are > 1 and there_are != run.processes:
        pytest.skip(f"this job has {there_are} processes, and the run is to have {run.processes}")
    if there_are == run.processes:
        _run_here(pyfuncitem, run, arguments)
    else:
        _run_in_processes(pyfuncitem, run)
    return True


def _run_here(item, run, arguments):
    __tracebackhide__ = True
    raised = None
    is_through = _core.process() != 0  # the main task is process 0's

    async def main():
        __tracebackhide__ = True
        nonlocal raised, is_through
        try:
            result = item.obj(**arguments)
            if inspect.isawaitable(result):
                await result
            is_through = True
        except GeneratorExit:  # the run has failed in another process
            raise
        except BaseException as e:  # includes the exception of pytest.skip
            raised = e

    status = 0
    try:
        run_program(main, argv=[], **run.options)
    except SystemExit as e:
        status = e.code
    at = "" if run.seed is None else f" with seed {run.seed}"
    if raised is not None:
        if run.seed is not None:
            raised.add_note(f"on the deterministic machine with {run.options['pes']} PEs and seed {run.seed}")
        raise raised
    if status != 0:
        pytest.fail(f"the run{at} ended with status {status}: its messages are in the standard error output",
                    pytrace=False)
    if not is_through:
        pytest.fail(f"the run{at} ended with status 0 before the test did: by imbrex.exit or sys.exit", pytrace=False)


def _run_in_processes(item, run):
    __tracebackhide__ = True
    config = item.config
    words = [command(), "run", "-n", str(run.processes), sys.executable, "-m", "pytest", "-q", "--no-header",
             "-p", "no:cacheprovider", "--capture=no", "--rootdir", str(config.rootpath)]
    if config.getoption("runxfail"):
        words.append("--runxfail")
    if config.inipath is not None:
        words += ["-c", str(config.inipath)]
    if config.pluginmanager.get_plugin(__name__) is not None:
        words += ["-p", __name__]  # nothing has installed it
    with _folders.temporary("pytest") as name:
        folder = pathlib.Path(name)
        words.append(f"{item.path}::{item.nodeid.partition('::')[2]}")
        done = subprocess.run(words, env={**os.environ, _REPORTS: name}, cwd=config.rootpath, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace")
        skipped = [f.read_text() for f in folder.glob("*.skipped")]
        xfailed = [f.read_text() for f in folder.glob("*.xfailed")]
        is_through = (folder / "process 0, call.passed").exists()
        failed = sorted(folder.glob("*.failed"))
        texts = [f"in {f.stem}:\n{f.read_text()}" for f in failed]
    if done.returncode == 0:
        if xfailed:
            pytest.xfail(xfailed[0])
        if skipped:
            pytest.skip(skipped[0])
        if is_through:
            return
    if not texts:
        texts = [f"the processes wrote:\n{done.stdout}"]
    words = "\n\n".join(texts) + (f"\n\nthe job's standard error output:\n{done.stderr}" if done.stderr else "")
    pytest.fail(f"the job of {run.processes} processes ended with status {done.returncode}\n\n{words}", pytrace=False)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Leaves a strict xfail that passes here to the process that decides whether the test has passed, which fails
    it."""
    outcome = yield
    report = outcome.get_result()
    is_unexpected = isinstance(report.longrepr, str) and report.longrepr.startswith("[XPASS(strict)]")
    if is_unexpected and (_REPORTS in os.environ or _core.process() != 0):
        report.outcome, report.longrepr = "passed", None


def pytest_runtest_logreport(report):
    """In a process of a job: reports to the process that started the job."""
    folder = os.environ.get(_REPORTS)
    if folder is None:
        return
    outcome, text = report.outcome, ""
    if report.skipped and hasattr(report, "wasxfail"):
        outcome, text = "xfailed", report.wasxfail.removeprefix("reason: ")
    elif report.skipped and isinstance(report.longrepr, tuple):
        text = report.longrepr[2]
    elif not report.passed:
        text = report.longreprtext
    file = pathlib.Path(folder) / f"process {_core.process()}, {report.when}.{outcome}"
    file.write_text(text)
