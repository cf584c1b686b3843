// SPDX-License-Identifier: Apache-2.0
// Costs of messages, entries and runs inside a GPU, one per line. Each is the difference of a short and a
// long run.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/resident/program.hpp>

#include "cells.hpp"
#include "native_cells.hpp"

namespace {

using imbrex::resident::program;
using imbrex::resident::settings;
using imbrex::resident::wide_word;
using std::chrono::steady_clock;

#if IMBREX_HAS_CUDA
using bench::flag_on_device;
#else
constexpr void (*flag_on_device)(imbrex::native_stream, imbrex::device_span<wide_word>,
                                 std::uint64_t) = nullptr;
#endif
constexpr imbrex::kernel<imbrex::device_span<wide_word>, std::uint64_t> flag{.name = "flag",
                                                                             .native = flag_on_device};

double seconds_of(const std::function<void()>& work) {
  const auto begin = steady_clock::now();
  work();
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

/// Nanoseconds per operation; `run` does the given number of them. The least of three tries, without the
/// fixed cost of a run.
double cost_of(std::uint32_t many, const std::function<void(std::uint32_t)>& run) {
  run(many / 10);
  double least = 1e9;
  for (int n = 0; n < 3; ++n) {
    const double few = seconds_of([&] { run(many / 10); });
    const double all = seconds_of([&] { run(many); });
    least = std::min(least, (all - few) / (many - many / 10));
  }
  return least * 1e9;
}

void print(const std::string& what, double value, const char* unit, const char* reach = "") {
  std::printf("%-66s %10.4g %-6s %s\n", what.c_str(), value, unit, reach);
  std::fflush(stdout);
}

class measurement {
 public:
  measurement(imbrex::device& on, bool is_short, std::uint32_t pes)
      : on_(on), rounds_(is_short ? 200 : 50'000), pes_(pes) {}

  void all() {
    flag_rival();
    for (const std::uint32_t threads : {32U, 128U, 512U}) pings(threads);
    for (const std::uint32_t threads : {32U, 128U}) rates(threads);
    runs();
  }

 private:
  settings chosen(std::uint32_t threads, std::uint32_t pes) const {
    settings s;
    s.pes = pes;
    s.threads = on_.info().backend == "emulated" ? 1 : threads;
    s.parcel_bytes = 1U << 14U;
    return s;
  }
  std::string with(std::uint32_t threads) const { return ", PEs of " + std::to_string(threads) + " threads"; }

  void flag_rival() {
    if (on_.info().backend == "emulated") return;
    imbrex::stream stream(on_, imbrex::stream_priority::normal, "flag");
    imbrex::device_buffer<wide_word> words(on_, 16);
    print("two blocks and a flag, no runtime: one way",
          cost_of(rounds_,
                  [&](std::uint32_t n) {
                    stream.fill(words.span(), std::byte{0});
                    stream.launch(flag, words.span(), n);
                    stream.synchronize();
                  }) /
              2,
          "ns");
  }
  void pings(std::uint32_t threads) {
    program<bench::pinger> two(on_, chosen(threads, 2), {2}), one(on_, chosen(threads, 1), {1});
    print("8 B from PE to PE" + with(threads),
          cost_of(rounds_, [&](std::uint32_t n) { two.run<&bench::pinger::ping>(0, std::uint64_t{n}); }),
          "ns", "<= 600");
    for (const std::uint32_t bytes : {8U, 1'024U, 8'192U})
      print(
          std::to_string(bytes) + " B as a payload, written and read" + with(threads),
          cost_of(rounds_, [&](std::uint32_t n) { two.run<&bench::pinger::start_payload>(0, n, bytes / 8); }),
          "ns", bytes == 1'024 ? "<= 1800" : "");
    print("by a trigger of one signal" + with(threads),
          cost_of(rounds_,
                  [&](std::uint32_t n) { two.run<&bench::pinger::ping_trigger>(0, std::uint64_t{n}); }),
          "ns", "<= 2000");
    print(
        "null entry, the next one is there" + with(threads),
        cost_of(rounds_, [&](std::uint32_t n) { one.run<&bench::pinger::start_self>(0, std::uint64_t{n}); }) /
            16,
        "ns", "<= 300");
  }
  void rates(std::uint32_t threads) {
    const std::uint32_t pes = program<bench::walker>::completed(on_, chosen(threads, pes_)).pes;
    for (const std::uint32_t odf : {1U, 8U})
      for (const std::uint32_t tokens : {1U, 8U, 32U}) {
        program<bench::walker> p(on_, chosen(threads, pes), {static_cast<int>(pes * odf)});
        const double each = cost_of(std::max(rounds_ / 50, 100U), [&](std::uint32_t n) {
          p.run_all<&bench::walker::start>(tokens / odf + 1, n);
        });
        const double messages = static_cast<double>(pes) * odf * (tokens / odf + 1);
        print("messages to random chares, " + std::to_string(pes) + " PEs, " + std::to_string(odf) +
                  " chares each, " + std::to_string(tokens / odf + 1) + " on the way for a chare" +
                  with(threads),
              messages / each * 1e3, "M/s", ">= 100");
      }
  }
  void runs() {
    program<bench::pinger> p(on_, chosen(128, pes_), {2});
    const auto median = [](const std::function<void()>& work) {
      std::vector<double> all;
      for (int n = 0; n < 21; ++n) all.push_back(seconds_of(work) * 1e6);
      std::ranges::nth_element(all, all.begin() + 10);
      return all[10];
    };
    const double left = median([&] { p.run<&bench::pinger::leave>(0); });
    const double quiet = median([&] { p.run<&bench::pinger::rest>(0); });
    print("a run that exits at once, " + std::to_string(p.chosen().pes) + " PEs", left, "us");
    print("a run that is found quiet: so much longer", quiet - left, "us", "<= 20");
  }

  imbrex::device& on_;
  std::uint32_t rounds_;
  std::uint32_t pes_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    std::optional<std::string> device, pes;
    bool is_short = false;
    imbrex::command options("resident_bench", "[OPTIONS]",
                            "Measures messages, entries and runs inside a GPU.");
    options.option("--device", "NAME", device, "kind of device: cuda (default) or emulated")
        .option("--pes", "N", pes, "PEs of runs on the whole device (default one per multiprocessor)")
        .flag("--short", is_short, "few rounds, to see that it runs");
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (const auto help = options.read(words)) return std::fputs(help->c_str(), stdout) < 0 ? 1 : 0;
    const auto found = imbrex::devices(device.value_or("cuda"));
    std::printf("%s\n", found.front()->info().label().c_str());
    measurement(*found.front(), is_short, static_cast<std::uint32_t>(std::stoul(pes.value_or("0")))).all();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "resident_bench: error: %s\n", e.what());
    return 1;
  }
}
