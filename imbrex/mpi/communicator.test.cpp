// SPDX-License-Identifier: Apache-2.0
// Communicators of all origins: their members, the separation of their messages, and the properties that they
// inherit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

using communicators = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, communicators, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

using ranks_list = std::vector<int>;

int me() { return rank::current()->number(); }
int everybody() { return rank::current()->ranks(); }

ranks_list world_ranks_of(MPI_Group of) {
  int size = 0;
  EXPECT_EQ(MPI_Group_size(of, &size), MPI_SUCCESS);
  ranks_list own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  ranks_list found(own.size());
  MPI_Group world;
  EXPECT_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Group_translate_ranks(of, size, own.data(), world, found.data()), MPI_SUCCESS);
  MPI_Group_free(&world);
  MPI_Group_free(&of);
  return found;
}

int place_in(const ranks_list& list, int rank) {
  return static_cast<int>(std::ranges::find(list, rank) - list.begin());
}

/// Checks the members, and that collectives and messages reach all of them.
void expect_members(MPI_Comm comm, const ranks_list& expected) {
  ASSERT_NE(comm, MPI_COMM_NULL);
  int size = 0;
  int rank = 0;
  int is_inter = 1;
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_test_inter(comm, &is_inter), MPI_SUCCESS);
  EXPECT_EQ(is_inter, 0);
  ASSERT_EQ(size, static_cast<int>(expected.size()));
  EXPECT_EQ(rank, place_in(expected, me()));
  MPI_Group group;
  EXPECT_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
  EXPECT_EQ(world_ranks_of(group), expected);
  const int world_rank = me();
  ranks_list found(expected.size(), -1);
  EXPECT_EQ(MPI_Allgather(&world_rank, 1, MPI_INT, found.data(), 1, MPI_INT, comm), MPI_SUCCESS);
  EXPECT_EQ(found, expected);
  int before = -1;
  MPI_Status status;
  EXPECT_EQ(MPI_Sendrecv(&world_rank, 1, MPI_INT, (rank + 1) % size, 3, &before, 1, MPI_INT, MPI_ANY_SOURCE,
                         3, comm, &status),
            MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, (rank + size - 1) % size);
  EXPECT_EQ(before, expected[static_cast<std::size_t>(status.MPI_SOURCE)]);
}

/// Checks both groups of an intercommunicator, and that messages pass between them.
void expect_groups(MPI_Comm comm, const ranks_list& own, const ranks_list& other) {
  ASSERT_NE(comm, MPI_COMM_NULL);
  int size = 0;
  int rank = 0;
  int there = 0;
  int is_inter = 0;
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_remote_size(comm, &there), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_test_inter(comm, &is_inter), MPI_SUCCESS);
  EXPECT_EQ(is_inter, 1);
  ASSERT_EQ(size, static_cast<int>(own.size()));
  ASSERT_EQ(there, static_cast<int>(other.size()));
  EXPECT_EQ(rank, place_in(own, me()));
  MPI_Group group;
  EXPECT_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
  EXPECT_EQ(world_ranks_of(group), own);
  EXPECT_EQ(MPI_Comm_remote_group(comm, &group), MPI_SUCCESS);
  EXPECT_EQ(world_ranks_of(group), other);
  const int world_rank = me();
  ranks_list found(other.size(), -1);
  EXPECT_EQ(MPI_Allgather(&world_rank, 1, MPI_INT, found.data(), 1, MPI_INT, comm), MPI_SUCCESS);
  EXPECT_EQ(found, other);
  EXPECT_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  // Each rank of the larger group sends to one of the other, which receives in any order.
  if (size >= there) EXPECT_EQ(MPI_Send(&world_rank, 1, MPI_INT, rank % there, 5, comm), MPI_SUCCESS);
  for (int i = rank; i < there && there >= size; i += size) {
    int came = -1;
    MPI_Status status;
    EXPECT_EQ(MPI_Recv(&came, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status), MPI_SUCCESS);
    EXPECT_EQ(came, other[static_cast<std::size_t>(status.MPI_SOURCE)]);
    EXPECT_EQ(status.MPI_SOURCE % size, rank);
  }
}

