# SPDX-License-Identifier: Apache-2.0
"""Processes of this host, as /proc shows them, for tests of what jobs start and leave."""
import pathlib
import time


def status_of(pid):
    """State and parent of a process; None if it has ended (a zombie that has not been waited for has ended)."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (fields[0], int(fields[1]))


def has_ended(pid):
    return status_of(pid) is None


def descendants(pid):
    """All processes below a process."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        if status := status_of(entry.name):
            parents.setdefault(status[1], []).append(int(entry.name))
    found, below = [], [pid]
    while below:
        below = [child for parent in below for child in parents.get(parent, [])]
        found += below
    return found


def wait_until(condition, seconds=20):
    """Waits for the condition. False if it does not hold after that many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
