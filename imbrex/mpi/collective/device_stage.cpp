// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/device_stage.hpp>

#include <algorithm>

#include <imbrex/mpi/memory/device_copy.hpp>
#include <imbrex/mpi/rank/device_requests.hpp>

namespace imbrex::mpi {

namespace {

/// The strictest alignment that a datatype may have.
constexpr std::size_t alignment = 64;

}  // namespace

bool device_stage::add(const address_range& extent, device& on, void*& address) {
  auto found = std::ranges::find_if(parts_, [&](const part& its) {
    return its.extent.first == extent.first && its.extent.bytes == extent.bytes;
  });
  const bool is_new = found == parts_.end();
  if (is_new) {
    part new_part{extent, &on, std::make_unique_for_overwrite<std::byte[]>(extent.bytes + 2 * alignment),
                  nullptr};
    const auto start = reinterpret_cast<std::uintptr_t>(new_part.memory.get());
    const auto offset = reinterpret_cast<std::uintptr_t>(extent.first) % alignment;
    new_part.copy = new_part.memory.get() + (offset + alignment - start % alignment) % alignment;
    found = parts_.insert(parts_.end(), std::move(new_part));
  }
  address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                    reinterpret_cast<std::uintptr_t>(found->copy) -
                                    reinterpret_cast<std::uintptr_t>(found->extent.first));
  return is_new;
}

void device_stage::add_received(const user_buffer& data) {
  visit_runs(data.typed(), data.bytes(), [&](std::byte* to, std::int64_t, std::int64_t bytes) {
    const auto its = std::ranges::find_if(parts_, [&](const part& p) { return p.extent.holds(to); });
    const std::byte* const from = its->copy + (to - its->extent.first);
    if (!received_.empty() && received_.back().to + received_.back().bytes == to &&
        received_.back().from + received_.back().bytes == from)
      received_.back().bytes += static_cast<std::size_t>(bytes);
    else
      received_.push_back({to, its->on, from, static_cast<std::size_t>(bytes)});
  });
}

void device_stage::fetch_last(rank& by) {
  const part& its = parts_.back();
  request q;
  begin_copy(by, q, its.copy, nullptr, its.extent.first, its.on, its.extent.bytes);
  by.await(q);
}

void device_stage::give_back(rank& by) {
  stream* last = nullptr;
  for (const run& each : received_) last = &order_copy(each.to, each.on, each.from, nullptr, each.bytes);
  if (last == nullptr) return;
  request q;
  complete_after(by, *last, q);
  by.await(q);
}

plan go_by_host(schedule& s, const device_stage& stage, const schedule::maker& make) {
  for (const auto& each : stage.parts_)
    s.copy(each.copy, nullptr, each.extent.first, each.on, each.extent.bytes);
  co_await s.next();
  co_await make(s);
  for (const auto& each : stage.received_) s.copy(each.to, each.on, each.from, nullptr, each.bytes);
  co_await s.next();
}

}  // namespace imbrex::mpi
