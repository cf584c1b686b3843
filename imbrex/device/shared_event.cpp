// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/shared_event.hpp>

namespace imbrex {

event_backend& shared_event::backend() const {
  at_->from.check_alive();
  return *at_->backend;
}

const void* shared_event::device() const noexcept { return at_->from.info().id; }

bool shared_event::done() const { return at_ == nullptr || backend().done(); }

}  // namespace imbrex
