#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command at both ends of a slow link between two network namespaces; link.py --help says how."""
import os
import pathlib
import signal
import sys

from commands import Commands, Interruption
from network import Broken, Network, Unavailable, leftovers, missing_right, remove
from options import parse

SKIPPED = 77


def probe_command(link):
    """The command that measures a link."""
    program = pathlib.Path(__file__).resolve().with_name("probe.py")
    return [sys.executable, str(program), *map(str, (link.delay_ns, link.rate, link.mtu))]


def describe(report, link, in_full):
    """Prints what the relay did; if not in full, then only what a user must know."""
    ways = [report["forth"], report["back"]]
    packets = sum(way["packets"] for way in ways)
    dropped = sum(way["dropped"] for way in ways)
    if in_full:
        late = sum(way["late_ns_mean"] * way["packets"] for way in ways) / max(packets, 1)
        print(f"relay: {packets} packets, late by {late / 1e3:.1f} us on average and "
              f"{max(way['late_ns_most'] for way in ways) / 1e3:.1f} us at most, {dropped} dropped, "
              f"{report['processor_seconds']:.2f} s of processor time", flush=True)
    elif dropped:
        print(f"link.py: {dropped} of {packets + dropped} packets were dropped: "
              f"more than {link.queue} waited", file=sys.stderr)


def main(arguments):
    options = parse(arguments)
    try:
        if reason := missing_right():
            raise Unavailable(reason)
        remove(leftovers())
        if options.clean:
            return 0
        interruption = Interruption()
        with Network(options.link, options.method, options.relay) as network:
            status = 0
            if options.probe:
                print(f"link by {network.method}", flush=True)
                status = Commands(network, probe_command(options.link), interruption).run()
            if status == 0 and options.command:
                status = Commands(network, options.command, interruption).run()
            if report := network.stop_relay():
                describe(report, options.link, options.probe)
        return status
    except Unavailable as error:
        print(f"link.py: skipped: {error}", file=sys.stderr)
        return SKIPPED
    except BrokenPipeError:
        # Our output has no reader any more; at its end Python would try once more to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Broken as error:
        print(f"link.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
