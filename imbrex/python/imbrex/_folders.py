# SPDX-License-Identifier: Apache-2.0
"""Temporary folders. A process that is killed leaves its own, which the next one that makes some removes."""

import contextlib
import fcntl
import os
import shutil
import tempfile

_FIRST_OF_NAMES = "imbrex-python-"


def _locked(folder, how):
    """A descriptor that locks a folder of this user while it is open; None if the folder cannot be locked."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        if os.fstat(opened).st_uid == os.geteuid():
            fcntl.flock(opened, fcntl.LOCK_EX | how)
            return opened
    except OSError:
        pass
    os.close(opened)
    return None


def _remove_abandoned(among):
    for entry in os.scandir(among):
        if not entry.name.startswith(_FIRST_OF_NAMES):
            continue
        lock = _locked(entry.path, fcntl.LOCK_NB)
        if lock is not None:
            shutil.rmtree(entry.path, ignore_errors=True)
            os.close(lock)


@contextlib.contextmanager
def temporary(purpose):
    """Makes a folder, and removes it at the end."""
    with contextlib.suppress(OSError):
        _remove_abandoned(tempfile.gettempdir())
    lock = None
    while lock is None:
        folder = tempfile.mkdtemp(prefix=f"{_FIRST_OF_NAMES}{purpose}-")
        lock = _locked(folder, 0)
        if lock is not None and not os.path.exists(folder):  # another process removed it before the lock
            os.close(lock)
            lock = None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
