# SPDX-License-Identifier: Apache-2.0
"""Runs a command in each of two namespaces and passes on the output."""
import ctypes
import functools
import os
import selectors
import signal
import subprocess
import sys
import time

from network import ADDRESSES, Broken, kill_processes_in, tool

FAILED_PEER_SECONDS = 10  # for a command to find out that the other has failed
TERMINATION_SECONDS = 2   # from the request to end to the signal that cannot be caught
LAST_OUTPUT_SECONDS = 1   # to read what the commands wrote before they ended
LONGEST_LINE = 1 << 20    # bytes that are kept back for a line to end
PR_SET_PDEATHSIG = 1
SYSTEM = ctypes.CDLL(None)


class Interruption:
    """Notes a signal to end, instead of dying by it: `signal` is its number, and `file` becomes readable."""

    def __init__(self):
        self.signal = None
        self.file, self.wakeup = os.pipe()
        os.set_blocking(self.wakeup, False)
        signal.set_wakeup_fd(self.wakeup)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.note)

    def note(self, number, _):
        """The handler."""
        self.signal = self.signal or number


class Lines:
    """Passes on the output from a pipe, whole lines at a time."""

    def __init__(self, pipe, sink):
        self.pipe = pipe
        self.sink = sink
        self.kept = b""

    def read(self):
        """Passes on the available output; False at the end."""
        data = os.read(self.pipe.fileno(), 1 << 16)
        whole, newline, self.kept = (self.kept + data).rpartition(b"\n")
        if self.kept and (not data or len(self.kept) > LONGEST_LINE):
            whole, newline, self.kept = whole + newline + self.kept, b"\n", b""
        self.sink.write(whole + newline)
        self.sink.flush()
        return bool(data)


def start(name, rank, command):
    """Starts the command in a namespace; it dies with this process."""
    values = {"rank": str(rank), "size": "2", "address": ADDRESSES[rank], "peer": ADDRESSES[1 - rank]}
    for key, value in values.items():
        command = [word.replace("{" + key + "}", value) for word in command]
    owner = os.getpid()

    def die_with_owner():
        SYSTEM.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != owner:
            os._exit(1)

    # `ip netns exec` also mounts the namespace's own /sys, where communication libraries look for devices.
    return subprocess.Popen(
        [tool("ip"), "netns", "exec", name, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True, preexec_fn=die_with_owner,
        env={**os.environ, **{f"LINK_{key.upper()}": value for key, value in values.items()}})


class Commands:
    """A command that runs in both namespaces."""

    def __init__(self, network, command, interruption):
        self.network = network
        self.interruption = interruption
        self.selector = selectors.DefaultSelector()
        self.running = []
        self.pipes = 0        # that may still bring output
        self.status = 0
        self.deadline = None  # when those that still run get the next signal
        self.next_signal = signal.SIGTERM
        self.watch(interruption.file, self.interrupted)
        if network.relay:
            self.watch(os.pidfd_open(network.relay.pid), self.link_lost)
        for rank, name in enumerate(network.names):
            process = start(name, rank, command)
            self.running.append(process)
            self.watch(os.pidfd_open(process.pid), functools.partial(self.ended, process))
            for pipe, sink in ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer)):
                self.watch(pipe, Lines(pipe, sink).read)
                self.pipes += 1

    def run(self):
        """Waits for both; returns the status of the one that failed first, else 0."""
        try:
            while self.running:
                self.step(None if self.deadline is None else self.deadline - time.monotonic())
                if self.deadline is not None and time.monotonic() >= self.deadline:
                    self.send_next_signal()
        finally:
            for process in self.running:
                process.kill()
                process.wait()
            kill_processes_in(self.network.names)  # also what they left in the background
        end = time.monotonic() + LAST_OUTPUT_SECONDS
        while self.pipes and time.monotonic() < end:
            self.step(end - time.monotonic())
        return self.status

    def watch(self, file, callback):
        """Has `callback` called while the file is readable, until it returns False."""
        self.selector.register(file, selectors.EVENT_READ, callback)

    def step(self, seconds):
        """Waits that long at most, or for ever if it is None, for something to happen, and handles it."""
        for key, _ in self.selector.select(None if seconds is None else max(seconds, 0)):
            if not key.data():
                self.selector.unregister(key.fileobj)
                self.pipes -= hasattr(key.fileobj, "read")

    def ended(self, process):
        """One of the commands has ended."""
        process.wait()
        self.running.remove(process)
        failure = process.returncode if process.returncode >= 0 else 128 - process.returncode
        if failure and not self.status:
            self.status = failure
            self.deadline = time.monotonic() + FAILED_PEER_SECONDS
        return False

    def interrupted(self):
        """This program is to end."""
        self.status = self.status or 128 + self.interruption.signal
        self.send_next_signal()
        return False

    def link_lost(self):
        """The relay has ended without a request."""
        raise Broken(f"the relay ended with status {self.network.relay.wait()}")

    def send_next_signal(self):
        """Ends the commands that still run, first by SIGTERM."""
        if self.running and not self.interruption.signal and self.next_signal == signal.SIGTERM:
            print(f"link.py: one command has failed and the other still runs {FAILED_PEER_SECONDS} s later; "
                  "it is ended", file=sys.stderr)
        for process in self.running:
            os.killpg(process.pid, self.next_signal)
        self.next_signal = signal.SIGKILL
        self.deadline = time.monotonic() + TERMINATION_SECONDS
