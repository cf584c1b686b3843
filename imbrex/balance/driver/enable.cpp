// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/enable.hpp>

#include <memory>
#include <utility>

#include <imbrex/balance/driver/coordinator.hpp>
#include <imbrex/balance/driver/driver.hpp>
#include <imbrex/balance/driver/movable_classes.hpp>
#include <imbrex/balance/driver/pe_balancer.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/run/pe_attachment.hpp>

namespace imbrex::balance {

namespace {

/// Creates the balancer's group; the first item of PE 0.
struct beginning : imbrex::detail::work {
  beginning() { type = &kind; }

  static void begin(imbrex::detail::work& item) {
    forget(item);
    make_group<detail::driver>();
  }
  static void forget(imbrex::detail::work& item) noexcept { delete &static_cast<beginning&>(item); }
  static constexpr imbrex::detail::work_type kind{"the balancer's beginning", &begin, &forget, nullptr,
                                                  nullptr};
};

void attach(imbrex::detail::scheduler& pe) {
  if (pe.pe() == imbrex::detail::scheduler::no_pe) return;
  const balance_settings& settings = extension::run_handle(pe).settings().balance;
  static_cast<void>(detail::strategy_of(settings));  // refuses an unknown one
  if (!settings.measures()) return;
  detail::check_classes(settings, extension::classes_of_arrays());
  auto record =
      pe.pe() == 0 && !settings.record.empty() ? std::make_unique<record_writer>(settings.record) : nullptr;
  extension::load_meter::attach(pe, imbrex::detail::make_owner<detail::pe_balancer>(pe, std::move(record)));
  if (pe.pe() == 0) pe.push(*new beginning());
}

}  // namespace

void enable() { static const pe_attachment attachment(&attach); }

}  // namespace imbrex::balance
