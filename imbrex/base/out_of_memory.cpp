// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/out_of_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace imbrex {
namespace {

// The functions below must not allocate memory.

struct readable_size {
  explicit readable_size(std::uint64_t bytes) {
    constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
    constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;
    const std::uint64_t unit = bytes >= gibibyte ? gibibyte : mebibyte;
    std::snprintf(text.data(), text.size(), "%llu.%llu %s", static_cast<unsigned long long>(bytes / unit),
                  static_cast<unsigned long long>(bytes % unit * 10 / unit),
                  unit == gibibyte ? "GiB" : "MiB");
  }
  std::array<char, 32> text{};
};

std::uint64_t bytes_of_pages(std::uint64_t pages) {
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Resident bytes of this process; 0 if the system does not report them.
std::uint64_t resident_bytes() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> line{};
  const ssize_t got = ::read(file, line.data(), line.size() - 1);
  ::close(file);
  char* at = line.data();
  if (got > 0) std::strtoull(at, &at, 10);  // the total number of pages
  return bytes_of_pages(std::strtoull(at, nullptr, 10));
}

constexpr std::size_t reserve_bytes = std::size_t{4} << 20U;
std::atomic<void*> reserve = nullptr;

void let_reserve_go() noexcept {
  void* const kept = reserve.exchange(nullptr);
  if (kept != nullptr) ::munmap(kept, reserve_bytes);
}

/// Reserves addresses only: the memory is never touched.
void keep_reserve() noexcept {
  if (reserve.load() != nullptr) return;
  void* const memory = ::mmap(nullptr, reserve_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* none = nullptr;
  if (memory != MAP_FAILED && !reserve.compare_exchange_strong(none, memory)) ::munmap(memory, reserve_bytes);
}

std::mutex reserves_lock;
int reserves = 0;

}  // namespace

out_of_memory::out_of_memory() noexcept {
  const readable_size held(resident_bytes());
  const readable_size machine(bytes_of_pages(static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES))));
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const readable_size addresses(is_limited ? limit.rlim_cur : 0);
  std::snprintf(
      text_.data(), text_.size(),
      "out of memory (std::bad_alloc): the system refused an allocation while this process held %s of "
      "the machine's %s%s%s; make the problem smaller, or look at the limits set for the process "
      "(ulimit -v, its control group)",
      held.text.data(), machine.text.data(), is_limited ? ", with a limit of addresses of " : "",
      is_limited ? addresses.text.data() : "");
}

out_of_memory::out_of_memory(std::string_view text) noexcept {
  std::copy_n(text.data(), std::min(text.size(), text_.size() - 1), text_.data());
}

void throw_out_of_memory() {
  const out_of_memory refused;
  let_reserve_go();
  throw refused;
}

memory_reserve::memory_reserve() {
  const std::lock_guard hold(reserves_lock);
  keep_reserve();
  if (reserves++ == 0 && std::get_new_handler() == nullptr) std::set_new_handler(&throw_out_of_memory);
}

memory_reserve::~memory_reserve() {
  const std::lock_guard hold(reserves_lock);
  if (--reserves > 0) return;
  let_reserve_go();
  if (std::get_new_handler() == &throw_out_of_memory) std::set_new_handler(nullptr);
}

}  // namespace imbrex
