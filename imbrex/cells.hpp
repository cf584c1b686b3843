// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements that move in a box that is cut into cells; with all that a program needs.
#include <imbrex/imbrex.hpp>

#include <imbrex/cells/accumulator.hpp>
#include <imbrex/cells/cell.hpp>
#include <imbrex/cells/cell_set.hpp>
#include <imbrex/cells/chunked_array.hpp>
#include <imbrex/cells/distributed_map.hpp>
#include <imbrex/cells/domain.hpp>
#include <imbrex/grid/boundaries.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/decomposition.hpp>
