// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/run.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/out_of_memory.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/core/run/restart_preparation.hpp>
#include <imbrex/core/run/run_with_faults.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/bootstrap/launcher_watch.hpp>

/// A marker: a shared library with the runtime detects by it that the program has another runtime, linked
/// statically.
extern "C" [[gnu::visibility("default")]] const char imbrex_runtime = 0;

namespace imbrex {

namespace detail {

namespace {

/// This process's membership in its job, for all runs. A process has one job; without one `meeting()` is
/// null.
class membership {
 public:
  membership() {
    open_standard_descriptors();  // before the launcher is connected to
    meeting_ = find_bootstrap();
    if (meeting_) watch_ = std::make_unique<launcher_watch>(meeting_->launcher_descriptor());
  }
  ~membership() {
    const bool is_copy = ::getpid() != process_;  // forked in an entry and ended by exit()
    if (!is_copy) watch_.reset();                 // a finished process may outlive its launcher
    if (is_copy || in_run_) {
      // During a run, the thread that waits for the PEs still uses these objects, whichever thread ends the
      // process.
      [[maybe_unused]] static const bootstrap* const retained_bootstrap = meeting_.release();
      [[maybe_unused]] static const launcher_watch* const still_watching = watch_.release();
    } else if (meeting_) {
      meeting_->finish(status_);
    }
  }
  membership(const membership&) = delete;
  membership& operator=(const membership&) = delete;

  bootstrap* meeting() const { return meeting_.get(); }
  /// Registers a run; the processes of a job begin each run together. False if this process is already in a
  /// run.
  bool enters() { return !entered_.exchange(true); }
  void left() { entered_ = false; }
  /// From here to `ends` other processes wait for this one. A process that ends in between must not report
  /// success.
  void begins() { in_run_ = true; }
  void ends(int status) {
    status_ = status;
    in_run_ = false;
  }
  /// Records a run that has begun nowhere, or that this process has dropped out of.
  void fails(int status) { status_ = status; }
  /// The file of the next run for an option's file: the given file for the first run, "FILE-2" for the
  /// second; empty if the option is not given.
  std::string file_of_run(const std::string& file) {
    if (file.empty()) return file;
    const std::lock_guard hold(counting_);
    const int run = ++runs_of_file_[file];
    return run == 1 ? file : file + "-" + std::to_string(run);
  }

  static membership& of_this_process() {
    static membership own;
    return own;
  }

 private:
  const pid_t process_ = ::getpid();
  std::unique_ptr<bootstrap> meeting_;
  std::unique_ptr<launcher_watch> watch_;
  int status_ = 0;
  std::atomic<bool> in_run_ = false;  ///< written by the main thread, read by the thread that calls exit()
  std::atomic<bool> entered_ = false;
  std::mutex counting_;
  std::map<std::string, int> runs_of_file_;  ///< number of runs by the file of an option
};

/// Reports to the user why there is no run, unless another process does. Returns the exit status.
int tell_current_exception() {
  try {
    throw;
  } catch (const reported_error& e) {
    return e.status();
  } catch (const usage_error& e) {
    log(log_level::error, e.what());
    return usage_error::exit_status;
  } catch (...) {
    try {
      log(log_level::error, describe_current_exception());
    } catch (const std::bad_alloc&) {
      log(log_level::error, out_of_memory().what());
    }
    return 1;
  }
}

/// `main` must outlive the returned task.
task<int> succeed_after(const std::function<task<>()>& main) {
  co_await main();
  co_return 0;
}

int run_in_job(const options& settings, membership& own, std::function<task<int>()> main) {
  if (!own.enters()) {
    log(log_level::error,
        "one run at a time: this process of a job is in a run already, and a run is of all its processes; "
        "begin the next when run has returned");
    return 1;
  }
  const std::unique_ptr<membership, void (*)(membership*)> inside(&own, [](membership* m) { m->left(); });
  try {
    runtime whole(settings, *own.meeting());
    own.begins();
    const int status = whole.run(std::move(main));
    own.ends(status);
    return status;
  } catch (...) {
    const int status = tell_current_exception();
    own.fails(status);
    return status;
  }
}

}  // namespace

std::function<task<int>()> with_status(std::function<task<>()> main) {
  return [m = std::move(main)] { return succeed_after(m); };
}

int run_with(const options& settings, std::function<task<int>()> main) {
  try {
    auto& own = membership::of_this_process();
    open_standard_descriptors();  // a program may have closed one since its last run
    options begun = settings;
    if (const auto preparation = own.meeting() != nullptr ? preparation_of_restart(settings) : std::nullopt) {
      const int status = run_in_job(settings_of_preparation(settings), own, preparation->main);
      if (status != 0) return status;
      begun.checkpoint.restart = preparation->chosen_checkpoint();
    }
    const auto run_once = [&](const options& of_run) -> run_end {
      options run_options = of_run;
      run_options.trace = own.file_of_run(run_options.trace);
      run_options.balance.record = own.file_of_run(run_options.balance.record);
      if (own.meeting() != nullptr) return {run_in_job(run_options, own, main)};
      runtime whole(run_options);
      const int status = whole.run(main);
      return {status, whole.fault()};
    };
    return begun.checkpoint.faults.any() ? run_with_faults(begun, run_once) : run_once(begun).status;
  } catch (...) {
    return tell_current_exception();
  }
}

namespace {

/// True for a remaining `--help`: a program with its own help has removed it before.
bool asks_for_help(int argc, char** argv) {
  const auto words = std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0);
  const auto end = std::ranges::find(words, std::string_view("--"));
  return std::find(words.begin(), end, std::string_view("--help")) != end;
}

/// Prints the help in one process of a job. Returns the exit status.
int print_help() try {
  if (imbrex::process() != 0) return 0;
  return std::fputs(options_help().c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
} catch (...) {
  return tell_current_exception();
}

}  // namespace

int run_command_line(int& argc, char**& argv, std::function<task<int>()> main) {
  options settings;
  try {
    settings = parse_options(argc, argv);
    if (!asks_for_help(argc, argv)) refuse_near_misses(argc, argv);
  } catch (const usage_error& e) {
    log(log_level::error, e.what());
    return usage_error::exit_status;
  }
  return asks_for_help(argc, argv) ? print_help() : run_with(settings, std::move(main));
}

}  // namespace detail

int process() {
  const auto* meeting = detail::membership::of_this_process().meeting();
  return meeting != nullptr ? meeting->rank() : 0;
}

int num_processes() {
  const auto* meeting = detail::membership::of_this_process().meeting();
  return meeting != nullptr ? meeting->size() : 1;
}

void exit(int status) { detail::processor::here().run().exit(status); }

namespace {

/// Sent to PE 0: a waiter for quiescence.
struct quiescence_request : detail::message {
  static inline detail::message_type type_record = detail::runtime_message_type<quiescence_request>();
  void serialize(auto&) {}
  void deliver() {
    const detail::message_guard guard(*this);
    detail::processor::here().run().await_quiescence(static_cast<int>(origin), reply);
  }
};

}  // namespace

pending<void> quiescence() {
  pending<void> result("quiescence");
  auto& m = detail::make_message<quiescence_request>();
  m.reply = result.address();
  detail::processor::here().dispatch(m, 0);
  return result;
}

}  // namespace imbrex
