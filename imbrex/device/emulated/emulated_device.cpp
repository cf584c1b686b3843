// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/emulated_device.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/emulated/emulated_stream.hpp>
#include <imbrex/device/emulated/memory_file.hpp>
#include <imbrex/device/emulated/start_emulation.hpp>

namespace imbrex::emulated {
namespace {

void* map(std::size_t bytes, int access, int flags) {
  void* const at = ::mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

/// Addresses for memory without data, cut from large mappings, since the system limits the number of
/// mappings. The system provides only pages that are touched. Addresses are not reused.
class empty_memory {
 public:
  /// `access`: as for mmap; none for device memory, so that a stray access ends the program.
  explicit empty_memory(int access) : access_(access) {}
  empty_memory(const empty_memory&) = delete;
  empty_memory& operator=(const empty_memory&) = delete;
  ~empty_memory() {
    for (const std::span<std::byte> piece : pieces_) ::munmap(piece.data(), piece.size());
  }

  /// A range of addresses; null if there is no room.
  void* take(std::size_t bytes) {
    const std::size_t rounded_size = (bytes + alignment - 1) / alignment * alignment;
    if (rounded_size > left_.size()) {
      const std::size_t size = std::max(rounded_size, piece_bytes);
      void* const at = map(size, access_, MAP_NORESERVE);
      if (at == nullptr) return nullptr;
      left_ = pieces_.emplace_back(static_cast<std::byte*>(at), size);
    }
    void* const taken = left_.data();
    left_ = left_.subspan(rounded_size);
    return taken;
  }

 private:
  static constexpr std::size_t alignment = 256;
  static constexpr std::size_t piece_bytes = std::size_t{1} << 30U;

  const int access_;
  std::vector<std::span<std::byte>> pieces_;
  std::span<std::byte> left_;  ///< rest of the last mapping
};

/// Limit of the number of devices with a file, each of which takes a descriptor.
constexpr int most_with_files = 64;
/// Addresses reserved for each byte of memory. They cost nothing, and with spare addresses free memory is
/// found in one piece.
constexpr std::size_t addresses_for_each_byte = 4;

class emulated_backend final : public device_backend {
 public:
  emulated_backend(std::shared_ptr<emulation> runs, int index) {
    const emulated_options& emulation_options = runs->how();
    part_.info.id = &part_.info;
    part_.info.index = index;
    part_.info.backend = "emulated";
    part_.info.name = emulation_options.model.name;
    part_.info.memory = emulation_options.model.device.memory;
    part_.info.keeps_data = emulation_options.data;
    part_.info.can = {.stream_values = true,
                      .graphs = true,
                      .peer_copies = true,
                      .priorities = 3,
                      .concurrent_kernels = emulation_options.model.device.concurrent_kernels,
                      .copy_engines = emulation_options.model.copy.engines_to_device +
                                      emulation_options.model.copy.engines_from_device};
    part_.index = index;
    most_pinned_ = emulation_options.model.host.pinned;
    part_.runs = std::move(runs);
    if (emulation_options.data && emulation_options.devices <= most_with_files)
      file_.emplace(addresses_for_each_byte * part_.info.memory);
  }
  ~emulated_backend() override {
    part_.runs->stop(part_.index);
    if (part_.info.keeps_data)
      for (const auto& [address, its] : allocations_)
        if (!is_in_file(address)) ::munmap(address, its.bytes);
  }

  const device_info& info() const override { return part_.info; }

  device_rates rates() const override {
    const device_model& model = part_.runs->how().model;
    const auto seconds = [](nanoseconds time) { return static_cast<double>(time.count()) * 1e-9; };
    return {.memory_bandwidth = static_cast<double>(model.device.memory_bandwidth),
            .flops = model.device.flops,
            .threads = static_cast<double>(model.device.threads),
            .to_device = static_cast<double>(model.copy.to_device),
            .from_device = static_cast<double>(model.copy.from_device),
            .kernel_start = seconds(model.device.kernel_start),
            .copy_start = seconds(model.copy.latency),
            .kernels = model.device.concurrent_kernels};
  }

  std::size_t free_memory() override {
    const std::lock_guard guard(lock_);
    return part_.info.memory - used_;
  }

  void* allocate(memory_kind kind, std::size_t bytes) override {
    const std::lock_guard guard(lock_);
    const bool on_device = kind == memory_kind::device;
    if (on_device && bytes > part_.info.memory - used_) return nullptr;
    if (!on_device && most_pinned_ != 0 && bytes > most_pinned_ - pinned_) return nullptr;
    const bool data = part_.info.keeps_data;
    void* const at = !data                     ? (on_device ? empty_on_device_ : empty_pinned_).take(bytes)
                     : on_device && has_file() ? file_->take(bytes)
                                               : map(bytes, PROT_READ | PROT_WRITE, 0);
    if (at == nullptr) return nullptr;
    // Filled with NaN, to expose reads of uninitialised memory; the system's zeros would hide them.
    if (data) std::memset(at, 0xff, bytes);
    allocations_[at] = {bytes, kind};
    (on_device ? used_ : pinned_) += bytes;
    return at;
  }

  void release(memory_kind kind, void* address) noexcept override {
    const std::lock_guard guard(lock_);
    const auto found = allocations_.find(address);
    const std::size_t bytes = found->second.bytes;
    (kind == memory_kind::device ? used_ : pinned_) -= bytes;
    if (is_in_file(address))
      file_->give_back(address, bytes);
    else if (part_.info.keeps_data)
      ::munmap(address, bytes);
    allocations_.erase(found);
  }

  std::optional<address_range> allocation_at(const void* address) override {
    const std::lock_guard guard(lock_);
    const auto next = allocations_.upper_bound(const_cast<void*>(address));
    if (next == allocations_.begin()) return std::nullopt;
    const auto& [first, its] = *std::prev(next);
    const address_range range{static_cast<const std::byte*>(first), its.bytes};
    return its.kind == memory_kind::device && range.holds(address) ? std::optional(range) : std::nullopt;
  }
  address_range addresses() override { return has_file() ? file_->addresses() : device_backend::addresses(); }

  std::unique_ptr<stream_backend> make_stream(stream_priority priority, std::string owner) override {
    return std::make_unique<emulated_stream>(part_, streams_.fetch_add(1, std::memory_order_relaxed),
                                             priority, std::move(owner));
  }
  std::unique_ptr<event_backend> make_event() override { return std::make_unique<emulated_event>(part_); }

  void store(std::atomic<std::uint32_t>& word, std::uint32_t value) override {
    word.store(value, std::memory_order_release);
    part_.runs->value_changed();
  }

  std::optional<memory_key> key_of(const void* address) override {
    const std::lock_guard guard(lock_);
    return file_ ? file_->key_of(address) : std::nullopt;
  }
  const void* find(const memory_key& key) override {
    const std::lock_guard guard(lock_);
    return files_of_others_.find(key);
  }
  std::byte* reach(const memory_key& key) override {
    const std::lock_guard guard(lock_);
    return shared_files_.find(key);
  }

  bool observe(operation_observer* observer) override {
    const emulation::session inside(*part_.runs, host_call::free);
    inside->observe(part_.index, observer);
    return true;
  }

  /// Drops all operations that have not begun, since a stream may wait for a value that is never written.
  void drain() noexcept override { part_.runs->stop(part_.index); }

  void lose() {
    const emulation::session inside(*part_.runs, host_call::free);
    inside->fail(part_.index, "the device was lost; restart the program without it");
  }

 private:
  bool has_file() const noexcept { return file_ && file_->addresses().bytes != 0; }
  bool is_in_file(const void* address) const noexcept { return file_ && file_->holds(address); }

  attachment part_;
  std::atomic<std::uint32_t> streams_ = 0;
  std::mutex lock_;
  std::size_t used_ = 0;
  std::size_t pinned_ = 0;
  std::size_t most_pinned_ = 0;  ///< 0: no limit
  struct allocation {
    std::size_t bytes;
    memory_kind kind;
  };
  std::map<void*, allocation> allocations_;
  std::optional<memory_file> file_;  ///< only for devices that keep data
  foreign_files<const std::byte> files_of_others_;
  foreign_files<std::byte> shared_files_;  ///< files that are also written to
  empty_memory empty_on_device_{PROT_NONE};
  empty_memory empty_pinned_{PROT_READ | PROT_WRITE};
};

void require_positive(int value, const char* what) {
  if (value < 1)
    throw usage_error(std::string("emulated devices: the number of ") + what + " is " +
                      std::to_string(value) + ", but must be 1 or more");
}

}  // namespace
}  // namespace imbrex::emulated

namespace imbrex {

std::vector<std::unique_ptr<device>> emulated_devices(const emulated_options& emulation_options) {
  using namespace emulated;
  require_positive(emulation_options.devices, "devices");
  require_positive(emulation_options.model.device.concurrent_kernels, "concurrent kernels");
  require_positive(emulation_options.model.copy.engines_to_device, "copy engines to the device");
  require_positive(emulation_options.model.copy.engines_from_device, "copy engines from the device");
  const std::shared_ptr<emulation> runs = start_emulation(emulation_options);
  std::vector<std::unique_ptr<device>> devices;
  for (int i = 0; i < emulation_options.devices; ++i)
    devices.push_back(std::make_unique<device>(std::make_unique<emulated_backend>(runs, i)));
  return devices;
}

void lose(device& which) {
  auto* const emulated_one = dynamic_cast<emulated::emulated_backend*>(&which.backend());
  if (emulated_one == nullptr) throw error(which.info().label() + " cannot be lost by request: it is real");
  emulated_one->lose();
}

}  // namespace imbrex
