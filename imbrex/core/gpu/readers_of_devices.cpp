// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/readers_of_devices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <imbrex/device/device.hpp>
#include <imbrex/device/error.hpp>
#include <imbrex/device/pooled_memory.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

namespace {

template <class T>
std::vector<std::vector<T>> gather(bootstrap& job, const std::vector<T>& own) {
  writer out;
  out(own);
  const auto bytes = out.written();
  std::vector<std::vector<T>> all;
  for (const auto& text : job.all_gather({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
    reader in({reinterpret_cast<const std::byte*>(text.data()), text.size()});
    in(all.emplace_back());
    in.finish();
  }
  return all;
}

using key_words = decltype(memory_key::words);

/// A block of memory of each device, for other processes to open.
struct samples {
  std::vector<pooled_memory> memory;
  std::vector<key_words> keys;  ///< empty if one of the devices gives no key
};

// A device that fails here fails again at its first use, and then the run reports it.

samples samples_of(std::span<device* const> used) {
  samples result;
  try {
    for (device* const each : used) {
      if (!each->info().keeps_data) return {};
      result.memory.emplace_back(*each, memory_kind::device, sharable_bytes, 1);
      const auto key = each->backend().key_of(result.memory.back().address());
      if (!key) return {};
      result.keys.push_back(key->words);
    }
  } catch (const device_error&) {
    return {};
  }
  return result;
}

bool can_read(const std::vector<key_words>& keys, std::span<device* const> used) {
  const auto all_find = [used](const key_words& words) {
    return std::ranges::all_of(
        used, [&words](device* of) { return of->backend().find(memory_key{words}) != nullptr; });
  };
  try {
    return !keys.empty() && !used.empty() && std::ranges::all_of(keys, all_find);
  } catch (const device_error&) {
    return false;
  }
}

}  // namespace

std::vector<int> readers_of_devices(bootstrap& job, std::span<const int> near,
                                    std::span<device* const> used) {
  const samples own = near.empty() ? samples{} : samples_of(used);
  const auto keys = gather(job, own.keys);
  std::vector<std::int32_t> read;
  for (const int process : near)
    if (can_read(keys[static_cast<std::size_t>(process)], used)) read.push_back(process);
  const auto all = gather(job, read);
  std::vector<int> readers;
  for (const int process : near)
    if (std::ranges::count(all[static_cast<std::size_t>(process)], job.rank()) > 0)
      readers.push_back(process);
  return readers;
}

}  // namespace imbrex::detail
