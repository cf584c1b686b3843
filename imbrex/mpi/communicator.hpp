// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/group.hpp>
#include <imbrex/mpi/object/info.hpp>
#include <imbrex/mpi/topology/cartesian.hpp>
#include <imbrex/mpi/topology/graph.hpp>

namespace imbrex::mpi {

/// Contexts separate what is sent for different purposes. A communicator has `contexts_each` of them that
/// follow each other. The first member of a new communicator chooses the number, which no other rank chooses,
/// and tells it the others.
using context_id = std::uint64_t;
inline constexpr context_id contexts_each = 16;
/// Each kind of function in which members wait for each other has its own: so members in different functions
/// wait, and a report says in which.
enum class purpose : std::uint8_t {
  point_to_point,
  collective,
  persistent,  ///< collectives that are begun again and again
  creation,    ///< communicators that some members make, who have agreed on a tag
  duplication,
  part,
  split,
  topology,
  connection,  ///< two groups
  merge,
  window,  ///< the begin of one
  end,     ///< the end of MPI, or of a window
};

class team;

/// What members, or the members of two groups, talk in. One object for each member.
class communicator final : public counted, public error_target {
 public:
  /// `rank`: the own one in `members`.
  communicator(int handle, context_id context, group members, int rank, ref<error_handler> handler);
  /// Between two groups. `local` is for collectives of the own one.
  communicator(int handle, context_id context, group members, int rank, group remote, ref<communicator> local,
               ref<error_handler> handler);
  ~communicator();

  /// Its name, or its handle.
  std::string description() const override;

  int rank() const { return rank_; }
  int size() const { return members_.size(); }
  const group& members() const { return members_; }
  bool is_inter() const { return static_cast<bool>(local_); }
  /// Of an intercommunicator the other group; else the members.
  const group& remote() const { return is_inter() ? remote_ : members_; }
  /// Of an intercommunicator, the communicator of the own group alone, which programs do not see; else null.
  communicator* local() const { return local_.get(); }

  context_id context(purpose of) const { return context_ + static_cast<context_id>(of); }
  /// Of one that was made without a number, before anything is sent in it; `local` is the number of the own
  /// group's communicator between two groups.
  void set_context(context_id number, context_id local) {
    context_ = number;
    if (local_) local_->context_ = local;
  }
  /// Numbers collectives, in the order in which all members begin them: their tags, from 0 to 2^30 - 1.
  int next_collective() { return static_cast<int>(collectives_++ & 0x3fffffffU); }
  int next_persistent() { return static_cast<int>(persistent_++ & 0x3fffffffU); }

  std::string name;
  attribute_set attributes;
  info hints;
  std::variant<std::monostate, cartesian, graph, adjacency> topology;

  // Of `team::of`: what its members do collectives in, how many they have done there.
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
};

}  // namespace imbrex::mpi