void free_all(std::vector<MPI_Comm> all) {
  for (MPI_Comm each : all)
    if (each != MPI_COMM_NULL) {
      EXPECT_EQ(MPI_Comm_free(&each), MPI_SUCCESS);
      EXPECT_EQ(each, MPI_COMM_NULL);
    }
}

/// Ranks of the world with a given remainder by `n`, in ascending order.
ranks_list with_remainder(int remainder, int n) {
  ranks_list all;
  for (int r = remainder; r < everybody(); r += n) all.push_back(r);
  return all;
}

ranks_list whole_world() { return with_remainder(0, 1); }

MPI_Group group_of(const ranks_list& world_ranks) {
  MPI_Group world;
  MPI_Group result;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(world_ranks.size()), world_ranks.data(), &result);
  MPI_Group_free(&world);
  return result;
}

/// Intercommunicator between the even and the odd ranks.
MPI_Comm halves_of_world() {
  MPI_Comm half;
  EXPECT_EQ(MPI_Comm_split(MPI_COMM_WORLD, me() % 2, 0, &half), MPI_SUCCESS);
  MPI_Comm both;
  EXPECT_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me() % 2, 17, &both), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
  return both;
}

int comparison(MPI_Comm a, MPI_Comm b) {
  int found = -1;
  EXPECT_EQ(MPI_Comm_compare(a, b, &found), MPI_SUCCESS);
  return found;
}

}  // namespace

TEST_P(communicators, duplicate) {
  for (const int ranks : {1, 2, 5})
    run_ranks(ranks, [] {
      MPI_Comm first;
      MPI_Comm second;
      ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &first), MPI_SUCCESS);
      ASSERT_EQ(MPI_Comm_dup(first, &second), MPI_SUCCESS);
      expect_members(first, whole_world());
      expect_members(second, whole_world());
      EXPECT_EQ(comparison(first, first), MPI_IDENT);
      EXPECT_EQ(comparison(first, second), MPI_CONGRUENT);
      // A message is received only in the communicator in which it was sent, whatever the order.
      const int numbers[] = {1, 2, 3};
      const MPI_Comm where[] = {MPI_COMM_WORLD, first, second};
      const int next = (me() + 1) % everybody();
      MPI_Request sends[3];
      for (int i = 0; i < 3; ++i) MPI_Isend(&numbers[i], 1, MPI_INT, next, 0, where[i], &sends[i]);
      for (const int i : {2, 0, 1}) {
        int came = 0;
        MPI_Recv(&came, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, where[i], MPI_STATUS_IGNORE);
        EXPECT_EQ(came, numbers[i]);
      }
      MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
      free_all({first, second});
    });
}

/// Collectives in the memory of a process are identified by their contexts.
TEST_P(communicators, of_one_rank_alone_are_apart) {
  run_ranks(4, [] {
    std::vector<context_id> all(4);
    const context_id own = rank_data::here().at(MPI_COMM_SELF)->context(purpose::collective);
    MPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    for (int i = 0; i < 100; ++i) {
      const int out = 100 * me() + i;
      int in = -1;
      EXPECT_EQ(MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_SUCCESS);
      EXPECT_EQ(in, out);
    }
  });
}

TEST_P(communicators, duplicate_while_others_go_on) {
  run_ranks(5, [] {
    constexpr int n = 6;
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm half;
    ASSERT_EQ(MPI_Comm_split(world, me() % 2, 0, &half), MPI_SUCCESS);
    MPI_Comm result[2 * n];
    MPI_Request requests[3 * n];
    int sums[n];
    const int one = 1;
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(MPI_Comm_idup(world, &result[i], &requests[3 * i]), MPI_SUCCESS);
      ASSERT_EQ(MPI_Iallreduce(&one, &sums[i], 1, MPI_INT, MPI_SUM, world, &requests[3 * i + 1]),
                MPI_SUCCESS);
      ASSERT_EQ(MPI_Comm_idup_with_info(half, MPI_INFO_NULL, &result[n + i], &requests[3 * i + 2]),
                MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_Comm_free(&half), MPI_SUCCESS);  // lives on until the duplicates are made
    std::mt19937 own(static_cast<unsigned>(me()));
    std::array<int, 3 * n> order;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, own);
    for (const int i : order) ASSERT_EQ(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(sums[i], everybody());
      expect_members(result[i], whole_world());
      expect_members(result[n + i], with_remainder(me() % 2, 2));
    }
    free_all({result, result + 2 * n});
  });
}

