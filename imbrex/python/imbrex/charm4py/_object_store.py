# SPDX-License-Identifier: Apache-2.0
"""Objects by number that PEs request from each other: Group(ObjectStore)."""

import collections
import sys

from imbrex import _core
from imbrex.charm4py._chare import Chare

_SMALL = 1024  # bytes: smaller objects are stored on their home


class ObjectStore(Chare):
    """Holds objects on each PE, and the locations of objects whose home it is (their number modulo the number of PEs).
    A request for an object that does not exist yet is answered once it does."""

    def __init__(self):
        self._objects = {}
        self._locations = collections.defaultdict(list)
        self._want_object = collections.defaultdict(list)    # object -> PEs that wait
        self._want_location = collections.defaultdict(list)
        self._turn = 0

    def _home(self, obj_id):
        return self.thisProxy[obj_id % _core.num_pes()]

    def _location(self, obj_id):
        """A PE that has the object, round robin; -1 if none is known."""
        known = self._locations.get(obj_id)
        if not known:
            return -1
        self._turn += 1
        return known[self._turn % len(known)]

    def create_object(self, obj_id, obj):
        """Stores the object on this PE, or on its home if it is small."""
        if sys.getsizeof(obj) < _SMALL:
            self._home(obj_id).insert_object_small(obj_id, obj)
        else:
            self._keep(obj_id, obj)
            self._home(obj_id).update_location(obj_id, _core.pe())

    def _keep(self, obj_id, obj):
        self._objects.setdefault(obj_id, obj)
        self.bulk_send_object(obj_id, self._want_object.pop(obj_id, ()))

    def insert_object_small(self, obj_id, obj):
        self._objects.setdefault(obj_id, obj)
        self.update_location(obj_id, _core.pe())

    def receive_remote_object(self, obj_id, obj):
        self._keep(obj_id, obj)

    def lookup_object(self, obj_id):
        """The object if it is on this PE, else None."""
        return self._objects.get(obj_id)

    def lookup_location(self, obj_id):
        """A PE that has the object. If none is known here, returns -1 and sends a request to the home."""
        pe = self._location(obj_id)
        if pe < 0:
            self._home(obj_id).request_location(obj_id, _core.pe())
        return pe

    def update_location(self, obj_id, pe):
        if pe not in self._locations[obj_id]:
            self._locations[obj_id].append(pe)
        self.bulk_send_location(obj_id, self._want_location.pop(obj_id, ()))
        for asker in self._want_object.pop(obj_id, ()):
            self.request_location_object(obj_id, asker)

    def request_object(self, obj_id, requesting_pe):
        if obj_id in self._objects:
            self.thisProxy[requesting_pe].receive_remote_object(obj_id, self._objects[obj_id])
        else:
            self._want_object[obj_id].append(requesting_pe)

    def request_location(self, obj_id, requesting_pe):
        """At the home."""
        pe = self._location(obj_id)
        if pe >= 0:
            self.thisProxy[requesting_pe].update_location(obj_id, pe)
        else:
            self._want_location[obj_id].append(requesting_pe)

    def request_location_object(self, obj_id, requesting_pe):
        """Called at the home: sends the object itself to the PE that wants it."""
        pe = _core.pe() if obj_id in self._objects else self._location(obj_id)
        if pe < 0:
            self._want_object[obj_id].append(requesting_pe)
            return
        self.thisProxy[pe].request_object(obj_id, requesting_pe)
        self._locations[obj_id].append(requesting_pe)

    def bulk_send_object(self, obj_id, requesting_pes):
        for pe in requesting_pes:
            self.thisProxy[pe].receive_remote_object(obj_id, self._objects[obj_id])

    def bulk_send_location(self, obj_id, requesting_pes):
        for pe in requesting_pes:
            self.thisProxy[pe].update_location(obj_id, self._location(obj_id))

    def delete_remote_objects(self, obj_id):
        """Called at the home: deletes the object on all PEs."""
        for pe in self._locations.pop(obj_id, ()):
            self.thisProxy[pe].delete_object(obj_id)

    def delete_object(self, obj_id):
        self._objects.pop(obj_id, None)
