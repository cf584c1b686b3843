# SPDX-License-Identifier: Apache-2.0
"""Jobs of several processes for tests of what happens to them: they are started, and what they leave is looked for.

The tests are called as NAME_test.py IMBREX WORKER WORKER_OF_ANOTHER_BUILD LINK_RELAY [unittest's arguments]
LINK_RELAY may be empty; the tests of a link are skipped then.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

IMBREX, WORKER, OTHER_WORKER, RELAY = sys.argv[1:5]
MPIRUN = shutil.which("mpirun")
LIMIT = 60            # seconds that nothing here takes unless it hangs
END_SECONDS = 10      # for all processes to end after a failure
SILENT_SECONDS = 30   # time limit if the link fails silently
STOP_SECONDS = float(os.environ.get("IMBREX_TEST_STOP_SECONDS", "3"))

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench/link")]

from host_processes import descendants, has_ended, status_of, wait_until


def segments_of(pids):
    """The System V segments that these processes have made."""
    lines = pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [line for line in lines if int(line.split()[4]) in pids]


def named_sockets_of(pids):
    """The sockets in the file system that these processes have open."""
    named = {}
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]:
        fields = line.split()
        if len(fields) > 7 and not fields[7].startswith("@"):
            named[f"socket:[{fields[6]}]"] = fields[7]
    found = []
    for pid in pids:
        try:
            files = os.listdir(f"/proc/{pid}/fd")
        except OSError:  # the process has ended
            continue
        for file in files:
            try:
                found += filter(None, [named.get(os.readlink(f"/proc/{pid}/fd/{file}"))])
            except OSError:
                pass
    return found


def sockets_of(pids):
    """The inodes of the sockets that these processes have open."""
    found = set()
    for pid in pids:
        for file in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
            try:
                if match := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(file)):
                    found.add(match[1])
            except OSError:  # closed meanwhile
                pass
    return found


def listening_sockets_of(pids):
    """Where these processes, of one network namespace, listen by TCP: (address, port) as the kernel writes them."""
    own, found = sockets_of(pids), []
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pids[0]}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in own:
                found.append(tuple(fields[1].split(":")))
    return found


def listeners_of(pids):
    """The addresses of listening_sockets_of()."""
    return [address for address, _ in listening_sockets_of(pids)]


def abstract_sockets_of(pids):
    """The names of these processes' Unix sockets that have no file."""
    own = sockets_of(pids)
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]
    return [fields[7][1:] for fields in map(str.split, lines)
            if len(fields) > 7 and fields[6] in own and fields[7].startswith("@")]


class Job(unittest.TestCase):
    """Starts jobs, and looks for what they leave behind."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_processes_"))
        # The names of UCX's segments do not show their owner; so they get a folder of their own.
        self.segments = pathlib.Path(tempfile.mkdtemp(prefix="imbrex_processes_", dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(shutil.rmtree, self.segments)
        self.pids = []

    def start(self, processes, *command, options=("--pes", "1"), environment=None):
        return self.start_command(IMBREX, "run", "-n", processes, *command, *options, environment=environment)

    def start_command(self, *arguments, environment=None, append=False):
        mode = "a" if append else "w"
        with (self.folder / "out").open(mode) as out, (self.folder / "err").open(mode) as err:
            job = subprocess.Popen(
                [str(argument) for argument in arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err,
                env={**os.environ, "UCX_POSIX_DIR": str(self.segments), "TMPDIR": str(self.folder),
                     "IMBREX_OPTIONS": "--log error",  # not that PEs outnumber the processors here
                     **(environment or {})})

        def end():
            for pid in [job.pid, *descendants(job.pid), *self.pids]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            job.wait()

        self.addCleanup(end)
        return job

    def out(self):
        return (self.folder / "out").read_text()

    def err(self):
        return (self.folder / "err").read_text()

    def started(self, job, processes):
        """Waits for all processes; their ids by rank."""
        def found():
            return {int(rank): int(pid) for rank, pid in re.findall(r"process (\d+) pid (\d+)", self.out())}
        self.assertTrue(wait_until(lambda: len(found()) == processes or job.poll() is not None, LIMIT),
                        f"the processes did not start: {self.out()}{self.err()}")
        self.assertIsNone(job.poll(), self.err())
        self.pids += descendants(job.pid)
        self.assertEqual(named_sockets_of([job.pid, *self.pids]), [])
        return [found()[rank] for rank in range(processes)]

    def wait_for(self, job, words, times=1):
        """Waits until processes have written that so often."""
        self.assertTrue(wait_until(lambda: self.out().count(words) == times or job.poll() is not None, LIMIT),
                        f"the processes did not write '{words}': {self.out()}{self.err()}")
        self.assertIsNone(job.poll(), self.err())

    def finish(self, job, seconds):
        """Waits for the launcher, which ends last; it must not take longer than that."""
        try:
            job.wait(seconds)
        except subprocess.TimeoutExpired:
            self.fail(f"the job still runs after {seconds} s: {[(p, status_of(p)) for p in self.pids]}"
                      f"{self.out()}{self.err()}")

    def check_nothing_left(self, seconds=1):
        self.assertTrue(wait_until(lambda: all(map(has_ended, self.pids)), seconds), "processes are left")
        # The kernel may end a process before it has taken its memory down.
        self.assertTrue(wait_until(lambda: not segments_of(self.pids), 2), segments_of(self.pids))
        self.assertEqual(list(self.segments.iterdir()), [])
        self.assertEqual([file for file in self.folder.rglob("*") if file.is_socket()], [])

    def kill(self, job, pids, victim):
        os.kill(pids[victim], signal.SIGKILL)
        self.finish(job, END_SECONDS)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL, self.err())
        # A process whose entry or device does not end says so after as long a time as the launcher gives it.
        self.assertRegex(self.err(), rf"\Aimbrex run: rank {victim} \(pid {pids[victim]}\) "
                                     r"ended by signal 9 \(Killed\)\n"
                                     r"(imbrex: error: the run has ended, but (PE \d|a device) is still "
                                     r"busy.*\n)*\Z")
        self.check_nothing_left()


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
