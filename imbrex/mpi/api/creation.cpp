// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/api/creation.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/collective/agreement.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/collective/spread.hpp>

namespace imbrex::mpi {

namespace {

/// First message between the two sides of a new intercommunicator. Both propose numbers and use the lesser
/// one for it. Each side keeps its proposal for its own communicator.
struct introduction {
  context_id number = 0;
  context_id own_number = 0;
  std::int32_t members = 0;
  std::int32_t is_high = 0;
};

introduction introduction_of(rank_data& data, int members) {
  return {data.new_context(), data.new_context(), members, 0};
}

/// An object as a buffer.
template <typename T>
user_buffer bytes_of(T& object) {
  return bytes_at(&object, sizeof object);
}
template <typename T>
user_buffer bytes_of(std::vector<T>& objects) {
  return bytes_at(objects.data(), static_cast<std::int64_t>(objects.size() * sizeof(T)));
}

std::vector<int> world_ranks(const group& of) {
  std::vector<int> all;
  for (int i = 0; i < of.size(); ++i) all.push_back(of.world_rank(i));
  return all;
}

ref<communicator> make(context_id number, group members, int rank, const communicator& like) {
  return ref(new communicator(0, number, std::move(members), rank, like.handler()));
}

ref<communicator> make_between(context_id number, context_id own_number, const group& members, int rank,
                               group remote, const communicator& like) {
  return ref(new communicator(0, number, members, rank, std::move(remote),
                              make(own_number, members, rank, like), like.handler()));
}

/// Runs a plan on only those members that have agreed on a tag.
void run_agreement(rank_data& data, communicator& in, int tag, schedule::maker plan_maker) {
  const ref<user_request> result(new schedule(ref(&in), tag, std::move(plan_maker)));
  result->start(data.self());
  data.self().await(result->awaited());
  MPI_Status status;
  if (const int code = result->finish(status); code != MPI_SUCCESS)
    throw error(code,
                "the members of the new communicator have not called the same function with the same tag; "
                "let all do so");
}

/// Messages of the members of a communicator about a new one with the same members.
struct numbering {
  introduction local_record;
  introduction remote_record;
  user_buffer my_words = bytes_of(local_record);
  user_buffer their_words = bytes_of(remote_record);
};

plan number(schedule& s, communicator& result, const numbering& words) {
  if (s.in()->is_inter()) {
    co_await exchange_of_groups(s, words.my_words, words.their_words);
    result.set_context(std::min(words.local_record.number, words.remote_record.number),
                       words.local_record.own_number);
  } else {
    co_await broadcast_in_group(s, 0, words.my_words);
    result.set_context(words.local_record.number, 0);
  }
}

/// The members of a part receive a number from its first member.
ref<communicator> number_part(rank_data& data, communicator& of, const group& part, const auto& run) {
  const std::vector<int> members = ranks_in(of, part);
  const int rank = part.rank_of(data.self().number());
  context_id number = rank == 0 ? data.new_context() : 0;
  const user_buffer number_buffer = bytes_of(number);
  run([&](schedule& s) { return broadcast_among(s, members, number_buffer); });
  return rank == group::none ? ref<communicator>() : make(number, part, rank, of);
}

ref<communicator> make_part_between(rank_data& data, communicator& of, const group& part, purpose why) {
  (void)ranks_in(of, part);
  introduction local_record = introduction_of(data, part.size());
  introduction remote_record;
  const user_buffer my_words = bytes_of(local_record);
  const user_buffer their_words = bytes_of(remote_record);
  run_collective(data, of, why, [&](schedule& s) { return exchange_of_groups(s, my_words, their_words); });
  std::vector<int> here = world_ranks(part);
  here.resize(static_cast<std::size_t>(local_record.members));  // the length that the first member has sent
  std::vector<int> there(static_cast<std::size_t>(remote_record.members));
  const user_buffer my_list = bytes_of(here);
  const user_buffer their_list = bytes_of(there);
  run_collective(data, of, why, [&](schedule& s) { return exchange_of_groups(s, my_list, their_list); });
  const int rank = part.rank_of(data.self().number());
  if (rank == group::none || there.empty()) return {};
  return make_between(std::min(local_record.number, remote_record.number), local_record.own_number, part,
                      rank, group(there), of);
}

}  // namespace

std::vector<int> ranks_in(const communicator& of, const group& part) {
  std::vector<int> all;
  for (int i = 0; i < part.size(); ++i) {
    const int found = of.members().rank_of(part.world_rank(i));
    if (found == group::none)
      throw error(MPI_ERR_GROUP, "the rank " + std::to_string(i) + " of the group, which is rank " +
                                     std::to_string(part.world_rank(i)) +
                                     " in MPI_COMM_WORLD, is no member of " + of.description() +
                                     "; give a group of its members");
    all.push_back(found);
  }
  return all;
}

// ---- communicators with the same members

ref<communicator> same_members(communicator& of) {
  return of.is_inter() ? make_between(0, 0, of.members(), of.rank(), of.remote(), of)
                       : make(0, of.members(), of.rank(), of);
}

ref<user_request> begin_numbering(rank_data& data, communicator& of, const ref<communicator>& result,
                                  purpose why) {
  const auto words = std::make_shared<numbering>();
  if (of.rank() == 0) words->local_record = introduction_of(data, of.size());
  const ref<user_request> begun(
      new schedule(ref(&of), why, [result, words](schedule& s) { return number(s, *result, *words); }));
  begun->start(data.self());
  return begun;
}

ref<communicator> duplicate(rank_data& data, communicator& of, purpose why) {
  const ref<communicator> result = same_members(of);
  const ref<user_request> begun = begin_numbering(data, of, result, why);
  data.self().await(begun->awaited());
  return result;
}

// ---- communicators of a part

ref<communicator> make_part(rank_data& data, communicator& of, const group& part, purpose why) {
  if (of.is_inter()) return make_part_between(data, of, part, why);
  return number_part(data, of, part, [&](schedule::maker plan_maker) {
    run_collective(data, of, why, std::move(plan_maker));
  });
}

ref<communicator> make_part_alone(rank_data& data, communicator& of, const group& part, int tag) {
  return number_part(data, of, part, [&](schedule::maker plan_maker) {
    run_agreement(data, of, tag, std::move(plan_maker));
  });
}

ref<communicator> split(rank_data& data, communicator& of, int color, int key, purpose why) {
  struct choice {
    std::int32_t color, key;
    context_id number, own_number;
  };
  choice local_record{color, key, data.new_context(), data.new_context()};
  const user_buffer send = bytes_of(local_record);
  const auto gather = [&](communicator& in) {
    std::vector<choice> all(static_cast<std::size_t>(in.remote().size()));
    block_list receive;
    receive.address = all.data();
    receive.count = sizeof(choice);
    receive.type = send.type;
    run_collective(data, in, why, [&](schedule& s) { return all_gather(s, send, receive, false); });
    return all;
  };
  // The places in the group of all members with the own colour, ordered by key.
  const auto chosen = [&](const std::vector<choice>& all) {
    std::vector<std::pair<std::int32_t, int>> sorted;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].color == color) sorted.emplace_back(all[i].key, static_cast<int>(i));
    std::ranges::sort(sorted);
    std::vector<int> places;
    for (const auto& [its_key, place] : sorted) places.push_back(place);
    return places;
  };
  std::vector<choice> there;
  if (of.is_inter()) there = gather(of);
  const std::vector<choice> here = gather(of.is_inter() ? *of.local() : of);
  if (color == MPI_UNDEFINED) return {};
  const std::vector<int> places = chosen(here);
  const auto rank = static_cast<int>(std::ranges::find(places, of.rank()) - places.begin());
  const group members = of.members().including(places);
  const choice& first = here[static_cast<std::size_t>(places.front())];
  if (!of.is_inter()) return make(first.number, members, rank, of);
  const std::vector<int> others = chosen(there);
  if (others.empty()) return {};
  const choice& other = there[static_cast<std::size_t>(others.front())];
  return make_between(std::min(first.number, other.number), first.own_number, members, rank,
                      of.remote().including(others), of);
}

