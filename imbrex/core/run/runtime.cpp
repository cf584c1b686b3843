// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/runtime.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <malloc.h>
#include <unistd.h>

#include <imbrex/base/host/crash_handler.hpp>
#include <imbrex/base/host/library_threads.hpp>
#include <imbrex/base/host/nvtx_tool.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/gpu/device_transport.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/gpu/run_options.hpp>
#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/pe/run_marks.hpp>
#include <imbrex/core/record/nvtx_ranges.hpp>
#include <imbrex/core/record/pe_statistics.hpp>
#include <imbrex/core/record/recorder.hpp>
#include <imbrex/core/record/run_recording.hpp>
#include <imbrex/core/record/run_statistics.hpp>
#include <imbrex/core/run/check_options.hpp>
#include <imbrex/core/run/crash_description.hpp>
#include <imbrex/core/run/job.hpp>
#include <imbrex/core/run/link_transport.hpp>
#include <imbrex/core/run/make_machine.hpp>
#include <imbrex/core/run/pe_attachment.hpp>
#include <imbrex/core/run/processes_machine.hpp>
#include <imbrex/core/run/report_desk.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/host.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

namespace {

options checked(const options& settings, const bootstrap* meeting) {
  check_options(settings, meeting == nullptr ? 1 : meeting->size());
  return settings;
}

/// Number of threads of a process that need a processor besides the PEs.
int threads_beside(const options& settings) {
  return (settings.comm_thread ? 1 : 0) + (settings.device == "emulated" ? 1 : 0);
}

/// Keeps the memory of freed long messages for reuse instead of returning it to the system, which clears each
/// page anew. The bounds are those to which glibc itself moves once a program has freed a block of 32 MiB. A
/// program with its own bounds sets them after the start of its first run.
void keep_freed_memory() {
#ifdef __GLIBC__
  static const bool once = [] {
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
    return true;
  }();
  static_cast<void>(once);
#endif
}

/// Warns once per process if PEs outnumber processors: that is slow, and often an oversight.
void warn_of_shared_processors(const host_share& share) {
  const std::string text = shared_processors_text(share, usable_processors());
  if (text.empty()) return;
  static const bool once = [&] {
    log(log_level::warning, text);
    return true;
  }();
  static_cast<void>(once);
}

/// The tool that takes the ranges of --nvtx; null, after a warning, if there is none.
const nvtx_tool* profiler_or_warning() {
  try {
    return &loaded_nvtx_tool();
  } catch (const error& e) {
    log(log_level::warning, std::string("--nvtx: nobody takes the ranges: ") + e.what());
    return nullptr;
  }
}

}  // namespace

/// The main task: queued like any work on PE 0, then a coroutine.
struct runtime::main_task : work {
  main_task(runtime& r, std::function<task<int>()> f) : owner(r), function(std::move(f)) { type = &kind; }

  static void begin(work& item) {
    auto& self = static_cast<main_task&>(item);
    try {
      self.coroutine.emplace(self.function());
    } catch (...) {
      return self.fail();
    }
    auto frame = self.coroutine->frame();
    auto& entry = self.owner.processor_at(0).main;
    entry.body = frame.address();
    if (frame.promise().start(frame, entry, waiter(&main_task::end, &self))) end(&self);
  }
  static void end(void* self_address) {
    auto& self = *static_cast<main_task*>(self_address);
    try {
      self.owner.exit(self.coroutine->frame().promise().take());
    } catch (...) {
      self.fail();
    }
  }
  /// Reports an exception of the main task. The task may have read the command line: a usage_error is the
  /// user's, and needs no further explanation.
  void fail() noexcept {
    try {
      tell_current_exception();
    } catch (...) {
      owner.on_uncaught(0);
    }
  }
  void tell_current_exception() {
    try {
      throw;
    } catch (const usage_error& e) {
      owner.fail(e.what(), usage_error::exit_status);
    } catch (...) {
      const auto thrown = std::current_exception();
      const auto thrower = owner.processor_at(0).main.throwers.thrower_of(thrown);
      owner.fail("the main task: " +
                 carried_exception(thrown, thrower.value_or(std::string())).description());
    }
  }
  static void forget(work&) noexcept {}
  static const work_type kind;

  runtime& owner;
  std::function<task<int>()> function;
  std::optional<task<int>> coroutine;
};

const work_type runtime::main_task::kind{"the main task", &main_task::begin, &main_task::forget, nullptr,
                                         nullptr};

runtime::runtime(const options& settings) : runtime(settings, nullptr, &make_machine) {}
runtime::runtime(const options& settings, bootstrap& meeting) : runtime(settings, &meeting, &make_machine) {}
runtime::runtime(const options& settings, const machine_maker& make) : runtime(settings, nullptr, make) {}

