// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <imbrex/coro/entry_body.hpp>

namespace imbrex::mpi {

/// A wait that never ends. It names in reports a rank that has ended with the status 0 before MPI_Finalize.
class early_end final : public suspension {
 public:
  explicit early_end(int rank) : rank_(rank) {}
  std::string description() const override;
  awaited cause() const override { return {trace::wait_cause::other, 0}; }
  bool can_move() const override { return true; }

 private:
  int rank_;
};

/// Body of an entry that exists only to appear in reports.
struct early_end_entry {
  std::unique_ptr<early_end> wait;
};

}  // namespace imbrex::mpi

template <>
struct imbrex::entry_body<imbrex::mpi::early_end_entry> {
  using result = void;

  static void* release(mpi::early_end_entry&& entry) { return entry.wait.release(); }
  static bool start(void* body, scope& entry, const waiter& /*awaiter*/) {
    static_cast<mpi::early_end*>(body)->begin(entry);
    return false;
  }
  static std::exception_ptr take_error(void* /*body*/) { return {}; }
  static detail::storable<void> take_result(void* /*body*/) { return {}; }
  static void destroy(void* body) noexcept { delete static_cast<mpi::early_end*>(body); }
  static constexpr body_kind kind{&destroy, true};
};
