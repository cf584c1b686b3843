// SPDX-License-Identifier: Apache-2.0
// Random traffic for a long time, from a seed: messages, calls, migrations, broadcasts and reductions.
//   soak SECONDS [SEED]
// In each round every walker sends messages to random walkers, receives its own, and may migrate to another
// PE. The driver compares the sums of sent and received messages, and checks the memory of each process. Exit
// status 1 if messages are lost or duplicated, or if a process grows by more than `most_growth` after the
// warm-up.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/imbrex.hpp>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr int walkers = 48;
constexpr int messages_each = 6;
constexpr std::int64_t most_growth = 48 << 20;  // bytes; allocators keep some freed memory
constexpr double part_for_warm_up = 0.3;

/// Number and content of messages, combined by `sum`.
struct tally {
  std::int64_t messages = 0;
  std::int64_t content = 0;

  tally operator+(const tally& o) const { return {messages + o.messages, content + o.content}; }
  bool operator==(const tally&) const = default;
  void add(const std::vector<std::int32_t>& message) {
    ++messages;
    for (const std::int32_t word : message) content += word;
  }
};

struct report {
  tally written;
  tally read;
  std::int64_t moves = 0;

  report operator+(const report& o) const { return {written + o.written, read + o.read, moves + o.moves}; }
};

std::vector<std::int32_t> random_message(imbrex::random& dice) {
  // Most messages are short; some are too long for UCX's eager protocol.
  const std::size_t length = dice.below(50) == 0 ? dice.below(60'000) : dice.below(300);
  std::vector<std::int32_t> words(length);
  for (auto& w : words) w = static_cast<std::int32_t>(dice.below(1'000'000));
  return words;
}

class walker : public imbrex::chare<walker> {
 public:
  imbrex::mailbox<std::vector<std::int32_t>> in;
  imbrex::mailbox<int> expected;  // number of messages from one walker, by round

  std::int64_t answer(std::vector<std::int32_t> question) {
    std::int64_t all = 0;
    for (const std::int32_t word : question) all += word;
    return all;
  }

  imbrex::task<report> round(int number, std::uint64_t seed) {
    imbrex::random dice(seed * 1'000'003 + static_cast<std::uint64_t>(number * walkers + where()[0]));
    if (!sent_) {
      std::vector<int> count(walkers, 0);
      for (int i = 0; i < messages_each; ++i) {
        const auto to = dice.below(walkers);
        const auto message = random_message(dice);
        done_.written.add(message);
        const auto reader = peers()[static_cast<int>(to)];
        imbrex::send<&walker::in>(dice.below(2) == 0 ? reader : reader.coalesced(), number, message);
        ++count[to];
      }
      for (int to = 0; to < walkers; ++to)
        imbrex::send<&walker::expected>(peers()[to], number, count[static_cast<std::size_t>(to)]);
      sent_ = true;
      if (dice.below(4) == 0) {
        ++done_.moves;
        migrate_to(static_cast<int>(dice.below(static_cast<std::uint64_t>(imbrex::num_pes()))));
        co_await balance_point<&walker::round>(number, seed);
      }
    }
    int remaining = 0;
    for (int from = 0; from < walkers; ++from) {
      const int count = co_await expected.receive(number);
      remaining += count;
    }
    for (; remaining > 0; --remaining) {
      const auto message = co_await in.receive(number);
      done_.read.add(message);
    }
    sent_ = false;
    const auto question = random_message(dice);
    std::int64_t right = 0;
    for (const std::int32_t word : question) right += word;
    const std::int64_t got =
        co_await peers()[static_cast<int>(dice.below(walkers))].call<&walker::answer>(question);
    if (got != right) throw imbrex::error("a wrong answer in round " + std::to_string(number));
    const int all = co_await all_reduce(1, imbrex::sum);
    if (all != walkers) throw imbrex::error("a wrong reduction in round " + std::to_string(number));
    co_return std::exchange(done_, {});
  }

  void serialize(auto& ar) { ar(in, expected, sent_, done_); }

 private:
  bool sent_ = false;
  report done_;
};

/// A chare on each PE that reads the resident memory of its process.
class meter : public imbrex::chare<meter> {
 public:
  std::int64_t resident() {
    std::ifstream file("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t pages = 0;
    file >> size >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  }
};

void print_memory(double second, const std::vector<std::int64_t>& memory) {
  std::printf("%.0f s: resident MiB of the process of each PE:", second);
  for (const auto m : memory) std::printf(" %.1f", static_cast<double>(m) / (1 << 20));
  std::printf("\n");
  std::fflush(stdout);
}

imbrex::task<int> soak(double seconds, std::uint64_t seed) {
  const auto all = imbrex::make_array<walker>(walkers);
  const auto meters = imbrex::make_group<meter>();
  const auto start = clock_type::now();
  report sum;
  std::vector<std::int64_t> warm;
  std::vector<std::int64_t> most;
  double second = 0;
  double next_print = 0;
  int rounds = 0;
  for (; second < seconds; ++rounds) {
    const report r = co_await all.reduce<&walker::round>(imbrex::sum, rounds, seed);
    sum = sum + r;
    second = std::chrono::duration<double>(clock_type::now() - start).count();
    if (rounds % 20 != 0) continue;
    const auto memory = co_await meters.reduce<&meter::resident>(imbrex::gather);
    if (second >= next_print) {
      print_memory(second, memory);
      next_print = second + std::max(seconds / 20, 1.0);
    }
    auto& peak = second < seconds * part_for_warm_up ? warm : most;
    peak.resize(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) peak[i] = std::max(peak[i], memory[i]);
  }
  std::printf("%d rounds, %lld letters, %lld moves\n", rounds, static_cast<long long>(sum.read.messages),
              static_cast<long long>(sum.moves));
  if (!(sum.written == sum.read) || sum.read.messages != std::int64_t{rounds} * walkers * messages_each) {
    std::printf("letters were lost or doubled\n");
    co_return 1;
  }
  if (imbrex::test::memory_is_kept_back) co_return 0;
  for (std::size_t i = 0; i < most.size() && i < warm.size(); ++i)
    if (most[i] - warm[i] > most_growth) {
      std::printf("the process of PE %zu has grown from %.1f to %.1f MiB after the warm-up\n", i,
                  static_cast<double>(warm[i]) / (1 << 20), static_cast<double>(most[i]) / (1 << 20));
      co_return 1;
    }
  std::printf("no letter was lost, and the memory stayed flat\n");
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    if (argc < 2 || argc > 3) throw imbrex::usage_error("usage: soak SECONDS [SEED]");
    const double seconds = std::stod(argv[1]);
    const std::uint64_t seed = argc > 2 ? std::stoull(argv[2]) : 1;
    const int status = co_await soak(seconds, seed);
    co_return status;
  });
}
