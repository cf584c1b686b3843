// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/transport/memory.hpp>

#include <cstdint>
#include <thread>

#include <imbrex/base/clock.hpp>
#include <imbrex/resident/transport/wait_pace.hpp>

namespace imbrex::resident {
namespace {

__extension__ using both_words = unsigned __int128;

wide_word parts_of(both_words v) {
  return {static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v >> 64U)};
}
both_words whole(wide_word v) { return static_cast<both_words>(v.stamp) << 64U | v.body; }

}  // namespace

wide_word native_memory::load(const wide& w) {
  return parts_of(__atomic_load_n(reinterpret_cast<const both_words*>(&w), __ATOMIC_RELAXED));
}

wide_word native_memory::poll(const wide& w) {
  return parts_of(__atomic_load_n(reinterpret_cast<const both_words*>(&w), __ATOMIC_ACQUIRE));
}

void native_memory::store(wide& w, wide_word v) {
  __atomic_store_n(reinterpret_cast<both_words*>(&w), whole(v), __ATOMIC_RELAXED);
}

void native_memory::store_release(wide& w, wide_word v) {
  __atomic_store_n(reinterpret_cast<both_words*>(&w), whole(v), __ATOMIC_RELEASE);
}

void native_memory::relax() {
  static thread_local wait_pace pace;
  if (pace.sleeps()) return std::this_thread::sleep_for(wait_pace::pause);
  const nanoseconds before = imbrex::detail::real_clock().now();
  std::this_thread::yield();
  pace.yielded(imbrex::detail::real_clock().now() - before);
}

std::uint64_t native_memory::now() {
  return static_cast<std::uint64_t>(imbrex::detail::real_clock().now().count());
}

}  // namespace imbrex::resident
