# SPDX-License-Identifier: Apache-2.0
"""A token goes round a ring of stations.  usage: ring.py [STATIONS [LAPS]]"""
import sys

import imbrex as ix


class Station(ix.Chare):
    token = ix.Mailbox[int]()

    @ix.entry
    async def pass_on(self, laps: int) -> int:
        following = self.peers[(self.where + 1) % len(self.peers)]
        visits = 0
        for lap in range(laps):
            visits = await self.token.receive(lap)
            last = self.where == len(self.peers) - 1
            if not (last and lap == laps - 1):
                following.token.send(lap + last, visits + 1)
        return visits + 1


async def main():
    stations, laps = (int(word) for word in (sys.argv[1:] + ["20", "10"][len(sys.argv) - 1:]))
    ring = ix.array(Station, stations)
    ring[0].token.send(0, 0)
    visits = await ring.pass_on.reduce(ix.max, laps)
    print(f"the token came to a station {visits} times")


ix.run(main)
