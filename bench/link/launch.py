# SPDX-License-Identifier: Apache-2.0
"""Command lines that start a program once on each of the two hosts of a `network.Network`: by `imbrex run`, and by Open
MPI's mpirun. Their environment must have UCX_TLS=tcp,self, so that UCX does not go around the link."""
import network


def by_imbrex(hosts, command, options, program):
    """`command` is the path of the command `imbrex`; `options` are those of `imbrex run`."""
    enter = (f'[ "$IMBREX_RANK" = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; '
             f'exec {network.tool("ip")} netns exec $host "$@"')
    return [str(command), "run", "-n", "2", *options, "sh", "-c", enter, "sh", *program]


def by_mpirun(hosts, folder, program):
    """Writes into the folder the script that mpirun calls instead of ssh."""
    agent = folder / "enter"
    agent.write_text(f'#!/bin/sh\nshift\nexec {network.tool("ip")} netns exec {hosts.names[1]} sh -c "$*"\n')
    agent.chmod(0o755)
    addresses = ",".join(f"{address}:1" for address in network.ADDRESSES)
    only = [word for framework in ("oob_tcp", "btl_tcp")
            for word in ("--mca", f"{framework}_if_include", network.DEVICE)]
    return [network.tool("ip"), "netns", "exec", hosts.names[0], "mpirun", "--allow-run-as-root", "--host", addresses,
            "-n", "2", "--bind-to", "none", "--mca", "plm_rsh_agent", str(agent), "--mca", "pml", "ob1", "--mca", "btl",
            "tcp,self", *only, *program]
