// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace imbrex {

/// Variable with the exit status of processes that end because another one is lost. `imbrex run --restarts`
/// sets it for jobs whose processes another launcher starts, as it sees only that launcher's status.
inline constexpr const char* variable_of_loss = "IMBREX_LOSS_STATUS";

/// The status that `imbrex run` chooses: EX_TEMPFAIL of sysexits.h.
inline constexpr int restartable_status = 75;

/// The exit status of a process that ends because another one is lost.
inline int status_of_loss() {
  constexpr int failure = 1;
  constexpr int most = 255;
  const char* const text = std::getenv(variable_of_loss);
  const int status = text == nullptr ? failure : std::atoi(text);
  return status > 0 && status <= most ? status : failure;
}

}  // namespace imbrex
