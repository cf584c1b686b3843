# SPDX-License-Identifier: Apache-2.0
"""The balancers of Charm++ by their names."""

import sys

from imbrex import _core

#: The strategies of imbrex that stand for the balancers of Charm++. Messages are not measured, so that balancers that
#: look at them have a strategy that looks at the indices.
_STRATEGIES = {
    "auto": ("CentralLB", "HybridLB", "MetaLB", "TreeLB"),
    "bisect": ("GraphPartLB", "MetisLB", "OrbLB", "RecBipartLB", "RecBisectBfLB", "ScotchLB", "ScotchRefineLB",
               "ZoltanLB"),
    "gossip": ("DistributedLB", "NeighborCommLB", "NeighborLB", "WSLB"),
    "greedy": ("GreedyAgentLB", "GreedyCommLB", "GreedyLB"),
    "none": ("DummyLB", "NullLB"),
    "random": ("RandCentLB", "RandRefLB", "RandomLB"),
    "refine": ("CommAwareRefineLB", "GreedyRefineLB", "RefineCommLB", "RefineKLB", "RefineLB", "RefineSwapLB"),
    "rotate": ("RotateLB",),
}
_BY_BALANCER = {balancer: strategy for strategy, all in _STRATEGIES.items() for balancer in all}


def strategy_of(name):
    """The strategy for a balancer of Charm++ or of imbrex. Ends the program if there is none of that name."""
    if name in _BY_BALANCER:
        return _BY_BALANCER[name]
    strategies = _core.strategy_names()
    if name in strategies:
        return name
    given = "+balancer" if name is None else f"+balancer {name}"
    print(f"imbrex: error: {given}: name a balancer of Charm++ ({', '.join(sorted(_BY_BALANCER))}) or a strategy of "
          f"imbrex ({', '.join(strategies)})", file=sys.stderr)
    sys.exit(2)
