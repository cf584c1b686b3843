# SPDX-License-Identifier: Apache-2.0
"""What papers say, and what is drawn."""
import dataclasses


@dataclasses.dataclass
class Claim:
    """What the paper says, what we have, whether that is the same, and `why` not, as far as one can guess."""

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
