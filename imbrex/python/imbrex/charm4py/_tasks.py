# SPDX-License-Identifier: Apache-2.0
"""Tasks of the pool: PE 0 sends each to an idle PE; a PE runs one task that does not wait at a time."""

import collections
import pickle

from imbrex.charm4py._coroutines import Raised


class Tasks:
    """The part of a PE's runtime that handles the pool."""

    def on_task(self, job, limit, form, future):
        waiting = self.tasks.setdefault(job, [collections.deque(), 0, limit])
        waiting[0].append((form, future))
        self._give_tasks()

    def _give_tasks(self):
        workers = range(1, self.pes) if self.pes > 1 else range(1)
        for job, waiting in list(self.tasks.items()):
            queue, running, limit = waiting
            while queue and (limit < 0 or running < limit):
                pe = min(workers, key=self.busy.__getitem__)
                if self.busy[pe] > 0:
                    return
                self.busy[pe] += 1
                running = waiting[1] = running + 1
                self.send(pe, "run_task", job, *queue.popleft())
            if not queue and running == 0:
                del self.tasks[job]

    def on_run_task(self, job, form, future):
        done = []

        def body():
            try:
                result = [function(*args) for function, args in pickle.loads(form)]
            except Exception as e:
                if future is None:
                    raise
                result = Raised(e)
            if future is not None:
                future.send(result)
            done.append(True)
            self.send(0, "task_done", job, -1 if is_free else self.pe)
        is_free = False
        self.start(None, body)
        if not done:  # the task waits, so the PE can run others
            is_free = True
            self.send(0, "worker_free", self.pe)

    def on_worker_free(self, pe):
        self.busy[pe] -= 1
        self._give_tasks()

    def on_task_done(self, job, pe):
        if pe >= 0:
            self.busy[pe] -= 1
        waiting = self.tasks.get(job)
        if waiting is not None:
            waiting[1] -= 1
        self._give_tasks()
