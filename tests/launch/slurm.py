# SPDX-License-Identifier: Apache-2.0
"""A real Slurm of two nodes on this host, with its daemons and all of their files in one folder.

Debian's slurm-wlm and munge, and root.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

TOOLS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "sinfo")


class Unavailable(Exception):
    """Why there can be no Slurm here."""


def free_ports(count):
    """Ports that are free now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """As a context the cluster is there inside, and gone after. `environment` is for its commands."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.daemons = []

    def __enter__(self):
        if os.geteuid() != 0:
            raise Unavailable("slurmd needs root")
        if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
            raise Unavailable(f"{', '.join(missing)} is missing (Debian: slurm-wlm, munge)")
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def start(self):
        for name in ("state", "munge", "spool/n1", "spool/n2", "tmp/n1", "tmp/n2"):
            (self.folder / name).mkdir(parents=True)
        munge = self.folder / "munge"
        munge.chmod(0o711)
        key = munge / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        host = socket.gethostname().partition(".")[0]
        controller, *nodes = free_ports(3)
        (self.folder / "slurm.conf").write_text(f"""\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={munge}/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool/%n
TmpFS={self.folder}/tmp/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.%n.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={nodes[0]} CPUs=8 RealMemory=2000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={nodes[1]} CPUs=8 RealMemory=2000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                    f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_until(lambda: (munge / "socket").exists(), "munged")
        self.daemon("slurmctld", "-D")
        for node in ("n1", "n2"):
            self.daemon("slurmd", "-D", "-N", node)
        self.wait_until(self.is_up, "Slurm")

    def daemon(self, *command):
        with (self.folder / f"{command[0]}.log").open("a") as log:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL,
                                                 stdout=log, stderr=log))

    def is_up(self):
        found = subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], env=self.environment, text=True,
                               capture_output=True)
        return found.stdout.strip() == "2"

    def wait_until(self, condition, what):
        end = time.monotonic() + 30
        while not condition():
            if time.monotonic() > end:
                logs = "".join(log.read_text()[-2000:] for log in self.folder.glob("*.log"))
                raise Unavailable(f"{what} does not start: {logs}")
            time.sleep(0.1)
