// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/event.hpp>

#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/check.hpp>

namespace imbrex {

event::event(event&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      backend_(std::move(other.backend_)),
      recorded_(other.recorded_) {}

event& event::operator=(event&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  pool_ = std::exchange(other.pool_, nullptr);
  backend_ = std::move(other.backend_);
  recorded_ = other.recorded_;
  return *this;
}

void event::give_back() noexcept {
  if (pool_ != nullptr)
    pool_->free_.push_back(std::move(backend_));  // does not allocate: `take` has
                                                  // reserved the room
  pool_ = nullptr;
}

event_backend& event::backend() const {
  if (backend_ == nullptr) throw error("an event is used after it was moved from; use what it was moved to");
  pool_->of_.check_alive();
  return *backend_;
}

const void* event::device() const noexcept { return pool_->of_.info().id; }

bool event::done() const { return !recorded_ || backend().done(); }

void event::synchronize() const {
  if (recorded_) backend().synchronize();
}

event_pool::~event_pool() {
  if (taken() != 0)  // remaining events would return to freed memory
    detail::refuse_misuse(
        "an event pool is destroyed before events of it; declare the pool before what keeps its events");
  free_.clear();
  of_.add_event_pools(-1);
}

event event_pool::take() {
  if (free_.empty()) {
    if (free_.capacity() <= created_count_) free_.reserve(2 * created_count_ + 8);
    free_.push_back(of_.backend().make_event());
    ++created_count_;
  }
  event taken(*this, std::move(free_.back()));
  free_.pop_back();
  return taken;
}

}  // namespace imbrex
