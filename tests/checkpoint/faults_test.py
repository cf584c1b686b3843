#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults while a program writes checkpoints: afterwards the newest whole checkpoint is one that was committed.

`killed`: the program is killed at each of its system calls that change files, by strace. `full`: the file system is
full, is another user's, or may not be written; that needs root.

usage: faults_test.py killed|full PROGRAM
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
CALLS = ["write", "pwrite64", "fsync", "rename", "openat", "mkdir", "unlink", "rmdir"]
COUNT = 2  # checkpoints that the program writes


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def check(program, folders):
    """Fails unless each folder has a whole checkpoint with at least the number that belongs to it."""
    words = [str(word) for pair in folders for word in pair]
    subprocess.run([program, "check", *words], check=True, timeout=100)


def kill_at(program, folder, call, number):
    """Runs the program until it makes this call for the `number`th time. Returns the checkpoint that it has committed,
    and if it came to its end."""
    folder.mkdir()
    trace = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
    done = subprocess.run([*trace, program, "write", folder, str(COUNT), "1"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=100)
    numbers = done.stdout.split()
    return int(numbers[-1]) if numbers else 0, done.returncode == 0


def killed(program, place):
    if not shutil.which("strace"):
        skip("there is no strace")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        skip("strace may not trace here")
    folders = []
    for call in CALLS:
        for number in range(1, 1000):
            folder = place / f"{call}{number}"
            committed, has_ended = kill_at(program, folder, call, number)
            folders.append((folder, committed))
            if has_ended:
                break
        assert folders[-1][1] == COUNT
    kills = len(folders) - len(CALLS)
    assert kills > 20 * COUNT, f"{kills} calls are too few: strace has injected nothing"
    check(program, folders)
    for folder, committed in folders[::10]:  # the next run goes on from there, and removes what is left
        subprocess.run([program, "write", folder, "1", "1"], check=True, stdout=subprocess.PIPE, timeout=100)
        left = [child.name for child in folder.iterdir()]
        assert len(left) == 1, f"{folder} has {left} after the next checkpoint"
        check(program, [(folder, committed + 1)])
    lose_a_write(program, place)
    print(f"killed at each of {kills} calls")


def lose_a_write(program, place):
    """A write that the system reports and does not do is found when the part is read back."""
    subprocess.run([program, "write", place / "kept", "1", "1"], check=True, stdout=subprocess.PIPE, timeout=100)
    size = (place / "kept/000001/part-0000.icp").stat().st_size
    trace = ["strace", "-f", "-o", "/dev/null", "-e", "trace=write", "-e", f"inject=write:retval={size}:when=1"]
    done = subprocess.run([*trace, program, "write", place / "lost", "1", "1"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=100)
    assert done.returncode == 1 and "cannot write" in done.stderr, (done.returncode, done.stderr)
    assert not list((place / "lost/000001").iterdir()), "the part without its contents is still there"


def fails(program, folder, kib, why, user=None):
    done = subprocess.run([program, "write", folder, "1", str(kib)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=100, user=user)
    assert done.returncode == 1 and why in done.stderr, (done.returncode, done.stderr)


def full(program, place):
    mounted = place / "mounted"
    mounted.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mounted], stderr=subprocess.PIPE,
                           text=True)
    if mount.returncode != 0:
        skip(f"no file system can be mounted here: {mount.stderr.strip()}")
    try:
        folder = mounted / "saved"
        subprocess.run([program, "write", folder, "1", "100"], check=True, stdout=subprocess.PIPE, timeout=100)
        fails(program, folder, 2000, "No space left on device")
        check(program, [(folder, 1)])
        assert not list((folder / "000002").iterdir()), "the part that was begun is still there"
        subprocess.run([program, "write", folder, "1", "100"], check=True, stdout=subprocess.PIPE, timeout=100)
        check(program, [(folder, 3)])
        place.chmod(0o755)
        try:
            fails(program, folder, 1, "Permission denied", user="nobody")
        except PermissionError:
            print("another user may not run the program here")
        subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
        fails(program, folder, 1, "Read-only file system")
        check(program, [(folder, 3)])
    finally:
        subprocess.run(["umount", mounted], check=True)


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="imbrex-faults-") as place:
        {"killed": killed, "full": full}[sys.argv[1]](sys.argv[2], pathlib.Path(place))


if __name__ == "__main__":
    main()
