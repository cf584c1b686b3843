// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/coro/task.hpp>

/// How the faces of blocks come to their neighbours: by a mailbox and what a program writes by itself for
/// that, or by a halo.
enum class way_of_faces { by_hand, by_halo };

/// Exchanges so many faces of 16 x 16 numbers, of blocks of 16^3 in a cube of eight without ends; a multiple
/// of 48. Returns how many.
imbrex::task<std::int64_t> exchange_faces(way_of_faces way, std::int64_t times);
