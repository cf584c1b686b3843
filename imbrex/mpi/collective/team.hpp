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
#include <imbrex/mpi/rank.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// The members of a communicator that all live in this process, as they do collectives in its memory: each
/// says what it brings and waits; the last of those that began on the same PE combines what these bring; the
/// last of all combines what the PEs bring and lets all go on, by one message to each other PE. A member
/// enters the next collective when it has taken what it gets from this one, so two sets of everything are
/// enough.
///
/// All members do so or none: it depends on where they began and on the machine alone.
class team {
 public:
  /// The team of a communicator's members; null if there is only one, if they live in several processes, or
  /// if what PEs tell each other travels as messages that others see or reorder. The first call is
  /// O(members + log teams), others O(1).
  static team* of(communicator& in, rank& self);

  // Each is one collective of a member: it returns when the member has what it gets.
  void barrier(communicator& in, rank& self);
  /// To `root`, or to all if it is `everybody`: elements of a basic type, at least one, in the order of
  /// slots, which is that of ranks if `is_ordered`. Throws mpi::error (MPI_ERR_COUNT) if members have
  /// different numbers of them.
  void reduce(communicator& in, rank& self, int root, const user_buffer& send, const user_buffer& receive,
              const operation& op);
  static constexpr int everybody = -1;
  /// Whether the members of each PE follow those of the one before.
  bool is_ordered() const { return is_ordered_; }

  /// Whether members may leave `blocks` blocks of so many bytes for each other in memory: not too many.
  bool takes(std::int64_t bytes, std::size_t blocks) const {
    return bytes <= most_left / static_cast<std::int64_t>(blocks);
  }
  // Blocks that `takes` takes. Throws mpi::error (MPI_ERR_TRUNCATE) if more comes than there is room for.
  void broadcast(communicator& in, rank& self, int root, const user_buffer& data);
  void gather(communicator& in, rank& self, int root, const user_buffer& send, const block_list& receive,
              bool is_in_place);
  void scatter(communicator& in, rank& self, int root, const block_list& send, const user_buffer& receive,
               bool is_in_place);
  void all_gather(communicator& in, rank& self, const user_buffer& send, const block_list& receive,
                  bool is_in_place);
  void all_to_all(communicator& in, rank& self, const block_list& send, const block_list& receive);

 private:
  struct slot {
    const void* data = nullptr;
    std::int64_t bytes = 0;
    request* waits = nullptr;
    int rank = 0;  ///< among all
  };
  /// The members that began on one PE.
  struct share {
    std::mutex door;
    std::array<int, 2> arrived{};
    std::size_t first = 0;  ///< of their slots
    std::size_t count = 0;
    std::array<std::vector<std::byte>, 2> values;
  };
  static constexpr std::int64_t most_left = 1 << 18;
  struct set {
    std::vector<slot> slots;            ///< by shares, in each by ranks
    std::size_t arrived = 0;            ///< shares
    std::unique_ptr<std::byte[]> left;  ///< blocks, at regular distances
    bool is_uneven = false;             ///< members have brought values of different sizes
  };

  team(const communicator& of, const rank& self);

  template <class CombineShare, class CombineAll>
  void meet(communicator& in, rank& self, const void* data, std::int64_t bytes, CombineShare combine_share,
            CombineAll combine_all);
  /// Blocks that members leave for each other in one collective.
  class blocks {
   public:
    blocks(team& of, const communicator& in, std::size_t number);
    /// The place of one, as bytes.
    std::byte* at(std::size_t i) const { return now_.left.get() + i * distance_; }
    void leave(std::size_t i, const user_buffer& data) const;
    /// Takes what a member has left.
    void take(std::size_t i, int from, const user_buffer& data) const;

   private:
    team& of_;
    set& now_;
    std::size_t distance_;
  };
  /// Waits for all others, with nothing to combine.
  void bring(communicator& in, rank& self, std::int64_t bytes);
  void release_all(rank& by, unsigned number);
  void release_share(rank& by, std::size_t number, unsigned set_number);

  bool is_ordered_ = true;  ///< ranks ascend through all slots
  std::vector<std::size_t> slot_of_;
  std::vector<std::size_t> share_of_;
  std::vector<std::unique_ptr<share>> shares_;
  std::mutex door_;
  std::array<set, 2> sets_;
};

}  // namespace imbrex::mpi