runtime::runtime(const options& settings, bootstrap* meeting, const machine_maker& make)
    : local_run(checked(settings, meeting)) {
  if (how_.log) set_log_level(*how_.log);
  message_table::number();
  keep_freed_memory();
  const bool is_alone = meeting == nullptr || meeting->size() == 1;
  host_share share;
  if (is_alone) {
    share = own_host(how_.pes, threads_beside(how_));
    how_.pes = share.pes;
  }
  machine_ = make(how_, *this);
  devices_ = std::make_unique<run_devices>(how_, machine_->simulated_time(), machine_->model() != nullptr);
  if (is_alone) {
    pes_ = {0, how_.pes, how_.pes};
  } else {
    share = share_host(*meeting, how_.pes, threads_beside(how_), devices_->seen());
    how_.pes = share.pes;
    host_starts_ = share.host_starts;
    process_starts_ = share.process_starts;
    if (!share.is_only_host && link_of(how_).delays())
      throw usage_error(
          "--net-latency, --net-bandwidth and --net-injection-gap are for processes of one host, since they "
          "need one clock, and this job has several: leave them out");
    job_ = std::make_unique<job>(*this, *meeting, how_, machine_->time());
    pes_ = job_->net().pes();
    machine_ = std::make_unique<processes_machine>(std::move(machine_), *job_, *this);
  }
  if (machine_->simulated_time() == nullptr) warn_of_shared_processors(share);
  if (how_.machine == machine_kind::threads) limit_library_threads(pes_of_own_processors(share));
  node_starts_ = host_starts_;
  if (const int of_node = machine_->pes_of_node(); of_node > 0)
    for (int pe = of_node; pe < how_.pes; pe += of_node) node_starts_.push_back(pe);
  std::exception_ptr problem;
  try {
    build(share, meeting);
  } catch (...) {
    if (!job_) throw;
    problem = std::current_exception();
  }
  if (job_) devices_->try_sharing(*meeting, share);
  std::uint32_t ordinal = run_marks::next_run();
  if (job_) ordinal = job_->agree_to_begin(problem, ordinal);
  run_marks::agree(ordinal);
  for (auto& p : processors_) p->mark_proxies(run_marks::mark_of(ordinal));
}

void runtime::build(const host_share& share, const bootstrap* meeting) {
  make_pes(share);
  machine_->connect(share.has_processor_for_each, nullptr);
  if (!how_.trace.empty() || how_.reports.stats || how_.reports.nvtx) attach_observers(meeting, share);
  for (auto& p : processors_) pe_attachment::attach_all(*p);
  check_balancer();
  if (job_ && job_->comm() != nullptr) pe_attachment::attach_all(*job_->comm());
  connect_pes();
}

/// The balancer lies above the core, and attaches itself.
void runtime::check_balancer() const {
  const std::string& strategy = how_.balance.strategy;
  const std::string& record = how_.balance.record;
  const bool balances = !strategy.empty() && strategy != "none";
  if ((!balances && record.empty()) || processors_.front()->loads() != nullptr) return;
  throw usage_error(
      (balances ? "--balance " + printable(strategy) : "--balance-record " + printable(record)) +
      ": this program has no balancer: include <imbrex/run.hpp> or <imbrex/imbrex.hpp> where it "
      "calls run");
}

void runtime::make_pes(const host_share& share) {
  const auto device_of_pe = devices_->choose(share);
  for (int p = pes_.first; p < pes_.first + pes_.count; ++p) {
    auto seed = how_.shuffle;
    if (seed) *seed += static_cast<std::uint64_t>(p);
    auto& pe = *processors_.emplace_back(
        std::make_unique<processor>(*this, p, machine_->clock_of(p), seed, machine_->memory()));
    if (local_clock* const charged = machine_->charged_clock_of(p)) pe.attach(*charged);
    const auto which = device_of_pe[static_cast<std::size_t>(p - pes_.first)];
    if (which) devices_->attach(pe, *which);
  }
}

void runtime::connect_pes() {
  const auto model = link_of(how_);
  const bool has_links = model.delays() && machine_->model() == nullptr;  // such a machine has its own links
  for (auto& p : processors_) {
    transport* wire = &machine_->wire_of(p->pe());
    if (has_links) {
      // In a job links are between its processes; without a job, between PEs.
      const auto near = job_ ? pes_ : pe_range{p->pe(), 1, pes_.total};
      wire = wires_
                 .emplace_back(std::make_unique<link_transport>(*wire, model, machine_->time(),
                                                                [near](int to) { return !near.holds(to); }))
                 .get();
      p->be_punctual();
    }
    if (devices_->any()) wire = wires_.emplace_back(std::make_unique<device_transport>(*wire, *p)).get();
    p->connect(*wire, machine_->rules(), pes_, has_links ? nullptr : p->network());
  }
}

