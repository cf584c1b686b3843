// SPDX-License-Identifier: Apache-2.0
// A process of a job whose chares live inside the GPUs of all processes, for the tests in this folder:
//   resident_worker all    storms, reductions, channels, messages of the hosts, errors; each is checked
//   resident_worker ring   a token circulates over all GPUs, without end
//   resident_worker other  the last process has other settings, memory or starts than the others
//   resident_worker slow   one process works or listens longer than the others' watchdogs wait
//   resident_worker heaps  heaps are made and destroyed
//   resident_worker fails  an error in one process ends the run in all
// Each process writes "process RANK pid PID" at its start, and "process RANK at work" once its run has begun;
// process 0 writes "done: N wrong" at the end.
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <imbrex/resident.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::awaited_error_of;
using imbrex::testing::error_of;

namespace resident = imbrex::resident;
using namespace imbrex::resident::test;

void tell(const char* what, long number) {
  std::printf("process %d %s %ld\n", imbrex::process(), what, number);
  std::fflush(stdout);
}

/// Settings for `pes` PEs over all GPUs, with one thread each.
resident::settings with_pes(std::uint32_t pes) {
  resident::settings s;
  s.pes = pes;
  s.threads = 1;
  return s;
}

using meeting = imbrex::process_group<resident::heap_exchange>;

/// Makes a heap by NVSHMEM if the test's environment variable requests it.
imbrex::task<resident::symmetric_heap> heap_at(meeting place, std::size_t bytes) {
  const char* const heap_kind = std::getenv("IMBREX_TEST_RESIDENT_HEAP");
  const bool by_nvshmem = heap_kind != nullptr && std::string_view(heap_kind) == "nvshmem";
  co_return co_await resident::symmetric_heap::of_processes(
      place, imbrex::gpu(), bytes, by_nvshmem ? resident::heap_way::nvshmem : resident::heap_way::any);
}

/// A chare in each process. Its entries return the number of errors.
class owner : public imbrex::chare<owner> {
 public:
  imbrex::task<int> all(meeting place) {
    const auto heap = co_await heap_at(place, std::size_t{1} << 24U);
    resident::settings s = with_pes(2 * heap.gpus());
    s.mailbox = 4;
    s.crossing = 2;
    s.parcels = 2;
    s.parcel_bytes = 512;
    s.first_ticket = static_cast<std::uint32_t>(-50);
    int wrong = 0;
    {
      resident::program<storm> p(heap, s, {11});
      for (int n = 0; n < 2; ++n) {  // the second run continues from the first's state
        p.start_all<&storm::start>(std::uint32_t{20});
        co_await p.stream().done();
        p.end();
      }
      for (const storm& one : p.read<storm>()) {
        wrong += static_cast<int>(one.wrong);
        sent_ += one.sent;
        got_ += one.got;
      }
    }
    {
      resident::program<cube> p(heap, s, {3, 1, 4});
      p.start_all<&cube::start>();
      co_await p.stream().done();
      p.end();
      const std::vector<cube> all = p.read<cube>();
      for (std::uint32_t e = 0; e < 12; ++e) {
        const bool is_here = e % s.pes / 2 == heap.first_gpu();
        const bool is_right = all[e].rounds == 12 && all[e].got == 66 && all[e].total == 12 * 66;
        wrong += (is_here ? is_right : all[e].rounds == 0) ? 0 : 1;
      }
    }
    {
      constexpr std::uint32_t size = 40;
      const auto memory = heap.make<float>(std::size_t{6} * size);
      resident::program<caller> p(heap, s, {2});
      std::vector<caller> two(2);
      for (std::uint32_t c = 0; c < 2; ++c) {
        two[c].in = two[1 - c].of_other = {memory.what().part(std::size_t{2} * c * size, 2 * size)};
        two[c].out = memory.what().part((4 + c) * size, size);
      }
      p.write(two);
      p.start<&caller::start>(0, std::uint32_t{50});
      co_await p.stream().done();
      wrong += p.end().value == 50U ? 0 : 1;
      for (const caller& one : p.read<caller>()) wrong += static_cast<int>(one.wrong);
    }
    wrong += co_await talk(heap, s);
    wrong += co_await do_together(heap);
    {
      resident::program<culprit> p(heap, s, {4, 2});
      p.start<&culprit::fail>({3, 1}, std::uint64_t{17});
      co_await p.stream().done();
      wrong += text_of_end(p) == "entry fail of culprit(3, 1) on PE " + std::to_string(7 % s.pes) +
                                     " failed with number 17"
                   ? 0
                   : 1;
    }
    co_return wrong;
  }

