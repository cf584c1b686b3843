// SPDX-License-Identifier: Apache-2.0
// Events a second of the evaluation of a recorded flow, beside those of a loop that does nothing but order
// events: a queue of the standard library, and a moment for each PE. Both are by the time of the processor.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include <unistd.h>

#include <algorithm>

#include <imbrex/gpu.hpp>
#include <imbrex/imbrex.hpp>
#include <imbrex/tools/flow/evaluate.hpp>
#include <imbrex/trace/flow.hpp>

namespace {

constexpr int pes = 192;
constexpr int steps = 10;

constexpr imbrex::kernel<std::int64_t> touch{
    .name = "touch",
    .host = [](std::int64_t) {},
    .work = [](std::int64_t bytes) { return imbrex::work_size{.bytes = static_cast<double>(bytes)}; }};

/// A cell of a ring: a kernel, a copy to the host, and values from two neighbours in each step.
struct cell : imbrex::chare<cell> {
  imbrex::mailbox<std::vector<char>> in;

  imbrex::task<std::int64_t> run() {
    const auto cells = std::int64_t{4} * pes;
    const std::int64_t me = where()[0];
    imbrex::stream work(imbrex::gpu(), imbrex::stream_priority::normal, "a cell");
    imbrex::pinned_buffer<char> face(imbrex::gpu(), 4'096);
    imbrex::device_buffer<char> on_device(imbrex::gpu(), 4'096);
    for (int step = 0; step < steps; ++step) {
      work.launch(touch, 3'000'000 + me * 1'000);
      work.copy(face.span(), on_device.span());
      co_await work.done();
      for (const std::int64_t to : {(me + 1) % cells, (me + cells - 1) % cells})
        imbrex::send<&cell::in>(peers()[to], step, std::vector<char>(4'096));
      for (int n = 0; n < 2; ++n) {
        const std::vector<char> value = co_await in.receive(step);
        imbrex::spend_copy(value.size());
      }
    }
    co_return me;
  }
};

const imbrex::trace::flow& recorded() {
  static const imbrex::trace::flow flow = [] {
    std::string file = "/tmp/imbrex-bench-flow-XXXXXX";
    if (const int descriptor = ::mkstemp(file.data()); descriptor >= 0) ::close(descriptor);
    imbrex::options how{.pes = pes,
                        .machine = imbrex::machine_kind::simulated,
                        .device = "emulated",
                        .device_model = "summit",
                        .device_data = false,
                        .flow = file};
    const int status = imbrex::run(how, []() -> imbrex::task<> {
      const auto cells = imbrex::make_array<cell>({4 * pes});
      co_await cells.reduce<&cell::run>(imbrex::sum);
    });
    if (status != 0) std::abort();
    imbrex::trace::flow read = imbrex::trace::read_flow(file);
    std::remove(file.c_str());
    return read;
  }();
  return flow;
}

void evaluated_flow(benchmark::State& state) {
  const auto& flow = recorded();
  const imbrex::device_model machine = imbrex::find_device_model("summit");
  std::uint64_t events = 0;
  for (auto _ : state) events += imbrex::tools::evaluate(flow, machine).events;
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
}
BENCHMARK(evaluated_flow)->Unit(benchmark::kMillisecond);

void ordered_events(benchmark::State& state) {
  struct event {
    std::int64_t when;
    std::uint32_t pe;
    std::uint32_t left;
    bool operator>(const event& other) const { return when > other.when; }
  };
  const std::uint64_t all = imbrex::tools::evaluate(recorded(), imbrex::find_device_model("summit")).events;
  const auto each = static_cast<std::uint32_t>(all / (4 * pes));
  std::int64_t events = 0;
  for (auto _ : state) {
    std::priority_queue<event, std::vector<event>, std::greater<>> queue;
    std::vector<std::int64_t> free(pes);
    for (std::uint32_t e = 0; e < 4 * pes; ++e) queue.push({e * 37 % 1'000, e % pes, each});
    while (!queue.empty()) {
      const event now = queue.top();
      queue.pop();
      ++events;
      std::int64_t& its = free[now.pe];
      its = std::max(its, now.when) + 500 + (its & 255);
      if (now.left > 0) queue.push({its + 1'500, (now.pe * 7 + 1) % pes, now.left - 1});
    }
    benchmark::DoNotOptimize(free.data());
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(ordered_events)->Unit(benchmark::kMillisecond);

}  // namespace
