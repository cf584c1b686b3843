// SPDX-License-Identifier: Apache-2.0
// A process of a job whose chares send each other memory of emulated devices, and that a test disturbs:
//   device_worker transfer SECONDS  each PE sends arrays to the next by channels and places; all are checked
//   device_worker post SECONDS      PE 0 shares an array with the last PE, whose place takes SECONDS to reply
// Each process writes "process RANK pid PID" at its start, and "process RANK at work" once arrays are in
// transfer or a place is requested; process 0 writes "done: N rounds" at the end.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include <imbrex/gpu.hpp>

namespace {

using seconds = std::chrono::duration<double>;
using imbrex::device_span;

constexpr std::size_t cells = 1U << 17U;  // 1 MiB

/// Writes a line with the process's rank.
void tell(const char* what, int number) {
  std::printf("process %d %s", imbrex::process(), what);
  if (number != 0) std::printf(" %d", number);
  std::printf("\n");
  std::fflush(stdout);
}
void announce() {
  static std::atomic<bool> done = false;
  if (!done.exchange(true)) tell("pid", static_cast<int>(::getpid()));
}
void tell_of_work() {
  static std::atomic<bool> done = false;
  if (!done.exchange(true)) tell("at work", 0);
}

constexpr imbrex::kernel<device_span<std::int64_t>, std::int64_t> count_from{
    .name = "count from", .host = [](device_span<std::int64_t> to, std::int64_t first) {
      for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = first + static_cast<std::int64_t>(i);
    }};
constexpr imbrex::kernel<device_span<const std::int64_t>, std::int64_t, device_span<std::int64_t>> compare{
    .name = "compare",
    .host = [](device_span<const std::int64_t> of, std::int64_t first, device_span<std::int64_t> wrong) {
      for (std::size_t i = 0; i < of.size(); ++i)
        if (of.data()[i] != first + static_cast<std::int64_t>(i)) ++wrong.data()[0];
    }};

std::int64_t first_of(int from, int round) { return 1'000'003LL * from + 7919LL * round; }

class member : public imbrex::chare<member> {
 public:
  imbrex::device_channel<std::int64_t> before, after;
  imbrex::mailbox<int> taken;

  void begin() {
    announce();
    before.connect<&member::after>(peers()[(where()[0] + imbrex::num_pes() - 1) % imbrex::num_pes()]);
    after.connect<&member::before>(next());
    work_.fill(wrong_.span(), std::byte(0));
  }

  imbrex::device_place<std::int64_t> place(int, double takes, std::size_t count) {
    if (takes > 0) {
      tell_of_work();
      std::this_thread::sleep_for(seconds(takes));
    }
    return {place_.span().subspan(0, count), work_};
  }
  void take(int round, double, imbrex::device_argument<std::int64_t, &member::place> came) {
    const int from = (where()[0] + imbrex::num_pes() - 1) % imbrex::num_pes();
    work_.launch(compare, came.span(), first_of(from, round), wrong_.span());
    imbrex::send<&member::taken>(self(), round, 0);
  }

  imbrex::task<int> transfer(double time) {
    const auto end = std::chrono::steady_clock::now() + seconds(time);
    const int from = (where()[0] + imbrex::num_pes() - 1) % imbrex::num_pes();
    int round = 0;
    bool more = true;
    while (more) {
      for (const int last = round + 5; round < last; ++round) {
        work_.launch(count_from, out_.span(), first_of(where()[0], round));
        const auto loan = after.send(std::as_const(out_).span(), work_);
        const auto posted = imbrex::zero_copy(std::as_const(out_).span(), work_);
        imbrex::send<&member::take>(next(), round, 0.0, posted);
        co_await before.receive(in_.span(), work_);
        work_.launch(compare, std::as_const(in_).span(), first_of(from, round), wrong_.span());
        co_await taken.receive(round);
        tell_of_work();
        co_await loan.done();
        co_await posted.done();
      }
      work_.copy(seen_.span(), std::as_const(wrong_).span());
      co_await work_.done();
      if (seen_[0] != 0) throw imbrex::error("wrong cells before round " + std::to_string(round));
      more = (co_await all_reduce(std::chrono::steady_clock::now() < end ? 1 : 0, imbrex::min)) == 1;
    }
    co_return round;
  }

  imbrex::task<> share_with_last(double takes) {
    const auto loan = imbrex::zero_copy(std::as_const(out_).span(), work_);
    co_await peers()[imbrex::num_pes() - 1].call<&member::take>(0, takes, loan);
    co_await loan.done();
  }

 private:
  imbrex::element<member> next() { return peers()[(where()[0] + 1) % imbrex::num_pes()]; }

  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a member"};
  imbrex::device_buffer<std::int64_t> out_{imbrex::gpu(), cells}, in_{imbrex::gpu(), cells},
      place_{imbrex::gpu(), cells}, wrong_{imbrex::gpu(), 1};
  imbrex::pinned_buffer<std::int64_t> seen_{imbrex::gpu(), 1};
};

imbrex::task<int> run(std::string mode, double time) {
  const auto members = imbrex::make_group<member>();
  co_await members.call<&member::begin>();
  int rounds = 1;
  if (mode == "transfer")
    rounds = co_await members.reduce<&member::transfer>(imbrex::min, time);
  else
    co_await members[0].call<&member::share_with_last>(time);
  std::printf("done: %d rounds\n", rounds);
  std::fflush(stdout);
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    if (argc != 3) throw imbrex::usage_error("usage: device_worker transfer|post SECONDS");
    const int status = co_await run(argv[1], std::stod(argv[2]));
    co_return status;
  });
}
