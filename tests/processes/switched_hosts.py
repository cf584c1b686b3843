# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that one switch connects, so that they are hosts, and the way between two of them can be cut.

They are named and removed as those of bench/link/network.py, which must be importable. The first namespace holds the
switch. All else goes with the namespaces.
"""
import os

import network

NOBODY = "02:00:00:00:00:77"  # a hardware address that no device has


class SwitchedHosts:
    """As a context the namespaces are there inside, and gone after."""

    def __init__(self, count):
        self.names = [f"imbrex-link-{os.getpid()}-{network.start_of(os.getpid())}-{host}" for host in range(count)]

    def __enter__(self):
        try:
            for name in self.names:
                network.add_namespace(name)
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        network.remove(self.names)

    def connect(self):
        place = self.names[0]
        try:
            network.run_tool("ip", "-n", place, "link", "add", "switch", "type", "bridge")
            for host, name in enumerate(self.names):
                network.run_tool("ip", "link", "add", f"host{host}", "netns", place, "type", "veth",
                                 "peer", "name", network.DEVICE, "netns", name)
        except network.Broken as error:
            raise network.Unavailable(f"no switch of bridge and veth here: {error}") from error
        # Without addrgenmode IPv6 would send packets of its own.
        network.run_tool("ip", "-n", place, "link", "set", "dev", "switch", "addrgenmode", "none", "up")
        for host, name in enumerate(self.names):
            network.run_tool("ip", "-n", place, "link", "set", "dev", f"host{host}", "addrgenmode", "none",
                             "master", "switch", "up")
            network.run_tool("ip", "-n", name, "-batch", "-", text=f"""\
                link set dev lo up
                link set dev {network.DEVICE} addrgenmode none up
                address add {self.address(host)}/24 dev {network.DEVICE}
                """)

    @staticmethod
    def address(host):
        return f"10.77.0.{1 + host}"

    def cut(self, one, other):
        """From now on packets between two hosts are lost silently: they are sent to no host."""
        for host, away in ((one, other), (other, one)):
            network.run_tool("ip", "-n", self.names[host], "neighbour", "replace", self.address(away),
                             "lladdr", NOBODY, "nud", "permanent", "dev", network.DEVICE)
