# SPDX-License-Identifier: Apache-2.0
"""Pickling of values that have no form of their own in messages."""

import copyreg
import pickle

from imbrex import _core

#: By pickle; in the processes of a session (`imbrex._session`) by value, what notebooks and scripts define included.
dumps = pickle.dumps


def _refuse(of, words):
    def refuse(value):
        raise TypeError(words)
    copyreg.pickle(of, refuse)


_refuse(_core.Given, "a value of imbrex.give must be an argument itself, or stand in a tuple: take it out of the list "
                     "or object")
_refuse(_core.Member, "an entry or port of a proxy cannot be sent: send the proxy")
_refuse(_core.Port, "a port of a chare cannot be sent, and stays with the chare: send self.proxy")
_refuse(_core.Awaitable, "an awaitable, as of call or sleep, cannot be sent: await it, and send the result")
