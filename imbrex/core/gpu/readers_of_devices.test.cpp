// SPDX-License-Identifier: Apache-2.0
// Two processes, simulated by threads, each with devices of which some cannot open the others' memory.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/core/gpu/readers_of_devices.hpp>
#include <imbrex/device/device.hpp>

namespace imbrex {
namespace {

/// Host memory as a device; options: whether it gives keys, and whether it opens keys.
class bare_device final : public device_backend {
 public:
  bare_device(bool gives_keys, bool opens) : gives_keys_(gives_keys), opens_(opens) {
    info_.id = &info_;
    info_.backend = "bare";
  }
  const device_info& info() const override { return info_; }
  std::size_t free_memory() override { return 0; }
  void* allocate(memory_kind, std::size_t bytes) override { return std::aligned_alloc(256, bytes); }
  void release(memory_kind, void* address) noexcept override { std::free(address); }
  std::unique_ptr<stream_backend> make_stream(stream_priority, std::string) override { return nullptr; }
  std::unique_ptr<event_backend> make_event() override { return nullptr; }
  std::optional<address_range> allocation_at(const void*) override { return std::nullopt; }
  void store(std::atomic<std::uint32_t>& word, std::uint32_t value) override { word = value; }
  std::optional<memory_key> key_of(const void* address) override {
    if (!gives_keys_) return std::nullopt;
    return memory_key{{reinterpret_cast<std::uintptr_t>(address)}};
  }
  const void* find(const memory_key& key) override {
    return opens_ ? reinterpret_cast<const void*>(key.words[0]) : nullptr;
  }
  void drain() noexcept override {}

 private:
  device_info info_;
  const bool gives_keys_, opens_;
};

struct kind_of_device {
  bool gives_keys = true, opens = true;
};

class place final : public bootstrap {
 public:
  place(std::vector<std::string>& texts, std::barrier<>& turn, int rank)
      : texts_(texts), turn_(turn), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return int(texts_.size()); }
  std::vector<std::string> all_gather(const std::string& text) override {
    texts_[std::size_t(rank_)] = text;
    turn_.arrive_and_wait();
    auto all = texts_;
    turn_.arrive_and_wait();
    return all;
  }

 private:
  std::vector<std::string>& texts_;
  std::barrier<>& turn_;
  int rank_;
};

/// The readers found by each process.
std::vector<std::vector<int>> readers(const std::vector<std::vector<kind_of_device>>& processes) {
  std::vector<std::string> texts(processes.size());
  std::barrier<> turn(std::ptrdiff_t(processes.size()));
  std::vector<std::vector<int>> found(processes.size());
  std::vector<std::jthread> threads;
  for (int p = 0; p < int(processes.size()); ++p)
    threads.emplace_back([&, p] {
      std::vector<std::unique_ptr<device>> devices;
      std::vector<device*> used;
      for (const auto& kind : processes[std::size_t(p)]) {
        devices.push_back(
            std::make_unique<device>(std::make_unique<bare_device>(kind.gives_keys, kind.opens)));
        used.push_back(devices.back().get());
      }
      std::vector<int> near;
      for (int other = 0; other < int(processes.size()); ++other)
        if (other != p) near.push_back(other);
      place at(texts, turn, p);
      found[std::size_t(p)] = detail::readers_of_devices(at, near, used);
    });
  threads.clear();
  return found;
}

using all_readers = std::vector<std::vector<int>>;

TEST(readers_of_devices, are_those_that_can_open_what_others_share) {
  EXPECT_EQ(readers({{{}, {}}, {{}}}), (all_readers{{1}, {0}}));
  EXPECT_EQ(readers({{{}}, {{.opens = false}}}), (all_readers{{}, {0}}));
  EXPECT_EQ(readers({{{}}, {{}, {.opens = false}}, {{}}}), (all_readers{{2}, {0, 2}, {0}}));
}
TEST(readers_of_devices, are_none_of_devices_that_share_nothing) {
  EXPECT_EQ(readers({{{}}, {{.gives_keys = false}}}), (all_readers{{1}, {}}));
  EXPECT_EQ(readers({{{}}, {}}), (all_readers{{}, {}}));
}

}  // namespace
}  // namespace imbrex