TEST_P(communicators, are_split) {
  for (const int ranks : {1, 2, 7})
    run_ranks(ranks, [] {
      // Splits into two of three colours, each in descending order; ranks of the third take no part.
      MPI_Comm part;
      const int color = me() % 3 == 2 ? MPI_UNDEFINED : me() % 3;
      ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, color, -me(), &part), MPI_SUCCESS);
      if (color == MPI_UNDEFINED) {
        EXPECT_EQ(part, MPI_COMM_NULL);
      } else {
        auto expected = with_remainder(color, 3);
        std::ranges::reverse(expected);
        expect_members(part, expected);
        // Equal keys: ordered by the old rank.
        MPI_Comm same;
        ASSERT_EQ(MPI_Comm_split(part, 4, 0, &same), MPI_SUCCESS);
        expect_members(same, expected);
        EXPECT_EQ(comparison(part, same), MPI_CONGRUENT);
        MPI_Comm turned;
        ASSERT_EQ(MPI_Comm_split(part, 4, me(), &turned), MPI_SUCCESS);
        std::ranges::reverse(expected);
        expect_members(turned, expected);
        EXPECT_EQ(comparison(part, turned), expected.size() == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
        EXPECT_EQ(comparison(part, MPI_COMM_WORLD), everybody() == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
        free_all({same, turned});
      }
      free_all({part});
    });
}

TEST_P(communicators, are_split_by_what_shares_memory) {
  run_ranks(6, [] {
    const int own = extension::run_handle::here().process();
    ranks_list processes(static_cast<std::size_t>(everybody()));
    ASSERT_EQ(MPI_Allgather(&own, 1, MPI_INT, processes.data(), 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    ranks_list expected;
    for (int r = everybody(); r-- > 0;)
      if (processes[static_cast<std::size_t>(r)] == own) expected.push_back(r);
    MPI_Comm shared;
    ASSERT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -me(), MPI_INFO_NULL, &shared),
              MPI_SUCCESS);
    expect_members(shared, expected);
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Comm guided;
    ASSERT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, -me(), hints, &guided),
              MPI_SUCCESS);
    expect_members(guided, expected);
    free_all({shared, guided});
    MPI_Info_set(hints, "mpi_hw_resource_type", "l3cache");
    for (const int type : {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_HW_UNGUIDED, MPI_UNDEFINED}) {
      MPI_Comm none = MPI_COMM_WORLD;
      EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, hints, &none), MPI_SUCCESS);
      EXPECT_EQ(none, MPI_COMM_NULL);
    }
    MPI_Info_free(&hints);
  });
}

TEST_P(communicators, of_two_groups_are_split_by_what_shares_memory) {
  run_ranks(6, [] {
    const int own = extension::run_handle::here().process();
    ranks_list processes(static_cast<std::size_t>(everybody()));
    ASSERT_EQ(MPI_Allgather(&own, 1, MPI_INT, processes.data(), 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    int here = 0;
    int others = 0;
    for (int r = 0; r < everybody(); ++r)
      if (processes[static_cast<std::size_t>(r)] == own) ++(r % 2 == me() % 2 ? here : others);
    MPI_Comm both = halves_of_world();
    MPI_Comm shared;
    ASSERT_EQ(MPI_Comm_split_type(both, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared), MPI_SUCCESS);
    ASSERT_EQ(shared == MPI_COMM_NULL, others == 0);
    if (shared != MPI_COMM_NULL) {
      int size = 0;
      int remote_size = 0;
      MPI_Comm_size(shared, &size);
      MPI_Comm_remote_size(shared, &remote_size);
      EXPECT_EQ(size, here);
      EXPECT_EQ(remote_size, others);
      MPI_Comm_free(&shared);
    }
    ASSERT_EQ(MPI_Comm_split_type(both, MPI_UNDEFINED, 0, MPI_INFO_NULL, &shared), MPI_SUCCESS);
    EXPECT_EQ(shared, MPI_COMM_NULL);
    MPI_Comm_free(&both);
  });
}

TEST_P(communicators, are_made_of_groups) {
  run_ranks(7, [] {
    // Each rank calls with the group that it is in.
    auto own = with_remainder(me() % 3, 3);
    std::ranges::reverse(own);
    MPI_Group group = group_of(own);
    MPI_Comm part;
    ASSERT_EQ(MPI_Comm_create(MPI_COMM_WORLD, group, &part), MPI_SUCCESS);
    expect_members(part, own);
    free_all({part});
    // Some ranks are in no group.
    MPI_Comm some = MPI_COMM_WORLD;
    ASSERT_EQ(MPI_Comm_create(MPI_COMM_WORLD, me() % 3 == 1 ? group : MPI_GROUP_EMPTY, &some), MPI_SUCCESS);
    if (me() % 3 == 1)
      expect_members(some, own);
    else
      EXPECT_EQ(some, MPI_COMM_NULL);
    free_all({some});
    MPI_Group_free(&group);
    // Only members call; the groups overlap, and the tags are the same.
    for (int first = 0; first < 5; ++first) {
      const ranks_list three{first + 2, first, first + 1};
      if (std::ranges::find(three, me()) == three.end()) continue;
      group = group_of(three);
      MPI_Comm result;
      ASSERT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 8, &result), MPI_SUCCESS);
      expect_members(result, three);
      free_all({result});
      MPI_Group_free(&group);
    }
  });
}

