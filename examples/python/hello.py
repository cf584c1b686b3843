# SPDX-License-Identifier: Apache-2.0
"""Eight chares, spread over the processes, greet.  usage: hello.py"""
import imbrex as ix


class Greeter(ix.Chare):
    def __init__(self, word):
        self.word = word

    @ix.entry
    def greet(self, name):
        return f"{self.word} {name} from chare {self.where} on PE {ix.pe()}"


async def main():
    greeters = ix.array(Greeter, 8, "hello")
    for line in await greeters.greet.reduce(ix.gather, "world"):
        print(line)


ix.run(main)
