# SPDX-License-Identifier: Apache-2.0
"""Runs of programs."""

import sys

from imbrex import _core
from imbrex._errors import UsageError


def run(main, /, *, argv=None, **options):
    """Runs a program: starts the PEs, runs `main` (a function, most often `async def`) on PE 0, and returns what it
    returns; None in the other processes of a job, which come here, too.

    The runtime's options are removed from sys.argv before `main` runs, and `options` come before them:
    machine="deterministic", seed=3 is --machine deterministic --seed 3. If `argv` is given, it is read in the place of
    sys.argv[1:], which stays as it is.

    If the run fails, its text has been written to the standard error output, and SystemExit is raised with the status,
    as it is after imbrex.exit(status) with another status than 0.
    """
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not False and value is not None:
            words += [option, str(value)]
    words += sys.argv[1:] if argv is None else argv
    try:
        settings, left = _core.parse(["python", *words])
    except UsageError as e:
        print(f"imbrex: error: {e}", file=sys.stderr)
        raise SystemExit(2) from None
    if argv is None:
        sys.argv[1:] = left[1:]
    sys.stdout.flush()
    status, result = _core.run(main, settings)
    if status != 0:
        raise SystemExit(status)
    return result
