// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/include/mpi.h>

namespace imbrex::mpi {

/// The length in bytes that a status holds, 0 to 2^62 - 1. As in MPICH's layout, the lowest bit of the second
/// word marks cancellation.
inline std::int64_t bytes_of(const MPI_Status& s) {
  return std::int64_t(std::uint64_t(std::uint32_t(s.count_hi_and_cancelled) >> 1) << 32 |
                      std::uint32_t(s.count_lo));
}
inline void set_bytes(MPI_Status& s, std::int64_t bytes) {
  s.count_lo = int(std::uint32_t(bytes));
  s.count_hi_and_cancelled =
      int(std::uint32_t(std::uint64_t(bytes) >> 32) << 1 | (std::uint32_t(s.count_hi_and_cancelled) & 1));
}
inline bool is_cancelled(const MPI_Status& s) { return s.count_hi_and_cancelled & 1; }
inline void set_cancelled(MPI_Status& s, bool flag) {
  s.count_hi_and_cancelled = (s.count_hi_and_cancelled & ~1) | int(flag);
}

/// Makes an empty status, as of an inactive request: any source and tag, nothing received.
inline void set_empty(MPI_Status& s) {
  s.MPI_SOURCE = MPI_ANY_SOURCE;
  s.MPI_TAG = MPI_ANY_TAG;
  s.MPI_ERROR = MPI_SUCCESS;
  s.count_lo = 0;
  s.count_hi_and_cancelled = 0;
}

}  // namespace imbrex::mpi
