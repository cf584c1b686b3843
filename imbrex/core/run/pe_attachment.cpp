// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/pe_attachment.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace imbrex {

namespace {

/// All attachments. It is made by the first of them, so that it outlives those with static storage.
struct registry {
  std::mutex lock;
  std::vector<const pe_attachment*> attachments;

  static registry& of_process() {
    static registry all;
    return all;
  }
};

}  // namespace

pe_attachment::pe_attachment(function attach) : attach_(std::move(attach)) {
  auto& all = registry::of_process();
  const std::lock_guard hold(all.lock);
  all.attachments.push_back(this);
}

pe_attachment::~pe_attachment() {
  auto& all = registry::of_process();
  const std::lock_guard hold(all.lock);
  std::erase(all.attachments, this);
}

void pe_attachment::attach_all(detail::scheduler& pe) {
  auto& all = registry::of_process();
  const std::lock_guard hold(all.lock);
  for (const auto* const each : all.attachments) each->attach_(pe);
}

}  // namespace imbrex
