// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::checkpoints {

/// Gives runs of this process checkpoints where their options ask for them (`--checkpoint`, `--restart`).
/// Programs get it by including `<imbrex/run.hpp>`; other front ends call it once before their first run.
/// Further calls have no effect.
void enable();

namespace detail {

inline const bool is_enabled = (enable(), true);

}  // namespace detail
}  // namespace imbrex::checkpoints
