// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

// Creation of communicators from others (MPI 3.1, sections 6.4.2 and 6.6.2). Each call is collective over the
// members that it names, waits for them, and throws mpi::error. Ranks outside of the new communicator get
// null. A new communicator inherits the error handler, and has no handle, name or attributes yet. `why`
// distinguishes the functions.

/// A communicator with the same members; it has no number until `begin_numbering` has ended.
ref<communicator> same_members(communicator& of);
/// The members of `of` agree on the number of `result`, a communicator with the same members.
ref<user_request> begin_numbering(rank_data& data, communicator& of, const ref<communicator>& result,
                                  purpose why);
ref<communicator> duplicate(rank_data& data, communicator& of, purpose why);

/// A communicator of some members, or, in an intercommunicator, of some of the own group. All members call
/// it; those of one part pass the same `part`.
ref<communicator> make_part(rank_data& data, communicator& of, const group& part, purpose why);
/// Like `make_part`, but only the members of `part` call it, with the same tag.
ref<communicator> make_part_alone(rank_data& data, communicator& of, const group& part, int tag);
/// A communicator of the members with the same colour, by ascending key; null for MPI_UNDEFINED.
ref<communicator> split(rank_data& data, communicator& of, int color, int key, purpose why);

/// An intercommunicator between the members of `local` and a remote group, whose leader has rank
/// `remote_leader` in `peer`. Both leaders use the same tag. `peer` and `remote_leader` are used only on the
/// leader.
ref<communicator> connect(rank_data& data, communicator& local, int leader, communicator* peer,
                          int remote_leader, int tag);
/// A communicator of both groups; the group with `is_high` false comes first.
ref<communicator> merge(rank_data& data, communicator& groups, bool is_high);

/// A tag derived from a text that the callers have agreed on.
int tag_of(const char* text);
/// The hints that this library supports; others are ignored (MPI 4.0, section 7.4.4).
info known_hints(rank_data& data, MPI_Info handle);

/// The ranks in `of` of a group's members; throws mpi::error (MPI_ERR_GROUP) if one is not in `of`.
std::vector<int> ranks_in(const communicator& of, const group& part);

}  // namespace imbrex::mpi
