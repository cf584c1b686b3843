// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/joined.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;

/// Threads that stand for processes.
class joined : public ::testing::Test {
 protected:
  numbered_job job(int rank, int size) const {
    return {"torchrun", rank,        size,  "a test in process " + std::to_string(::getpid()),
            true,       "127.0.0.1", 29'500};
  }
  /// Runs `act` as each process of a job.
  void run(int size, const std::function<void(joined_bootstrap&)>& act,
           std::chrono::milliseconds patience = 20s) {
    std::vector<std::thread> processes;
    for (int rank = size - 1; rank >= 0; --rank)
      processes.emplace_back([&, rank] {
        joined_bootstrap bootstrap(job(rank, size), std::nullopt, patience);
        act(bootstrap);
      });
    for (auto& process : processes) process.join();
  }
};

TEST_F(joined, give_their_texts_to_all) {
  run(4, [](joined_bootstrap& job) {
    EXPECT_EQ(job.size(), 4);
    for (int round = 0; round < 3; ++round) {
      const auto all = job.all_gather(std::string(static_cast<std::size_t>(job.rank()) * 100'000, 'x'));
      ASSERT_EQ(all.size(), 4U);
      for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank].size(), rank * 100'000);
      EXPECT_EQ(job.leave(0), 0);
    }
  });
}

TEST_F(joined, hear_that_others_have_left) {
  run(3, [](joined_bootstrap& job) {
    job.all_gather("begin");
    if (job.rank() != 1) {
      std::optional<bootstrap::end_of_others> end;
      while (!(end = job.others_left())) std::this_thread::yield();
      EXPECT_EQ(end->status, 3);
      EXPECT_FALSE(end->is_death);
    }
    EXPECT_EQ(job.leave(3), 3);
    EXPECT_EQ(job.all_gather("again").size(), 3U);
  });
}

TEST_F(joined, all_hear_that_one_has_died) {
  for (const int victim : {0, 2})
    run(3, [victim](joined_bootstrap& job) {
      job.all_gather("begin");
      if (job.rank() == victim) return;
      std::optional<bootstrap::end_of_others> end;
      while (!(end = job.others_left())) std::this_thread::yield();
      EXPECT_TRUE(end->is_death);
      EXPECT_THROW(job.leave(1), reported_error);
    });
}

TEST_F(joined, fail_at_once_when_one_will_not_come) {
  run(3, [](joined_bootstrap& job) {
    job.all_gather("begin");
    if (job.rank() == 2) return;
    EXPECT_THROW(job.all_gather("again"), error);
    EXPECT_THROW(job.all_gather("and again"), error);
  });
}

TEST_F(joined, name_who_has_not_come) {
  std::thread other(
      [this] { EXPECT_THROW(joined_bootstrap(job(2, 4), std::nullopt, 300ms).all_gather(""), error); });
  const std::string text =
      testing::error_of<error>([&] { joined_bootstrap alone(job(0, 4), std::nullopt, 300ms); });
  EXPECT_NE(text.find("have not come to process 0: 1, "), std::string::npos) << text;
  EXPECT_NE(text.find("IMBREX_PATIENCE"), std::string::npos) << text;
  other.join();
}

TEST_F(joined, are_those_of_one_job_alone) {
  const auto of = [this](const std::string& identity, int rank) {
    numbered_job own_job = job(rank, 2);
    own_job.identity += identity;
    return own_job;
  };
  std::vector<std::thread> processes;
  for (const char* identity : {"one", "other"})
    for (int rank = 0; rank < 2; ++rank)
      processes.emplace_back([&, identity, rank] {
        joined_bootstrap bootstrap(of(identity, rank), std::nullopt, 20s);
        EXPECT_EQ(bootstrap.all_gather(identity), std::vector<std::string>(2, identity));
      });
  for (auto& process : processes) process.join();
}

}  // namespace
}  // namespace imbrex
