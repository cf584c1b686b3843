// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/coro/task.hpp>

/// The way faces reach neighbouring blocks: by a mailbox and a program's own code, or by a halo.
enum class way_of_faces { by_hand, by_halo };

/// Exchanges `times` faces of 16 x 16 numbers, a multiple of 48, between blocks of 16^3 in a periodic cube of
/// eight. Returns the number of faces.
imbrex::task<std::int64_t> exchange_faces(way_of_faces way, std::int64_t times);
