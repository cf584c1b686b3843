// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/pe_attachment.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace imbrex {

namespace {

std::mutex attachments_lock;
std::vector<const pe_attachment*> attachments;

}  // namespace

pe_attachment::pe_attachment(function attach) : attach_(std::move(attach)) {
  const std::lock_guard hold(attachments_lock);
  attachments.push_back(this);
}

pe_attachment::~pe_attachment() {
  const std::lock_guard hold(attachments_lock);
  std::erase(attachments, this);
}

void pe_attachment::attach_all(detail::scheduler& pe) {
  const std::lock_guard hold(attachments_lock);
  for (const auto* const each : attachments) each->attach_(pe);
}

}  // namespace imbrex
