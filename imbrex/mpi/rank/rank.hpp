// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/coro/entry_body.hpp>
#include <imbrex/mpi/rank/early_end.hpp>
#include <imbrex/mpi/rank/rank_ends.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>

namespace imbrex::mpi {

/// Result of a rank's entry: the rest of the entry runs on the rank's stack.
struct rank_entry {
  rank* runs;
};

namespace chares {

/// The chare behind a rank, with a single entry. Reports show its short name, "rank".
class rank final : public chare<rank>, public mpi::rank {
 public:
  static constexpr auto moves_with_entries = &program::is_current_migratable;

  /// `ends_of_all`: gets the exit status of a rank that may end in another process than it began in.
  explicit rank(const std::optional<imbrex::element<rank_ends>>& ends_of_all = {})
      : mpi::rank(where()[0]), ends(ends_of_all) {}
  /// Begins the rank's code, or continues it in another process.
  rank_entry run() {
    make_code();
    return {this};
  }
  early_end_entry tell_early_end() { return {std::make_unique<early_end>(number())}; }
  std::optional<double> expected_load() const { return own_load; }
  /// Within a process, ranks move as objects.
  void serialize(auto& ar) {
    ar(ends);
    way.archive(ar);
  }

  std::optional<imbrex::element<rank_ends>> ends;
};

}  // namespace chares

using rank_chare = chares::rank;

inline rank_chare& chare_of(rank& r) { return static_cast<rank_chare&>(r); }
/// The ranks of the running PE; `r` is one of them.
inline extension::local_elements<rank_chare> ranks_beside(const rank& r) {
  return extension::local_elements<rank_chare>(static_cast<const rank_chare&>(r));
}

}  // namespace imbrex::mpi

template <>
struct imbrex::entry_body<imbrex::mpi::rank_entry> {
  using result = int;

  static void* release(mpi::rank_entry&& entry) { return entry.runs; }
  static bool start(void* body, scope& entry, const waiter& awaiter) {
    return of(body).start(entry, awaiter);
  }
  static std::exception_ptr take_error(void* body) { return of(body).take_error(); }
  static int take_result(void* body) { return of(body).status(); }
  static void destroy(void* body) noexcept { of(body).leave_entry(); }
  static constexpr body_kind kind{&destroy, true};

 private:
  static mpi::rank& of(void* body) { return *static_cast<mpi::rank*>(body); }
};
