// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fields on grids that are cut into blocks, whose ghost cells are exchanged; with all that a program needs.
#include <imbrex/imbrex.hpp>

#include <imbrex/grid/boundaries.hpp>
#include <imbrex/grid/box.hpp>
#include <imbrex/grid/decomposition.hpp>
#include <imbrex/grid/field.hpp>
#include <imbrex/grid/halo.hpp>
