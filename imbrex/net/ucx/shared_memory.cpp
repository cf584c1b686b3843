// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/ucx/shared_memory.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>

#include <imbrex/net/bootstrap/launcher_watch.hpp>
#include <imbrex/net/ucx/handles.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::ucx {

namespace {

/// Shorter copies say more of their beginning than of the distance.
constexpr std::size_t shortest_timed = std::size_t{1} << 15U;
/// From neighbours 15 and more are seen, from a processor that shares no cache 3 to 6; the kernel comes to 8 from memory.
constexpr std::int64_t slowest_bytes_per_ns = 12;
/// Of memory that is touched before it is used: else the first copies would be slow.
constexpr std::size_t page = 4096;

enum state : std::uint32_t { is_free = 0, is_full };

std::atomic_ref<std::uint32_t> state_of(std::byte* start, std::size_t granule) {
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(start + granule * shared_layout::state_distance));
}

std::byte* bytes_at(std::byte* start, const shared_block& where) {
  return start + shared_layout::states + where.first * shared_layout::granule;
}

}  // namespace

shared_memory::shared_memory(ucp_context_h context) : context_(context) {
  ucp_mem_map_params_t how{};
  how.field_mask =
      UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  how.length = shared_layout::size;
  how.flags = UCP_MEM_MAP_ALLOCATE | UCP_MEM_MAP_NONBLOCK;
  {
    const outliving_launcher until_it_has_no_name;
    const without_warnings quiet;
    check(ucp_mem_map(context_, &how, &memory_), "ucp_mem_map");
  }
  ucp_mem_attr_t what{};
  what.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  const ucs_status_t status = ucp_mem_query(memory_, &what);
  if (status != UCS_OK) {
    ucp_mem_unmap(context_, memory_);
    check(status, "ucp_mem_query");
  }
  start_ = static_cast<std::byte*>(what.address);
  std::memset(start_, 0, shared_layout::size);
}

shared_memory::~shared_memory() { ucp_mem_unmap(context_, memory_); }

std::string shared_memory::key() const {
  void* bytes = nullptr;
  std::size_t length = 0;
  check(ucp_rkey_pack(context_, memory_, &bytes, &length), "ucp_rkey_pack");
  std::string copy(static_cast<const char*>(bytes), length);
  ucp_rkey_buffer_release(bytes);
  return copy;
}

bool shared_memory::put(std::span<const std::byte> bytes, shared_block& where) {
  if (bytes.size() > shared_layout::longest_block) return false;
  take_back_what_is_read();
  // The first room there is: what was read last is still in a cache.
  const std::size_t count = shared_layout::granules_of(bytes.size());
  const auto room = std::search_n(taken_.begin(), taken_.end(), count, false);
  if (room == taken_.end()) return false;
  std::fill_n(room, count, true);
  where = {static_cast<std::uint32_t>(room - taken_.begin()), static_cast<std::uint32_t>(bytes.size())};
  unread_.push_back(where);
  std::memcpy(bytes_at(start_, where), bytes.data(), bytes.size());
  state_of(start_, where.first).store(is_full, std::memory_order_release);
  return true;
}

void shared_memory::take_back_what_is_read() {
  std::erase_if(unread_, [this](const shared_block& one) {
    if (state_of(start_, one.first).load(std::memory_order_acquire) != is_free) return false;
    std::fill_n(taken_.begin() + one.first, shared_layout::granules_of(one.size), false);
    return true;
  });
}

bool neighbour_access::may_be_used(time_point now) {
  if (is_there != answer::yes || now < paused_until_) return false;
  is_paused_ = false;
  return true;
}

void neighbour_access::pause(time_point now) {
  if (is_there != answer::yes || is_paused_) return;
  is_paused_ = true;
  const bool again = now < paused_until_ + last_pause_;
  last_pause_ = again ? std::min(2 * last_pause_, longest_pause) : shortest_pause;
  paused_until_ = now + last_pause_;
}

std::unique_ptr<foreign_memory> foreign_memory::find(ucp_ep_h endpoint, const std::string& key,
                                                     std::uint64_t address) {
  const without_warnings quiet;  // of another namespace, say
  ucp_rkey_h unpacked = nullptr;
  if (key.empty() || ucp_ep_rkey_unpack(endpoint, key.data(), &unpacked) != UCS_OK) return nullptr;
  void* here = nullptr;
  if (ucp_rkey_ptr(unpacked, address, &here) != UCS_OK) {
    ucp_rkey_destroy(unpacked);
    return nullptr;
  }
  auto* const start = static_cast<std::byte*>(here);
  for (std::size_t at = 0; at < shared_layout::size; at += page)
    static_cast<void>(*static_cast<volatile std::byte*>(start + at));
  return std::unique_ptr<foreign_memory>(new foreign_memory(unpacked, start));
}

foreign_memory::~foreign_memory() { ucp_rkey_destroy(key_); }

std::span<const std::byte> foreign_memory::at(const shared_block& where) const {
  const bool can_be = where.size > 0 && where.size <= shared_layout::longest_block &&
                      where.first < shared_layout::granules &&
                      where.first + shared_layout::granules_of(where.size) <= shared_layout::granules;
  if (!can_be || state_of(start_, where.first).load(std::memory_order_acquire) != is_full)
    throw serial_error("malformed message: " + std::to_string(where.size) + " bytes in granule " +
                       std::to_string(where.first) + " of the sender's memory, where nothing is");
  return {bytes_at(start_, where), where.size};
}

bool foreign_memory::release(const shared_block& where, std::chrono::nanoseconds copying) {
  state_of(start_, where.first).store(is_free, std::memory_order_release);
  if (where.size < shortest_timed) return false;
  const bool is_slow = copying.count() * slowest_bytes_per_ns > static_cast<std::int64_t>(where.size);
  slow_copies_ = std::max(slow_copies_ + (is_slow ? 1 : -1), 0);
  if (slow_copies_ < many_slow_copies) return false;
  slow_copies_ = 0;
  return true;
}

}  // namespace imbrex::ucx