TEST_P(communicators, are_made_of_groups_of_different_sizes_at_once) {
  run_ranks(8, [] {
    // Splits off half of the members repeatedly; the others do something else meanwhile.
    MPI_Comm whole;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &whole), MPI_SUCCESS);
    for (int size = 8; size > 0 && me() < size; size /= 2) {
      ranks_list first(static_cast<std::size_t>(size));
      std::iota(first.begin(), first.end(), 0);
      MPI_Group group = group_of(first);
      MPI_Comm result;
      ASSERT_EQ(MPI_Comm_create_group(whole, group, size, &result), MPI_SUCCESS);
      MPI_Comm again;
      MPI_Request request;
      ASSERT_EQ(MPI_Comm_idup(result, &again, &request), MPI_SUCCESS);
      expect_members(result, first);
      ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      expect_members(again, first);
      free_all({result, again});
      MPI_Group_free(&group);
    }
    expect_members(whole, whole_world());
    free_all({whole});
  });
}

TEST_P(communicators, connect_two_groups) {
  for (const int ranks : {2, 3, 8})
    run_ranks(ranks, [] {
      const auto own = with_remainder(me() % 2, 2);
      const auto other = with_remainder(1 - me() % 2, 2);
      MPI_Comm both = halves_of_world();
      expect_groups(both, own, other);
      MPI_Comm same;
      ASSERT_EQ(MPI_Comm_dup(both, &same), MPI_SUCCESS);
      expect_groups(same, own, other);
      EXPECT_EQ(comparison(both, same), MPI_CONGRUENT);
      EXPECT_EQ(comparison(both, MPI_COMM_WORLD), MPI_UNEQUAL);
      MPI_Comm later;
      MPI_Request request;
      ASSERT_EQ(MPI_Comm_idup(same, &later, &request), MPI_SUCCESS);
      expect_groups(same, own, other);
      ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      expect_groups(later, own, other);
      // Merges with different and with equal values of `high`.
      auto evens_first = with_remainder(0, 2);
      auto odds_first = with_remainder(1, 2);
      const auto evens = evens_first;
      evens_first.insert(evens_first.end(), odds_first.begin(), odds_first.end());
      odds_first.insert(odds_first.end(), evens.begin(), evens.end());
      for (const int high_if_even : {0, 1}) {
        MPI_Comm merged;
        ASSERT_EQ(MPI_Intercomm_merge(both, me() % 2 == 0 ? high_if_even : 1 - high_if_even, &merged),
                  MPI_SUCCESS);
        expect_members(merged, high_if_even != 0 ? odds_first : evens_first);
        free_all({merged});
        ASSERT_EQ(MPI_Intercomm_merge(same, high_if_even, &merged), MPI_SUCCESS);
        expect_members(merged, evens_first);
        free_all({merged});
      }
      free_all({both, same, later});
    });
}

