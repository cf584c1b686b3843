// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/team.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <imbrex/mpi/collective/buffers.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/rank/process_ranks.hpp>

namespace imbrex::mpi {

namespace {

/// Teams of this process, by program and communicator context. A team lives as long as a member's
/// communicator. The program in the key keeps teams that a failed run has left on stacks from later runs.
struct registry {
  using key = std::pair<std::uint64_t, context_id>;  ///< number of the program, context of the communicator
  std::mutex mutex;
  std::map<key, std::weak_ptr<team>> teams;
};
registry& all_teams() {
  static registry all;
  return all;
}

}  // namespace

team* team::of(communicator& in, rank& self) {
  if (in.knows_team) return in.its_team.get();
  in.knows_team = true;
  if (in.is_inter() || in.size() == 1 || !shares_memory() || may_leave_process()) return nullptr;
  for (int i = 0; i < in.size(); ++i)
    if (!is_in_process(self, in.members().world_rank(i))) return nullptr;
  registry& all = all_teams();
  const std::lock_guard lock(all.mutex);
  const registry::key key{program::current_number(), in.context(purpose::collective)};
  std::weak_ptr<team>& found = all.teams[key];
  in.its_team = found.lock();
  if (!in.its_team) {
    found = in.its_team = std::shared_ptr<team>(new team(in, self), [key](team* last) {
      registry& left = all_teams();
      {
        const std::lock_guard lock(left.mutex);
        const auto at = left.teams.find(key);
        if (at != left.teams.end() && at->second.expired()) left.teams.erase(at);
      }
      delete last;
    });
  }
  return in.its_team.get();
}

team::team(const communicator& of, const rank& self) {
  const auto size = static_cast<std::size_t>(of.size());
  std::vector<int> pes(size);
  for (std::size_t i = 0; i < size; ++i)
    pes[i] = first_pe_of(self, of.members().world_rank(static_cast<int>(i)));
  std::vector<std::size_t> members(size);
  std::iota(members.begin(), members.end(), 0);
  std::ranges::sort(members, {}, [&](std::size_t m) { return std::pair(pes[m], m); });
  is_ordered_ = std::ranges::is_sorted(members);
  slot_of_.resize(size);
  share_of_.resize(size);
  for (set& each : sets_) each.slots.resize(size);
  for (std::size_t at = 0; at < size; ++at) {
    const std::size_t member = members[at];
    if (at == 0 || pes[members[at - 1]] != pes[member]) {
      shares_.push_back(std::make_unique<share>());
      shares_.back()->first = at;
    }
    ++shares_.back()->count;
    slot_of_[member] = at;
    share_of_[member] = shares_.size() - 1;
    for (set& each : sets_) each.slots[at].rank = of.members().world_rank(static_cast<int>(member));
  }
}

/// Calls `combine_share` once all members of a share have arrived, and `combine_all` once all shares have.
template <class CombineShare, class CombineAll>
void team::meet(team_member by, const void* data, std::int64_t bytes, CombineShare combine_share,
                CombineAll combine_all) {
  const unsigned number = by.in.meetings++ % 2;
  set& now = sets_[number];
  const auto member = static_cast<std::size_t>(by.in.rank());
  slot& own = now.slots[slot_of_[member]];
  request q;
  q.peer = request::is_several;
  own.data = data;
  own.bytes = bytes;
  own.waits = &q;
  share& here = *shares_[share_of_[member]];
  bool is_last = false;
  {
    const std::lock_guard lock(here.mutex);
    is_last = ++here.arrived[number] == static_cast<int>(here.count);
  }
  if (is_last) {
    here.arrived[number] = 0;
    combine_share(here);
    const std::lock_guard lock(mutex_);
    is_last = ++now.arrived == shares_.size();
  }
  if (!is_last) return by.self.await(q);
  own.waits = nullptr;
  now.arrived = 0;
  combine_all();
  release_all(by.self, number);
}

void team::release_all(rank& by, unsigned number) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const slot& first = sets_[number].slots[shares_[i]->first];
    if (is_here(by, first.rank)) {
      release_share(by, i, number);
    } else {
      call_at(
          by, first.rank,
          [](rank& there, void* whose, std::uint64_t what) {
            static_cast<team*>(whose)->release_share(there, what / 2, static_cast<unsigned>(what % 2));
          },
          this, 2 * i + number);
    }
  }
}

void team::release_share(rank& by, std::size_t number, unsigned set_number) {
  const share& its = *shares_[number];
  for (std::size_t i = its.first; i < its.first + its.count; ++i) {
    const slot& each = sets_[set_number].slots[i];
    if (each.waits != nullptr) complete_at(by, each.rank, *each.waits);
  }
}

void team::barrier(team_member by) { bring(by, 0); }

