// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/shared_event_pool.hpp>

#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

shared_event_pool::record& shared_event_pool::make() {
  auto fresh = std::make_unique<record>(*this);
  fresh->backend = of_.make_event();
  const std::lock_guard guard(lock_);
  all_.push_back(std::move(fresh));
  free_.reserve(all_.size());
  return *all_.back();
}

std::size_t shared_event_pool::created_count() {
  const std::lock_guard guard(lock_);
  return all_.size();
}

std::size_t shared_event_pool::taken() {
  const std::lock_guard guard(lock_);
  return all_.size() - free_.size();
}

void shared_event_pool::refuse_use() const {
  throw error("an event of " + info().label() +
              " is used after the run that it was made in has ended; make it anew in each run");
}

}  // namespace imbrex::detail
