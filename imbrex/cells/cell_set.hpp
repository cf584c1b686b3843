// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cell set: elements with positions, in cells that are partitioned into blocks.
#include <imbrex/cells/copies.hpp>
#include <imbrex/cells/declaration.hpp>
#include <imbrex/cells/moves.hpp>
#include <imbrex/cells/visits.hpp>
