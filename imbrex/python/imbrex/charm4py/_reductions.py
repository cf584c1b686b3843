# SPDX-License-Identifier: Apache-2.0
"""Reductions: contributions are combined on each PE, and at the root of the collection or section."""

from imbrex.charm4py._future import Future
from imbrex.charm4py._reducer import Reducer


class Reduction:
    """Contributions to a reduction that have come to this PE."""

    def __init__(self):
        self.count = 0
        self.values = []
        self.callback = None
        self.name = None
        self.is_for_all = False


class Reductions:
    """What a PE's runtime does for reductions. A key is the number of a collection, or a section's pair."""

    def root(self, key):
        return key[0] if isinstance(key, tuple) else key % self.pes

    def contribute(self, key, number, name, value, callback):
        own = self.reductions[key, number]
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
        found = self.sections.get(key) if isinstance(key, tuple) else self.collections.get(key)
        if found is None:
            return False
        if not found.has_changed:
            return own.count >= len(found.members)
        return all(c._c4.reductions.get(key, 0) > number for c in found.members)

    def _pass_on(self, key, number):
        own = self.reductions.pop((key, number))
        values = own.values
        if own.name is not None and len(values) > 1:
            values = [self._reduce(own.name, values)]
        self.send(self.root(key), "partial", key, number, own.count, own.name, values, own.callback, own.is_for_all)

    def _reduce(self, name, values):
        return getattr(Reducer, name)(values)

    def on_partial(self, key, number, count, name, values, callback, is_for_all):
        whole = self.whole_reductions[key, number]
        whole.count += count
        whole.values += values
        whole.name, whole.callback, whole.is_for_all = name, callback, is_for_all
        self._look_at(key, number)

    def _total(self, key):
        if isinstance(key, tuple):
            heard, total = self.section_totals.get(key, (0, 0))
            return total if heard == self.pes else None
        c = self.collections.get(key)
        return None if c is None else c.total

    def _look_at_whole(self, key):
        for known, number in list(self.whole_reductions):
            if known == key:
                self._look_at(key, number)
        for known, number in list(self.reductions):
            if known == key and self._all_have_contributed(key, number, self.reductions[known, number]):
                self._pass_on(key, number)

    def _look_at(self, key, number):
        whole = self.whole_reductions[key, number]
        if whole.count != self._total(key):
            return
        del self.whole_reductions[key, number]
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