void team::reduce(team_member by, int root, const user_buffer& send, const user_buffer& receive,
                  const operation& op) {
  const std::int64_t bytes = send.bytes();
  const auto fold = [&](const void* first, std::byte* values) {
    op.apply(first, values, send.count, *send.type, send.type->handle());
  };
  const unsigned number = by.in.meetings % 2;
  const std::vector<std::byte>& result = shares_.back()->values[number];
  set& now = sets_[number];
  const auto combine_share = [&](share& of) {
    auto& values = of.values[number];
    values.resize(static_cast<std::size_t>(bytes));
    const slot* const begin = &now.slots[of.first];
    const slot* const last = begin + of.count - 1;
    if (std::any_of(begin, last + 1, [bytes](const slot& s) { return s.bytes != bytes; })) return;
    std::memcpy(values.data(), last->data, values.size());
    for (const slot* each = last; each-- != begin;) fold(each->data, values.data());
  };
  const auto combine_all = [&] {
    now.is_uneven = std::ranges::any_of(now.slots, [bytes](const slot& s) { return s.bytes != bytes; });
    if (now.is_uneven) return;
    std::byte* const values = shares_.back()->values[number].data();
    for (std::size_t i = shares_.size() - 1; i-- > 0;) fold(shares_[i]->values[number].data(), values);
  };
  meet(by, send.address, bytes, combine_share, combine_all);
  if (now.is_uneven)
    throw error(MPI_ERR_COUNT, "the ranks combine different numbers of elements, this one " +
                                   std::to_string(send.count) + "; give the same count everywhere");
  if (root == everybody || root == by.in.rank())
    std::memcpy(receive.address, result.data(), static_cast<std::size_t>(bytes));
}

// ---- blocks

team::blocks::blocks(team& of, const communicator& in, std::size_t number)
    : of_(of), now_(of.sets_[in.meetings % 2]), distance_(static_cast<std::size_t>(most_left) / number) {
  const std::lock_guard lock(of.mutex_);
  if (now_.left == nullptr) now_.left = std::make_unique_for_overwrite<std::byte[]>(most_left);
}

void team::blocks::leave(std::size_t i, const user_buffer& data) const {
  copy_data(data, bytes_at(at(i), static_cast<std::int64_t>(distance_)));
}

void team::blocks::take(std::size_t i, int from, const user_buffer& data) const {
  const std::int64_t sent = now_.slots[of_.slot_of_[static_cast<std::size_t>(from)]].bytes;
  copy_data(bytes_at(at(i), std::min(sent, static_cast<std::int64_t>(distance_))), data);
  if (sent > data.bytes())
    throw error(MPI_ERR_TRUNCATE, "rank " + std::to_string(from) + " has sent " + std::to_string(sent) +
                                      " bytes, and this rank receives " + std::to_string(data.bytes()) +
                                      " from it; give both the same counts");
}

void team::bring(team_member by, std::int64_t bytes) {
  meet(by, nullptr, bytes, [](const share&) {}, [] {});
}

void team::broadcast(team_member by, int root, const user_buffer& data) {
  const blocks all(*this, by.in, 1);
  if (root == by.in.rank()) all.leave(0, data);
  bring(by, data.bytes());
  if (root != by.in.rank()) all.take(0, root, data);
}

void team::gather(team_member by, int root, const user_buffer& send, const block_list& receive,
                  bool is_in_place) {
  const auto size = static_cast<std::size_t>(by.in.size());
  const blocks all(*this, by.in, size);
  if (!is_in_place) all.leave(static_cast<std::size_t>(by.in.rank()), send);
  bring(by, is_in_place ? 0 : send.bytes());
  if (root != by.in.rank()) return;
  for (std::size_t i = 0; i < size; ++i) {
    const int from = static_cast<int>(i);
    if (!is_in_place || from != root) all.take(i, from, receive[from]);
  }
}

void team::scatter(team_member by, int root, const block_list& send, const user_buffer& receive,
                   bool is_in_place) {
  const auto size = static_cast<std::size_t>(by.in.size());
  const blocks all(*this, by.in, size);
  if (root == by.in.rank())
    for (std::size_t i = 0; i < size; ++i) all.leave(i, send[static_cast<int>(i)]);
  bring(by, root == by.in.rank() ? send[0].bytes() : receive.bytes());
  if (!is_in_place) all.take(static_cast<std::size_t>(by.in.rank()), root, receive);
}

void team::all_gather(team_member by, const user_buffer& send, const block_list& receive, bool is_in_place) {
  const auto size = static_cast<std::size_t>(by.in.size());
  const blocks all(*this, by.in, size);
  const user_buffer own = is_in_place ? receive[by.in.rank()] : send;
  all.leave(static_cast<std::size_t>(by.in.rank()), own);
  bring(by, own.bytes());
  for (std::size_t i = 0; i < size; ++i) {
    const int from = static_cast<int>(i);
    if (!is_in_place || from != by.in.rank()) all.take(i, from, receive[from]);
  }
}

void team::all_to_all(team_member by, const block_list& send, const block_list& receive) {
  const auto size = static_cast<std::size_t>(by.in.size());
  const auto own = static_cast<std::size_t>(by.in.rank());
  const blocks all(*this, by.in, size * size);
  for (std::size_t i = 0; i < size; ++i) all.leave(own * size + i, send[static_cast<int>(i)]);
  bring(by, send[0].bytes());
  for (std::size_t i = 0; i < size; ++i)
    all.take(i * size + own, static_cast<int>(i), receive[static_cast<int>(i)]);
}

}  // namespace imbrex::mpi
