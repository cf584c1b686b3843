# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, and runs that begin from one."""

import pickle

from imbrex import _core, _saving


def _check_name(name, what):
    if not isinstance(name, str) or not name:
        raise TypeError(f"imbrex.{what} takes a name, such as 'blocks', not {name!r}")


def restored(name, cls, /):
    """The array of that name in the checkpoint from which the run began (`--restart DIR`); None in a run that begins
    anew. Its chares have their state and their unread values. Entries whose result was awaited do not go on: the
    program calls them again. Other entries go on from their balance points. Call it in the main task, before the array
    would be made. Raises a UsageError if the array has chares of another class."""
    _check_name(name, "restored")
    _saving.check_class(cls)
    return _core.restored_array(cls, name)


def save(name, value, /):
    """Saves a value in all later checkpoints, as it is now, by pickle. Call it in the main task."""
    _check_name(name, "save")
    _core.save_value(name, _saving.dumps_value(value))


def restored_value(name, default=None, /):
    """The value that `save` has saved in the checkpoint from which the run began. The default if there is none."""
    _check_name(name, "restored_value")
    form = _core.restored_value(name)
    return default if form is None else pickle.loads(form)


def on_restart(function, /):
    """Calls a function with a RestartReport, at once, if the run began from a checkpoint. Call it in the main task."""
    report = _core.restart_report()
    if report is not None:
        function(report)