  imbrex::task<int> do_together(resident::symmetric_heap heap) {
    constexpr std::size_t size = 13;
    const auto words = heap.make<std::uint32_t>(heap.gpus());
    const auto flags = heap.make<std::uint32_t>(1);
    const auto values = heap.make<double>(size);
    resident::program<fleet> p(heap, with_pes(heap.gpus()), {static_cast<int>(heap.gpus())});
    std::vector<fleet> all(heap.gpus());
    for (fleet& one : all) {
      one.words = words.what();
      one.flags = flags.what();
      one.values = values.what();
    }
    p.write(all);
    p.start_all<&fleet::together>(std::uint32_t{20});
    co_await p.stream().done();
    p.end();
    flags.write(heap.first_gpu(), std::vector<std::uint32_t>(1));
    values.write(heap.first_gpu(), std::vector<double>(size));
    p.start_all<&fleet::round>(std::uint32_t{20});
    co_await p.stream().done();
    p.end();
    const fleet local_fleet = p.read<fleet>()[heap.first_gpu()];
    int wrong = static_cast<int>(local_fleet.wrong) + (local_fleet.rounds == 21 ? 0 : 1);
    p.start_all<&fleet::stray>(std::uint32_t{0});
    co_await p.stream().done();
    wrong += p.end().value == 5U ? 0 : 1;
    co_return wrong;
  }

  /// Each host sends messages to all chares, which report them to the host of their GPU.
  imbrex::task<int> talk(resident::symmetric_heap heap, resident::settings s) {
    resident::program<teller> p(heap, s, {7});
    std::uint32_t receipts = 0;
    p.on<short_news>([&receipts](std::uint32_t, std::uint32_t) { ++receipts; });
    p.open();
    p.start<&teller::answer>(0, std::uint32_t{5});
    for (int n = 0; n < 7; ++n) {
      const auto number = static_cast<std::uint32_t>(n);
      std::vector<std::uint32_t> words(number);
      for (std::uint32_t i = 0; i < number; ++i) words[i] = number + i;
      p.send<&teller::answer>(n, number);
      p.send<&teller::hear_wide>(n, number, std::uint64_t{number} << 32U, number / 2.0);
      p.send<&teller::hear_long>(n, number, std::span<const std::uint32_t>(words));
    }
    p.close();
    co_await p.stream().done();
    p.end();
    int wrong = 0;
    std::uint32_t answers = 0;
    const std::vector<teller> elements = p.read<teller>();
    for (const teller& one : elements) {
      wrong += static_cast<int>(one.wrong);
      if (one.receipts == 0) continue;                               // the chare is in another process
      const std::uint32_t begins = &one == elements.data() ? 1 : 0;  // chare 0 also got a start message
      answers += heap.gpus() + begins;
      wrong += one.receipts == 3 * heap.gpus() + begins ? 0 : 1;
    }
    co_return wrong + (receipts == answers ? 0 : 1);
  }

  imbrex::task<int> pass_round(meeting place) {
    const auto heap = co_await heap_at(place, std::size_t{1} << 22U);
    resident::program<ring> p(heap, with_pes(heap.gpus()), {static_cast<int>(heap.gpus())});
    p.start<&ring::token>(0, ~std::uint64_t{0});
    tell("at work", 0);
    co_await p.stream().done();
    p.end();
    co_return 0;
  }

