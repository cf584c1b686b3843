// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

// Communicators out of others (MPI 3.1, sections 6.4.2 and 6.6.2). Each call is one of all members that it
// names, waits for the others, and throws mpi::error. Who is no member of what is made gets null. What is
// made has the error handler of what it is made of, and no handle, name or attributes yet. `why` tells the
// functions apart.

/// With the same members; its number is missing until `begin_numbering` has ended.
ref<communicator> same_members(communicator& of);
/// The members of `of` agree on the number of a communicator with the same ones.
ref<user_request> begin_numbering(rank_data& data, communicator& of, const ref<communicator>& made,
                                  purpose why);
ref<communicator> duplicate(rank_data& data, communicator& of, purpose why);

/// A part of the members, or, between two groups, of the own group. All members call it; those of one part
/// with the same.
ref<communicator> make_part(rank_data& data, communicator& of, const group& part, purpose why);
/// The same, and only those of the part call it, with the same tag.
ref<communicator> make_part_alone(rank_data& data, communicator& of, const group& part, int tag);
/// The members with the same colour, by ascending key; MPI_UNDEFINED is none.
ref<communicator> split(rank_data& data, communicator& of, int color, int key, purpose why);

/// Between the members of `local` and a group whose leader has that rank in `peer`, where both leaders use
/// the same tag. `peer` and its rank mean something at the leader only.
ref<communicator> connect(rank_data& data, communicator& local, int leader, communicator* peer,
                          int remote_leader, int tag);
/// Of both groups; that which is not high first.
ref<communicator> merge(rank_data& data, communicator& groups, bool is_high);

/// The ranks in `of` of a group; throws mpi::error (MPI_ERR_GROUP) if one is not in it.
std::vector<int> ranks_in(const communicator& of, const group& part);

}  // namespace imbrex::mpi
