// SPDX-License-Identifier: Apache-2.0
// Collectives on data in device memory.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <imbrex/mpi/device_ranks.test.hpp>

namespace imbrex::mpi {

class device_collectives : public on_devices {};
INSTANTIATE_TEST_SUITE_P(on, device_collectives, ::testing::ValuesIn(machines_with_devices()),
                         name_of_machine);

namespace {

constexpr int counts_of_test[] = {0, 1, 7, 4096};

std::vector<std::int64_t> numbers_of(int rank, int count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1'000'000 * (rank + 1));
  return numbers;
}
std::vector<std::int64_t> sums_of(int ranks, int count) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count));
  for (int r = 0; r < ranks; ++r) {
    const auto its = numbers_of(r, count);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += its[i];
  }
  return sums;
}

/// Calls `check` for each count, with data on the host at some ranks and on devices at others.
void for_each_place(const std::function<void(int count, bool out, bool in)>& check) {
  const auto [me, n] = rank_and_size();
  for (const int count : counts_of_test) {
    check(count, true, true);
    check(count, me % 2 == 0, me % 3 != 0);
  }
}

}  // namespace

TEST_P(device_collectives, broadcast_and_reduce) {
  run_on_devices(5, [] {
    const auto [me, n] = rank_and_size();
    for_each_place([me, n](int count, bool out, bool in) {
      const int root = count % n;
      values_in<std::int64_t> own(out, numbers_of(me, count));
      values_in<std::int64_t> all(in, std::vector<std::int64_t>(std::size_t(count), -1));
      EXPECT_EQ(MPI_Allreduce(own.at(), all.at(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(all.get(), sums_of(n, count));
      EXPECT_EQ(own.get(), numbers_of(me, count));

      all.put(std::vector<std::int64_t>(std::size_t(count), -1));
      EXPECT_EQ(MPI_Reduce(own.at(), all.at(), count, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(all.get(),
                me == root ? sums_of(n, count) : std::vector<std::int64_t>(std::size_t(count), -1));

      values_in<std::int64_t> replaced(in, numbers_of(me, count));
      EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, replaced.at(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(replaced.get(), sums_of(n, count));

      EXPECT_EQ(MPI_Bcast(own.at(), count, MPI_INT64_T, root, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(own.get(), numbers_of(root, count));

      own.put(numbers_of(me, count));
      EXPECT_EQ(MPI_Scan(own.at(), all.at(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(all.get(), sums_of(me + 1, count));
    });
  });
}

TEST_P(device_collectives, gather_and_scatter) {
  run_on_devices(4, [] {
    const auto [me, n] = rank_and_size();
    for_each_place([me, n](int count, bool out, bool in) {
      const int root = (count + 1) % n;
      std::vector<std::int64_t> together;
      for (int r = 0; r < n; ++r)
        for (const std::int64_t each : numbers_of(r, count)) together.push_back(each);
      const std::vector<std::int64_t> nothing(together.size(), -1);
      values_in<std::int64_t> own(out, numbers_of(me, count));
      values_in<std::int64_t> all(in, nothing);
      EXPECT_EQ(MPI_Gather(own.at(), count, MPI_INT64_T, all.at(), count, MPI_INT64_T, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(all.get(), me == root ? together : nothing);
      all.put(nothing);
      EXPECT_EQ(MPI_Allgather(own.at(), count, MPI_INT64_T, all.at(), count, MPI_INT64_T, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(all.get(), together);
      own.put(std::vector<std::int64_t>(std::size_t(count), -1));
      EXPECT_EQ(MPI_Scatter(all.at(), count, MPI_INT64_T, own.at(), count, MPI_INT64_T, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(own.get(), numbers_of(me, count));

      // Blocks of a different length per rank; the gap before each must not change.
      std::vector<int> counts, places;
      std::vector<std::int64_t> with_gaps;
      for (int r = 0; r < n; ++r) {
        with_gaps.push_back(-1);
        places.push_back(int(with_gaps.size()));
        counts.push_back(count / (r + 1));
        for (const std::int64_t each : numbers_of(r, counts.back())) with_gaps.push_back(each);
      }
      const std::vector<std::int64_t> gaps(with_gaps.size(), -1);
      own.put(numbers_of(me, count));
      values_in<std::int64_t> uneven(in, gaps);
      EXPECT_EQ(MPI_Gatherv(own.at(), counts[std::size_t(me)], MPI_INT64_T, uneven.at(), counts.data(),
                            places.data(), MPI_INT64_T, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(uneven.get(), me == root ? with_gaps : gaps);
      EXPECT_EQ(MPI_Allgatherv(own.at(), counts[std::size_t(me)], MPI_INT64_T, uneven.at(), counts.data(),
                               places.data(), MPI_INT64_T, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(uneven.get(), with_gaps);
    });
  });
}

TEST_P(device_collectives, exchange_all_to_all) {
  run_on_devices(4, [] {
    const auto [me, n] = rank_and_size();
    for_each_place([me, n](int count, bool out, bool in) {
      const auto size = std::size_t(n * count);
      std::vector<std::int64_t> sent, expected;
      for (int r = 0; r < n; ++r)
        for (int i = 0; i < count; ++i) {
          sent.push_back(1'000'000 * me + 10'000 * r + i);
          expected.push_back(1'000'000 * r + 10'000 * me + i);
        }
      values_in<std::int64_t> own(out, sent);
      values_in<std::int64_t> all(in, std::vector<std::int64_t>(size, -1));
      EXPECT_EQ(MPI_Alltoall(own.at(), count, MPI_INT64_T, all.at(), count, MPI_INT64_T, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(all.get(), expected);
      all.put(std::vector<std::int64_t>(size, -1));
      const std::vector<int> counts(std::size_t(n), count);
      std::vector<int> places;
      for (int r = 0; r < n; ++r) places.push_back(r * count);
      EXPECT_EQ(MPI_Alltoallv(own.at(), counts.data(), places.data(), MPI_INT64_T, all.at(), counts.data(),
                              places.data(), MPI_INT64_T, MPI_COMM_WORLD),
                MPI_SUCCESS);
      EXPECT_EQ(all.get(), expected);
      std::vector<std::int64_t> summed(std::size_t(count), -1);
      values_in<std::int64_t> part(in, summed);
      EXPECT_EQ(MPI_Reduce_scatter_block(own.at(), part.at(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD),
                MPI_SUCCESS);
      for (int i = 0; i < count; ++i)
        summed[std::size_t(i)] = 1'000'000LL * (n * (n - 1) / 2) + n * (10'000 * me + i);
      EXPECT_EQ(part.get(), summed);
    });
  });
}

TEST_P(device_collectives, go_on_beside_others_and_again) {
  run_on_devices(3, [] {
    const auto [me, n] = rank_and_size();
    constexpr int count = 300;
    values_in<std::int64_t> own(true, numbers_of(me, count));
    values_in<std::int64_t> sums(true, std::size_t(count));
    values_in<std::int64_t> copied(true, numbers_of(me, count));
    MPI_Request both[2];
    MPI_Iallreduce(own.at(), sums.at(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &both[0]);
    MPI_Ibcast(copied.at(), count, MPI_INT64_T, 1, MPI_COMM_WORLD, &both[1]);
    EXPECT_EQ(MPI_Waitall(2, both, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sums.get(), sums_of(n, count));
    EXPECT_EQ(copied.get(), numbers_of(1, count));
    MPI_Request again = MPI_REQUEST_NULL;
    MPI_Allreduce_init(own.at(), sums.at(), count, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &again);
    for (int round = 1; round < 4; ++round) {
      own.put(numbers_of(me * round, count));
      MPI_Start(&again);
      EXPECT_EQ(MPI_Wait(&again, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(sums.get(), numbers_of((n - 1) * round, count));
    }
    MPI_Request_free(&again);
  });
}

TEST_P(device_collectives, leave_alone_what_no_neighbour_sends) {
  run_on_devices(3, [] {
    const auto [me, n] = rank_and_size();
    MPI_Comm line = MPI_COMM_NULL;
    const int open = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &open, 0, &line);
    values_in<std::int64_t> own(true, std::vector<std::int64_t>{me + 10});
    values_in<std::int64_t> both(true, std::vector<std::int64_t>{-1, -1});
    EXPECT_EQ(MPI_Neighbor_allgather(own.at(), 1, MPI_INT64_T, both.at(), 1, MPI_INT64_T, line), MPI_SUCCESS);
    EXPECT_EQ(both.get(), (std::vector<std::int64_t>{me > 0 ? me + 9 : -1, me + 1 < n ? me + 11 : -1}));
    MPI_Comm_free(&line);
  });
}

}  // namespace imbrex::mpi
