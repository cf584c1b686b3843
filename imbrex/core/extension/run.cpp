// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/run.hpp>

#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::extension {

run_handle::run_handle(const detail::scheduler& pe)
    : run_(&static_cast<const detail::processor&>(pe).run()) {}

run_handle run_handle::here() { return run_handle(detail::processor::here().run()); }

std::optional<run_handle> run_handle::find_here() {
  const auto* const pe = detail::scheduler::current();
  if (pe == nullptr || pe->pe() == detail::scheduler::no_pe) return std::nullopt;
  return run_handle(*pe);
}

bool run_handle::delays_messages() const { return detail::link_of(settings()).delays(); }

std::uint64_t run_handle::seed_of_order() const {
  return settings().machine == machine_kind::deterministic ? detail::seed_of_order(settings())
                                                           : settings().shuffle.value_or(0);
}

bool run_watch::has_ended() const { return gate_ != nullptr && !gate_->is_open(); }

pe_poster::pe_poster()
    : gate_(detail::processor::here().run().gate()), inbox_(&detail::processor::here().pe_inbox()) {}

bool pe_poster::post_item(detail::work& item) const { return gate_->post(*inbox_, item); }

std::string describe(const std::exception_ptr& thrown) {
  return detail::carried_exception(thrown).description();
}

}  // namespace imbrex::extension
