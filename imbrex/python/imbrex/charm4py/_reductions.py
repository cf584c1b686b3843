# SPDX-License-Identifier: Apache-2.0
"""Reductions: contributions are combined on each PE, and at the root of the collection or section.

A reduction over an array that grows begins on a PE with the first contribution there, or when the root, which has heard
of one, asks all PEs to begin. The PE then tells how many elements were inserted there. An element that is inserted
later takes part from the next reduction on. So the root knows how many contributions come once all PEs have told.

A key is the number of a collection, or a section's pair; `sync_key` is that of an array's calls of AtSync.
"""

from imbrex.charm4py._future import Future
from imbrex.charm4py._reducer import Reducer


def sync_key(cid):
    """The key of an array's calls of AtSync, and the other way round."""
    return ~cid


class Reduction:
    """Contributions to a reduction that this PE has received."""

    def __init__(self):
        self.count = 0
        self.values = []
        self.callback = None
        self.name = None
        self.is_for_all = False
        self.tellers = 0      # PEs on which it has begun
        self.born = 0         # elements that were inserted there before
        self.is_open = False  # all PEs have received the request to begin


class Reductions:
    """The part of a PE's runtime that handles reductions."""

    def root(self, key):
        return key[0] if isinstance(key, tuple) else max(key, sync_key(key)) % self.pes

    def _found(self, key):
        """The collection or section; None if this PE does not have it yet."""
        if isinstance(key, tuple):
            return self.sections.get(key)
        return self.collections.get(max(key, sync_key(key)))

    def _growing(self, key):
        """The array if it grows."""
        found = None if isinstance(key, tuple) else self._found(key)
        return found if found is not None and found.grows else None

    def contribute(self, key, number, name, value, callback):
        own = self.reductions[key, number]
        self._begin(key, number)
        own.count += 1
        own.name = name
        own.callback = callback
        if name is not None:
            own.values.append(value)
        future = None
        if callback is None:
            future = Future()
            own.is_for_all = True
            self.awaiting_all[key, number].append(future)
        if self._all_have_contributed(key, number, own):
            self._pass_on(key, number)
        return future

    def _all_have_contributed(self, key, number, own):
        found = self._found(key)
        if found is None:
            return False
        if not found.has_changed:
            return own.count >= len(found.members)
        return all(c._c4.reductions.get(key, 0) > number for c in found.members)

    def _begin(self, key, number):
        """Begins the reduction here: elements inserted later take part in later reductions."""
        array = self._growing(key)
        if array is None or not array.is_filled:
            return
        first = array.begun.get(key, 0)
        if number < first:
            return
        array.begun[key] = number + 1
        self.send(self.root(key), "begun", key, first, number, array.born)

    def on_begun(self, key, first, last, born):
        for number in range(first, last + 1):
            whole = self._whole(key, number)
            whole.tellers += 1
            whole.born += born
            self._look_at(key, number)

    def on_begin(self, key, number):
        if self._found(key) is None:
            self.unknown[max(key, sync_key(key))].append(("begin", (key, number)))
            return
        self.to_begin[key] = max(number, self.to_begin.get(key, 0))
        self._begin(key, number)

    def _look_at_fill(self, array, cid):
        """Called when all elements inserted before ckDoneInserting may be here: begins what waited for them."""
        if not array.grows or not array.is_filled:
            return
        for known, number in [*self.reductions, *self.to_begin.items()]:
            if known in (cid, sync_key(cid)):
                self._begin(known, number)
        broadcasts, array.broadcasts = array.broadcasts, []
        for what in broadcasts:
            self.on_broadcast(*what)

    def _whole(self, key, number):
        """The root's record of a reduction. If the array grows, the root requests all PEs to begin the reduction."""
        whole = self.whole_reductions[key, number]
        if not whole.is_open and self._growing(key) is not None:
            whole.is_open = True
            self.send_to_all("begin", key, number)
        return whole

    def _pass_on(self, key, number):
        own = self.reductions.pop((key, number))
        values = own.values
        if own.name and len(values) > 1:
            values = [self._reduce(own.name, values)]
        self.send(self.root(key), "partial", key, number, own.count, own.name, values, own.callback, own.is_for_all)

    def _reduce(self, name, values):
        return getattr(Reducer, name)(values)

    def on_partial(self, key, number, count, name, values, callback, is_for_all):
        whole = self._whole(key, number)
        whole.count += count
        whole.values += values
        whole.name, whole.callback, whole.is_for_all = name, callback, is_for_all
        self._look_at(key, number)

    def _total(self, key, whole):
        """The expected number of contributions; None if it is not known yet."""
        if isinstance(key, tuple):
            heard, total = self.section_totals.get(key, (0, 0))
            return total if heard == self.pes else None
        c = self._found(key)
        if c is not None and c.grows:
            return whole.born if whole.tellers == self.pes else None
        return None if c is None else c.total

    def _look_at_whole(self, key):
        keys = (key,) if isinstance(key, tuple) else (key, sync_key(key))
        for known, number in list(self.whole_reductions):
            if known in keys:
                self._whole(known, number)
                self._look_at(known, number)
        for known, number in list(self.reductions):
            if known in keys and self._all_have_contributed(known, number, self.reductions[known, number]):
                self._pass_on(known, number)

    def _look_at(self, key, number):
        whole = self.whole_reductions[key, number]
        if whole.count != self._total(key, whole):
            return
        del self.whole_reductions[key, number]
        if not isinstance(key, tuple) and key < 0:
            self.balance(sync_key(key), whole.values)
            return
        arguments = ()
        if whole.name is not None and whole.name != "nop":
            arguments = (Reducer.after(whole.name, self._reduce(whole.name, whole.values)),)
        if whole.is_for_all:
            self.send_to_all("result", key, number, arguments)
        else:
            whole.callback(*arguments)

    def on_result(self, key, number, arguments):
        for future in self.awaiting_all.pop((key, number), ()):
            future.send(*arguments)
