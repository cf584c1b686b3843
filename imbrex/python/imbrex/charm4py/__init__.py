# SPDX-License-Identifier: Apache-2.0
"""Programs of charm4py on imbrex: `python -m imbrex.charm4py prog.py` runs one as it is (docs/python.md).

All chares of a program lie in the chares of one group (`_node.Node`), one on each PE, whose messages carry what
charm4py's own would: so chares may move, be inserted, and be combined into sections however a program likes.
"""

from imbrex.charm4py import _node, ray, threads, wait  # noqa: F401  (_node has what PE 0 runs)
from imbrex.charm4py._chare import ArrayMap, Chare, Array, Group, coro, coro_ext, register, threaded, when
from imbrex.charm4py._channel import Channel
from imbrex.charm4py._charm import Charm4PyError, Options, charm, readonlies
from imbrex.charm4py._future import Future
from imbrex.charm4py._object_store import ObjectStore
from imbrex.charm4py._reducer import Reducer

#: The version of charm4py whose programs run here.
charm4py_version = "1.1"

__all__ = [
    "Array", "ArrayMap", "Channel", "Charm4PyError", "Chare", "Future", "Group", "ObjectStore", "Options", "Reducer",
    "charm", "charm4py_version", "coro", "coro_ext", "ray", "readonlies", "register", "threaded", "threads", "wait",
    "when"]
