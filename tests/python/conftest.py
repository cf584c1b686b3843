# SPDX-License-Identifier: Apache-2.0
"""Each test runs on the machine that IMBREX_TEST_MACHINE names: `alone` (the default), `deterministic` with several
seeds, `threads`, where a Python without a global lock has three PEs, or `processes`, where imbrex run has started
several pytest side by side, which run the same tests in the same order."""

import os

import pytest

import imbrex as ix

MACHINE = os.environ.get("IMBREX_TEST_MACHINE", "alone")
RUNS = {"alone": [{"pes": 1}],
        "threads": [{"pes": 3}],
        "deterministic": [{"machine": "deterministic", "pes": 3, "seed": seed} for seed in (1, 2, 3)],
        "processes": [{"pes": 1}]}


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: takes long, and belongs to ./dev night")


@pytest.fixture
def machine():
    return MACHINE


@pytest.fixture
def run():
    """Runs a main task on the machine, once for each seed, and returns the last result (None where another process has
    run it)."""
    def on_machine(main, **options):
        result = None
        for settings in RUNS[MACHINE]:
            result = ix.run(main, argv=[], **settings, **options)
        return result
    return on_machine


@pytest.fixture
def device_run(run):
    """Options for an emulated device."""
    def on_device(main, **options):
        return run(main, **{"device": "emulated", **options})
    return on_device


@pytest.fixture
def failure(run, capfd):
    """Runs what must fail, and returns what the run says. Only for machines of one process: of several, the text is
    that of the process where it failed."""
    if MACHINE == "processes":
        pytest.skip("the text is another process's")

    def text_of(main, status=1, **options):
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            run(main, **options)
        assert ended.value.code == status
        return capfd.readouterr().err
    return text_of
