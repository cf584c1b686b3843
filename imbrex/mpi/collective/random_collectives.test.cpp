// SPDX-License-Identifier: Apache-2.0
// Compares each collective function, in each form, with a plain loop over all ranks. Counts, roots and
// layouts are random; communicators are whole, partial and between groups; calls run alone and concurrently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <imbrex/mpi/collective/forms.test.hpp>

namespace imbrex::mpi {

using random_collectives = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, random_collectives, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

using random_numbers = std::mt19937;

/// One collective call of a rank, with a check of its result.
struct trial {
  std::function<int(form, MPI_Request*)> call;
  std::function<void()> check;
  std::function<void()> prepare = [] {};  ///< before each start
};

/// Types of one int: contiguous, or behind a gap.
MPI_Datatype int_with_gap() {
  MPI_Datatype result;
  MPI_Type_create_resized(MPI_INT, -4, 8, &result);
  MPI_Type_commit(&result);
  return result;
}

/// Ints in memory, laid out by one of these types.
class ints {
 public:
  ints(int n, bool has_gaps, MPI_Datatype gapped)
      : step_(has_gaps ? 2 : 1),
        memory_(static_cast<std::size_t>(step_ * n + 1), untouched),
        type_(has_gaps ? gapped : MPI_INT) {}
  int* address() { return memory_.data(); }
  MPI_Datatype type() const { return type_; }
  int& operator[](int i) { return memory_[static_cast<std::size_t>(step_ * i)]; }
  int size() const { return static_cast<int>(memory_.size() - 1) / step_; }
  bool has_whole_gaps() const {
    for (std::size_t i = 1; step_ == 2 && i < memory_.size(); i += 2)
      if (memory_[i] != untouched) return false;
    return memory_.back() == untouched;
  }

 private:
  int step_;
  std::vector<int> memory_;
  MPI_Datatype type_;
};
using shared_ints = std::shared_ptr<ints>;

/// The number that a rank of a group contributes.
int value(int number, int group, int rank, int i) {
  return number * 1009 + group * 5003 + rank * 131 + i * 7;
}

/// x -> a x + b of integers modulo 2^32, in pairs: their composition does not commute.
void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size = 0;
  EXPECT_EQ(MPI_Type_size(*type, &size), MPI_SUCCESS);  // the function may call MPI, as if the rank did
  EXPECT_EQ(size, 8);
  auto* const first = static_cast<std::uint32_t*>(in);
  auto* const second = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *length; ++i) {
    second[2 * i + 1] = first[2 * i] * second[2 * i + 1] + first[2 * i + 1];
    second[2 * i] *= first[2 * i];
  }
}

/// Parameters of one trial: all ranks draw the same, except those of the own rank.
struct parameters {
  MPI_Comm comm;
  int number, count, me, size, there, group, other, root, group_of_root;
  bool is_inter, is_root, has_root_here, in_place;
  MPI_Datatype gapped, pair;
  MPI_Op composition;
  std::shared_ptr<random_numbers> own;

  shared_ints make_ints(int n) const { return std::make_shared<ints>(n, (*own)() % 2 == 0, gapped); }
  void fill(ints& at, int first, int n, int of_group, int rank, int salt = 0) const {
    for (int i = 0; i < n; ++i) at[first + i] = value(number + salt, of_group, rank, i);
  }
  bool holds(ints& at, int first, int n, int of_group, int rank, int salt = 0) const {
    for (int i = 0; i < n; ++i)
      if (at[first + i] != value(number + salt, of_group, rank, i)) return false;
    return at.has_whole_gaps();
  }
  /// A count that differs between ranks; all ranks can compute it.
  int count_of(int of_group, int rank) const { return (count * (of_group + 1) + rank * 3) % (count + 3); }
  bool takes_part() const { return root != MPI_PROC_NULL; }
  /// Whether a root sends to this rank or receives from it.
  bool is_served() const { return !is_inter || !has_root_here; }
  const void* or_in_place(bool is, ints& data) const { return is ? MPI_IN_PLACE : data.address(); }
};

/// Counts and displacements of blocks, with a hole after each.
struct places {
  std::vector<int> counts, at;
  int total = 0;

  void add(int n) {
    counts.push_back(n);
    at.push_back(total);
    total += n + 1;
  }
};

trial try_barrier(const parameters& p) {
  return {[comm = p.comm](form how, MPI_Request* request) {
            if (how == form::blocking) return MPI_Barrier(comm);
            if (how == form::nonblocking) return MPI_Ibarrier(comm, request);
            return MPI_Barrier_init(comm, MPI_INFO_NULL, request);
          },
          [] {}};
}

