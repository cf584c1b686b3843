# SPDX-License-Identifier: Apache-2.0
"""Which function measures a claim, and which one draws a figure."""
import dataclasses

MEASURES = {}
CHARTS = []


@dataclasses.dataclass
class Chart:
    """Our lines of a figure, {name: {x: y}}, and the points that the paper's text gives, {name: {x: y}}."""

    name: str
    title: str
    x_label: str
    y_label: str
    lines: dict
    paper: dict = dataclasses.field(default_factory=dict)


def measures(*ids):
    """Marks a function of a machine and a claim that returns points."""
    def mark(function):
        for each in ids:
            MEASURES[each] = function
        return function
    return mark


def draws(machine):
    """Marks a function of a machine that returns charts."""
    def mark(function):
        CHARTS.append((machine, function))
        return function
    return mark
