// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/coro/entry_body.hpp>
#include <imbrex/mpi/rank/early_end.hpp>
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

  rank() : mpi::rank(where()[0]) {}
  /// Begins the rank's code, or continues it in another process.
  rank_entry run() {
    make_code();
    return {this};
  }
  early_end_entry tell_early_end() { return {std::make_unique<early_end>(number())}; }
  std::optional<double> expected_load() const { return own_load; }
  /// Within a process, ranks move as objects. An archive that describes the class sees nothing.
  void serialize(auto& ar) {
    using archive = std::remove_cvref_t<decltype(ar)>;
    if constexpr (std::is_same_v<archive, writer> || std::is_same_v<archive, reader>) way.archive(ar);
  }
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
