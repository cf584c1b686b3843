# SPDX-License-Identifier: Apache-2.0
"""Migration, and balancing by it."""

import pickle
import sys

from imbrex import _errors
from imbrex._balance import Problem
from imbrex.charm4py._charm import charm
from imbrex.charm4py._reductions import sync_key


class Migration:
    """The part of a PE's runtime for migration, and for chares that call AtSync."""

    def migrate(self, chare, to, balancing_root=None):
        state = chare._c4
        if to == self.pe:
            return
        if state.threads or state.waits:
            raise RuntimeError(f"{type(chare).__name__}{state.index} cannot migrate: one of its coroutines waits")
        cid, index = state.collection, state.index
        c = self.collections[cid]
        carried = (state.is_migratable, state.tagged, state.held, state.reductions, state.sections, state.channels,
                   state.channel_counts)
        form = pickle.dumps((carried, chare.__getstate__()), 5)
        del c.elements[index]
        c.moved[index] = to
        for key in state.sections:
            self.sections[key].members.remove(chare)
        self._membership_changes(c, cid, state.sections)
        self.send(to, "arrive", state.proxy, index, form, balancing_root)

    def _membership_changes(self, c, cid, sections):
        c.has_changed = True
        for key in sections:
            self.sections[key].has_changed = True
        for key in (cid, *sections):
            self._look_at_whole(key)

    def on_arrive(self, proxy, index, form, balancing_root):
        cid = proxy.collection
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("arrive", (proxy, index, form, balancing_root)))
            return
        chare = self._new_element(c, proxy, index)
        carried, own = pickle.loads(form)
        state = chare._c4
        (state.is_migratable, state.tagged, state.held, state.reductions, state.sections, state.channels,
         state.channel_counts) = carried
        _restore(chare, own)
        chare._c4 = state
        for key in state.sections:
            self.sections[key].members.append(chare)
        self._tell_home(c, cid, index)
        self._membership_changes(c, cid, state.sections)
        chare.migrated()
        self._deliver_waiting(c, cid, index)
        if balancing_root is not None:
            self.send(balancing_root, "sync_arrival", cid)

    def _tell_home(self, c, cid, index):
        c.moved.pop(index, None)
        home = self.home(c, index)
        if home != self.pe:
            self.send(home, "moved", cid, index, self.pe)

    def on_moved(self, cid, index, pe):
        c = self.collections.get(cid)
        if c is None:
            self.unknown[cid].append(("moved", (cid, index, pe)))
            return
        if index in c.elements:
            return
        c.moved[index] = pe
        for what, payload in c.waiting.pop(index, ()):
            self.send(pe, "element", cid, index, what, payload)

    def _deliver_waiting(self, c, cid, index):
        for what, payload in c.waiting.pop(index, ()):
            self.send(self.pe, "element", cid, index, what, payload)

    def at_sync(self, chare):
        state = chare._c4
        key = sync_key(state.collection)
        number = state.reductions.get(key, 0)
        state.reductions[key] = number + 1
        report = state.index, self.pe, state.load, state.is_migratable
        state.load = 0.0
        self.contribute(key, number, "", report, _nobody)

    def balance(self, cid, reports):
        """At the root: all elements have called AtSync."""
        self.balance_steps += 1
        try:
            moves = _moves(charm.strategy, reports, self.hosts, self.balance_steps)
        except _errors.Error as e:
            print(f"imbrex: warning: balance: {e}; the run goes on without balancing", file=sys.stderr)
            charm.strategy = None
            moves = []
        self.missing_arrivals[cid] = len(moves)
        self.send_to_all("moves", cid, self.pe, moves)
        if not moves:
            self.send_to_all("resume", cid)

    def on_moves(self, cid, root, moves):
        c = self.collections[cid]
        for index, pe, to in moves:
            if pe == self.pe:
                self.migrate(c.elements[index], to, root)

    def on_sync_arrival(self, cid):
        self.missing_arrivals[cid] -= 1
        if self.missing_arrivals[cid] == 0:
            self.send_to_all("resume", cid)

    def on_resume(self, cid):
        for chare in self.members(cid):
            self.invoke(chare, "resumeFromSync", (), None, None)


def _nobody():
    """The callback of AtSync's reduction, which does nothing: `balance` handles its end."""


def _restore(chare, own):
    """Restores a state as pickle does."""
    setstate = getattr(chare, "__setstate__", None)
    if own is None:
        return
    if setstate is not None:
        setstate(own)
        return
    values, slots = own if isinstance(own, tuple) and len(own) == 2 else (own, None)
    chare.__dict__.update(values or {})
    for name, value in (slots or {}).items():
        setattr(chare, name, value)


def _moves(strategy, reports, hosts, seed):
    """The migrations: (index, PE, new PE). Raises imbrex.Error if a strategy of the program fails."""
    if strategy is None or len(hosts) == 1:
        return []
    reports = sorted(reports, key=lambda r: _components(r[0]))
    indices, pes, loads, movable = zip(*reports)
    names = list(dict.fromkeys(hosts))
    problem = Problem(loads, pes, pes=len(hosts), movable=movable, coordinates=[_components(i)[:6] for i in indices],
                      node=[names.index(host) for host in hosts], seed=seed)
    return [(index, pe, to) for index, pe, to in zip(indices, pes, problem.solve(strategy).tolist()) if pe != to]


def _components(index):
    return index if isinstance(index, tuple) else (index,)
