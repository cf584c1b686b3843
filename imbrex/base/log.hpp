// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex {

/// Importance of a line, the most important first.
enum class log_level { error, warning, info, debug };

/// Drops lines less important than `level` from now on, in the whole process. `warning` at the start.
void set_log_level(log_level level) noexcept;

/// The least important level that is written.
log_level current_log_level() noexcept;

/// Writes "imbrex: warning: text" and a line end to the standard error output. It does so by one system call,
/// so that the lines of several threads do not mix. Text from arguments and files cannot move the cursor
/// (`printable_lines`). Never throws: a line that cannot be written is lost.
void log(log_level level, std::string_view text) noexcept;

namespace detail {

/// Writes "imbrex: text" like `log`, whatever the level: the user has asked for it.
void log_answer(std::string_view text) noexcept;

}  // namespace detail
}  // namespace imbrex