trial try_broadcast(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const auto data = p.make_ints(p.count);
  return {CALL(Bcast, Ibcast, data->address(), p.count, data->type(), p.root),
          [=] {
            if (p.is_root || p.is_served()) EXPECT_TRUE(p.holds(*data, 0, p.count, p.group_of_root, 0));
          },
          [=] {
            if (p.is_root) p.fill(*data, 0, p.count, p.group_of_root, 0);
          }};
}

trial try_gather(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const bool in_place = p.in_place && p.is_root;
  const auto send = p.make_ints(p.count);
  const auto receive = p.make_ints(p.is_root ? p.count * p.there : 0);
  return {CALL(Gather, Igather, p.or_in_place(in_place, *send), p.count, send->type(), receive->address(),
               p.count, receive->type(), p.root),
          [=] {
            for (int r = 0; p.is_root && r < p.there; ++r)
              EXPECT_TRUE(p.holds(*receive, r * p.count, p.count, p.other, r));
          },
          [=] {
            p.fill(*send, 0, p.count, p.group, p.me);
            if (in_place) p.fill(*receive, p.me * p.count, p.count, p.group, p.me);
          }};
}

trial try_gather_uneven(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const bool in_place = p.in_place && p.is_root;
  const auto where = std::make_shared<places>();
  for (int r = 0; r < p.there; ++r) where->add(p.count_of(p.other, r));
  const int own = p.count_of(p.group, p.me);
  const auto send = p.make_ints(own);
  const auto receive = p.make_ints(where->total);
  return {CALL(Gatherv, Igatherv, p.or_in_place(in_place, *send), own, send->type(), receive->address(),
               where->counts.data(), where->at.data(), receive->type(), p.root),
          [=] {
            for (int r = 0; p.is_root && r < p.there; ++r) {
              const auto i = static_cast<std::size_t>(r);
              EXPECT_TRUE(p.holds(*receive, where->at[i], where->counts[i], p.other, r));
              EXPECT_EQ((*receive)[where->at[i] + where->counts[i]], untouched);
            }
          },
          [=] {
            p.fill(*send, 0, own, p.group, p.me);
            if (in_place) p.fill(*receive, where->at[static_cast<std::size_t>(p.me)], own, p.group, p.me);
          }};
}

trial try_scatter(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const bool in_place = p.in_place && p.is_root;
  const auto send = p.make_ints(p.is_root ? p.count * p.there : 0);
  const auto receive = p.make_ints(p.count);
  const auto into = in_place ? MPI_IN_PLACE : receive->address();
  return {
      CALL(Scatter, Iscatter, send->address(), p.count, send->type(), into, p.count, receive->type(), p.root),
      [=] {
        if (p.is_served() && !in_place) EXPECT_TRUE(p.holds(*receive, 0, p.count, p.group_of_root, p.me));
      },
      [=] {
        for (int r = 0; p.is_root && r < p.there; ++r)
          p.fill(*send, r * p.count, p.count, p.group_of_root, r);
      }};
}

trial try_scatter_uneven(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const bool in_place = p.in_place && p.is_root;
  const auto where = std::make_shared<places>();
  for (int r = 0; r < p.there; ++r) where->add(p.count_of(p.other, r));
  const int own = p.count_of(p.group, p.me);
  const auto send = p.make_ints(where->total);
  const auto receive = p.make_ints(own);
  const auto into = in_place ? MPI_IN_PLACE : receive->address();
  return {CALL(Scatterv, Iscatterv, send->address(), where->counts.data(), where->at.data(), send->type(),
               into, own, receive->type(), p.root),
          [=] {
            if (p.is_served() && !in_place) EXPECT_TRUE(p.holds(*receive, 0, own, p.group_of_root, p.me));
          },
          [=] {
            for (std::size_t i = 0; p.is_root && i < where->at.size(); ++i)
              p.fill(*send, where->at[i], where->counts[i], p.group_of_root, static_cast<int>(i));
          }};
}

trial try_all_gather(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const auto send = p.make_ints(p.count);
  const auto receive = p.make_ints(p.count * p.there);
  return {CALL(Allgather, Iallgather, p.or_in_place(p.in_place, *send), p.count, send->type(),
               receive->address(), p.count, receive->type()),
          [=] {
            for (int r = 0; r < p.there; ++r)
              EXPECT_TRUE(p.holds(*receive, r * p.count, p.count, p.other, r));
          },
          [=] {
            p.fill(*send, 0, p.count, p.group, p.me);
            if (p.in_place) p.fill(*receive, p.me * p.count, p.count, p.group, p.me);
          }};
}

