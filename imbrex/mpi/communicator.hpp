// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/group.hpp>
#include <imbrex/mpi/object/info.hpp>
#include <imbrex/mpi/topology/cartesian.hpp>
#include <imbrex/mpi/topology/graph.hpp>

namespace imbrex::mpi {

/// Contexts separate messages of different purposes. A communicator has `contexts_each` consecutive ones. The
/// first member of a new communicator chooses a number that no other rank chooses, and sends it to the
/// others.
using context_id = std::uint64_t;
inline constexpr context_id contexts_each = 16;
/// Purpose of a context. Each kind of function that waits for other members has a context of its own. Members
/// that are in different functions therefore wait, and a report names the functions.
enum class purpose : std::uint8_t {
  point_to_point,
  collective,
  persistent,  ///< collectives that are started repeatedly
  creation,    ///< communicators of some members that have agreed on a tag
  duplication,
  part,
  split,
  topology,
  connection,  ///< joining two groups
  merge,
  window,  ///< creation of a window
  end,     ///< end of MPI, or of a window
  checkpoint,
  introduction,  ///< senders of partitioned communication name their tags
  partition,
  file,  ///< opening of a file
};

class object_reader;
class object_writer;
class team;

/// Communication domain of the members of one group, or of two. Each member has an object.
class communicator final : public counted, public error_target {
 public:
  /// `rank`: the owner's rank in `members`.
  communicator(int handle, context_id context, group members, int rank, ref<error_handler> handler);
  /// Intercommunicator between two groups. `local` serves collectives of the own group.
  communicator(int handle, context_id context, group members, int rank, group remote, ref<communicator> local,
               ref<error_handler> handler);
  ~communicator();

  /// The communicator's name, or its handle.
  std::string description() const override;

  int rank() const { return rank_; }
  int size() const { return members_.size(); }
  const group& members() const { return members_; }
  bool is_inter() const { return static_cast<bool>(local_); }
  /// The other group of an intercommunicator; else the members.
  const group& remote() const { return is_inter() ? remote_ : members_; }
  /// An intercommunicator's internal communicator of the own group, hidden from programs; else null.
  communicator* local() const { return local_.get(); }

  context_id context(purpose of) const { return context_ + static_cast<context_id>(of); }
  /// Sets the number of a communicator made without one, before anything is sent in it. `local` is the number
  /// of an intercommunicator's `local()` communicator.
  void set_context(context_id number, context_id local) {
    context_ = number;
    if (local_) local_->context_ = local;
  }
  /// Tags of collectives, in the order in which all members begin them: 0 to 2^30 - 1.
  int next_collective() { return static_cast<int>(collectives_++ & 0x3fffffffU); }
  int next_persistent() { return static_cast<int>(persistent_++ & 0x3fffffffU); }

  /// The first of consecutive tags, 0 to 2^30 - 1, for the partitions of a new send.
  int next_partitions(int count) {
    constexpr int most = 0x3fffffff;
    if (partitions_ > most - count) partitions_ = 0;
    return std::exchange(partitions_, partitions_ + count);
  }

  /// For ranks that leave their process.
  void write(object_writer& to) const;
  static ref<communicator> read(object_reader& from);

  std::string name;
  attribute_set attributes;
  info hints;
  std::variant<std::monostate, cartesian, graph, adjacency> topology;

  // Used by `team::of`: the shared team of the members, and the number of collectives done there.
  bool knows_team = false;
  std::shared_ptr<team> its_team;
  unsigned meetings = 0;

 private:
  context_id context_;
  group members_;
  int rank_;
  group remote_;
  ref<communicator> local_;
  std::uint32_t collectives_ = 0;
  std::uint32_t persistent_ = 0;
  int partitions_ = 0;
};

}  // namespace imbrex::mpi
