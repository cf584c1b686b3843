# SPDX-License-Identifier: Apache-2.0
"""Runs of programs."""

import inspect
import sys

from imbrex import _classes, _command_line, _core, _errors


def start(processes=1, **options):
    """Begins a session: processes with chares for this program, which continues beside them. For notebooks, asyncio
    programs and prompts.

    `imbrex.array` and similar functions then create chares there. The results of `call` and `reduce` are awaited in
    asyncio; outside of it, `result()` waits. Classes and functions of `__main__`, such as those of a notebook's cells,
    are sent to the processes at their first use. `options` are those of `run`. Returns the session, whose
    `run(function)` runs a function in process 0; `with` ends it. If a process dies or an exception is not awaited, the
    session ends, and all awaited results raise an imbrex.Error. Then another session can begin.
    """
    from imbrex import _session  # loads asyncio and the like only in programs that use them
    return _session.start(processes, options)


def stop():
    """Ends the session, if there is one."""
    from imbrex import _session
    _session.stop()


def run(main, /, *, argv=None, **options):
    """Runs a program: starts the PEs, runs `main` (a function, most often `async def`) on PE 0, and returns its result.
    All processes of a job call it; the result is None in all but the first.

    The runtime's options are removed from sys.argv before `main` runs, and `options` come before them:
    machine="deterministic", seed=3 is --machine deterministic --seed 3. If `argv` is given, it is read instead of
    sys.argv[1:], which stays unchanged.

    If the run fails, its report has been written to standard error, and SystemExit is raised with the status. So it is
    after imbrex.exit(status) with a status other than 0.
    """
    try:
        words = _command_line.words_of(options, ["argv"]) + (sys.argv[1:] if argv is None else list(argv))
        settings, left = _core.parse(["python", *words])
    except _errors.UsageError as e:
        print(f"imbrex: error: {e}", file=sys.stderr)
        raise SystemExit(2) from None
    if not callable(main):
        if inspect.iscoroutine(main):
            main.close()
            raise TypeError(f"imbrex.run takes a function: give {main.__qualname__}, not {main.__qualname__}()")
        raise TypeError(f"imbrex.run takes a function, most often async def, not {main!r}")
    if inspect.isgeneratorfunction(main) or inspect.isasyncgenfunction(main):
        raise TypeError(f"{main.__qualname__} is a generator: imbrex.run takes a plain function, or async def with "
                        f"await")
    if argv is None:
        sys.argv[1:] = left[1:]
    sys.stdout.flush()
    _classes.look_for_constructors()
    status, result = _core.run(main, settings)
    if status != 0:
        raise SystemExit(status)
    return result