trial try_all_gather_uneven(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const auto where = std::make_shared<places>();
  for (int r = 0; r < p.there; ++r) where->add(p.count_of(p.other, r));
  const int own = p.count_of(p.group, p.me);
  const auto send = p.make_ints(own);
  const auto receive = p.make_ints(where->total);
  return {CALL(Allgatherv, Iallgatherv, p.or_in_place(p.in_place, *send), own, send->type(),
               receive->address(), where->counts.data(), where->at.data(), receive->type()),
          [=] {
            for (int r = 0; r < p.there; ++r) {
              const auto i = static_cast<std::size_t>(r);
              EXPECT_TRUE(p.holds(*receive, where->at[i], where->counts[i], p.other, r));
            }
          },
          [=] {
            p.fill(*send, 0, own, p.group, p.me);
            if (p.in_place) p.fill(*receive, where->at[static_cast<std::size_t>(p.me)], own, p.group, p.me);
          }};
}

/// Sent values also depend on the receiver.
trial try_all_to_all(const parameters& p) {
  const MPI_Comm comm = p.comm;
  const auto send = p.make_ints(p.count * p.there);
  const auto receive = p.make_ints(p.count * p.there);
  return {CALL(Alltoall, Ialltoall, p.or_in_place(p.in_place, *send), p.count, send->type(),
               receive->address(), p.count, receive->type()),
          [=] {
            for (int r = 0; r < p.there; ++r)
              EXPECT_TRUE(p.holds(*receive, r * p.count, p.count, p.other, r, 7 * p.me));
          },
          [=] {
            for (int r = 0; r < p.there; ++r)
              p.fill(p.in_place ? *receive : *send, r * p.count, p.count, p.group, p.me, 7 * r);
          }};
}

trial try_all_to_all_uneven(const parameters& p, bool has_types) {
  const MPI_Comm comm = p.comm;
  // MPI_IN_PLACE requires equal counts in both directions between two ranks.
  const auto between = [&p](int a, int b) { return (p.count + (a + b) * 5) % (p.count + 2); };
  const auto where = std::make_shared<places>();
  for (int r = 0; r < p.there; ++r) where->add(between(p.me, r));
  const auto send = p.make_ints(where->total);
  const auto receive = p.make_ints(where->total);
  trial result{
      CALL(Alltoallv, Ialltoallv, p.or_in_place(p.in_place, *send), where->counts.data(), where->at.data(),
           send->type(), receive->address(), where->counts.data(), where->at.data(), receive->type()),
      [=] {
        for (int r = 0; r < p.there; ++r) {
          const auto i = static_cast<std::size_t>(r);
          EXPECT_TRUE(p.holds(*receive, where->at[i], where->counts[i], p.other, r, 7 * p.me));
        }
      },
      [=] {
        for (int r = 0; r < p.there; ++r) {
          const auto i = static_cast<std::size_t>(r);
          p.fill(p.in_place ? *receive : *send, where->at[i], where->counts[i], p.group, p.me, 7 * r);
        }
      }};
  if (!has_types) return result;
  const auto bytes = [&](ints& of) {
    auto all = std::make_shared<std::vector<int>>(where->at);
    for (int& at : *all) at *= of.type() == MPI_INT ? 4 : 8;
    return all;
  };
  const auto send_at = bytes(*send);
  const auto receive_at = bytes(*receive);
  const auto types_of = [&](ints& of) {
    return std::make_shared<std::vector<MPI_Datatype>>(where->at.size(), of.type());
  };
  const auto send_types = types_of(*send);
  const auto types = types_of(*receive);
  result.call =
      CALL(Alltoallw, Ialltoallw, p.or_in_place(p.in_place, *send), where->counts.data(), send_at->data(),
           send_types->data(), receive->address(), where->counts.data(), receive_at->data(), types->data());
  return result;
}

/// A reduction of pairs by `compose`, or of ints by MPI_SUM.
struct reduced {
  bool composes;
  const parameters& p;

  int ints_each() const { return composes ? 2 : 1; }
  MPI_Datatype type() const { return composes ? p.pair : MPI_INT; }
  MPI_Op op() const { return composes ? p.composition : MPI_SUM; }
  /// The reduction over the ranks `first` to `last` - 1 of a group, of their numbers from `skipped` on.
  std::vector<int> of(int of_group, int first, int last, int n, int skipped = 0) const {
    std::vector<int> all(static_cast<std::size_t>(n * ints_each()), 0);
    for (int r = first; r < last; ++r) {
      std::vector<int> next(all.size());
      for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = value(p.number, of_group, r, static_cast<int>(i) + skipped * ints_each());
      if (r == first) {
        all = next;
      } else if (composes) {
        MPI_Datatype pairs = p.pair;
        compose(all.data(), next.data(), &n, &pairs);
        all = next;
      } else {
        for (std::size_t i = 0; i < all.size(); ++i) all[i] += next[i];
      }
    }
    return all;
  }
};

