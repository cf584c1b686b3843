// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/mpi/collective/schedule.hpp>
#include <imbrex/mpi/file/access.hpp>
#include <imbrex/mpi/file/file.hpp>

namespace imbrex::mpi {

/// Order of a collective access: at each rank's own place, or one rank after the other from the shared
/// pointer on, in the order of ranks.
enum class access_order : std::uint8_t { own_places, by_ranks };

/// A read or write of all ranks of a file (MPI 3.1, section 13.4). It proceeds while the ranks compute: PEs
/// exchange data, and their workers wait for the file system.
///
/// If the ranks' data lie in each other's gaps, aggregators, one a host, move them in long runs
/// (`two_phase`). Otherwise each rank moves its own data.
class collective_access final : public schedule {
 public:
  /// `position`: in bytes of the view; not used `by_ranks`. Throws mpi::error as `file_access` does.
  collective_access(const ref<file>& of, std::int64_t position, const user_buffer& memory,
                    access_direction direction, access_order order);

  int outcome(MPI_Status& status) override;
  ref<file_object> file_of_errors() const override { return ref<file_object>(of_.get()); }
  std::string reason() const override { return result_.failure ? result_.failure->what() : ""; }
  const access_outcome& result() const { return result_; }

 private:
  plan run();
  plan find_place();
  plan move_alone();

  ref<file> of_;
  std::int64_t position_;
  user_buffer memory_;
  access_direction direction_;
  access_order order_;
  access_outcome result_;
};

}  // namespace imbrex::mpi
