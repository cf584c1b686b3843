# SPDX-License-Identifier: Apache-2.0
"""The command line of link.py: durations, rates, and what may not be."""
import argparse
import dataclasses
import pathlib
import re
import shutil

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
BITS = {"bit": 1, "B": 8}
PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}

DESCRIPTION = """\
Runs COMMAND once in each of two network namespaces that a slow link connects, and removes them at the end."""
EPILOG = """\
In COMMAND {rank} is 0 or 1, {size} 2, {address} this namespace's address and {peer} the other's; they are
also in the environment: LINK_RANK, LINK_SIZE, LINK_ADDRESS, LINK_PEER. Standard input is empty.

The exit status is that of the command that failed first, else 0; 77 where links cannot be made, with a line
that says why; 2 for a wrong command line."""


@dataclasses.dataclass(frozen=True)
class Link:
    """The requested properties of a link."""
    delay_ns: int  # one way, for the last bit of a packet
    rate: int      # bit/s of IP packets, each way
    mtu: int       # bytes
    queue: int     # packets that may wait for the rate, each way


def duration(text):
    """Nanoseconds in a text such as 200us or 1.5ms."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|ms|s)", text)
    if not match and text != "0":
        raise argparse.ArgumentTypeError(
            f"'{text}' is no duration; write a number and ns, us, ms or s, for example 200us")
    nanoseconds = round(float(match[1]) * SECONDS[match[2]] * 1e9) if match else 0
    if nanoseconds > 10e9:
        raise argparse.ArgumentTypeError(f"'{text}' is too long; 10s is the most")
    return nanoseconds


def rate(text):
    """Bits per second in a text such as 1Gbit/s or 125MB/s."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMG]?)(bit|B)/s", text)
    if not match:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no rate; write a number and bit/s or B/s with k, M or G, "
            "for example 1Gbit/s or 125MB/s")
    bits = round(float(match[1]) * PREFIXES[match[2]] * BITS[match[3]])
    if not 1e4 <= bits <= 1e12:
        raise argparse.ArgumentTypeError(
            f"'{text}' is out of range; 10kbit/s is the least and 1000Gbit/s the most")
    return bits


def whole_number(least, most):
    """The type of an option that is a whole number within bounds."""
    def convert(text):
        if not re.fullmatch(r"\d+", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} to {most}")
        return int(text)
    return convert


def built_relay():
    """The relay of the newest build of this tree; None if there is none."""
    builds = pathlib.Path(__file__).resolve().parents[2] / "build"
    relays = sorted(builds.glob("*/bin/link_relay"), key=lambda path: path.stat().st_mtime)
    return str(relays[-1]) if relays else None


def parse(arguments):
    """The options, with `link` and `command`. Ends the program with status 2 if they cannot be."""
    parser = argparse.ArgumentParser(
        prog="link.py", usage="%(prog)s [--delay 200us] [--rate 1Gbit/s] [options] -- COMMAND...",
        allow_abbrev=False, description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=duration, default="200us", help="each way (default %(default)s)")
    parser.add_argument("--rate", type=rate, default="1Gbit/s", help="each way (default %(default)s)")
    parser.add_argument("--mtu", type=whole_number(576, 65000), default=1500, metavar="BYTES",
                        help="the largest IP packet (default %(default)s); large ones spare processor time")
    parser.add_argument("--queue", type=whole_number(1, 1_000_000), default=1000, metavar="PACKETS",
                        help="how many may wait for the rate before one is dropped (default %(default)s)")
    parser.add_argument("--method", choices=["auto", "netem", "tun"], default="auto",
                        help="the kernel's netem, or TUN devices and a relay (default: netem if there)")
    parser.add_argument("--probe", action="store_true",
                        help="first measure the link and print asked and achieved")
    parser.add_argument("--clean", action="store_true", help="only remove what killed runs left behind")
    parser.add_argument("--relay", metavar="PROGRAM", default=built_relay(),
                        help="default: the newest one in build/")
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:split])
    options.command = arguments[split + 1:]
    options.link = Link(options.delay, options.rate, options.mtu, options.queue)
    if options.clean and (options.command or options.probe):
        parser.error("--clean runs nothing: leave out COMMAND and --probe")
    if not (options.clean or options.probe or options.command):
        parser.error("there is nothing to do; write -- and a command at the end, or --probe, or --clean")
    if options.command and "{" not in options.command[0] and not shutil.which(options.command[0]):
        parser.error(f"there is no program '{options.command[0]}'")
    if options.relay and not shutil.which(options.relay):
        parser.error(f"argument --relay: there is no program '{options.relay}'")
    return options
