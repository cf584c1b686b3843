// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/emulated/emulated_device.hpp>
#include <imbrex/device/emulated/simulated_time.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/device/graph.hpp>
#include <imbrex/device/kernels.test.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::test {

/// A method to make devices.
struct device_kind {
  std::string backend = "emulated";
  bool in_simulated_time = false;
  std::optional<std::uint64_t> seed{};
  emulation_defect defect = emulation_defect::none;
};

/// A model so slow that the host can poll meanwhile: copies take 100 ms for each MB.
inline device_model slow_model() {
  device_model model;
  model.name = "slow";
  model.device.memory = 16U << 20U;
  model.device.concurrent_kernels = 4;
  model.device.memory_bandwidth = 1'000'000'000;
  model.copy.to_device = 10'000'000;
  model.copy.from_device = 10'000'000;
  return model;
}

/// Devices of one kind, and the errors that a check finds.
class subject {
 public:
  explicit subject(const device_kind& kind, device_model model = slow_model(), int count = 2) : kind_(kind) {
    emulated_options emulation_options{
        .devices = count, .model = std::move(model), .workers = 2, .defect = kind.defect};
    if (kind.in_simulated_time) {
      time_.emplace(clock_, kind.seed, kind.seed ? static_cast<double>(*kind.seed % 3) / 4 : 0.0);
      emulation_options.time = &*time_;
    }
    devices_ = devices(kind.backend, emulation_options);
  }

  device& first() { return *devices_.front(); }
  device& second() { return *devices_.at(1); }
  device& at(std::size_t number) { return *devices_.at(number); }
  std::size_t count() const { return devices_.size(); }
  const device_kind& kind() const { return kind_; }
  bool is_real() const { return kind_.backend != "emulated"; }
  /// True if only contention reorders or delays operations.
  bool is_exact() const { return !is_real() && !kind_.seed; }
  simulated_time& time() { return *time_; }
  const detail::clock& shared_clock() const { return clock_; }

  void expect(bool holds, const std::string& otherwise) {
    if (!holds) wrong_.push_back(otherwise);
  }
  template <class A, class B>
  void expect_equal(const A& is, const B& should, const std::string& what) {
    if (!(is == should))
      wrong_.push_back(what + " is " + std::to_string(is) + ", not " + std::to_string(should));
  }

  /// Lets time pass until the condition holds; false if it does not for a long time, or never will.
  template <class Condition>
  bool reach(Condition holds) {
    if (time_) {
      while (!holds()) {
        const auto due = time_->next();
        if (!due) return holds();
        time_->advance_to(*due);
      }
      return true;
    }
    const auto patience = std::chrono::steady_clock::now() +
                          std::chrono::seconds(kind_.defect == emulation_defect::none ? 30 : 1);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > patience) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  }

  /// The errors, and the objects of the devices that were not destroyed.
  std::vector<std::string> end() {
    for (const auto& device : devices_) {
      expect_equal(device->streams(), 0U, "the number of streams left");
      for (const memory_kind kind : {memory_kind::device, memory_kind::pinned})
        expect_equal(device->memory(kind).counts().blocks_in_use, 0U, "the number of buffers left");
    }
    return std::exchange(wrong_, {});
  }

 private:
  device_kind kind_;
  detail::simulated_clock clock_;
  std::optional<simulated_time> time_;
  std::vector<std::unique_ptr<device>> devices_;
  std::vector<std::string> wrong_;
};

/// A log on a device for the kernel `append`.
class mark_log {
 public:
  mark_log(subject& of, std::size_t length = 1000)
      : of_(of), stream_(of.first(), stream_priority::normal, "log"), marks_(of.first(), length) {
    stream_.launch(append, marks_.span(), 0, 0);  // a GPU may have to load the kernel, which waits for its
                                                  // streams
    stream_.fill(marks_.span(), std::byte{0});
    stream_.synchronize();
  }

  device_span<int> span() { return marks_.span(); }
  /// The marks appended so far.
  std::vector<int> read() {
    pinned_buffer<int> copy(of_.first(), marks_.size());
    stream_.copy(copy.span(), marks_.span());
    stream_.synchronize();
    return {copy.span().begin() + 1, copy.span().begin() + 1 + copy[0]};
  }
  /// Reports an error unless these marks have been appended, in this order.
  void expect(const std::vector<int>& should) {
    const std::vector<int> is = read();
    std::string text;
    for (const int mark : is) text += " " + std::to_string(mark);
    of_.expect(is == should, "operations ran in the order" + text);
  }

 private:
  subject& of_;
  stream stream_;
  device_buffer<int> marks_;
};

}  // namespace imbrex::test
