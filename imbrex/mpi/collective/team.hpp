// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/communicator.hpp>
#include <imbrex/mpi/operation/operation.hpp>
#include <imbrex/mpi/rank/rank_interface.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// The caller of a collective of a team.
struct team_member {
  communicator& in;
  rank& self;
};

/// Members of a communicator that all live in this process and run collectives through its memory. Each
/// member registers its data and waits. The last arrival of each PE combines that PE's data. The last arrival
/// of all combines the PEs' results and releases everyone, by one message to each other PE. A member enters
/// the next collective only after it has taken its result, so two sets of slots are enough.
///
/// Either all members use a team or no member does: the choice depends only on where they began and on the
/// machine.
class team {
 public:
  /// The team of a communicator's members. Null if there is only one member, if they live in several
  /// processes, or if messages between PEs are observed or reordered. The first call is O(members + log
  /// teams), others are O(1).
  static team* of(communicator& in, rank& self);

  // Each function is one collective; it returns when the member has its result.
  void barrier(team_member by);
  /// Reduces to `root`, or to all if `root` is `everybody`. Takes at least one element of a basic type,
  /// combined in the order of slots; that is rank order if `is_ordered`. Throws mpi::error (MPI_ERR_COUNT) if
  /// the members' counts differ.
  void reduce(team_member by, int root, const user_buffer& send, const user_buffer& receive,
              const operation& op);
  static constexpr int everybody = -1;
  /// Whether the ranks of each PE follow those of the PE before.
  bool is_ordered() const { return is_ordered_; }

  /// Whether `blocks` blocks of `bytes` bytes each are few enough to go through shared memory.
  bool takes(std::int64_t bytes, std::size_t blocks) const {
    return bytes <= most_left / static_cast<std::int64_t>(blocks);
  }
  // For blocks that `takes` accepts. Throws mpi::error (MPI_ERR_TRUNCATE) if more data arrive than the buffer
  // holds.
  void broadcast(team_member by, int root, const user_buffer& data);
  void gather(team_member by, int root, const user_buffer& send, const block_list& receive, bool is_in_place);
  void scatter(team_member by, int root, const block_list& send, const user_buffer& receive,
               bool is_in_place);
  void all_gather(team_member by, const user_buffer& send, const block_list& receive, bool is_in_place);
  void all_to_all(team_member by, const block_list& send, const block_list& receive);

 private:
  struct slot {
    const void* data = nullptr;
    std::int64_t bytes = 0;
    request* waits = nullptr;
    int rank = 0;  ///< rank in MPI_COMM_WORLD
  };
  /// The members that began on one PE.
  struct share {
    std::mutex mutex;
    std::array<int, 2> arrived{};
    std::size_t first = 0;  ///< index of their first slot
    std::size_t count = 0;
    std::array<std::vector<std::byte>, 2> values;
  };
  static constexpr std::int64_t most_left = 1 << 18;
  struct set {
    std::vector<slot> slots;            ///< ordered by share, then by rank
    std::size_t arrived = 0;            ///< number of complete shares
    std::unique_ptr<std::byte[]> left;  ///< blocks, at equal distances
    bool is_uneven = false;             ///< members' values differ in size
  };

  team(const communicator& of, const rank& self);

  template <class CombineShare, class CombineAll>
  void meet(team_member by, const void* data, std::int64_t bytes, CombineShare combine_share,
            CombineAll combine_all);
  /// Blocks that members pass to each other in one collective.
  class blocks {
   public:
    blocks(team& of, const communicator& in, std::size_t number);
    /// The address of a block.
    std::byte* at(std::size_t i) const { return now_.left.get() + i * distance_; }
    void leave(std::size_t i, const user_buffer& data) const;
    /// Copies the block that member `from` has left at `i`.
    void take(std::size_t i, int from, const user_buffer& data) const;

   private:
    team& of_;
    set& now_;
    std::size_t distance_;
  };
  /// Waits for all members, with nothing to combine.
  void bring(team_member by, std::int64_t bytes);
  void release_all(rank& by, unsigned number);
  void release_share(rank& by, std::size_t number, unsigned set_number);

  bool is_ordered_ = true;  ///< ranks ascend through all slots
  std::vector<std::size_t> slot_of_;
  std::vector<std::size_t> share_of_;
  std::vector<std::unique_ptr<share>> shares_;
  std::mutex mutex_;
  std::array<set, 2> sets_;
};

}  // namespace imbrex::mpi