  /// A run that differs between processes must not execute; the next run must.
  imbrex::task<int> differ(meeting place) {
    const auto heap = co_await heap_at(place, std::size_t{1} << 22U);
    const bool is_last = heap.first_gpu() + 1 == heap.gpus();
    resident::settings s = with_pes(heap.gpus());
    int wrong = 0;
    const auto check = [&](resident::program<ring>& p) {
      wrong += text_of_end(p).find("has another program than GPU") == std::string::npos ? 1 : 0;
      for (const ring& one : p.read<ring>()) wrong += static_cast<int>(one.got);
    };
    {
      s.mailbox = is_last ? 64 : 32;
      resident::program<ring> p(heap, s, {4});
      p.start<&ring::token>(0, std::uint64_t{20});
      co_await p.stream().done();
      check(p);
    }
    s.mailbox = 32;
    {
      const auto one_more = heap.make<int>(is_last ? 1'000 : 1);
      resident::program<ring> p(heap, s, {4});
      p.start<&ring::token>(0, std::uint64_t{20});
      co_await p.stream().done();
      check(p);
    }
    const std::string error_text =
        co_await awaited_error_of<imbrex::usage_error>(heap_at(place, is_last ? 2'000 : 1'000));
    wrong += error_text == "a symmetric heap has 1000 bytes in process 0 and 2000 in process " +
                               std::to_string(heap.gpus() - 1) + ": give the same number in all processes"
                 ? 0
                 : 1;
    resident::program<ring> p(heap, s, {4});
    p.start<&ring::token>(is_last ? 0 : 1, std::uint64_t{20});
    co_await p.stream().done();
    check(p);
    p.start<&ring::token>(0, std::uint64_t{20});
    co_await p.stream().done();
    co_return wrong + (p.end().value == 7U ? 0 : 1);
  }

  imbrex::task<int> be_slow(meeting place) {
    const auto heap = co_await heap_at(place, std::size_t{1} << 22U);
    resident::settings s = with_pes(heap.gpus());
    s.crossing = s.host_slots = 2;
    s.patience = std::chrono::seconds(1);
    resident::program<teller> p(heap, s, {static_cast<int>(heap.gpus())});
    std::uint32_t receipts = 0;
    p.on<short_news>([&receipts](std::uint32_t, std::uint32_t) { ++receipts; });
    p.start<&teller::press>(0, std::uint32_t{25}, std::uint32_t{100});  // GPU 0 holds some messages back
    co_await p.stream().done();
    p.end();
    int wrong = receipts == (heap.first_gpu() == 1 ? 25U : 0U) ? 0 : 1;
    p.on<short_news>(
        [](std::uint32_t, std::uint32_t) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
    p.start<&teller::end>(0, std::uint32_t{25});
    co_await p.stream().done();
    wrong += p.end().value == 25U ? 0 : 1;
    co_return wrong;
  }

  imbrex::task<int> go_wrong(meeting place) {
    const auto heap = co_await heap_at(place, std::size_t{1} << 22U);
    resident::settings s = with_pes(heap.gpus());
    const std::string abort_text = "a run inside a GPU was given up: ";
    int wrong = 0;
    {  // a listener in process 1 throws; nothing else ends the run
      resident::program<teller> p(heap, s, {static_cast<int>(heap.gpus())});
      p.on<short_news>([](std::uint32_t, std::uint32_t) { throw imbrex::error("heard enough"); });
      p.open();
      p.start<&teller::answer>(1, std::uint32_t{3});
      co_await p.stream().done();
      wrong += text_of_end(p).starts_with(heap.first_gpu() == 1 ? "heard enough" : abort_text) ? 0 : 1;
    }
    {  // process 0 destroys the program during the run
      std::optional<resident::program<teller>> p;
      p.emplace(heap, s, imbrex::resident::index<1>(static_cast<int>(heap.gpus())));
      p->open();
      p->start<&teller::rest>(1);
      if (heap.first_gpu() == 0) {
        p.reset();
      } else {
        co_await p->stream().done();
        wrong += text_of_end(*p).starts_with(abort_text) ? 0 : 1;
      }
    }
    resident::program<culprit> p(heap, s, {4, 2});
    p.start<&culprit::number_ahead>({2, 0});
    co_await p.stream().done();
    wrong +=
        text_of_end(p) ==
                "a program inside a GPU is quiet, but 3 messages wait for a number that is not accepted, "
                "such as entry numbered of culprit(1, 1) with number 1"
            ? 0
            : 1;
    co_return wrong;
  }

  /// NVSHMEM heaps are released once all processes have destroyed theirs, one heap after the other.
  imbrex::task<int> make_heaps(meeting place) {
    int wrong = 0;
    std::vector<resident::symmetric_heap> kept;
    for (int n = 0; n < 20; ++n) {  // 16 MiB each; a device has no memory for all 20
      const auto heap = co_await heap_at(place, std::size_t{16} << 20U);
      if (n == 3) kept.push_back(heap);
      const auto word = heap.make<std::uint32_t>(1);
      const std::vector<std::uint32_t> was = word.read(heap.first_gpu());
      wrong += was[0] == 0 ? 0 : 1;
      word.write(heap.first_gpu(), std::vector<std::uint32_t>{7});
    }
    const std::string error_text =
        co_await awaited_error_of<imbrex::error>(heap_at(place, std::size_t{250} << 20U));
    wrong += error_text.empty() ? 1 : 0;
    co_return wrong;
  }

  /// Messages that this process's storms have sent and received.
  std::uint64_t sent() { return sent_; }
  std::uint64_t got() { return got_; }

 private:
  std::uint64_t sent_ = 0, got_ = 0;

  template <class Program>
  static std::string text_of_end(Program& p) {
    return error_of<imbrex::error>([&] { p.end(); });
  }
};

imbrex::task<int> work(std::string_view mode) {
  const auto place = imbrex::make_process_group<resident::heap_exchange>();
  const auto owners = imbrex::make_process_group<owner>();
  int wrong = 0;
  if (mode == "all") {
    wrong = co_await owners.reduce<&owner::all>(imbrex::sum, place);
    const std::uint64_t sent = co_await owners.reduce<&owner::sent>(imbrex::sum);
    const std::uint64_t got = co_await owners.reduce<&owner::got>(imbrex::sum);
    wrong += sent == 2 * 3 * 20 * 11 && got == sent ? 0 : 1;
  }
  if (mode == "ring") wrong = co_await owners.reduce<&owner::pass_round>(imbrex::sum, place);
  if (mode == "other") wrong = co_await owners.reduce<&owner::differ>(imbrex::sum, place);
  if (mode == "slow") wrong = co_await owners.reduce<&owner::be_slow>(imbrex::sum, place);
  if (mode == "heaps") wrong = co_await owners.reduce<&owner::make_heaps>(imbrex::sum, place);
  if (mode == "fails") wrong = co_await owners.reduce<&owner::go_wrong>(imbrex::sum, place);
  std::printf("done: %d wrong\n", wrong);
  co_return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  tell("pid", static_cast<long>(::getpid()));
  const std::string_view mode = argc > 1 ? argv[1] : "";
  return imbrex::run(argc, argv, [mode] { return work(mode); });
}
