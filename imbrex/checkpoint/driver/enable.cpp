// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/enable.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/driver/host_keeper.hpp>
#include <imbrex/checkpoint/driver/saver.hpp>
#include <imbrex/checkpoint/driver/store.hpp>
#include <imbrex/checkpoint/driver/triggers.hpp>
#include <imbrex/checkpoint/internal/zstd.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/core/run/run_with_faults.hpp>

namespace imbrex::checkpoints {

namespace {

/// The store of a PE's process.
struct store_of_pe {
  std::shared_ptr<detail::process_store> store;
};

/// Counts balance points for `--checkpoint-every`, where there is no balancer.
class point_meter final : public extension::load_meter {
 public:
  using extension::load_meter::load_meter;

 private:
  void due() override {}
};

/// Creates the group that writes checkpoints; the first item of PE 0.
struct beginning : imbrex::detail::work {
  beginning() { type = &kind; }

  static void begin(imbrex::detail::work& item) {
    forget(item);
    make_group<detail::saver>();
  }
  static void forget(imbrex::detail::work& item) noexcept { delete &static_cast<beginning&>(item); }
  static constexpr imbrex::detail::work_type kind{"the beginning of checkpoints", &begin, &forget, nullptr,
                                                  nullptr};
};

void check_machine(const options& settings) {
  const checkpoint_settings& s = settings.checkpoint;
  const bool by_time = s.every_time > nanoseconds(0) && settings.machine != machine_kind::simulated;
  if ((s.every_auto || by_time || s.signal != 0) && settings.machine != machine_kind::threads)
    throw usage_error(
        std::string(s.signal != 0 ? "--checkpoint-on" : "--checkpoint-every") +
        ": this machine's time is not the clock's; give --checkpoint-every N, a number of balance "
        "points");
}

void check_compression(const checkpoint_settings& s) {
  if (s.is_compressed && detail::zstd::find() == nullptr)
    throw usage_error(
        "--checkpoint-compression zstd: this host has no libzstd.so.1; install it (Debian: libzstd1), or "
        "leave the option out");
}

void attach(imbrex::detail::scheduler& pe) {
  if (pe.pe() == imbrex::detail::scheduler::no_pe) return;
  const extension::run_handle run(pe);
  const checkpoint_settings& settings = run.settings().checkpoint;
  const bool writes = settings.in_any_folder || !settings.folder.empty();
  if (!writes && settings.restart.empty()) return;
  check_machine(run.settings());
  check_compression(settings);
  auto& store = extension::current_pe(pe).local<store_of_pe>().store;
  // The PEs of a run are attached one after the other. The store ends with them.
  thread_local std::weak_ptr<detail::process_store> of_process;
  const bool is_first = pe.pe() == 0 || !run.holds(pe.pe() - 1);
  if (is_first) {
    store = std::make_shared<detail::process_store>(
        settings, run, std::ranges::find(run.host_starts(), pe.pe()) != run.host_starts().end());
    of_process = store;
    if (settings.signal != 0)
      detail::catch_signal(settings.signal);  // batch systems send it to all processes
  } else {
    store = of_process.lock();
  }
  if (!writes) return;
  if (detail::counts_points(run.settings()) && !run.settings().balance.measures())
    extension::load_meter::attach(pe, imbrex::detail::make_owner<point_meter>(pe));
  if (pe.pe() == 0) pe.push(*new beginning());
}

}  // namespace

detail::process_store* detail::store_here() {
  return extension::current_pe().local<store_of_pe>().store.get();
}

void enable() {
  static const pe_attachment attachment(&attach);
  find_checkpoints_by(&newest_checkpoint);
  prepare_restarts_by(&detail::prepare_restart);
}

}  // namespace imbrex::checkpoints