TEST_P(communicators, are_made_of_parts_of_two_groups) {
  for (const int ranks : {2, 5, 8})
    run_ranks(ranks, [] {
      MPI_Comm both = halves_of_world();
      // Splits by colour; rank / 2 is the rank in a half.
      const auto parts = [](int half, int color, int colors) {
        ranks_list all;
        for (const int r : with_remainder(half, 2))
          if (r / 2 % colors == color) all.push_back(r);
        std::ranges::reverse(all);
        return all;
      };
      for (const int colors : {1, 2, 3}) {
        const int color = me() / 2 % colors;
        MPI_Comm part;
        ASSERT_EQ(MPI_Comm_split(both, color, -me(), &part), MPI_SUCCESS);
        if (const auto other = parts(1 - me() % 2, color, colors); other.empty())
          EXPECT_EQ(part, MPI_COMM_NULL);
        else
          expect_groups(part, parts(me() % 2, color, colors), other);
        free_all({part});
      }
      // Creates from groups: the last rank of each half.
      const auto last = [](int half) { return ranks_list{with_remainder(half, 2).back()}; };
      MPI_Group group = group_of(last(me() % 2));
      MPI_Comm lasts;
      ASSERT_EQ(MPI_Comm_create(both, group, &lasts), MPI_SUCCESS);
      if (last(me() % 2).front() == me())
        expect_groups(lasts, last(me() % 2), last(1 - me() % 2));
      else
        EXPECT_EQ(lasts, MPI_COMM_NULL);
      // Creates from groups with none of the odd ranks.
      MPI_Comm nobody = MPI_COMM_WORLD;
      ASSERT_EQ(MPI_Comm_create(both, me() % 2 == 0 ? group : MPI_GROUP_EMPTY, &nobody), MPI_SUCCESS);
      EXPECT_EQ(nobody, MPI_COMM_NULL);
      MPI_Group_free(&group);
      free_all({both, lasts});
    });
}

TEST_P(communicators, connect_groups_without_a_common_communicator) {
  run_ranks(5, [] {
    MPI_Group halves[] = {group_of(with_remainder(0, 2)), group_of(with_remainder(1, 2))};
    MPI_Comm both;
    ASSERT_EQ(MPI_Intercomm_create_from_groups(halves[me() % 2], 1, halves[1 - me() % 2], 1, "a tag",
                                               MPI_INFO_NULL, MPI_ERRORS_RETURN, &both),
              MPI_SUCCESS);
    expect_groups(both, with_remainder(me() % 2, 2), with_remainder(1 - me() % 2, 2));
    EXPECT_EQ(error_class(MPI_Send(nullptr, 0, MPI_INT, 9, 0, both)), MPI_ERR_RANK);
    ASSERT_EQ(MPI_Comm_disconnect(&both), MPI_SUCCESS);
    EXPECT_EQ(both, MPI_COMM_NULL);
    MPI_Group_free(&halves[0]);
    MPI_Group_free(&halves[1]);
  });
}

/// A tree of communicators. All members draw alike how each one is made from another.
TEST_P(communicators, are_made_of_each_other) {
  for (unsigned seed = 1; seed <= 3; ++seed)
    run_ranks(6, [seed] {
      struct known {
        MPI_Comm comm;
        ranks_list members;
      };
      // Ranks that know the same communicators (`all`) draw the same numbers.
      std::mt19937 draws(seed);
      std::vector<known> all{{MPI_COMM_WORLD, whole_world()}};
      for (int step = 0; step < 25; ++step) {
        const auto which = draws() % 4;
        const known from = all[draws() % all.size()];
        auto expected = from.members;
        MPI_Comm result = MPI_COMM_NULL;
        switch (which) {
          case 0: ASSERT_EQ(MPI_Comm_dup(from.comm, &result), MPI_SUCCESS); break;
          case 1:
            std::ranges::shuffle(expected, draws);
            ASSERT_EQ(MPI_Comm_split(from.comm, 0, place_in(expected, me()), &result), MPI_SUCCESS);
            break;
          case 2: {
            std::ranges::shuffle(expected, draws);
            MPI_Group group = group_of(expected);
            ASSERT_EQ(MPI_Comm_create(from.comm, group, &result), MPI_SUCCESS);
            MPI_Group_free(&group);
            break;
          }
          default: {
            std::ranges::shuffle(expected, draws);
            MPI_Group group = group_of(expected);
            ASSERT_EQ(MPI_Comm_create_group(from.comm, group, step, &result), MPI_SUCCESS);
            MPI_Group_free(&group);
          }
        }
        all.push_back({result, expected});
        if (all.size() > 6) {
          free_all({all[1].comm});
          all.erase(all.begin() + 1);
        }
      }
      for (const known& each : all) expect_members(each.comm, each.members);
      for (std::size_t i = 1; i < all.size(); ++i) free_all({all[i].comm});
    });
}

