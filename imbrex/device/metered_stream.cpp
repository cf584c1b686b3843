// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/metered_stream.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace imbrex::detail {

namespace {

/// The seconds that an amount takes at a rate; none if the rate has no limit.
double seconds_at(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

struct named_work {
  std::string name;
  device_work work;
};

/// A graph, and its operations.
class metered_graph final : public graph_backend {
 public:
  metered_graph(std::unique_ptr<graph_backend> of, std::vector<named_work> operations)
      : of_(std::move(of)), operations_(std::move(operations)) {}

  graph_backend& of() const { return *of_; }
  const std::vector<named_work>& operations() const { return operations_; }

 private:
  const std::unique_ptr<graph_backend> of_;
  const std::vector<named_work> operations_;
};

/// The operations that this thread has captured since it began a capture.
thread_local std::vector<named_work> captured;

/// As in `finished_operation`.
std::string_view name_of(copy_direction direction) {
  switch (direction) {
    case copy_direction::to_device: return "copy to the device";
    case copy_direction::from_device: return "copy from the device";
    case copy_direction::within_device:
    case copy_direction::to_other_device: break;
  }
  return "copy within the device";
}

class metered_stream final : public stream_backend {
 public:
  metered_stream(std::unique_ptr<stream_backend> of, const work_estimate& estimate, work_meter& meter)
      : of_(std::move(of)), estimate_(estimate), meter_(meter) {}

  void copy(copy_direction direction, void* to, const void* from, std::size_t bytes,
            const void* other_device) override {
    meter_.submits(*of_);
    of_->copy(direction, to, from, bytes, other_device);
    add(name_of(direction), estimate_.of_copy(direction, bytes));
  }
  void fill(void* to, std::byte value, std::size_t bytes) override {
    meter_.submits(*of_);
    of_->fill(to, value, bytes);
    add("fill", estimate_.of_fill(bytes));
  }
  void launch(const kernel_launch& what) override {
    meter_.submits(*of_);
    of_->launch(what);
    add(what.name, estimate_.of_kernel(what.work != nullptr ? what.work(what.arguments) : work_size{}));
  }
  void host(void (*function)(void*), void* argument) override { of_->host(function, argument); }
  void record(event_backend& at) override { of_->record(at); }
  void wait(event_backend& until) override { of_->wait(until); }
  void write(std::atomic<std::uint32_t>& word, std::uint32_t value) override { of_->write(word, value); }
  void wait(const std::atomic<std::uint32_t>& word, std::uint32_t at_least) override {
    of_->wait(word, at_least);
  }
  bool idle() override { return of_->idle(); }
  void synchronize() override { of_->synchronize(); }
  void begin_capture() override {
    of_->begin_capture();
    captured.clear();
  }
  std::unique_ptr<graph_backend> end_capture() override {
    return std::make_unique<metered_graph>(of_->end_capture(), std::exchange(captured, {}));
  }
  bool capturing() override { return of_->capturing(); }
  void launch(graph_backend& what) override {
    const auto& graph = static_cast<metered_graph&>(what);
    meter_.submits(*of_);
    of_->launch(graph.of());
    for (const named_work& each : graph.operations()) meter_.submitted(*of_, each.name, each.work);
  }
  native_stream native() override { return of_->native(); }
  std::uint32_t number() const override { return of_->number(); }
  void wait(native_stream until) override { of_->wait(until); }
  void delay(native_stream others) override { of_->delay(others); }

 private:
  void add(std::string_view name, const device_work& work) {
    if (of_->capturing())
      captured.push_back({std::string(name), work});
    else
      meter_.submitted(*of_, name, work);
  }

  const std::unique_ptr<stream_backend> of_;
  const work_estimate estimate_;
  work_meter& meter_;
};

}  // namespace

/// `work`: the seconds that it takes on the whole device at least, after `latency`.
device_work work_estimate::at_once(double elapsed, double work, double latency) const {
  if (elapsed <= 0) return {};
  const double least_share = 1.0 / std::max(rates_.kernels, 1);
  if (work < least_share * elapsed) return {elapsed, least_share, 0};
  return {elapsed, work / elapsed, latency};
}

device_work work_estimate::of_kernel(const work_size& size) const {
  const double work =
      std::max(seconds_at(size.bytes, rates_.memory_bandwidth), seconds_at(size.flops, rates_.flops));
  double part = 1;
  if (size.threads != 0 && rates_.threads > 0)
    part = std::min(1.0, static_cast<double>(size.threads) / rates_.threads);
  const double latency = rates_.kernel_start + static_cast<double>(size.time.count()) * 1e-9;
  return at_once(latency + work / part, work, latency);
}

device_work work_estimate::of_copy(copy_direction direction, std::size_t bytes) const {
  const auto size = static_cast<double>(bytes);
  switch (direction) {
    case copy_direction::to_device: return {rates_.copy_start + seconds_at(size, rates_.to_device)};
    case copy_direction::from_device: return {rates_.copy_start + seconds_at(size, rates_.from_device)};
    case copy_direction::within_device:
    case copy_direction::to_other_device: break;
  }
  return of_fill(2 * bytes);
}

device_work work_estimate::of_fill(std::size_t bytes) const {
  const double work = seconds_at(static_cast<double>(bytes), rates_.memory_bandwidth);
  return at_once(rates_.kernel_start + work, work, rates_.kernel_start);
}

std::unique_ptr<stream_backend> make_metered_stream(std::unique_ptr<stream_backend> of,
                                                    const work_estimate& estimate, work_meter& meter) {
  return std::make_unique<metered_stream>(std::move(of), estimate, meter);
}

}  // namespace imbrex::detail
