#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how well a trace aligns the clocks of two hosts. Runs a program in two network namespaces, which have one
clock, over a slow link (see bench/link) that it keeps busy. Prints the difference that the trace computes."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "link"))
import network  # noqa: E402
import options as link_options  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build" / "release")
    parser.add_argument("--latency", type=link_options.duration, default=link_options.duration("200us"))
    parser.add_argument("--rate", type=link_options.rate, default=10**9)
    parser.add_argument("--mtu", type=link_options.whole_number(576, 65000), default=1500)
    parser.add_argument("--seconds", type=link_options.whole_number(1, 10**6), default=20)
    asked = parser.parse_args()
    link = link_options.Link(delay_ns=asked.latency, rate=asked.rate, mtu=asked.mtu, queue=10_000)
    with tempfile.TemporaryDirectory() as folder:
        try:
            with network.Network(link, None, link_options.built_relay()) as hosts:
                enter = (f'[ "$IMBREX_RANK" = 0 ] && host={hosts.names[0]} || host={hosts.names[1]}; '
                         f'exec {network.tool("ip")} netns exec $host "$@"')
                subprocess.run([asked.build / "bin" / "imbrex", "run", "-n", "2", "sh", "-c", enter, "sh",
                                asked.build / "tests" / "processes" / "process_worker", "exchange", str(asked.seconds),
                                "--pes", "1", "--trace", f"{folder}/trace"],
                               check=True, env=dict(os.environ, UCX_TLS="tcp,self"))
        except network.Unavailable as error:
            print(f"no link can be made here: {error}", file=sys.stderr)
            return 77
        return subprocess.run([asked.build / "bin" / "trace_clocks", f"{folder}/trace.1"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