trial try_reduction(const parameters& p, int kind, bool composes) {
  const MPI_Comm comm = p.comm;
  const reduced what{composes, p};
  const MPI_Datatype type = what.type();
  const MPI_Op op = what.op();
  const int each = what.ints_each();
  // Counts per rank, for the kinds that scatter the result.
  const auto counts = std::make_shared<std::vector<int>>();
  int skipped = 0;
  int total = p.count;
  if (kind == 2 || kind == 3) {
    total = p.count * p.size * p.there;  // equal in both groups
    for (int r = 0; r < p.size; ++r)
      counts->push_back(p.count * p.there + (kind == 2 && p.size > 1 ? (r == 0   ? p.count
                                                                        : r == 1 ? -p.count
                                                                                 : 0)
                                                                     : 0));
    skipped = std::accumulate(counts->begin(), counts->begin() + p.me, 0);
  }
  const int own = counts->empty() ? total : (*counts)[static_cast<std::size_t>(p.me)];
  const bool in_place = p.in_place && (kind != 0 || p.is_root);
  const auto send = std::make_shared<std::vector<int>>(static_cast<std::size_t>(total * each) + 1);
  const auto receive = std::make_shared<std::vector<int>>(static_cast<std::size_t>(total * each) + 1);
  const void* const from = in_place ? MPI_IN_PLACE : send->data();
  int* const to = receive->data();
  trial result;
  result.prepare = [=] {
    auto& at = in_place ? *receive : *send;
    std::fill(receive->begin(), receive->end(), untouched);
    for (int i = 0; i < total * each; ++i)
      at[static_cast<std::size_t>(i)] = value(p.number, p.group, p.me, i);
  };
  bool has_result = true;
  int first = 0;
  int last = p.there;
  switch (kind) {
    case 0:
      result.call = CALL(Reduce, Ireduce, from, to, total, type, op, p.root);
      has_result = p.is_root;
      break;
    case 1: result.call = CALL(Allreduce, Iallreduce, from, to, total, type, op); break;
    case 2: result.call = CALL(Reduce_scatter, Ireduce_scatter, from, to, counts->data(), type, op); break;
    case 3: result.call = CALL(Reduce_scatter_block, Ireduce_scatter_block, from, to, own, type, op); break;
    case 4:
      result.call = CALL(Scan, Iscan, from, to, total, type, op);
      last = p.me + 1;
      break;
    default:
      result.call = CALL(Exscan, Iexscan, from, to, total, type, op);
      last = p.me;
      has_result = p.me > 0;
  }
  const std::vector<int> expected =
      has_result ? what.of(p.other, first, last, own, skipped) : std::vector<int>();
  result.check = [=] {
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), receive->begin())) << kind << composes;
    EXPECT_EQ(receive->back(), untouched);
    if (!has_result && !in_place)
      EXPECT_EQ(std::count(receive->begin(), receive->end(), untouched), std::ptrdiff_t(receive->size()));
  };
  return result;
}

/// Makes trials. All ranks draw the same parameters, except those that may differ.
class trials {
 public:
  explicit trials(unsigned seed)
      : drawn_(seed),
        own_(std::make_shared<random_numbers>(seed * 77 + static_cast<unsigned>(rank::current()->number()))) {
    gapped_ = int_with_gap();
    MPI_Type_contiguous(2, MPI_INT, &pair_);
    MPI_Type_commit(&pair_);
    MPI_Op_create(&compose, 0, &composition_);
  }

  random_numbers& own() { return *own_; }
  int draw(int below) { return static_cast<int>(drawn_() % static_cast<unsigned>(below)); }

