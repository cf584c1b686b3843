// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace imbrex {

/// How much a line matters, the most important first.
enum class log_level { error, warning, info, debug };

/// Lines less important than `level` are dropped from now on, in the whole process. `warning` at the start.
void set_log_level(log_level level) noexcept;

/// The least important level that is written.
log_level current_log_level() noexcept;

/// Writes "imbrex: warning: text" and a line end to the standard error output by one system call, so that the
/// lines of several threads do not mix; what is in it of arguments and files cannot move the cursor
/// (`printable_lines`). Never throws: a line that cannot be written is lost.
void log(log_level level, std::string_view text) noexcept;

}  // namespace imbrex
