# SPDX-License-Identifier: Apache-2.0
"""Solves problems by the strategies of a file, for `imbrex balance FILE --strategy mine.py`: the command executes
`python3 -m imbrex._strategy_server mine.py` with a socket for its standard input.

Numbers are in the byte order of the machine. First it sends the number of strategies in 8 bytes, and their names; a
text is its length in 8 bytes, and its bytes. A problem has, in 8 bytes each, the number of the strategy, the objects,
the PEs, the dimensions, the edges and the seed; then each object's PE, load, whether it may move, sent bytes and
messages side by side, and coordinates; then each edge's two objects, and each edge's bytes; then each PE's node. The
answer is the number of objects in 8 bytes, and a PE in 4 bytes for each. Where something fails, -1 and a text come
instead of a number."""
import os
import runpy
import signal
import socket
import struct
import sys
import traceback

from imbrex import _balance, _errors


class _Ended(Exception):
    """The command has ended."""


class Connection:
    def __init__(self, connected):
        self.socket = connected

    def read(self, size):
        data = bytearray(size)
        view = memoryview(data)
        while view:
            got = self.socket.recv_into(view)
            if got == 0:
                raise _Ended
            view = view[got:]
        return data

    def write_number(self, number):
        self.socket.sendall(struct.pack("=q", number))

    def write_text(self, text):
        data = text.encode("utf-8", "backslashreplace")
        self.socket.sendall(struct.pack("=q", len(data)) + data)

    def write_failure(self, text):
        self.write_number(-1)
        self.write_text(text)


def strategies_in(file):
    """The names of the strategies that a file registers."""
    before = set(_balance._functions)
    runpy.run_path(file, run_name="imbrex_strategies")
    return [name for name in _balance._functions if name not in before]


def solve_one(connection, names):
    import numpy
    number, objects, pes, dimensions, edge_count, seed = struct.unpack("=QQQQQQ", connection.read(48))

    def array(kind, count):
        kind = numpy.dtype(kind)
        return numpy.frombuffer(connection.read(kind.itemsize * count), kind)
    pe, load, movable = array("=i4", objects), array("=f8", objects), array("=u1", objects)
    sent = array("=f4", 2 * objects).reshape(objects, 2)
    coordinates = array("=f4", objects * dimensions).reshape(objects, dimensions)
    edges = array("=u4", 2 * edge_count).reshape(edge_count, 2)
    edge_bytes = array("=f4", edge_count)
    problem = _balance.Problem(load, pe, pes=pes, movable=movable, bytes=sent[:, 0], messages=sent[:, 1],
                               coordinates=coordinates, edges=edges, edge_bytes=edge_bytes, node=array("=i4", pes),
                               seed=seed)
    try:
        answer = _balance.solve_by_function(names[number], problem)
    except _errors.Error as e:
        return connection.write_failure(str(e))
    connection.write_number(len(answer))
    connection.socket.sendall(answer.tobytes())


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends, and this process with it
    connection = Connection(socket.socket(fileno=os.dup(0)))
    os.dup2(2, 1)  # the command's output is its table
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))  # where the file finds its modules
    try:
        names = strategies_in(sys.argv[1])
        import numpy  # noqa: F401  # without it no problem can be made
    except Exception as e:
        return connection.write_failure(traceback.format_exception_only(e)[-1].strip())
    connection.write_number(len(names))
    for name in names:
        connection.write_text(name)
    try:
        while True:
            solve_one(connection, names)
    except _Ended:
        pass


if __name__ == "__main__":
    main()
