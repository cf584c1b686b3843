# SPDX-License-Identifier: Apache-2.0
"""Claims of papers, and drawings."""
import dataclasses


@dataclasses.dataclass
class Claim:
    """The claim of the paper, our result, whether both agree, and `why` not, as a guess."""

    name: str
    says: str
    ours: str
    holds: bool
    why: str = ""


@dataclasses.dataclass
class Chart:
    name: str
    title: str
    x_label: str
    y_label: str
    lines: dict


def near(value, target, part):
    return abs(value / target - 1) <= part
