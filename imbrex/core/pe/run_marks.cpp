// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/run_marks.hpp>

#include <algorithm>
#include <atomic>

#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

namespace {

/// The number of runs whose proxies are recognised. Proxies of older runs are invalid too, but the error does
/// not name that reason.
constexpr std::uint32_t runs_remembered = 1024;

std::atomic<std::uint32_t> runs_begun = 0;
std::atomic<std::uint32_t> largest_place = 1000;

void raise(std::atomic<std::uint32_t>& value, std::uint32_t least) {
  for (auto seen = value.load(); seen < least && !value.compare_exchange_weak(seen, least);) {
  }
}

}  // namespace

std::uint32_t run_marks::next_run() { return runs_begun.fetch_add(1); }

void run_marks::agree(std::uint32_t ordinal) { raise(runs_begun, ordinal + 1); }

void run_marks::note_place(std::uint32_t place) { raise(largest_place, place); }

bool run_marks::is_of_another(std::uint32_t in_proxy, std::uint32_t mark) {
  const std::uint32_t most = std::max(largest_place.load(), message_table::size());
  if ((in_proxy ^ mark) <= most) return false;
  const std::uint32_t last = runs_begun.load();
  for (std::uint32_t ordinal = last - std::min(last, runs_remembered); ordinal != last; ++ordinal)
    if ((in_proxy ^ mark_of(ordinal)) <= most) return true;
  return false;
}

}  // namespace imbrex::detail
