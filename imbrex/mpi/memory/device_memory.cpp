// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/memory/device_memory.hpp>

#include <algorithm>
#include <iterator>
#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

void device_memory::begin() {
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (const auto& each : extension::devices_of_run()) {
    const address_range its = each->backend().addresses();
    const auto start = reinterpret_cast<std::uintptr_t>(its.first);
    first = std::min(first, start);
    end = std::max(end, start + its.bytes);
  }
  if (end > first) addresses_ = {reinterpret_cast<const std::byte*>(first), end - first};
}

device* device_memory::search(const std::byte* address) {
  for (const piece& each : known_)
    if (each.range.holds(address)) return each.on;
  for (const auto& each : extension::devices_of_run())
    if (const auto found = each->backend().allocation_at(address)) {
      known_[next_] = {*found, each.get()};
      next_ = (next_ + 1) % known_.size();
      return each.get();
    }
  return nullptr;
}

void device_memory::check(const std::byte* first, std::size_t bytes, device& on) {
  const auto fits = [&](const address_range& range) {
    return range.holds(first) && bytes <= range.bytes - static_cast<std::size_t>(first - range.first);
  };
  const auto own = block_with(first);
  if (!own &&
      std::ranges::any_of(known_, [&](const piece& each) { return each.on == &on && fits(each.range); }))
    return;
  const auto now = own ? own : on.backend().allocation_at(first);  // a known piece may have been freed
  if (now && fits(*now)) return;
  throw error(
      MPI_ERR_BUFFER,
      "the buffer of " + std::to_string(bytes) + " bytes begins in memory of " + on.info().label() +
          (now ? ", of which " + std::to_string(now->bytes - static_cast<std::size_t>(first - now->first)) +
                     " bytes follow there; let a call's data lie in one allocation"
               : " that has been freed"));
}

void device_memory::add_block(const void* address, std::size_t bytes) {
  blocks_.insert_or_assign(static_cast<const std::byte*>(address), bytes);
}

void device_memory::remove_block(const void* address) {
  blocks_.erase(static_cast<const std::byte*>(address));
}

std::optional<address_range> device_memory::block_with(const std::byte* address) const {
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return std::nullopt;
  const auto& [first, bytes] = *std::prev(next);
  const address_range range{first, bytes};
  return range.holds(address) ? std::optional(range) : std::nullopt;
}

device& own_device() {
  try {
    return gpu();
  } catch (const device_error&) {
    throw;
  } catch (const imbrex::error& e) {
    throw error(MPI_ERR_OTHER, e.what());
  }
}

bool has_devices(std::string_view backend) {
  const auto all = extension::devices_of_run();
  return !all.empty() && all.front()->info().backend == backend;
}

void throw_on_device(const device& on, const char* what) {
  throw error(MPI_ERR_BUFFER, std::string(what) + " lies in memory of " + on.info().label() +
                                  ", which this function does not take; copy it to the host before");
}

}  // namespace imbrex::mpi