  trial make(MPI_Comm comm) {
    const communicator& in = *rank_data::here().at(comm);
    parameters p{};
    p.comm = comm;
    p.gapped = gapped_, p.pair = pair_, p.composition = composition_, p.own = own_;
    p.is_inter = in.is_inter();
    p.me = in.rank(), p.size = in.size(), p.there = in.remote().size();
    p.group = p.is_inter && in.members().world_rank(0) > in.remote().world_rank(0) ? 1 : 0;
    p.other = p.is_inter ? 1 - p.group : 0;
    p.number = next_++;
    const int length = draw(16);
    const int drawn_count = draw(3000);
    p.count = length == 0 ? 1000 + drawn_count : length == 1 ? drawn_count / 5 : drawn_count % 7;
    p.group_of_root = p.is_inter ? draw(2) : 0;
    p.has_root_here = p.group == p.group_of_root;
    const int root = draw(1 << 20) % (p.has_root_here ? p.size : p.there);
    p.is_root = p.has_root_here && p.me == root;
    p.root = !p.is_inter || !p.has_root_here ? root : p.is_root ? MPI_ROOT : MPI_PROC_NULL;
    p.in_place = draw(3) == 0 && !p.is_inter;
    const bool composes = draw(2) == 0;
    switch (const int kind = draw(p.is_inter ? 15 : 17)) {
      case 0: return try_barrier(p);
      case 1: return try_broadcast(p);
      case 2: return try_gather(p);
      case 3: return try_gather_uneven(p);
      case 4: return try_scatter(p);
      case 5: return try_scatter_uneven(p);
      case 6: return try_all_gather(p);
      case 7: return try_all_gather_uneven(p);
      case 8: return try_all_to_all(p);
      case 9: return try_all_to_all_uneven(p, false);
      case 10: return try_all_to_all_uneven(p, true);
      default: return try_reduction(p, kind - 11, composes);
    }
  }

 private:
  random_numbers drawn_;
  std::shared_ptr<random_numbers> own_;
  int next_ = 1;
  MPI_Datatype gapped_ = MPI_DATATYPE_NULL;
  MPI_Datatype pair_ = MPI_DATATYPE_NULL;
  MPI_Op composition_ = MPI_OP_NULL;
};

/// Communicators of all ranks, of all in another order, of the ranks with equal remainders by two, and
/// between these two groups.
std::vector<MPI_Comm> make_communicators() {
  rank_data& data = rank_data::here();
  const int all = data.self().ranks();
  const int me = data.self().number();
  std::vector<int> reversed(static_cast<std::size_t>(all));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  std::vector<int> halves[2];
  for (int r = 0; r < all; ++r) halves[r % 2].push_back(r);
  const int half = me % 2;
  const group own(halves[half]);
  const auto handler = data.objects().handler(MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> result{MPI_COMM_WORLD, data.add(make_communicator(100, group(reversed))),
                               data.add(make_communicator(static_cast<context_id>(101 + half), own))};
  if (all > 1)
    result.push_back(data.add(
        ref(new communicator(0, 105 * contexts_each, own, own.rank_of(me), group(halves[1 - half]),
                             make_communicator(static_cast<context_id>(103 + half), own), handler))));
  return result;
}

void run_trials(unsigned seed, int rounds) {
  const auto where = make_communicators();
  trials all(seed);
  for (int round = 0; round < rounds; ++round) {
    const int at_once = all.draw(3) == 0 ? 1 + all.draw(12) : 1;
    const bool alone = at_once == 1;
    struct begun {
      trial what;
      MPI_Request request = MPI_REQUEST_NULL;
      int starts_left = 0;
    };
    std::vector<begun> under_way;
    for (int i = 0; i < at_once; ++i) {
      const MPI_Comm comm = where[static_cast<std::size_t>(all.draw(static_cast<int>(where.size())))];
      begun next{all.make(comm)};
      next.what.prepare();
      const form how = alone ? form(all.draw(3)) : form(1 + all.draw(2));
      ASSERT_EQ(next.what.call(how, &next.request), MPI_SUCCESS);
      if (how == form::blocking) {
        next.what.check();
        continue;
      }
      if (how == form::persistent) {
        next.starts_left = all.draw(3);
        start(next.request);
      }
      under_way.push_back(std::move(next));
    }
    // Each rank waits in a different order.
    std::shuffle(under_way.begin(), under_way.end(), all.own());
    for (begun& each : under_way) {
      wait(each.request);
      each.what.check();
    }
    for (int again = 0; again < 2; ++again) {
      for (begun& each : under_way) {
        if (again >= each.starts_left) continue;
        each.what.prepare();
        start(each.request);
      }
      for (begun& each : under_way) {
        if (again >= each.starts_left) continue;
        wait(each.request);
        each.what.check();
      }
    }
    for (const begun& each : under_way) rank_data::here().requests.remove(each.request);
  }
}

}  // namespace

TEST_P(random_collectives, do_as_a_plain_loop_does) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE(ranks);
    run_ranks(ranks, [ranks] { run_trials(static_cast<unsigned>(ranks), 40); });
  }
}

}  // namespace imbrex::mpi
