// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/emulated_device.hpp>

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/emulated/emulated_stream.hpp>

namespace imbrex::emulated {
namespace {

/// Without data the machine gives only what is touched, and nobody may touch a device's: a stray access ends
/// the program there.
void* map(std::size_t bytes, bool data, bool accessible) {
  void* const at = ::mmap(nullptr, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | (data ? 0 : MAP_NORESERVE), -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

class emulated_backend final : public device_backend {
 public:
  emulated_backend(std::shared_ptr<emulation> runs, int index) {
    const emulated_options& how = runs->how();
    part_.info.id = this;
    part_.info.index = index;
    part_.info.backend = "emulated";
    part_.info.name = how.model.name;
    part_.info.memory = how.model.device.memory;
    part_.info.keeps_data = how.data;
    part_.info.can = {.stream_values = true,
                      .graphs = true,
                      .peer_copies = true,
                      .priorities = 3,
                      .concurrent_kernels = how.model.device.concurrent_kernels,
                      .copy_engines = how.model.copy.engines_to_device + how.model.copy.engines_from_device};
    part_.index = index;
    part_.runs = std::move(runs);
  }
  ~emulated_backend() override {
    part_.runs->stop(part_.index);
    for (const auto& [address, bytes] : sizes_) ::munmap(address, bytes);
  }

  const device_info& info() const override { return part_.info; }

  std::size_t free_memory() override {
    const std::lock_guard guard(lock_);
    return part_.info.memory - used_;
  }

  void* allocate(memory_kind kind, std::size_t bytes) override {
    const std::lock_guard guard(lock_);
    const bool on_device = kind == memory_kind::device;
    if (on_device && bytes > part_.info.memory - used_) return nullptr;
    const bool data = part_.runs->how().data;
    void* const at = map(bytes, data, data || !on_device);
    if (at == nullptr) return nullptr;
    // Zeros, which the system gives, would be kinder than a GPU: these are no numbers.
    if (data) std::memset(at, 0xff, bytes);
    sizes_[at] = bytes;
    if (on_device) used_ += bytes;
    return at;
  }

  void release(memory_kind kind, void* address) noexcept override {
    const std::lock_guard guard(lock_);
    const auto found = sizes_.find(address);
    if (kind == memory_kind::device) used_ -= found->second;
    ::munmap(address, found->second);
    sizes_.erase(found);
  }

  std::unique_ptr<stream_backend> make_stream(stream_priority priority, std::string owner) override {
    return std::make_unique<emulated_stream>(part_, priority, std::move(owner));
  }
  std::unique_ptr<event_backend> make_event() override { return std::make_unique<emulated_event>(part_); }

  void store(std::atomic<std::uint32_t>& word, std::uint32_t value) override {
    word.store(value, std::memory_order_release);
    part_.runs->value_changed();
  }

  /// A stream may wait for a value that nobody will write any more: whatever has not begun is dropped.
  void drain() noexcept override { part_.runs->stop(part_.index); }

  void lose() {
    const emulation::session inside(*part_.runs, nanoseconds(0));
    inside->fail(part_.index, "the device was lost; restart the program without it");
  }

 private:
  device_part part_;
  std::mutex lock_;
  std::size_t used_ = 0;
  std::unordered_map<void*, std::size_t> sizes_;
};

void require_positive(int value, const char* what) {
  if (value < 1)
    throw usage_error(std::string("emulated devices: the number of ") + what + " is " +
                      std::to_string(value) + ", but must be 1 or more");
}

}  // namespace
}  // namespace imbrex::emulated

namespace imbrex {

std::vector<std::unique_ptr<device>> emulated_devices(const emulated_options& how) {
  using namespace emulated;
  require_positive(how.devices, "devices");
  require_positive(how.model.device.concurrent_kernels, "concurrent kernels");
  require_positive(how.model.copy.engines_to_device, "copy engines to the device");
  require_positive(how.model.copy.engines_from_device, "copy engines from the device");
  const std::shared_ptr<emulation> runs = start_emulation(how);
  std::vector<std::unique_ptr<device>> made;
  for (int i = 0; i < how.devices; ++i)
    made.push_back(std::make_unique<device>(std::make_unique<emulated_backend>(runs, i)));
  return made;
}

void lose(device& which) {
  auto* const emulated_one = dynamic_cast<emulated::emulated_backend*>(&which.backend());
  if (emulated_one == nullptr) throw error(which.info().label() + " cannot be lost by request: it is real");
  emulated_one->lose();
}

}  // namespace imbrex
