// SPDX-License-Identifier: Apache-2.0
// Uses of a device beyond one stream: several streams and events, graphs, flags, work requests, a failed
// allocation, and migration to another device.
//   build/release/bin/devices --pes 2 --device emulated --devices 2
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/gpu.hpp>

namespace {

using imbrex::device_span;

constexpr imbrex::kernel<device_span<std::int64_t>, std::int64_t> add{
    .name = "add", .host = [](device_span<std::int64_t> to, std::int64_t number) {
      for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] += number;
    }};

constexpr std::size_t size = 100;

// A chare's objects on a device. The pool is declared before its events.
struct device_part {
  imbrex::stream_set streams;
  imbrex::stream own;
  imbrex::event_pool events{imbrex::gpu()};
  imbrex::event arrived = events.take();
  imbrex::event computed = events.take();
  imbrex::device_buffer<std::int64_t> numbers{imbrex::gpu(), size};
  imbrex::pinned_buffer<std::int64_t> on_host{imbrex::gpu(), size};

  explicit device_part(const std::string& owner)
      : streams(owner), own(imbrex::gpu(), imbrex::stream_priority::normal, owner) {}
};

class part : public imbrex::chare<part> {
 public:
  // Only events order work of different streams: work after `wait` runs after work before `record`.
  imbrex::task<bool> order_streams() {
    device_part& state = of_this_device();
    auto& streams = state.streams;
    std::ranges::fill(state.on_host.span(), 1);
    streams.to_device().copy(state.numbers.span(), state.on_host.span());
    streams.to_device().record(state.arrived);
    streams.compute().wait(state.arrived);
    streams.compute().launch(add, state.numbers.span(), 2);
    streams.compute().record(state.computed);
    streams.from_device().wait(state.computed);
    streams.from_device().copy(state.on_host.span(), state.numbers.span());
    co_await streams.from_device().done();
    co_return state.on_host[size - 1] == 3;
  }

  // A graph is captured once and launched often. A launch costs the PE less time than the graph's operations
  // one by one.
  imbrex::task<bool> replay_a_graph() {
    device_part& state = of_this_device();
    state.own.begin_capture();
    state.own.launch(add, state.numbers.span(), 1);
    state.own.launch(add, state.numbers.span(), 2);
    imbrex::graph add_three = state.own.end_capture();
    state.own.fill(state.numbers.span(), std::byte(0));
    for (int i = 0; i < 5; ++i) state.own.launch(add_three);
    state.own.copy(state.on_host.span(), state.numbers.span());
    co_await state.own.done();
    co_return state.on_host[0] == 15;
  }

  // A stream waits until a flag has reached a number, which another stream or the host writes.
  imbrex::task<bool> wait_for_a_flag() {
    device_part& state = of_this_device();
    imbrex::flag_array flags(imbrex::gpu(), 2);
    state.own.wait(flags[0], 1);
    state.own.write(flags[1], 7);
    flags.store(0, 1);
    co_await state.own.done();
    co_return flags.load(1) == 7;
  }

  imbrex::task<bool> request_work() {
    device_part& state = of_this_device();
    std::ranges::fill(state.on_host.span(), 4);
    imbrex::work_request work;
    work.copy(state.numbers.span(), state.on_host.span());
    work.launch(add, state.numbers.span(), 5);
    work.copy(state.on_host.span(), state.numbers.span());
    co_await imbrex::offload(std::move(work));
    co_return state.on_host[0] == 9;
  }

  bool ask_for_too_much() {
    const std::size_t all = imbrex::gpu().info().memory;
    try {
      const imbrex::device_buffer<std::byte> too_much(imbrex::gpu(), 2 * all);
    } catch (const imbrex::device_out_of_memory& refusal) {
      // That much could be allocated instead.
      return refusal.requested_bytes() == 2 * all && refusal.free() <= all;
    }
    return false;
  }

  // Memory of a device that serialize names moves with the chare. What it does not name is made again where
  // it is missing.
  imbrex::task<bool> travel(int steps) {
    while (step_ < steps) {
      if (numbers_.size() == 0) {
        numbers_ = imbrex::device_buffer<std::int64_t>(imbrex::gpu(), size);
        of_this_device().own.fill(numbers_.span(), std::byte(0));
      }
      of_this_device().own.launch(add, numbers_.span(), 1);
      ++step_;

      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&part::travel>(steps);
    }
    device_part& state = of_this_device();
    state.own.copy(state.on_host.span(), std::as_const(numbers_).span());
    co_await state.own.done();
    co_return std::ranges::count(state.on_host.span(), steps) == std::int64_t{size};
  }

  void serialize(auto& ar) { ar(numbers_, step_); }

 private:
  device_part& of_this_device() {
    if (!on_device_) on_device_.emplace("part " + std::to_string(where()[0]));
    return *on_device_;
  }

  imbrex::device_buffer<std::int64_t> numbers_;
  int step_ = 0;
  std::optional<device_part> on_device_;  // does not migrate
};

imbrex::task<int> program() {
  const auto parts = imbrex::make_array<part>(10);
  const bool ordered = co_await parts.reduce<&part::order_streams>(imbrex::all);
  const bool replayed = co_await parts.reduce<&part::replay_a_graph>(imbrex::all);
  const bool waited = co_await parts.reduce<&part::wait_for_a_flag>(imbrex::all);
  const bool requested = co_await parts.reduce<&part::request_work>(imbrex::all);
  const bool refused = co_await parts.reduce<&part::ask_for_too_much>(imbrex::all);
  const bool travelled = co_await parts.reduce<&part::travel>(imbrex::all, 6);
  const bool right = ordered && replayed && waited && requested && refused && travelled;
  std::printf("the devices did %s\n", right ? "all their work" : "something else");
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, program); }
