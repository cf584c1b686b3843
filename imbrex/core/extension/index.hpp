// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of elements in dense arrays.

#include <imbrex/core/name/index.hpp>

namespace imbrex::extension {

/// `linear(shape, i)`: the number of index `i` in an array of that shape. The last dimension varies fastest.
/// `i` must lie within the shape.
using detail::linear;
/// `from_linear(shape, number)`: the inverse of `linear`.
using detail::from_linear;

}  // namespace imbrex::extension
