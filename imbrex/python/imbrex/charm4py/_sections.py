# SPDX-License-Identifier: Apache-2.0
"""Sections: some chares of a collection, or of several. Each PE knows its own members."""

from imbrex.charm4py import _chare


class Section:
    def __init__(self, members):
        self.members = members
        self.has_changed = False


class Sections:
    """The part of a PE's runtime that handles sections."""

    def _new_sections(self, proxy, n):
        keys = [(self.pe, self.number()) for _ in range(n)]
        return keys, [_chare.Proxy(proxy._cls, proxy.collection, proxy._dims, None, key, onto=proxy._onto)
                      for key in keys]

    def split(self, proxy, n, how, data):
        """`how`: "function" of a chare, "ranges" of indices, or "elements", a list of indices for each section."""
        keys, proxies = self._new_sections(proxy, n)
        self.send_to_all("split", proxy.key, keys, how, data)
        return proxies

    def on_split(self, parent, keys, how, data):
        members = self.members(parent)
        if members is None:
            self.unknown[parent].append(("split", (parent, keys, how, data)))
            return
        if how == "elements":
            data = [set(indices) for indices in data]
        found = [[] for _ in keys]
        for chare in members:
            index = chare._c4.index
            if how == "function":
                which = data(chare)
                which = [which] if isinstance(which, int) else which
            elif how == "ranges":
                at = index if isinstance(index, tuple) else (index,)
                which = [0] if all(i in r for i, r in zip(at, data, strict=True)) else []
            else:
                which = [s for s, indices in enumerate(data) if index in indices]
            for s in which:
                if s >= 0:
                    found[s].append(chare)
        self._keep_sections(keys, found)

    def combine(self, proxies):
        keys, [proxy] = self._new_sections(proxies[0], 1)
        self.send_to_all("combine", keys[0], [p.key for p in proxies])
        return proxy

    def on_combine(self, key, parents):
        for parent in parents:
            if self.members(parent) is None:
                self.unknown[parent].append(("combine", (key, parents)))
                return
        self._keep_sections([key], [list(dict.fromkeys(c for p in parents for c in self.members(p)))])

    def _keep_sections(self, keys, found):
        for key, members in zip(keys, found, strict=True):
            self.sections[key] = Section(members)
            for chare in members:
                chare._c4.sections.add(key)
        self.send(keys[0][0], "members", keys, [len(members) for members in found])
        for key in keys:
            self._now_known(key)

    def on_members(self, keys, counts):
        for key, count in zip(keys, counts, strict=True):
            heard, total = self.section_totals.get(key, (0, 0))
            self.section_totals[key] = heard + 1, total + count
            self._look_at_whole(key)