namespace {

thread_local std::vector<std::pair<MPI_Comm, int>> errors_seen;
void see_error(MPI_Comm* comm, int* code, ...) { errors_seen.emplace_back(*comm, *code); }
void see_no_error(MPI_Win* /*win*/, int* /*code*/, ...) {}

}  // namespace

TEST_P(communicators, inherit_what_they_should) {
  run_ranks(2, [] {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    EXPECT_EQ(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "MPI_COMM_WORLD");
    EXPECT_EQ(MPI_Comm_get_name(MPI_COMM_NULL, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "MPI_COMM_NULL");
    MPI_Comm first;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &first), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_get_name(first, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "");
    EXPECT_EQ(length, 0);
    EXPECT_EQ(MPI_Comm_set_name(first, "mine"), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_get_name(first, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "mine");
    const std::string too_long(2 * MPI_MAX_OBJECT_NAME, 'x');
    EXPECT_EQ(MPI_Comm_set_name(first, too_long.c_str()), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_get_name(first, name, &length), MPI_SUCCESS);
    EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);

    // Hints that MPI knows are copied to a duplicate, unless other hints are given.
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    MPI_Info_set(hints, "color_of_the_machine", "blue");
    EXPECT_EQ(MPI_Comm_set_info(first, hints), MPI_SUCCESS);
    MPI_Comm copies[2];
    ASSERT_EQ(MPI_Comm_dup(first, &copies[0]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_dup_with_info(first, MPI_INFO_NULL, &copies[1]), MPI_SUCCESS);
    for (int i = 0; i < 2; ++i) {
      MPI_Info used;
      EXPECT_EQ(MPI_Comm_get_info(copies[i], &used), MPI_SUCCESS);
      int keys = -1;
      EXPECT_EQ(MPI_Info_get_nkeys(used, &keys), MPI_SUCCESS);
      EXPECT_EQ(keys, 1 - i);
      MPI_Info_free(&used);
    }
    MPI_Info_free(&hints);

    // Error handler: a function that all members call.
    MPI_Errhandler noting;
    MPI_Comm_create_errhandler(&see_error, &noting);
    EXPECT_EQ(MPI_Comm_set_errhandler(first, noting), MPI_SUCCESS);
    EXPECT_EQ(MPI_Errhandler_free(&noting), MPI_SUCCESS);
    MPI_Comm part;
    ASSERT_EQ(MPI_Comm_split(first, me(), 0, &part), MPI_SUCCESS);
    errors_seen.clear();  // shared by ranks of a PE; no rank waits from here on
    EXPECT_EQ(MPI_Comm_call_errhandler(part, MPI_ERR_OTHER), MPI_SUCCESS);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 1, 0, part), MPI_ERR_RANK);
    MPI_Errhandler found;
    EXPECT_EQ(MPI_Comm_get_errhandler(part, &found), MPI_SUCCESS);
    MPI_Errhandler again;
    EXPECT_EQ(MPI_Comm_get_errhandler(part, &again), MPI_SUCCESS);
    EXPECT_EQ(again, found);
    EXPECT_EQ(MPI_Errhandler_free(&found), MPI_SUCCESS);
    EXPECT_EQ(MPI_Errhandler_free(&again), MPI_SUCCESS);
    EXPECT_EQ(errors_seen,
              (std::vector<std::pair<MPI_Comm, int>>{{part, MPI_ERR_OTHER}, {part, MPI_ERR_RANK}}));
    EXPECT_EQ(MPI_Comm_get_errhandler(MPI_COMM_SELF, &found), MPI_SUCCESS);
    EXPECT_EQ(found, MPI_ERRORS_ARE_FATAL);
    free_all({part, first, copies[0], copies[1]});
    MPI_Comm parent = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    EXPECT_EQ(parent, MPI_COMM_NULL);
  });
}

