// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/restart_preparation.hpp>

#include <imbrex/core/options/options.hpp>

namespace imbrex {

namespace {

restart_preparer preparer = nullptr;

}  // namespace

void prepare_restarts_by(restart_preparer prepare) { preparer = prepare; }

namespace detail {

std::optional<restart_preparation> preparation_of_restart(const options& settings) {
  if (preparer == nullptr || settings.checkpoint.restart.empty()) return std::nullopt;
  return preparer(settings);
}

options settings_of_preparation(const options& settings) {
  options own = settings;
  own.checkpoint = {};
  own.balance = {};
  own.device.clear();
  own.device_model.clear();
  own.devices = 0;
  own.choose_device = nullptr;
  own.source.device_words.clear();
  own.trace.clear();
  own.reports = {};
  return own;
}

}  // namespace detail
}  // namespace imbrex