/// Attaches the recording and counting of PE activity.
void runtime::attach_observers(const bootstrap* meeting, const host_share& share) {
  const bool is_real_time = machine_->simulated_time() == nullptr;
  const bool charges_pes = machine_->model() != nullptr;
  if (!how_.trace.empty())
    recording_ = std::make_unique<run_recording>(
        how_, recorded_time{is_real_time, !is_real_time && !charges_pes}, meeting, pes_, share.job);
  if (how_.reports.stats)
    statistics_ = std::make_unique<run_statistics>(
        job_
            ? "process " + std::to_string(job_->process()) + " of " + std::to_string(job_->processes()) + ": "
            : "",
        machine_->time(), is_real_time);
  const nvtx_tool* const profiler = how_.reports.nvtx ? profiler_or_warning() : nullptr;
  for (auto& p : processors_) {
    if (statistics_)
      p->attach(*counters_.emplace_back(std::make_unique<pe_statistics>(*p, statistics_->add_pe())));
    if (recording_) recording_->attach(*p);
    if (profiler != nullptr) p->attach(*ranges_.emplace_back(std::make_unique<nvtx_ranges>(*profiler)));
  }
  if (!recording_) return;
  if (job_ && job_->comm() != nullptr) recording_->attach(static_cast<scheduler&>(*job_->comm()));
  if (share.is_first_host) {
    recording_->share_clock();
  } else if (job_->process() != 0) {
    recording_->compare_clocks([this] { job_->ask_clock(); });
  }
  if (charges_pes) machine_->record_arrivals(recording_->track_of_network());
  for (const auto& d : devices_->all())
    if (!recording_->attach(*d))
      log(log_level::warning, "operations of " + d->info().label() +
                                  " will not be in the trace: its driver refused to time events");
}

runtime::~runtime() {
  watch_.stop();                  // not yet stopped if the run has thrown
  gate_->close();                 // likewise not yet closed
  if (job_) job_->net().close();  // the network may hold messages, which belong to the PEs' memory
  clear();
  wires_.clear();
  processors_.clear();  // before the clocks, the observers and the network that they use
}

void runtime::start(std::function<task<int>()> main) {
  main_ = std::make_unique<main_task>(*this, std::move(main));
  processor_at(0).pe_inbox().post(*main_);
}

int runtime::process() const { return job_ ? job_->process() : 0; }
int runtime::processes() const { return job_ ? job_->processes() : 1; }

void runtime::end_everywhere() {
  if (job_) job_->tell_end(status());
  machine_->stop();
}

void runtime::look_for_end() {
  if (job_) job_->look_for_end();
}

bool runtime::is_deserted() const { return job_ && job_->is_deserted(); }

run_recording* runtime::recording() const { return recording_.get(); }

int runtime::run(std::function<task<int>()> main) {
  const crash_handler handler(&describe_what_runs);
  const crash_stack stack;
  if (statistics_) statistics_->begin();
  if (pes_.first == 0) start(std::move(main));
  desk_ = std::make_unique<report_desk>(*this, *machine_);
  machine_->run();
  watch_.stop();
  gate_->close();  // holders of executors must neither reach a destroyed PE nor keep devices busy
  const bool devices_are_well = drain_devices();
  int of_all = status() == 0 && !devices_are_well ? 1 : status();
  if (job_) of_all = job_->leave(of_all);
  if (recording_) recording_->end();
  if (statistics_) statistics_->end();
  attend();  // to those who have asked at the end
  desk_.reset();
  clear();
  return of_all;
}

bool runtime::drain_devices() {
  try {
    if (devices_->drain(grace())) return true;
  } catch (...) {  // a failure that was not awaited
    if (status() == 0) log(log_level::error, describe_current_exception());
    return false;
  }
  log(log_level::error, "the run has ended, but a device is still busy; the process ends without it");
  ::_exit(status() == 0 ? 1 : status());
}

network::counts runtime::counted() const {
  if (!job_) return {};
  const std::uint64_t round =
      job_->requested_round();  // read first: a report must not be older than its round
  auto counts = job_->net().counted();
  counts.round = round;
  return counts;
}

bool runtime::quiet(const network::counts& exchanged) {
  if (ended()) return true;
  if (job_) return job_->quiet(exchanged);
  if (!release_quiescence_waiters()) fail_deadlock(describe_waits());
  return true;
}

void runtime::clear() {
  if (status() == 0) report_held_messages();
  for (auto& p : processors_) p->end_items();  // an interrupt must not cut off these final actions
  machine_->finish([this](processor& pe) {
    if (main_ && pe.pe() == 0) main_->coroutine.reset();
    pe.clear();
  });
  for (auto& p : processors_) {
    p->discard_work();
    if (p->completions() == nullptr) continue;
    const scheduler::activation as(*p);
    device_completions::of(*p)->discard();
  }
  machine_->discard();
  for (auto& p : processors_) {
    const scheduler::activation as(*p);
    p->clear_parts();
  }
}

}  // namespace imbrex::detail
