// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/heap_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::resident::detail {
namespace {

class device_source final : public heap_source {
 public:
  device_source(device& of, std::size_t bytes)
      : device_(of), memory_(of, bytes), own_(memory_.span().data()) {}
  std::byte* own() const override { return own_; }
  memory_key key() const override {
    const auto found = device_.backend().key_of(own());
    if (found) return *found;
    const std::string why = device_.backend().why_no_key();
    throw usage_error("other processes cannot reach the memory of " + device_.info().label() +
                      " for a symmetric heap" + (why.empty() ? "" : ": " + why) +
                      "; of emulated devices a process has at most 64");
  }
  std::byte* reach(std::uint32_t, const memory_key& key) const override {
    return device_.backend().reach(key);
  }
  std::string condition() const override {
    return "all processes of such a program must be on one host, and see each other's files in /proc, and "
           "their GPUs must be peers";
  }

 private:
  device& device_;
  device_buffer<std::byte> memory_;
  std::byte* const own_;
};

class session_source final : public heap_source {
 public:
  session_source(std::shared_ptr<nvshmem::session> of, const nvshmem::session::piece& what)
      : session_(std::move(of)), what_(what) {}
  ~session_source() override { session_->give_back(what_.number); }
  std::byte* own() const override { return what_.own; }
  memory_key key() const override { return {}; }
  std::byte* reach(std::uint32_t of, const memory_key&) const override {
    return nvshmem::session::mapped(what_.own, static_cast<int>(of));
  }
  std::string condition() const override {
    return "NVSHMEM has not mapped it: their GPUs must be peers, or have links of NVLink between their hosts";
  }

 private:
  const std::shared_ptr<nvshmem::session> session_;
  const nvshmem::session::piece what_;
};

std::string name_of(heap_way way) {
  return way == heap_way::any ? "any" : way == heap_way::handles ? "handles" : "nvshmem";
}

}  // namespace

std::unique_ptr<heap_source> source_of_device(device& of, std::size_t bytes) {
  return std::make_unique<device_source>(of, bytes);
}

std::unique_ptr<heap_source> source_of_session(std::shared_ptr<nvshmem::session> of,
                                               const nvshmem::session::piece& what) {
  return std::make_unique<session_source>(std::move(of), what);
}

std::string why_no_nvshmem(const device_info& of) {
  if (of.backend != "cuda") return "NVSHMEM has memory of CUDA's devices, and not of " + of.label();
  try {
    nvshmem::load();
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

heap_choice choose_heap_way(const std::vector<heap_part>& all) {
  const auto other = [&all](auto&& differs) {
    return static_cast<std::size_t>(std::ranges::find_if(all, differs) - all.begin());
  };
  const std::size_t count = all.size();
  if (const std::size_t g = other([&](const heap_part& p) { return p.bytes != all[0].bytes; }); g != count)
    throw usage_error("a symmetric heap has " + std::to_string(all[0].bytes) + " bytes in process 0 and " +
                      std::to_string(all[g].bytes) + " in process " + std::to_string(g) +
                      ": give the same number in all processes");
  const heap_way requested_way = all[0].way;
  if (const std::size_t g = other([&](const heap_part& p) { return p.way != requested_way; }); g != count)
    throw usage_error("a symmetric heap is requested by " + name_of(requested_way) + " in process 0 and by " +
                      name_of(all[g].way) + " in process " + std::to_string(g) +
                      ": request the same in all processes");
  const std::size_t elsewhere = other([&](const heap_part& p) { return p.host != all[0].host; });
  const std::size_t without = other([](const heap_part& p) { return !p.why_no_nvshmem.empty(); });
  if (requested_way == heap_way::handles || (requested_way == heap_way::any && elsewhere == count))
    return {heap_way::handles,
            requested_way == heap_way::any ? "all processes are on one host" : "it is requested"};
  const std::string why = requested_way == heap_way::any
                              ? "processes 0 and " + std::to_string(elsewhere) + " are on two hosts"
                              : "it is requested";
  if (without != count)
    throw usage_error("a symmetric heap needs NVSHMEM, since " + why + ", and process " +
                      std::to_string(without) + " has none: " + all[without].why_no_nvshmem);
  return {heap_way::nvshmem, why};
}

void check_hardware(const std::vector<heap_part>& all) {
  for (std::size_t g = 1; g < all.size(); ++g)
    for (std::size_t before = 0; before < g; ++before)
      if (!all[g].hardware.empty() && all[g].hardware == all[before].hardware &&
          all[g].host == all[before].host)
        throw usage_error(
            "processes " + std::to_string(before) + " and " + std::to_string(g) + " both have the GPU at " +
            all[g].hardware +
            " for a symmetric heap, but kernels that wait for each other cannot share a GPU: start no more "
            "processes on a host than it has GPUs; `imbrex info` prints the GPU of each PE");
}

}  // namespace imbrex::resident::detail
