// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/fabric_network.hpp>

#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <thread>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/net/endpoint/text_item.test.hpp>
#include <imbrex/net/loopback/loopback_fabric.hpp>

namespace imbrex::endpoints {
namespace {

using test::text;

/// An exchange of texts between threads that stand for processes.
class text_exchange {
 public:
  explicit text_exchange(int size) : texts_(static_cast<std::size_t>(size)), turn_(size) {}
  int size() const { return static_cast<int>(texts_.size()); }
  std::vector<std::string> gather(int rank, const std::string& text) {
    texts_[static_cast<std::size_t>(rank)] = text;
    turn_.arrive_and_wait();
    auto all = texts_;
    turn_.arrive_and_wait();
    return all;
  }

 private:
  std::vector<std::string> texts_;
  std::barrier<> turn_;
};

class place final : public bootstrap {
 public:
  place(text_exchange& at, int rank) : at_(at), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return at_.size(); }
  std::vector<std::string> all_gather(const std::string& text) override { return at_.gather(rank_, text); }

 private:
  text_exchange& at_;
  int rank_;
};

struct collector final : detail::network::receiver {
  detail::work& unpack(reader& in) override { return text::read(in); }
  void arrived(detail::work& item, int pe, std::size_t) override {
    came.push_back(std::to_string(pe) + ": " + static_cast<text&>(item).content);
    text::destroy(item);
  }
  void control_message(int, std::span<const std::byte>) override {}
  void lost(int, const std::string&) override {}

  std::vector<std::string> came;
};

/// Networks of processes with so many PEs each, made together by threads. Also the errors of their making.
class job {
 public:
  job(
      const std::vector<int>& pes, detail::endpoint_sharing sharing,
      const std::function<std::uint64_t(std::size_t)>& program = [](std::size_t) { return 7U; })
      : networks(pes.size()), receivers(pes.size()), failures(pes.size()) {
    text_exchange at(static_cast<int>(pes.size()));
    const auto in = std::make_shared<loopback::medium>(loopback::options{});
    std::vector<std::jthread> threads;
    for (std::size_t p = 0; p < pes.size(); ++p)
      threads.emplace_back([&, p] {
        place bootstrap(at, static_cast<int>(p));
        try {
          networks[p] = std::make_unique<fabric_network>(bootstrap, pes[p], sharing, program(p), receivers[p],
                                                         std::make_unique<loopback::loopback_fabric>(in),
                                                         &loopback::make_endpoint);
        } catch (const error& e) {
          failures[p] = e.what();
        }
      });
  }

  std::vector<std::unique_ptr<fabric_network>> networks;
  std::vector<collector> receivers;
  std::vector<std::string> failures;
};

TEST(fabric_network, numbers_pes_through_all_processes) {
  const job j({2, 1, 3}, detail::endpoint_sharing::each);
  const std::vector<int> firsts{0, 2, 3};
  for (std::size_t p = 0; p < 3; ++p) {
    ASSERT_NE(j.networks[p], nullptr) << j.failures[p];
    EXPECT_EQ(j.networks[p]->pes().first, firsts[p]);
    EXPECT_EQ(j.networks[p]->pes().total, 6);
  }
  EXPECT_NE(&j.networks[2]->endpoint_of(3), &j.networks[2]->endpoint_of(5));
}

TEST(fabric_network, brings_items_to_every_pe_and_counts_them) {
  for (const auto sharing : {detail::endpoint_sharing::each, detail::endpoint_sharing::one}) {
    job j({2, 1, 3}, sharing);
    for (int from = 0; from < 2; ++from)
      for (int to = 2; to < 6; ++to)
        j.networks[0]->endpoint_of(from).send(*new text("from " + std::to_string(from)), to);
    EXPECT_EQ(j.networks[0]->counted().sent, 8U);
    for (int pe = 2; pe < 6; ++pe) j.networks[pe == 2 ? 1 : 2]->endpoint_of(pe).progress(0);
    EXPECT_EQ(j.receivers[1].came, (std::vector<std::string>{"2: from 0", "2: from 1"}));
    EXPECT_EQ(j.receivers[2].came.size(), 6U);
    EXPECT_EQ(j.networks[2]->counted().received, 6U);
    for (auto& network : j.networks) network->flush(std::chrono::milliseconds(0));
    for (auto& one : j.networks) one->close();
    EXPECT_EQ(text::there_are, 0);
  }
}

TEST(fabric_network, refuses_another_program) {
  const job j({1, 1, 1}, detail::endpoint_sharing::each, [](std::size_t p) { return p == 1 ? 8U : 7U; });
  EXPECT_EQ(j.failures[0],
            "process 1 runs another program than process 0 (or another build of it): start the same build "
            "everywhere");
  for (const auto& network : j.networks) EXPECT_EQ(network, nullptr);
}

}  // namespace
}  // namespace imbrex::endpoints
