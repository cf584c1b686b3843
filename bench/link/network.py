# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces and the link between them: how they are made, and how they go.

A namespace is called imbrex-link-PID-START-NUMBER after the process that made it, and when that process
started. So several runs do not meet, and what a killed run left behind is known by its owner being dead. All
else (devices, addresses, the queueing discipline) goes with the namespaces, and the relay with its owner.
"""
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

FOLDER = pathlib.Path("/run/netns")  # where `ip netns` has them
NAME = re.compile(r"imbrex-link-(\d+)-(\d+)-\d+")
ADDRESSES = ["10.77.0.1", "10.77.0.2"]  # nothing outside the two namespaces ever sees them
DEVICE = "link0"
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}
PATIENCE_SECONDS = 10


class Unavailable(Exception):
    """Links cannot be made here; says why."""


class Broken(Exception):
    """Something that should have worked did not; says what."""


def tool(name):
    """The path of `ip` or `tc`."""
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    path = shutil.which(name, path=folders)
    if not path:
        raise Unavailable(f"there is no program {name}; install iproute2")
    return path


def run_tool(name, *arguments, text=None):
    """Runs `ip` or `tc`; raises `Broken` if that fails."""
    # In a session of its own, so that an interrupt from the keyboard ends only us, who then clean up.
    done = subprocess.run([tool(name), *arguments], input=text, text=True, capture_output=True,
                          start_new_session=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{name} {' '.join(arguments)}: {' '.join(done.stderr.split())}")


def missing_right():
    """Why this process may not make links; None if it may."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    status = pathlib.Path("/proc/self/status").read_text()
    have = int(re.search(r"^CapEff:\s*(\w+)", status, re.MULTILINE)[1], 16)
    lacking = [name for name, bit in CAPABILITIES.items() if not have >> bit & 1]
    return f"this process lacks {' and '.join(lacking)}" if lacking else None


def start_of(pid):
    """When a process started, in ticks since the machine did; None if there is no such process."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return status.rpartition(")")[2].split()[19]


def identity(namespace):
    """The identity of a namespace, given by a file of it."""
    status = os.stat(namespace)
    return status.st_dev, status.st_ino


def kill_processes_in(names):
    """Kills whatever runs in those of these namespaces that exist."""
    spaces = set()
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            spaces.add(identity(FOLDER / name))
    spaces.discard(identity("/proc/self/ns/net"))
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        found = False
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            # The process may end meanwhile. A process that may not be read is not ours: ours have no more rights than
            # we.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                if identity(process / "ns/net") in spaces:
                    os.kill(int(process.name), signal.SIGKILL)
                    found = True
        if not found:
            return
        if time.monotonic() > end:
            raise Broken(f"processes in {' and '.join(names)} cannot be killed")
        time.sleep(0.01)


def remove(names):
    """Removes those of the namespaces that exist, and what runs in them."""
    kill_processes_in(names)
    for name in filter(lambda name: (FOLDER / name).exists(), names):
        try:
            run_tool("ip", "netns", "delete", name)
        except Broken:
            if (FOLDER / name).exists():  # else another run cleans up too
                raise


def add_namespace(name):
    try:
        run_tool("ip", "netns", "add", name)
    except Broken as error:
        raise Unavailable(f"no network namespaces here: {error}") from error


def leftovers():
    """The names of namespaces whose owners are dead."""
    names = [path.name for path in FOLDER.iterdir()] if FOLDER.exists() else []
    matches = filter(None, map(NAME.fullmatch, sorted(names)))
    return [match[0] for match in matches if start_of(match[1]) != match[2]]


class Network:
    """Two namespaces and the link between them; as a context they are there inside, and gone after."""

    def __init__(self, link, method, relay_program):
        self.link = link
        self.names = [f"imbrex-link-{os.getpid()}-{start_of(os.getpid())}-{rank}" for rank in range(2)]
        self.method = method
        self.relay_program = relay_program
        self.relay = None

    def __enter__(self):
        try:
            for name in self.names:
                add_namespace(name)
            if self.method != "tun":
                self.try_netem()
            if self.method == "tun":
                self.start_relay()
            for name, address in zip(self.names, ADDRESSES):
                # Without addrgenmode IPv6 would send packets of its own.
                run_tool("ip", "-n", name, "-batch", "-", text=f"""\
                    link set dev lo up
                    link set dev {DEVICE} addrgenmode none
                    link set dev {DEVICE} mtu {self.link.mtu} txqueuelen 10000 up
                    address add {address}/30 dev {DEVICE}
                    """)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.relay:
            self.relay.kill()
            self.relay.wait()
        remove(self.names)

    def try_netem(self):
        """Connects the namespaces by veth and netem, if they are there; sets the method."""
        link = self.link
        # netem counts packets that travel as well; the shortest are about 64 bytes long.
        limit = link.queue + link.delay_ns * link.rate // (64 * 8 * 10**9)
        veth = False
        try:
            run_tool("ip", "link", "add", DEVICE, "netns", self.names[0], "type", "veth",
                     "peer", "name", DEVICE, "netns", self.names[1])
            veth = True
            for name in self.names:
                # Without segmentation offload, so that the rate counts packets and not bunches of 64 KiB.
                run_tool("ip", "-n", name, "link", "set", "dev", DEVICE, "gso_max_segs", "1")
                run_tool("tc", "-n", name, "qdisc", "add", "dev", DEVICE, "root", "netem",
                         "delay", f"{link.delay_ns / 1e3:.3f}us", "rate", f"{link.rate}bit",
                         "limit", str(limit))
            self.method = "netem"
        except (Broken, Unavailable) as error:
            if self.method == "netem":
                raise Unavailable(f"no netem here: {error}") from error
            if veth:
                run_tool("ip", "-n", self.names[0], "link", "delete", "dev", DEVICE)
            self.method = "tun"

    def start_relay(self):
        """Connects the namespaces by two TUN devices and the relay."""
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise Unavailable("no /dev/net/tun here, and no netem")
        if not self.relay_program:
            raise Broken("there is no relay; build it (cmake --build --preset release --target link_relay), "
                         "or name it by --relay")
        link = self.link
        self.relay = subprocess.Popen(
            [self.relay_program, *(str(FOLDER / name) for name in self.names), DEVICE,
             *map(str, (link.delay_ns, link.rate, link.mtu, link.queue))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        readable, _, _ = select.select([self.relay.stdout], [], [], PATIENCE_SECONDS)
        if not readable or self.relay.stdout.readline() != b"ready\n":
            raise Broken("the relay did not start")

    def stop_relay(self):
        """Ends the relay and returns its report; None if there is none, or the relay had ended."""
        if not self.relay:
            return None
        try:
            report, _ = self.relay.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise Broken("the relay does not end") from error
        return json.loads(report) if report else None
