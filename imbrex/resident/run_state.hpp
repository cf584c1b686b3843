// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <imbrex/device/buffer.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/resident/heap_memory.hpp>
#include <imbrex/resident/host_channel.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/report.hpp>
#include <imbrex/resident/stepping.hpp>
#include <imbrex/resident/watchdog.hpp>

namespace imbrex::resident {

/// Result of a run that did not fail.
struct outcome {
  /// Value that a chare passed to `exit`; empty: all was quiet.
  std::optional<std::uint64_t> value;
  std::uint64_t entries = 0;  ///< entries run by PEs of this process, modulo 2^32 for each PE
};

namespace detail {

/// Part of a program that does not depend on its classes: its memory, and its runs.
class run_state {
 public:
  /// A program in a heap. `serve` is the main loop of a PE, for simulated time.
  run_state(std::shared_ptr<heap_memory> heap, layout plan, entry_names names,
            stepping::serve_function serve);
  /// A program in a heap of its own.
  run_state(device& of, layout plan, entry_names names, stepping::serve_function serve);
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;
  /// Waits for a run in progress. A run that listens, or has several GPUs, is ended.
  ~run_state();

  const settings& chosen() const { return layout_.chosen(); }
  std::uint32_t count(std::uint32_t array) const { return machine_.arrays[array].count; }
  const array_layout& array(std::uint32_t number) const { return machine_.arrays[number]; }
  void read(std::uint32_t array, std::span<std::byte> to);
  void write(std::uint32_t array, std::span<const std::byte> from);
  /// Throws usage_error about an element that does not exist. `what` is "begin with" or "have a message for".
  [[noreturn]] void refuse(const char* what, std::uint32_t array, const std::vector<int>& place) const;
  void start(const kernel<machine>& code, std::uint32_t to, const item& first);
  outcome end();
  imbrex::stream& stream() { return stream_; }
  /// Between runs only.
  void listen(std::uint32_t host_entry, host_channel::listener what);
  void open();
  host_channel& channel() { return channel_; }
  /// Throws usage_error if the message is larger than a message of the host may be.
  void check_message(std::size_t bytes) const;

 private:
  void check_rests() const;
  void run_in_steps();
  std::uint32_t first_gpu() const { return heap_->first(); }
  std::uint32_t last_gpu() const { return heap_->first() + heap_->here(); }
  /// Copy of the begin of a GPU's image, or of all of it.
  pinned_span<std::byte> written(std::uint32_t gpu);
  device_span<std::byte> image(std::uint32_t gpu);
  /// Machine of the GPU, in `written`.
  machine report(std::uint32_t gpu) { return layout_.at(written(gpu).data()); }
  void watch();
  std::vector<wide_word> watched();

  const std::shared_ptr<heap_memory> heap_;
  device& device_;
  std::optional<device_model> costs_;  ///< set if time is simulated
  std::uint64_t seed_ = 0;
  stepping::serve_function serve_;
  layout layout_;
  entry_names names_;
  reporter reporter_{layout_, names_};
  const heap_piece memory_;
  const program_number number_;
  imbrex::stream stream_, watch_stream_;
  shared_event loaded_;  ///< until then the image is being written, and must not be read
  host_channel channel_;
  pinned_buffer<std::byte> written_, watched_;  ///< for each GPU here
  const std::uint32_t digest_;
  machine machine_;
  bool is_under_way_ = false;
  std::unique_ptr<watchdog> watchdog_;  // for the run in progress
};

}  // namespace detail
}  // namespace imbrex::resident
