# SPDX-License-Identifier: Apache-2.0
"""Comparisons of a result with what a paper says."""
import dataclasses

# A factor of a best time may be called the best within this part of it.
BEST = 0.03


@dataclasses.dataclass
class Point:
    """One comparison: where it is made, our result as text, and whether it agrees with the paper."""

    where: str
    ours: str
    holds: bool


def near(value, target, part):
    return abs(value / target - 1) <= part


def within(value, low=float("-inf"), high=float("inf"), part=0.0):
    """True if the value is between both, or outside by no more than that part of the nearer one."""
    return low - abs(low) * part <= value <= high + abs(high) * part


def is_best(times, factor, part=BEST):
    """True if the time of this factor is the least, or nearly."""
    return factor in times and times[factor] <= min(times.values()) * (1 + part)


def in_order(values, part=0.005):
    """True if none is greater than the one before by more than that part."""
    return all(later <= earlier * (1 + part) for earlier, later in zip(values, values[1:]))


def spans(values, low, high, part):
    """True if the least and the greatest value are near both ends of a range."""
    return near(min(values), low, part) and near(max(values), high, part)


def in_units(times):
    """Times in microseconds by name, as text."""
    longest = max(times.values())
    scale, unit = (1e3, "ms") if longest >= 1e4 else (1, "us")
    return ", ".join(f"{name}: {time / scale:.4g}" for name, time in times.items()) + f" {unit}"


def best_point(where, times, factor):
    """The claim that `factor` is best, of times in microseconds by factor."""
    return Point(where, f"{min(times, key=times.get)} ({in_units(times)})", is_best(times, factor))
