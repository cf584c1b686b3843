// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/processes_machine.hpp>

namespace imbrex::detail {

void processes_machine::connect(bool may_spin, scheduler* /*comm_thread*/) {
  std::vector<inbox*> inboxes;
  for (const auto& p : run_.processors()) inboxes.push_back(&p->pe_inbox());
  group_.serve(inboxes);
  inner_->connect(may_spin, group_.comm());
  for (const auto& p : run_.processors()) {
    endpoint& network = group_.endpoint_of(p->pe());
    p->attach(network);
    routers_.push_back(std::make_unique<router>(inner_->wire_of(p->pe()), network, group_.net().pes()));
  }
}

transport& processes_machine::wire_of(int pe) {
  return *routers_[static_cast<std::size_t>(pe - group_.net().pes().first)];
}

void processes_machine::run() {
  group_.net().start();
  inner_->run();
}

void processes_machine::discard() noexcept {
  if (group_.comm() != nullptr) group_.comm()->discard_work();
  inner_->discard();
}

}  // namespace imbrex::detail
