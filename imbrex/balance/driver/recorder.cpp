// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/recorder.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>

namespace imbrex::balance::detail {

template <class Write>
void recorder::attempt(const Write& write) {
  if (!file_) return;
  try {
    write();
  } catch (const error& e) {
    file_.reset();
    log(log_level::warning, std::string("balance: ") + e.what() + "; the run goes on without its record");
  }
}

recorder::recorder(std::unique_ptr<record_writer> file, recorded_run run)
    : file_(std::move(file)), run_(std::move(run)) {}

recorder::~recorder() { begin(); }

/// Writes what is known of the run: with the first period, since no device is known before.
void recorder::begin() {
  if (!std::exchange(has_begun_, true)) attempt([&] { file_->write(run_); });
}

void recorder::end_period(const period_report& ended, bool is_measured) {
  time_ += ended.duration;
  is_measured_ = is_measured;
}

void recorder::write(action taken, std::span<const object_name> names, const snapshot& problem,
                     const std::vector<array_moves>& moves) {
  if (!has_begun_) run_.device = problem.device;
  begin();
  if (!file_) return;
  recorded_period period{
      .ended = time_, .taken = taken, .is_measured = is_measured_, .problem = problem, .measured = measured_};
  for (const array_moves& each : moves)
    for (std::size_t i = 0; i < each.keys.size(); ++i) {
      const object_name name{each.array, each.keys[i]};
      // An element that moves while periods end may be there twice, on both PEs.
      auto at = std::ranges::lower_bound(names, name);
      const auto pe_at = [&] { return problem.pe[static_cast<std::size_t>(at - names.begin())]; };
      while (at != names.end() && *at == name && pe_at() != each.from[i]) ++at;
      if (at == names.end() || *at != name) continue;
      period.moved.push_back(static_cast<std::uint32_t>(at - names.begin()));
      period.to.push_back(each.to[i]);
    }
  attempt([&] { file_->write(names, period); });
}

}  // namespace imbrex::balance::detail
