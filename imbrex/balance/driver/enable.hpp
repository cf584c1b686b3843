// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::balance {

/// Gives runs of this process a balancer where their options ask for one (`--balance`). Programs get it by
/// including `<imbrex/run.hpp>`; other front ends call it once before their first run. Further calls have no
/// effect.
void enable();

namespace detail {

inline const bool is_enabled = (enable(), true);

}  // namespace detail
}  // namespace imbrex::balance
