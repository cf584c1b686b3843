// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/exception_watch.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/collective/waits.hpp>
#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

namespace {

/// An exception that waits at two successive checks is reported.
constexpr std::chrono::seconds between_looks{1};

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

}  // namespace

/// Runs the check on the PE.
struct exception_watch::look final : work {
  look(exception_watch& w, processor& p, of_pe& k) : owner(w), pe(p), known(k) { type = &kind; }

  static void run(work& item) {
    const std::unique_ptr<look> self(static_cast<look*>(&item));
    self->owner.look_on(self->pe, self->known);
  }
  static void destroy(work& item) noexcept { delete static_cast<look*>(&item); }
  static constexpr work_type kind{"look for exceptions", &run, &destroy, nullptr, nullptr};

  exception_watch& owner;
  processor& pe;
  of_pe& known;
};

void exception_watch::note() noexcept {
  const std::lock_guard hold(lock_);
  if (stopping_) return;
  anything_waits_ = true;
  changed_.notify_all();
  if (thread_.joinable()) return;
  try {
    known_.resize(pes_.size());
    thread_ = background_thread("that reports exceptions", [this] { watch(); });
  } catch (const error& e) {
    log(log_level::warning, e.what());
  }
}

void exception_watch::stop() {
  {
    const std::lock_guard hold(lock_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void exception_watch::watch() {
  std::unique_lock hold(lock_);
  for (;;) {
    changed_.wait(hold, [this] { return stopping_ || anything_waits_; });
    if (changed_.wait_for(hold, between_looks, [this] { return stopping_; })) return;
    anything_waits_ = false;
    hold.unlock();
    for (std::size_t p = 0; p < known_.size(); ++p) {
      auto item = std::make_unique<look>(*this, *pes_[p], known_[p]);
      if (gate_.post(pes_[p]->pe_inbox(), *item)) static_cast<void>(item.release());
    }
    hold.lock();
  }
}

void exception_watch::look_on(processor& pe, of_pe& known) {
  std::vector<std::string> now = held_exceptions_of(pe);
  bool is_any_new = false;
  bool is_any_reported = false;
  for (const std::string& thrown : now) {
    if (contains(known.reports, thrown)) continue;
    if (!contains(known.before, thrown)) {
      is_any_new = true;
      continue;
    }
    is_any_reported = true;
    known.reports.push_back(thrown);
    log(log_level::warning,
        thrown + "\nThe call does not end yet: other elements that were called have not ended");
  }
  known.before = std::move(now);
  if (is_any_new) note();
  if (is_any_reported)
    ask_who_waits(
        [](known_waits&& all) { log(log_level::warning, "Waiting, for that call or others:" + all.text()); });
}

}  // namespace imbrex::detail
