// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance::detail {

// The library's strategies, each in the file of its name; `none`, `scatter` and `rotate` in trivial.cpp.

/// Leaves objects where they are.
std::vector<int> none(const problem& p);
/// `segments`, or `curve` where the segments have become scattered.
std::vector<int> automatic(const problem& p);
/// Overloaded PEs give away runs of their objects along the curve.
std::vector<int> segments(const problem& p);
/// Cuts the curve into parts of equal load, and names them so that most objects stay.
std::vector<int> curve(const problem& p);
/// Halves the objects by coordinates again and again, and names the parts so that most objects stay.
std::vector<int> bisect(const problem& p);
/// Parts the graph of objects by METIS, and names the parts so that most objects stay.
std::vector<int> graph(const problem& p);
/// Moves few objects from overloaded PEs to the least loaded ones.
std::vector<int> refine(const problem& p);
/// Gives the heaviest objects first, each to the least loaded PE.
std::vector<int> greedy(const problem& p);
/// Overloaded PEs give objects to PEs of which a rumour has reached them.
std::vector<int> gossip(const problem& p);
/// Moves each object to a random PE.
std::vector<int> scatter(const problem& p);
/// Moves each object to the next PE.
std::vector<int> rotate(const problem& p);

}  // namespace imbrex::balance::detail