TEST_P(communicators, outlive_their_handles) {
  run_ranks(2, [] {
    MPI_Comm comm;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    int came = 0;
    const int sent = 7;
    if (me() == 1) {
      MPI_Request request;
      MPI_Irecv(&came, 1, MPI_INT, 0, 0, comm, &request);
      EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(came, 7);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Ssend(&sent, 1, MPI_INT, 1, 0, comm);
      // The communicator lives until its operations have ended.
      MPI_Request request;
      MPI_Isend(&sent, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
      EXPECT_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
      int is_done = 0;
      MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
      EXPECT_EQ(is_done, 1);
    }
  });
}

TEST_P(communicators, refuse_what_cannot_be) {
  run_ranks(2, [] {
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm result = MPI_COMM_SELF;
    MPI_Comm own = MPI_COMM_SELF;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(error_class(MPI_Comm_free(&own)), MPI_ERR_COMM);
    EXPECT_EQ(own, MPI_COMM_SELF);
    EXPECT_EQ(error_class(MPI_Comm_dup(MPI_COMM_NULL, &result)), MPI_ERR_COMM);
    EXPECT_EQ(error_class(MPI_Comm_split(world, -5, 0, &result)), MPI_ERR_ARG);
    EXPECT_EQ(result, MPI_COMM_NULL);
    EXPECT_EQ(error_class(MPI_Comm_split_type(world, 77, 0, MPI_INFO_NULL, &result)), MPI_ERR_ARG);
    EXPECT_EQ(error_class(MPI_Comm_create(world, MPI_GROUP_NULL, &result)), MPI_ERR_GROUP);
    MPI_Group all;
    MPI_Comm_group(world, &all);
    EXPECT_EQ(error_class(MPI_Comm_create(own, all, &result)), MPI_ERR_GROUP);
    EXPECT_EQ(error_class(MPI_Comm_create_group(world, all, -1, &result)), MPI_ERR_TAG);
    MPI_Group_free(&all);
    int size = 0;
    EXPECT_EQ(error_class(MPI_Comm_remote_size(world, &size)), MPI_ERR_COMM);
    EXPECT_EQ(error_class(MPI_Intercomm_merge(world, 0, &result)), MPI_ERR_COMM);
    EXPECT_EQ(error_class(MPI_Intercomm_create(own, 1, world, 0, 0, &result)), MPI_ERR_RANK);
    EXPECT_EQ(error_class(MPI_Intercomm_create(own, 0, world, 2, 0, &result)), MPI_ERR_RANK);
    EXPECT_EQ(error_class(MPI_Intercomm_create(own, 0, MPI_COMM_NULL, 1, 0, &result)), MPI_ERR_COMM);
    // Both leaders are in the same group.
    EXPECT_EQ(error_class(MPI_Intercomm_create(own, 0, own, 0, 0, &result)), MPI_ERR_COMM);
    MPI_Errhandler of_windows;
    MPI_Win_create_errhandler(&see_no_error, &of_windows);
    EXPECT_EQ(error_class(MPI_Comm_set_errhandler(world, of_windows)), MPI_ERR_ARG);
    MPI_Errhandler_free(&of_windows);
    EXPECT_EQ(error_class(MPI_Comm_set_name(world, nullptr)), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Barrier(world), MPI_SUCCESS);  // all members are still in step
  });
}

TEST_P(communicators, are_named_where_a_call_fails) {
  ranks_fail(2,
             [] {
               MPI_Comm comm;
               MPI_Comm_dup(MPI_COMM_WORLD, &comm);
               MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
               MPI_Comm_set_name(comm, "the grid");
               if (me() == 1) MPI_Send(nullptr, 0, MPI_INT, 2, 0, comm);
               MPI_Barrier(comm);
             },
             {"rank 1: MPI_Send in the grid: the destination is rank 2, and the grid has ranks 0 to 1"});
}

}  // namespace imbrex::mpi
