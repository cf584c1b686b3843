// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/nvtx_ranges.hpp>

#include <string_view>

namespace imbrex::detail {
namespace {

/// As traces name it.
constexpr const char* main_task_name = "the main task";

}  // namespace

void nvtx_ranges::start(const char* name) {
  end();
  running_ = tool_.start(name);
}

void nvtx_ranges::start(const message& m) {
  const message_type& shown = m.shown_kind();
  const auto [at, is_new] = names_.try_emplace({&m.kind(), &shown});
  if (is_new)
    at->second = &shown == &m.kind() || !m.kind().chare_name.empty() ? shown.shown_name()
                                                                     : m.kind().shown_name_for(shown);
  start(at->second.c_str());
}

void nvtx_ranges::end() {
  if (running_) tool_.end(*running_);
  running_.reset();
}

void nvtx_ranges::item_begins(const work& item) {
  const bool is_message = item.type->pack != nullptr;
  if (!is_message) {
    if (std::string_view(item.type->name) == main_task_name) start(main_task_name);
    return;
  }
  const auto& m = static_cast<const message&>(item);
  if (m.kind().element != nullptr) start(m);
}

void nvtx_ranges::turn_begins(const local_array& /*part*/, const chare_header& /*element*/,
                              const work_type& entry, const work& /*broadcast*/) {
  const auto& kind = static_cast<const message_type&>(entry);
  const auto [at, is_new] = names_.try_emplace({&kind, &kind});
  if (is_new) at->second = kind.shown_name();
  start(at->second.c_str());
}

void nvtx_ranges::suspended(const suspension& /*wait*/) { end(); }

void nvtx_ranges::resumed(const suspension& what) {
  const work* const request = what.entry().request;
  request == nullptr ? start(main_task_name) : start(static_cast<const message&>(*request));
}

}  // namespace imbrex::detail
