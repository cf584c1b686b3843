// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/report_source.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

namespace imbrex::detail {

namespace {

std::mutex sources_lock;  ///< guards `sources`, and is held while one of them describes
std::vector<const report_source*> sources;

}  // namespace

report_source::report_source(describer describe) : describe_(std::move(describe)) {
  const std::lock_guard hold(sources_lock);
  sources.push_back(this);
}

report_source::~report_source() {
  const std::lock_guard hold(sources_lock);
  std::erase(sources, this);
}

std::vector<std::string> report_source::describe_all() {
  std::vector<std::string> all;
  const std::lock_guard hold(sources_lock);
  for (const report_source* const one : sources) try {
      std::ranges::move(one->describe_(), std::back_inserter(all));
    } catch (const std::exception& e) {  // such as a failed device, which its user reports
      all.emplace_back(std::string("unknown: ") + e.what());
    }
  return all;
}

}  // namespace imbrex::detail
