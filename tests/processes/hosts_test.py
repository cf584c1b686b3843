#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints in folders that each host has for itself. Hosts are network namespaces with a mount of their own."""
import os
import pathlib
import re
import shutil
import signal

import jobs
import network
from jobs import LIMIT, Job, wait_until
from switched_hosts import SwitchedHosts

SAVED_WORKER = os.environ["IMBREX_TEST_SAVED_WORKER"]


class OwnFolders(Job):
    def run(self, result=None):
        if reason := network.missing_right():
            self.skipTest(reason)
        return super().run(result)

    def script(self, hosts, of_process):
        """Starts a process on its host, where the folder `saved` is that host's."""
        chosen = " ".join(f"{process}) host={host}; name={hosts.names[host]};;"
                          for process, host in enumerate(of_process))
        inner = (f"mount --bind {self.folder}/host$host {self.folder}/saved && "
                 f"exec {network.tool('ip')} netns exec $name \"$0\" \"$@\"")
        return (f"case $IMBREX_RANK in {chosen} esac; export host name; "
                f"exec unshare -m sh -c '{inner}' \"$0\" \"$@\"")

    def start_on(self, hosts, of_process, *options, steps=400, before=()):
        for host in set(of_process):
            (self.folder / f"host{host}").mkdir(exist_ok=True)
        (self.folder / "saved").mkdir(exist_ok=True)
        return self.start_command(*before, jobs.IMBREX, "run", "-n", len(of_process), "--checkpoint", "saved", *options,
                                  "sh", "-c", self.script(hosts, of_process), SAVED_WORKER, steps, "--pes", 1)

    def newest_on(self, host):
        found = (self.folder / f"host{host}").glob("*/manifest.json")
        return max((int(each.parent.name) for each in found), default=0)

    def wait_for_checkpoint(self, job, number, of_process):
        self.assertTrue(wait_until(lambda: all(self.newest_on(h) >= number for h in set(of_process)) or
                                   job.poll() is not None, LIMIT), self.out() + self.err())
        self.assertIsNone(job.poll(), self.out() + self.err())

    def begun(self):
        return [int(step) for step in re.findall(r"begins at step (\d+)", self.out())]

    def check(self, how, of_process, lost, then):
        """All files of a host are lost after the death of a process; others go on."""
        with SwitchedHosts(1 + max(*of_process, *then)) as hosts:
            job = self.start_on(hosts, of_process, "--checkpoint-hosts", how, "--checkpoint-every", 20, steps=1000000)
            pids = self.started(job, len(of_process))
            self.wait_for_checkpoint(job, 2, of_process)
            os.kill(pids[of_process.index(lost)], signal.SIGKILL)
            self.finish(job, LIMIT)
            own_parts = {each.name for each in (self.folder / "host0").glob("*/part-*.icp")}
            self.assertEqual(len(own_parts), of_process.count(0), own_parts)
            shutil.rmtree(self.folder / f"host{lost}")
            job = self.start_on(hosts, then, "--checkpoint-hosts", how, "--restart", "saved", steps=1000)
            self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("right")), (0, 1), self.out() + self.err())
        self.assertGreater(self.begun()[-1], 0)

    def test_partners(self):
        self.check("partner", [0, 1], lost=1, then=[0, 1])

    def test_partners_of_four_hosts(self):
        self.check("partner", [0, 0, 1, 2, 3], lost=2, then=[3, 0, 1])

    def test_parity_of_three_hosts_on_four(self):
        self.check("xor", [0, 1, 1, 2], lost=0, then=[1, 2, 3, 3])

    def test_the_launcher_starts_all_anew(self):
        of_process = [0, 1, 1]
        (self.folder / "host0").mkdir()
        (self.folder / "saved").mkdir()
        with SwitchedHosts(2) as hosts:
            seen = f"mount --bind {self.folder}/host0 {self.folder}/saved && exec \"$0\" \"$@\""
            job = self.start_on(hosts, of_process, "--checkpoint-hosts", "xor", "--restarts", 2,
                                "--checkpoint-every", 20, steps=700, before=("unshare", "-m", "sh", "-c", seen))
            pids = self.started(job, 3)
            self.wait_for_checkpoint(job, 1, of_process)
            os.kill(pids[2], signal.SIGKILL)
            self.finish(job, LIMIT)
        self.assertEqual((job.returncode, self.out().count("right")), (0, 1), self.out() + self.err())
        self.assertIn("restart 1 of 2, from saved/", self.err())
        self.assertTrue(0 == self.begun()[0] < self.begun()[1], self.begun())
        self.assertLessEqual(len(list((self.folder / "host1").glob("*/manifest.json"))), 2)

    def test_what_is_lost_is_named(self):
        of_process = [0, 1, 2]
        with SwitchedHosts(3) as hosts:
            job = self.start_on(hosts, of_process, "--checkpoint-hosts", "xor", "--checkpoint-every", 20, steps=100)
            self.finish(job, LIMIT)
            for host in (1, 2):
                shutil.rmtree(self.folder / f"host{host}")
            job = self.start_on(hosts, of_process, "--checkpoint-hosts", "xor", "--restart", "saved")
            self.finish(job, LIMIT)
        self.assertEqual(job.returncode, 2, self.out() + self.err())
        self.assertIn("is lost, and cannot be rebuilt from the files of the other hosts", self.err())
        self.assertIn("the hosts have no whole checkpoint together", self.err())


if __name__ == "__main__":
    jobs.main()
