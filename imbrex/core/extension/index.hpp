// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of elements in dense arrays, and their order in bricks.

#include <imbrex/core/name/bricks.hpp>
#include <imbrex/core/name/index.hpp>

namespace imbrex::extension {

/// `linear(shape, i)`: the number of index `i` in an array of that shape. The last dimension varies fastest.
/// `i` must lie within the shape.
using detail::linear;
/// `from_linear(shape, number)`: the inverse of `linear`.
using detail::from_linear;

/// `lengths_of_bricks(shape, pes, node_starts)`: the bricks in which `imbrex::in_bricks` places an array of
/// two or three dimensions. Each node has about one.
using detail::lengths_of_bricks;
/// `order_of_bricks(shape, lengths)`: the number of each element in the order of the bricks. PEs have equal,
/// consecutive parts of that order.
using detail::order_of_bricks;

}  // namespace imbrex::extension
