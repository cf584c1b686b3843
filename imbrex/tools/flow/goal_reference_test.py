#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `imbrex simulate` with a plain model of LogGOPSim, on random schedules in GOAL.

The model has the rules of Hoefler, Schneider and Lumsdaine, "LogGOPSim" (2010), on lists and dictionaries. An event is
tried at its moment; if its processor or card is busy, it is tried again when that is free, in its old order. The
reference for both is the program LogGOPSim of its authors, with its simple network.

usage: goal_reference_test.py IMBREX [SEEDS]
"""
import heapq
import json
import pathlib
import random
import subprocess
import sys
import tempfile

KINDS = {"send": 1, "recv": 2, "calc": 3}


def times_of(ranks, operations, dependencies, p):
    """The ends of all ranks; operations are dictionaries, dependencies are (before, after, on_start)."""
    missing = [sum(1 for _, after, _ in dependencies if after == i) for i in range(len(operations))]
    cpu, sending, receiving = {}, {}, {}
    posted, unexpected = [[] for _ in range(ranks)], [[] for _ in range(ranks)]
    queue, order, free = [], 0, []

    def push(when, what, is_message=False):
        nonlocal order
        heapq.heappush(queue, (when, order, what, is_message))
        order += 1

    def tell(operation, on_start):
        for before, after, start in dependencies:
            if before == operation and start == on_start:
                missing[after] -= 1
                if missing[after] == 0:
                    free.append(after)

    def matches(sent, expected):
        return (expected["peer"] in (-1, sent["rank"])
                and (-1 in (expected["tag"], sent["tag"]) or expected["tag"] == sent["tag"]))

    def begin(is_first):
        free.sort(key=lambda i: (operations[i]["rank"], KINDS[operations[i]["kind"]]))
        for i in free:
            op = operations[i]
            when = 0 if is_first else cpu.get((op["rank"], op["cpu"]), 0)
            if op["kind"] == "send" and not is_first:
                when = max(when, sending.get((op["rank"], op["nic"]), 0))
            push(when, i)
        free.clear()

    def release_sender(now, sent, by):
        for clocks, part in ((cpu, by["cpu"]), (sending, by["nic"])):
            key = (operations[sent]["rank"], part)
            clocks[key] = max(clocks.get(key, 0), now)
        tell(sent, False)

    free.extend(i for i, count in enumerate(missing) if count == 0)
    begin(True)
    while queue:
        now, number, i, is_message = heapq.heappop(queue)
        op = operations[i]
        more = max(op["size"], 1) - 1
        host = op["peer"] if is_message else op["rank"]
        needed = [(cpu, (host, op["cpu"]))]
        if is_message:
            needed.append((receiving, (host, op["nic"])))
        elif op["kind"] == "send":
            needed.append((sending, (host, op["nic"])))
        elif op["kind"] == "recv":
            needed = []
        ready = max((clocks.get(key, 0) for clocks, key in needed), default=0)
        if ready > now:
            heapq.heappush(queue, (ready, number, i, is_message))
            continue
        if is_message:
            cpu[host, op["cpu"]] = now + p["o"] + max(more * p["O"], more * p["G"])
            receiving[host, op["nic"]] = now + p["g"] + more * p["G"]
            found = next((r for r in posted[host] if matches(op, operations[r])), None)
            if found is None:
                unexpected[host].append(i)
            else:
                posted[host].remove(found)
                if op["size"] > p["S"]:
                    release_sender(now, i, op)
                tell(found, False)
        elif op["kind"] == "calc":
            cpu[host, op["cpu"]] = now + op["size"]
            tell(i, True)
            tell(i, False)
        elif op["kind"] == "send":
            tell(i, True)
            cpu[host, op["cpu"]] = now + p["o"] + more * p["O"]
            sending[host, op["nic"]] = now + p["g"] + more * p["G"]
            push(now + p["o"] + p["L"], i, True)
            if op["size"] <= p["S"]:
                tell(i, False)
        else:
            tell(i, True)
            found = next((s for s in unexpected[host] if matches(operations[s], op)), None)
            if found is None:
                posted[host].append(i)
            else:
                unexpected[host].remove(found)
                if op["size"] > p["S"]:
                    release_sender(now, found, op)
                tell(i, False)
        begin(False)
    return [max([time for (rank, _), time in cpu.items() if rank == r], default=0) for r in range(ranks)]


def random_schedule(dice):
    """A schedule of rounds: each rank computes, sends to some ranks, and receives what others send."""
    ranks, rounds, cpus = dice.randint(1, 9), dice.randint(1, 6), dice.choice((1, 1, 2))
    by_rank = [[] for _ in range(ranks)]
    needs = [[] for _ in range(ranks)]
    for number in range(rounds):
        messages = [(a, b, dice.choice((1, 8, 1000, 70000))) for a in range(ranks) for b in range(ranks)
                    if a != b and dice.random() < 0.4]
        for r in range(ranks):
            first = len(by_rank[r])
            places = {"cpu": dice.randrange(cpus), "nic": 0}
            by_rank[r].append({"kind": "calc", "size": dice.randint(0, 9000), "peer": 0, "tag": 0, **places})
            for a, b, size in messages:
                any_tag = -1 if dice.random() < 0.1 else number
                if a == r:
                    by_rank[r].append({"kind": "send", "size": size, "peer": b, "tag": number, **places})
                if b == r:
                    by_rank[r].append({"kind": "recv", "size": size, "peer": a, "tag": any_tag, **places})
            for i in range(first + 1, len(by_rank[r])):
                if by_rank[r][i]["kind"] == "send":
                    needs[r].append((first, i, dice.random() < 0.2))
            if first > 0:
                needs[r].extend((i, first, False) for i in range(first) if dice.random() < 0.5)
    return ranks, by_rank, needs


def text_of(ranks, by_rank, needs):
    lines = [f"num_ranks {ranks}"]
    for r in range(ranks):
        lines.append(f"rank {r} {{")
        for i, op in enumerate(by_rank[r]):
            if op["kind"] == "calc":
                lines.append(f"l{i}: calc {op['size']} cpu {op['cpu']}")
            else:
                way = "to" if op["kind"] == "send" else "from"
                lines.append(f"l{i}: {op['kind']} {op['size']}b {way} {op['peer']} tag {op['tag']} cpu {op['cpu']}"
                             f" nic {op['nic']}")
        lines += [f"l{after} {'irequires' if start else 'requires'} l{before}" for before, after, start in needs[r]]
        lines.append("}")
    return "\n".join(lines) + "\n"


def main():
    imbrex, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "a.goal"
        for seed in range(seeds):
            dice = random.Random(seed)
            ranks, by_rank, needs = random_schedule(dice)
            parameters = {"L": dice.choice((100, 2500)), "o": dice.choice((0, 300, 1500)), "g": dice.randint(0, 2000),
                          "G": dice.choice((0, 1, 6)), "O": dice.choice((0, 0, 2, 9)),
                          "S": dice.choice((0, 999, 65535))}
            file.write_text(text_of(ranks, by_rank, needs))
            firsts = [sum(len(all_of) for all_of in by_rank[:r]) for r in range(ranks)]
            operations = [{**op, "rank": r} for r in range(ranks) for op in by_rank[r]]
            dependencies = [(firsts[r] + a, firsts[r] + b, s) for r in range(ranks) for a, b, s in needs[r]]
            expected = times_of(ranks, operations, dependencies, parameters)
            words = [imbrex, "simulate", "--json", "--loggops", ",".join(f"{k}={v}" for k, v in parameters.items()),
                     str(file)]
            ran = subprocess.run(words, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                sys.exit(f"seed {seed}: {ran.stderr}")
            found = json.loads(ran.stdout)["ranks"]
            if found != expected:
                sys.exit(f"seed {seed}, {parameters}: expected {expected}, found {found}")
    print(f"goal: {seeds} schedules have the times of the reference")


if __name__ == "__main__":
    main()