// ---- two groups: intercommunicators and merging

ref<communicator> connect(rank_data& data, communicator& local, int leader, communicator* peer,
                          int remote_leader, int tag) {
  const bool leads = local.rank() == leader;
  introduction local_record = leads ? introduction_of(data, local.size()) : introduction();
  introduction remote_record;
  // Both leaders exchange introductions; each forwards the other's to its group.
  const auto agree = [&](const user_buffer& words, const user_buffer& answer) {
    if (leads)
      run_agreement(data, *peer, tag,
                    [&](schedule& s) { return exchange_with(s, remote_leader, words, answer); });
    run_collective(data, local, purpose::connection,
                   [&](schedule& s) { return broadcast(s, leader, words); });
    run_collective(data, local, purpose::connection,
                   [&](schedule& s) { return broadcast(s, leader, answer); });
  };
  const user_buffer my_words = bytes_of(local_record);
  const user_buffer their_words = bytes_of(remote_record);
  agree(my_words, their_words);
  std::vector<int> here = world_ranks(local.members());
  std::vector<int> there(static_cast<std::size_t>(remote_record.members));
  const user_buffer my_list = bytes_of(here);
  const user_buffer their_list = bytes_of(there);
  agree(my_list, their_list);
  const group remote(there);
  if (const group shared = local.members().common(remote); shared.size() > 0)
    throw error(MPI_ERR_COMM, "rank " + std::to_string(shared.world_rank(0)) +
                                  " of MPI_COMM_WORLD is in both groups of the intercommunicator; give two "
                                  "groups that have no member in common");
  return make_between(std::min(local_record.number, remote_record.number), local_record.own_number,
                      local.members(), local.rank(), remote, local);
}

ref<communicator> merge(rank_data& data, communicator& groups, bool is_high) {
  introduction local_record = introduction_of(data, groups.size());
  local_record.is_high = is_high ? 1 : 0;
  introduction remote_record;
  const user_buffer my_words = bytes_of(local_record);
  const user_buffer their_words = bytes_of(remote_record);
  run_collective(data, groups, purpose::merge,
                 [&](schedule& s) { return exchange_of_groups(s, my_words, their_words); });
  const group& own = groups.members();
  const group& other = groups.remote();
  const bool is_first = local_record.is_high != remote_record.is_high
                            ? local_record.is_high == 0
                            : own.world_rank(0) < other.world_rank(0);
  const group both = is_first ? own.joined(other) : other.joined(own);
  return make(std::min(local_record.number, remote_record.number), both, both.rank_of(data.self().number()),
              groups);
}

}  // namespace imbrex::mpi
