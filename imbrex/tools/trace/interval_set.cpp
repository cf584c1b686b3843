// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/interval_set.hpp>

#include <algorithm>

namespace imbrex::tools {

void interval_set::add_farther_back(interval added) {
  if (added.begin < forgotten_until_) {
    ++cut_;
    cut_time_ += std::min(added.end, forgotten_until_) - added.begin;
    added.begin = forgotten_until_;
  }
  if (added.begin >= added.end) return;
  auto until = pieces_.end();
  while (until != pieces_.begin() && (until - 1)->begin > added.end) --until;
  auto from = until;
  while (from != pieces_.begin() && (from - 1)->end >= added.begin) --from;
  if (from == until) {
    pieces_.insert(until, added);
    return;
  }
  from->begin = std::min(from->begin, added.begin);
  from->end = std::max((until - 1)->end, added.end);
  pieces_.erase(from + 1, until);
}

void interval_set::forget_until(std::uint64_t time) {
  forgotten_until_ = std::max(forgotten_until_, time);
  auto kept = pieces_.begin();
  while (kept != pieces_.end() && kept->end <= time) ++kept;
  pieces_.erase(pieces_.begin(), kept);
  if (!pieces_.empty()) pieces_.front().begin = std::max(pieces_.front().begin, time);
}

}  // namespace imbrex::tools
