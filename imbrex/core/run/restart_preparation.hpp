// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <imbrex/coro/task.hpp>

namespace imbrex {

struct options;

/// A run before the user's, in all processes, that makes a checkpoint readable to each of them.
struct restart_preparation {
  std::function<task<int>()> main;                 ///< main task of that run
  std::function<std::string()> chosen_checkpoint;  ///< afterwards, in each process: the path to begin from
};
/// Returns the preparation that settings need; empty if they need none.
using restart_preparer = std::optional<restart_preparation> (*)(const options& settings);
/// For the front end that writes checkpoints: runs of several processes are prepared by this function.
void prepare_restarts_by(restart_preparer prepare);

namespace detail {

/// The preparation of a restart with these settings; empty if it needs none.
std::optional<restart_preparation> preparation_of_restart(const options& settings);
/// The settings of the run that prepares.
options settings_of_preparation(const options& settings);

}  // namespace detail
}  // namespace imbrex
