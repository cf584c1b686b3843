# SPDX-License-Identifier: Apache-2.0
"""Measures the link from inside, one process at each end, and prints asked and achieved.

usage: probe.py DELAY_NS RATE MTU, run by link.py --probe

Rank 0 sends small datagrams one at a time, and rank 1 answers; then rank 1 sends one TCP stream, and rank 0
counts what arrives in the second half of the time, when the stream has reached its speed.
"""
import os
import socket
import statistics
import sys
import time

PORT = 7000
PINGS = 500
PING_BYTES = 32
PINGS_SECONDS = 3        # fewer pings where the delay is long
STREAM_SECONDS = 2
START_SECONDS = 10
UDP_HEADERS = 28         # bytes, with those of IP
TCP_HEADERS = 52         # a datagram with a time stamp


def connected(address):
    """A TCP connection to the other end, as soon as that listens."""
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            return socket.create_connection((address, PORT), timeout=START_SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def answer(address):
    """Rank 1: returns pings until the stream is requested, and sends it until it has no reader any more."""
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.bind((address, PORT))  # before there is a server, for then the other end begins
        with socket.create_server((address, PORT)) as server:
            server.settimeout(START_SECONDS)
            stream, _ = server.accept()
        with stream:
            while (ping := datagrams.recvfrom(PING_BYTES))[0] != b"stream":
                datagrams.sendto(*ping)
            data = bytes(1 << 16)
            try:
                while True:
                    stream.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass


def round_trips(datagrams, seconds_asked):
    """Seconds of each of many round trips."""
    datagrams.settimeout(1 + 2 * seconds_asked)
    times = []
    end = time.monotonic() + max(PINGS_SECONDS, 10 * seconds_asked)
    for number in range(PINGS):
        sent = time.monotonic()
        if sent > end:
            break
        datagrams.send(number.to_bytes(PING_BYTES, "little"))
        try:
            while int.from_bytes(datagrams.recv(PING_BYTES), "little") != number:
                pass  # the answer to a ping that was given up
        except TimeoutError:
            continue
        times.append(time.monotonic() - sent)
    return sorted(times)


def stream_speed(stream):
    """Bytes per second of the stream in the second half of the time."""
    buffer = bytearray(1 << 18)
    begin = time.monotonic()
    received, half_time, half_received = 0, None, 0
    while (now := time.monotonic()) < begin + STREAM_SECONDS:
        if half_time is None and now >= begin + STREAM_SECONDS / 2:
            half_time, half_received = now, received
        received += stream.recv_into(buffer)
    return (received - half_received) / (now - half_time)


def measure(peer, delay, rate, mtu):
    """Rank 0: measures, and prints the table."""
    asked = 2 * (delay + (PING_BYTES + UDP_HEADERS) * 8 / rate)
    with connected(peer) as stream, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.connect((peer, PORT))
        times = round_trips(datagrams, asked)
        datagrams.send(b"stream")
        speed = stream_speed(stream)
    if not times:
        sys.exit("probe.py: no ping was answered")
    print(f"{'':32}{'asked':>14}{'achieved':>14}")
    for name, value in (("median", statistics.median(times)), ("95 % below", times[len(times) * 95 // 100])):
        print(f"{'round trip, ' + name:32}{asked * 1e6:>11.1f} us{value * 1e6:>11.1f} us")
    payload = rate / 8 * (mtu - TCP_HEADERS) / mtu
    print(f"{'payload of one TCP stream':32}{payload / 1e6:>9.2f} MB/s{speed / 1e6:>9.2f} MB/s")


if __name__ == "__main__":
    if os.environ["LINK_RANK"] == "1":
        answer(os.environ["LINK_ADDRESS"])
    else:
        measure(os.environ["LINK_PEER"], int(sys.argv[1]) * 1e-9, int(sys.argv[2]), int(sys.argv[3]))
