// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/exposed_memory.hpp>

#include <algorithm>
#include <iterator>
#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

std::string text_of(const void* address) {
  constexpr const char* digits = "0123456789abcdef";
  auto value = reinterpret_cast<std::uintptr_t>(address);
  std::string text;
  do text.insert(text.begin(), digits[value % 16]);
  while ((value /= 16) != 0);
  return "0x" + text;
}

[[noreturn]] void out_of_range(const std::string& what) {
  throw error(MPI_ERR_RMA_RANGE, what + "; give a displacement and a count that lie in the target's memory");
}

}  // namespace

byte_range range_of(const datatype& type, std::int64_t count) {
  if (count == 0 || type.size() == 0) return {};
  std::int64_t last = 0;
  byte_range found{type.true_lower_bound(), 0};
  bool is_too_large = __builtin_mul_overflow(count - 1, type.extent(), &last);
  is_too_large |= __builtin_add_overflow(found.begin, type.true_extent(), &found.end);
  is_too_large |=
      __builtin_add_overflow(last < 0 ? found.begin : found.end, last, last < 0 ? &found.begin : &found.end);
  if (is_too_large) out_of_range("the access reaches over more than 63 bits of bytes");
  return found;
}

void exposed_memory::attach(void* at, std::int64_t bytes) {
  if (bytes == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  const std::lock_guard lock(accumulates_);
  const auto next = attached_.upper_bound(begin);
  const bool meets_next = next != attached_.end() && next->first < begin + std::uintptr_t(bytes);
  const bool meets_previous =
      next != attached_.begin() && std::prev(next)->first + std::uintptr_t(std::prev(next)->second) > begin;
  if (meets_next || meets_previous)
    throw error(MPI_ERR_RMA_ATTACH, "the " + std::to_string(bytes) + " bytes at " + text_of(at) +
                                        " overlap with others that are attached; detach these first");
  attached_[begin] = bytes;
}

void exposed_memory::detach(const void* at) {
  const std::lock_guard lock(accumulates_);
  if (attached_.erase(reinterpret_cast<std::uintptr_t>(at)) == 0)
    throw error(MPI_ERR_RMA_ATTACH,
                "no memory is attached at " + text_of(at) + "; give the address that was attached");
}

std::byte* exposed_memory::reach(std::int64_t place, const datatype& type, std::int64_t count) const {
  const byte_range all = range_of(type, count);
  if (all.begin == all.end) return is_dynamic_ ? nullptr : base_;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (__builtin_add_overflow(place, all.begin, &begin) || __builtin_add_overflow(place, all.end, &end))
    out_of_range("the access reaches over more than 63 bits of bytes");
  if (!is_dynamic_) {
    if (begin < 0 || end > size_)
      out_of_range("the access is of the bytes " + std::to_string(begin) + " to " + std::to_string(end) +
                   " of a window with " + std::to_string(size_) + " bytes");
    return base_ + place;
  }
  const auto first = std::uintptr_t(begin);
  const auto last = std::uintptr_t(end);
  {
    const std::lock_guard lock(accumulates_);
    auto at = attached_.upper_bound(first);
    if (at != attached_.begin()) --at;
    std::uintptr_t covered = first;  // ranges that were attached separately may be adjacent
    for (; at != attached_.end() && at->first <= covered && covered < last; ++at)
      covered = std::max(covered, at->first + std::uintptr_t(at->second));
    if (covered >= last) return reinterpret_cast<std::byte*>(place);
  }
  out_of_range("the access is of " + std::to_string(end - begin) + " bytes at " +
               text_of(reinterpret_cast<const void*>(first)) + ", which are not attached");
}

}  // namespace imbrex::mpi
