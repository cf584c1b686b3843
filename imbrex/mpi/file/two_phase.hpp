// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/mpi/collective/schedule.hpp>
#include <imbrex/mpi/file/access.hpp>
#include <imbrex/mpi/file/file.hpp>
#include <imbrex/mpi/file/piece_list.hpp>

namespace imbrex::mpi {

/// The part of a file that a rank moves in a collective access, as all ranks know it.
struct rank_extent {
  std::int64_t first = 0;
  std::int64_t end = 0;  ///< behind the last byte; `first` if there is none
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;
  std::int64_t file_size = 0;

  bool empty() const { return bytes == 0; }
};

/// Whether the ranks' data are to go through aggregators: they lie in each other's gaps, in short pieces, or
/// the file's hints say so.
bool needs_aggregators(const file& of, const std::vector<rank_extent>& all, access_direction direction);

/// The two-phase access (Thakur, Gropp, Lusk: Data sieving and collective I/O in ROMIO, 1999). Aggregators
/// divide the range that all ranks access. Each moves its part in windows: data go to it from all ranks, or
/// from it, while its worker writes the window before, or reads the one behind. Arguments live until the plan
/// ends; `packed` are the rank's data in the order of positions.
plan move_by_aggregators(schedule& s, file& of, const std::vector<rank_extent>& all, const piece_list& own,
                         const user_buffer& packed, access_direction direction, access_outcome& result);

}  // namespace imbrex::mpi
