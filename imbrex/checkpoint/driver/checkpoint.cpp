// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/checkpoint.hpp>

#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/driver/saver.hpp>
#include <imbrex/checkpoint/driver/store.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/rendezvous.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/run/run.hpp>

namespace imbrex {

pending<checkpoint_result> checkpoints::make_checkpoint(const std::string& folder) {
  const std::string& usual = extension::current_pe().run().settings().checkpoint.folder;
  auto* const saver = detail::saver::here();
  if (saver == nullptr || (folder.empty() && usual.empty()))
    throw error("checkpoint: the run has no folder for checkpoints: start it with --checkpoint DIR");
  auto [promise, result] = extension::promise_after_rendezvous<checkpoint_result>();
  send<&detail::saver::request>(saver->peers()[0], promise, folder.empty() ? usual : folder);
  return std::move(result);
}

pending<checkpoint_result> checkpoint() { return checkpoints::make_checkpoint({}); }

void on_restart(const std::function<void(const restart_report&)>& call) {
  const auto* const store = checkpoints::detail::store_here();
  if (store == nullptr || store->source() == nullptr) return;
  const auto& from = store->source()->chosen();
  call({.path = from.path,
        .number = from.contents.number,
        .written = from.contents.written,
        .pes_before = from.contents.pes,
        .pes = num_pes()});
}

}  // namespace imbrex
