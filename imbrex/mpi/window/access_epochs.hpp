// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/mpi/object/group.hpp>
#include <imbrex/mpi/window/access_completion.hpp>
#include <imbrex/mpi/window/exposure.hpp>
#include <imbrex/mpi/window/window_link.hpp>

namespace imbrex::mpi {

/// When a rank may access a window, and when its accesses are done (MPI 3.1, section 11.5). The functions of
/// MPI throw mpi::error (MPI_ERR_RMA_SYNC) if the present epoch does not allow the call.
class access_epochs {
 public:
  access_epochs(window_link& link, access_completion& accesses, const exposure& memory)
      : link_(link), accesses_(accesses), memory_(memory) {}

  void fence(int assertion);
  void post(const group& origins, int assertion);
  void start(const group& targets, int assertion);
  void complete();
  void wait();
  bool test();
  void lock(int type, int target, int assertion);
  void unlock(int target);
  void lock_all(int assertion);
  void unlock_all();
  void flush(int target);
  void flush_all();
  void flush_local(int target);
  void flush_local_all();
  void sync();
  /// Throws if the window is exposed or an epoch other than a fence's is open.
  void require_unused() const;

  /// The target, checked to be accessible in the present epoch. Throws mpi::error.
  window_target& accessible(int rank);

  // Called for packets of other ranks.
  void note_lock(int rank);
  void note_post(int rank);
  void note_end();

 private:
  enum class epoch : std::uint8_t { none, fence, start, lock, lock_all };

  void begin_access(epoch next, const char* function);
  int rank_in_window(const group& members, int i) const;
  void ask_for_lock(int rank, bool is_exclusive);
  void await_lock(int rank);
  void release(int rank);
  void require_passive(int rank, const char* function);
  void end_exposure();

  window_link& link_;
  access_completion& accesses_;
  const exposure& memory_;
  epoch access_ = epoch::none;
  bool has_accessed_ = false;       ///< an access was made since the last fence
  int locks_held_ = 0;              ///< locks of single targets
  bool is_unchecked_ = false;       ///< `lock_all` was called with MPI_MODE_NOCHECK
  std::vector<int> locked_;         ///< targets that the rank has really locked under `lock_all`
  std::vector<int> started_;        ///< targets of the last `start`
  bool is_exposed_ = false;         ///< to the origins that `post` has named
  std::uint32_t ends_awaited_ = 0;  ///< number of origins that `post` has named
  std::uint32_t ends_ = 0;
};

}  // namespace imbrex::mpi
