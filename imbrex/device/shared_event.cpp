// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/shared_event.hpp>

namespace imbrex {

bool shared_event::done() const { return at_ == nullptr || backend().done(); }

}  // namespace imbrex
