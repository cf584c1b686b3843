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
#include <imbrex/resident/host_door.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/report.hpp>
#include <imbrex/resident/stepping.hpp>
#include <imbrex/resident/watchdog.hpp>

namespace imbrex::resident {

/// How a run ended that did not fail.
struct outcome {
  /// What a chare gave to `exit`; none: all was quiet.
  std::optional<std::uint64_t> value;
  std::uint64_t entries = 0;  ///< how many were run by PEs of this process, modulo 2^32 for each
};

namespace detail {

/// What of a program does not depend on its classes: its memory, and its runs.
class run_state {
 public:
  /// In a heap. `serve` is the loop of a PE, for simulated time.
  run_state(std::shared_ptr<heap_memory> heap, layout plan, entry_names names,
            stepping::serve_function serve);
  /// In one of its own.
  run_state(device& of, layout plan, entry_names names, stepping::serve_function serve);
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;
  /// A run that is under way ends, if it listens or has several GPUs, and is waited for.
  ~run_state();

  const settings& chosen() const { return layout_.chosen(); }
  std::uint32_t count(std::uint32_t array) const { return machine_.arrays[array].count; }
  const array_layout& array(std::uint32_t number) const { return machine_.arrays[number]; }
  void read(std::uint32_t array, std::span<std::byte> to);
  void write(std::uint32_t array, std::span<const std::byte> from);
  /// Throws usage_error: a run "begin with", or "have a message for", an element that there is not.
  [[noreturn]] void refuse(const char* what, std::uint32_t array, const std::vector<int>& place) const;
  void start(const kernel<machine>& code, std::uint32_t to, const item& first);
  outcome end();
  imbrex::stream& stream() { return stream_; }
  /// Between runs.
  void listen(std::uint32_t host_entry, host_door::listener what);
  void open();
  host_door& door() { return door_; }
  /// Throws usage_error: more than a message of the host can hold.
  void check_message(std::size_t bytes) const;

 private:
  void check_rests() const;
  void run_in_steps();
  std::uint32_t first_gpu() const { return heap_->first(); }
  std::uint32_t last_gpu() const { return heap_->first() + heap_->here(); }
  /// A copy of the begin of a GPU's image, or all of it.
  pinned_span<std::byte> written(std::uint32_t gpu);
  device_span<std::byte> image(std::uint32_t gpu);
  /// The GPU's machine in `written`.
  machine report(std::uint32_t gpu) { return layout_.at(written(gpu).data()); }
  void watch();
  std::vector<wide_word> watched();

  const std::shared_ptr<heap_memory> heap_;
  device& device_;
  std::optional<device_model> costs_;  ///< in simulated time
  std::uint64_t seed_ = 0;
  stepping::serve_function serve_;
  layout layout_;
  entry_names names_;
  reporter reporter_{layout_, names_};
  const heap_piece memory_;
  const program_number number_;
  imbrex::stream stream_, watch_stream_;
  shared_event loaded_;  ///< before it nobody looks at the image, which is being written
  host_door door_;
  pinned_buffer<std::byte> written_, watched_;  ///< of each GPU here
  const std::uint32_t digest_;
  machine machine_;
  bool is_under_way_ = false;
  std::unique_ptr<watchdog> watchdog_;  // of the run under way
};

}  // namespace detail
}  // namespace imbrex::resident
