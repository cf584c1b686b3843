// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/job.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <set>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/library_threads.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/abandoned_segments.hpp>
#include <imbrex/tools/ending.hpp>
#include <imbrex/tools/exchange.hpp>
#include <imbrex/tools/foreign_launcher.hpp>
#include <imbrex/tools/line_relay.hpp>
#include <imbrex/tools/process/descendants.hpp>
#include <imbrex/tools/process/signal_source.hpp>
#include <imbrex/tools/rank_process.hpp>
#include <imbrex/tools/resize_request.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;
using time_point = std::chrono::steady_clock::time_point;

/// After a failure the other processes normally end by themselves, once notified. Processes still running
/// after `grace` get SIGTERM, and after another `termination_time` SIGKILL.
constexpr auto grace = 3s;
constexpr auto termination_time = 2s;
/// Other launchers give their processes time in the same way: Slurm's KillWait is 30 s.
constexpr auto termination_time_of_foreign = 35s;
/// The interval of checks whether other processes are ending after a failure, or a checkpoint has come.
constexpr auto ending_look = 20ms;
/// The time between SIGTERM and SIGKILL for processes that the job's processes have left behind.
constexpr auto leftover_time = 1s;
/// The time after --timeout for which output of the processes is still passed on.
constexpr auto output_time = 5s;
/// Interrupts within this time count as one: some programs send SIGINT to a process and then to its group.
constexpr auto interrupt_gap = 200ms;

/// A SIGQUIT asks the processes for reports, and a second one within this time ends them (`report_signal`).
constexpr auto quit_gap = 2s;

time_point now() { return std::chrono::steady_clock::now(); }

/// The threads of OpenMP and BLAS for each PE of such a job; none if there is one PE. `pes`: of each process;
/// 0: their share of the processors.
std::optional<int> threads_of_libraries(int processes, int pes) {
  const int processors = usable_processors();
  if (pes == 0) pes = std::max(1, processors / processes);
  const std::int64_t pes_of_job = processes * std::int64_t{pes};
  if (pes_of_job <= 1) return std::nullopt;
  return library_threads(processors, static_cast<int>(std::min<std::int64_t>(pes_of_job, processors)));
}

/// The programs of a job, with a variable for the threads of libraries unless the user has set their number.
std::vector<job_program> programs_of(const job_settings& settings) {
  std::vector<job_program> programs = settings.programs;
  if (programs.empty()) programs.push_back({settings.processes, settings.command, settings.environment});
  if (settings.is_foreign()) return programs;
  const auto threads = threads_of_libraries(settings.processes, settings.pes);
  for (job_program& each : programs)
    if (threads && !is_number_of_threads(variable_of_programs(each.environment, library_threads_variable)))
      set_variable(each.environment, library_threads_variable, std::to_string(*threads));
  return programs;
}

/// A message in the launcher's own name.
std::string message_of(const std::string& text) { return "imbrex run: " + printable_lines(text) + "\n"; }

/// The standard output and error of the launcher. If both are the same file they share a queue, so that lines
/// are not interleaved.
class outputs {
 public:
  outputs() : standard_output_(STDOUT_FILENO), standard_error_(STDERR_FILENO) {
    struct stat out{};
    struct stat error{};
    same_ = ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &error) == 0 &&
            out.st_dev == error.st_dev && out.st_ino == error.st_ino;
  }

  output& standard_output() { return standard_output_; }
  output& standard_error() { return same_ ? standard_output_ : standard_error_; }
  std::array<output*, 2> both() { return {&standard_output_, &standard_error_}; }

 private:
  output standard_output_;
  output standard_error_;
  bool same_ = false;
};

struct member {
  rank_process process;
  std::string name;
  line_source standard_output;
  line_source standard_error;
  frame_reader incoming{};
  std::deque<std::shared_ptr<const std::string>> answers{};
  std::size_t sent = 0;  // bytes of the first reply that have been sent
  bool running = true;
  bool was_ending = false;  // was ending before the launcher killed it
};

class job {
 public:
  job(const job_settings& settings, const launcher& by) : settings_(settings), launcher_(by) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw error(std::string("cannot open a pipe: ") + std::strerror(errno));
    launcher_pipe_ = descriptor(ends[0]);
    presence_ = descriptor(ends[1]);
    if (settings.timeout) {
      ends_at_ = now() + *settings.timeout;
      abandons_at_ = *ends_at_ + output_time;
    }
  }
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  /// Only after an exception there are running processes left.
  ~job() {
    for (const member& one : members_)
      if (one.running) ::kill(one.process.pid, SIGKILL);
    for (const member& one : members_)
      while (one.running && ::waitpid(one.process.pid, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  job_end run() {
    try {
      start();
    } catch (...) {  // ends the started processes, and processes that they leave behind
      meet();
      kill_all(SIGKILL);
      wait_for_end();
      throw;
    }
    wait_for_end();
    return {.status = outcome_.status.value_or(verdict_.status()),
            .is_by_death = outcome_.has_death && !outcome_.status && !outcome_.is_ended_by_user,
            .is_by_request = outcome_.status || outcome_.is_ended_by_user,
            .is_for_resize = outcome_.resize.is_done(),
            .next_processes = outcome_.resize.processes(),
            .next_nodes = outcome_.resize.nodes()};
  }

 private:
  void wait_for_end() {
    while (running_ > 0) turn(next_time());
    end_leftovers();
    if (verdict_.status() != 0) remove_abandoned_segments(segment_folder(), began_, reaped_);
    for (member& one : members_) drain(one);
    say_verdict();
    while (waiting_output() && !abandoned_) turn(next_time());
  }

  void start() {
    members_.reserve(static_cast<std::size_t>(settings_.processes));
    for (const job_program& program : programs_of(settings_)) {
      const process_request request{.command = program.command,
                                    .environment = program.environment,
                                    .kept_open = launcher_.clean.descriptor(),
                                    .ignored = settings_.restarts.signal,
                                    .state = launcher_.signals.inherited()};
      for (int i = 0; i < program.processes; ++i) {
        const auto rank = static_cast<int>(members_.size());
        rank_process child = settings_.is_foreign()
                                 ? start_foreign_launcher(request)
                                 : start_rank(request, rank, settings_.processes, launcher_pipe_);
        launcher_.clean.note(child.pid);
        const std::string prefix = settings_.prefix ? "[" + std::to_string(rank) + "] " : "";
        std::string name = name_of(rank, child.pid);
        line_source out(std::move(child.standard_output), outputs_.standard_output(), prefix);
        line_source error(std::move(child.standard_error), outputs_.standard_error(), prefix,
                          settings_.prefix ? nullptr : &error_filter_);
        members_.push_back({std::move(child), std::move(name), std::move(out), std::move(error)});
        ++running_;
      }
    }
    launcher_pipe_.close();
    meet();
  }

  /// The name of a process with its rank, or with its MPI ranks.
  std::string name_of(int number, pid_t pid) const {
    const std::string its_pid = "pid " + std::to_string(pid);
    if (settings_.is_foreign()) return settings_.foreign_launcher + " (" + its_pid + ")";
    if (settings_.ranks == 0) return "rank " + std::to_string(number) + " (" + its_pid + ")";
    return "process " + std::to_string(number) + " (" + its_pid + ", " +
           words_of_ranks(number, settings_.processes, settings_.ranks) + ")";
  }

  void meet() {
    std::vector<std::string> names;
    for (const member& one : members_) names.push_back(one.name);
    exchange_.emplace(std::move(names));
  }

  /// Waits for an event, or until `until`, and handles it.
  void turn(std::optional<time_point> until) {
    std::vector<pollfd> waiting{{launcher_.signals.get(), POLLIN, 0}};
    for (output* to : outputs_.both())
      if (to->waiting() > 0) waiting.push_back({to->descriptor(), POLLOUT, 0});
    for (member& one : members_) {
      if (one.process.socket) {
        const int events = one.answers.empty() ? POLLIN : POLLIN | POLLOUT;
        waiting.push_back({one.process.socket.get(), static_cast<short>(events), 0});
      }
      for (const line_source* from : {&one.standard_output, &one.standard_error})
        if (wants(*from)) waiting.push_back({from->descriptor(), POLLIN, 0});
    }
    int milliseconds = -1;
    if (until)
      milliseconds = static_cast<int>(std::clamp<std::int64_t>(
          std::chrono::ceil<std::chrono::milliseconds>(*until - now()).count(), 0, 1'000'000));
    ::poll(waiting.data(), waiting.size(), milliseconds);

    std::set<int> ready;
    for (const pollfd& one : waiting)
      if (one.revents != 0) ready.insert(one.fd);

    // A process's output and frames are handled before its end.
    for (member& one : members_) {
      for (line_source* from : {&one.standard_output, &one.standard_error})
        if (ready.contains(from->descriptor())) from->move_some();
      if (ready.contains(one.process.socket.get())) converse(one);
    }
    while (const auto info = launcher_.signals.next()) {
      if (info->ssi_signo == SIGCHLD)
        reap();
      else
        forward(*info);
    }
    keep_time();
    write_outputs();
  }

  static bool wants(const line_source& from) { return from.open() && from.to().waiting() < output::enough; }

  // Bootstrap.

  void converse(member& one) {
    if (!one.process.socket) return;
    try {
      receive(one);
      send(one);
    } catch (const error& e) {
      say("closed the connection to " + one.name + ", which sent " + e.what());
      one.process.socket.close();
    }
  }

  void receive(member& one) {
    std::array<char, 65'536> piece;
    ssize_t got = 0;
    while ((got = ::recv(one.process.socket.get(), piece.data(), piece.size(), 0)) > 0) {
      one.standard_error.pass_all_on();  // the process has joined the bootstrap: its start is over
      one.incoming.append({piece.data(), static_cast<std::size_t>(got)});
      while (auto message = one.incoming.next()) {
        if (message->kind == frame_kind::complaint)
          verdict_.complain(message->payload, now());
        else
          give(exchange_->take(rank_of(one), *std::move(message)));
      }
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) one.process.socket.close();
  }

  void give(const std::vector<exchange::answer>& answers) {
    if (const std::string text = exchange_->complaint(); !text.empty()) say(text);
    if (exchange_->failed() && !parted_at_) parted_at_ = now();
    for (const auto& answer : answers) {
      member& to = members_[static_cast<std::size_t>(answer.rank)];
      to.answers.push_back(answer.bytes);
      send(to);
    }
  }

  static void send(member& to) {
    while (!to.answers.empty() && to.process.socket) {
      const std::string& bytes = *to.answers.front();
      const ssize_t sent =
          ::send(to.process.socket.get(), bytes.data() + to.sent, bytes.size() - to.sent, MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return;  // full, or closed, which the next receive() detects
      if (sent > 0) to.sent += static_cast<std::size_t>(sent);
      if (to.sent == bytes.size()) {
        to.answers.pop_front();
        to.sent = 0;
      }
    }
  }

  int rank_of(const member& one) const { return static_cast<int>(&one - members_.data()); }

  // Ends of processes.

  /// Collects ended children; true if there was one.
  bool reap() {
    int how = 0;
    bool some = false;
    for (pid_t pid; (pid = ::waitpid(-1, &how, WNOHANG)) > 0;) {
      some = true;
      if (strangers_.erase(pid) > 0) continue;
      reaped_.insert(pid);
      for (member& one : members_)
        if (one.running && one.process.pid == pid) ended(one, how);
    }
    return some;
  }

  void ended(member& one, int how) {
    one.running = false;
    --running_;
    for (line_source* from : {&one.standard_output, &one.standard_error})
      while (wants(*from) && from->move_some()) continue;
    converse(one);
    const int rank = rank_of(one);
    ending end{one.name, WEXITSTATUS(how), {}, exchange_->announced(rank), exchange_->is_in_run(rank), false};
    if (WIFSIGNALED(how)) {
      end.signal = WTERMSIG(how);
      end.status = 128 + WTERMSIG(how);
      end.is_requested =
          requested_signals_.contains(WTERMSIG(how)) && !(WTERMSIG(how) == SIGKILL && one.was_ending);
      outcome_.has_death = outcome_.has_death || !end.is_requested;
    } else if (settings_.is_foreign()) {
      end.is_requested = requested_signals_.contains(end.status - 128) || outcome_.resize.is_done();
      outcome_.has_death = !end.is_requested && is_status_of_death(end.status);
    }
    verdict_.add(end, now());
    one.process.socket.close();
    give(exchange_->ended(rank, describe(end), status_of(end) != 0));
  }

  void kill_all(int signal) {
    const bool is_first = requested_signals_.insert(signal).second;
    for (member& one : members_) {
      if (!one.running) continue;
      if (is_first && signal == SIGKILL) one.was_ending = is_ending(one.process.pid);
      ::kill(one.process.pid, signal);
    }
  }

  /// Ends processes left behind by the job's processes; they became this process's children.
  void end_leftovers() {
    std::set<pid_t> sigterm_receivers;
    for (const int signal : {SIGTERM, SIGKILL}) {
      for (const time_point last = now() + leftover_time; now() < last;) {
        const std::set<pid_t> left = running_children(strangers_);
        if (reap()) continue;  // orphans have become children of this process
        if (left.empty()) return;
        for (const pid_t one : left)
          if (signal == SIGKILL || sigterm_receivers.insert(one).second) ::kill(one, signal);
        turn(std::min(last, now() + 20ms));
      }
    }
  }

  // Signals and times.

  void forward(const signalfd_siginfo& info) {
    const int signal = static_cast<int>(info.ssi_signo);
    const bool only_tells = signal == SIGUSR1 || signal == SIGUSR2;
    if (running_ == 0 && only_tells) return;
    if (is_resize_request(info)) {
      say(outcome_.resize.begin(settings_.restarts, info.ssi_int));
      return;
    }
    if (signal == SIGUSR2 && settings_.foreign_launcher == "srun" && has_slurm_nodes(settings_.restarts)) {
      say(outcome_.resize.begin_on_slurm_nodes(settings_.restarts, settings_.command));
      return;
    }
    if (running_ == 0) {  // the user no longer waits for the reader of the output
      abandoned_ = true;
      if (!outcome_.status) outcome_.status = 128 + signal;
      return;
    }
    requested_signals_.insert(signal);
    const auto quit_before = signal == SIGQUIT ? std::exchange(keys_.quit_at, now()) : std::nullopt;
    const bool asks_for_reports = signal == SIGQUIT && (!quit_before || now() - *quit_before >= quit_gap);
    outcome_.is_ended_by_user = outcome_.is_ended_by_user || !(only_tells || asks_for_reports);
    if (signal == SIGINT) {
      if (keys_.interrupted_at && now() - *keys_.interrupted_at >= interrupt_gap) {
        abandoned_ = true;
        if (!outcome_.status) outcome_.status = 128 + SIGINT;
        return kill_all(SIGKILL);
      }
      if (!keys_.interrupted_at) keys_.interrupted_at = now();
    }
    // For keys of a terminal, the kernel has signalled all processes of its foreground group already.
    const bool from_terminal = info.ssi_code == SI_KERNEL;
    for (const member& one : members_)
      if (one.running && !(from_terminal && ::getpgid(one.process.pid) == ::getpgrp()))
        ::kill(one.process.pid, signal);
  }

  /// The time of the next action that needs no event.
  std::optional<time_point> next_time() const {
    std::optional<time_point> next;
    const auto looks_again = verdict_.is_open() ? std::optional(now() + ending_look) : std::nullopt;
    const auto resizes = outcome_.resize.is_pending() ? std::optional(now() + ending_look) : std::nullopt;
    for (const auto& one : {running_ > 0 ? ends_at_ : abandons_at_, terminates_at(), kills_at_,
                            verdict_.message_due(), looks_again, resizes})
      if (one && (!next || *one < *next)) next = one;
    return next;
  }

  std::optional<time_point> terminates_at() const {
    if (kills_at_ || killed_ || !(verdict_.failed_at() || parted_at_)) return std::nullopt;
    return std::min(verdict_.failed_at().value_or(time_point::max()),
                    parted_at_.value_or(time_point::max())) +
           grace;
  }

  void keep_time() {
    const time_point t = now();
    if (ends_at_ && t >= *ends_at_ && running_ > 0) {
      say("the job ran longer than its --timeout; ending it");
      if (!outcome_.status) outcome_.status = timeout_status;
      terminate();
    }
    if (abandons_at_ && t >= *abandons_at_ && running_ == 0) {
      say("the output was not read within --timeout; dropping the rest");
      if (!outcome_.status) outcome_.status = timeout_status;
      abandons_at_.reset();
      abandoned_ = true;
    }
    if (terminates_at() && t >= *terminates_at()) terminate();
    const auto has_ended = [this](const member& one) {
      return !one.running || exchange_->announced(rank_of(one));
    };
    if (outcome_.resize.is_pending() && std::ranges::none_of(members_, has_ended)) {
      if (outcome_.resize.has_checkpoint()) {
        if (settings_.is_foreign()) kills_at_ = t + termination_time_of_foreign;
        kill_all(settings_.is_foreign() ? SIGTERM : SIGKILL);
      } else if (outcome_.resize.asks_at(t))
        ::kill(members_.front().process.pid, settings_.restarts.signal);
    }
    if (kills_at_ && t >= *kills_at_) {
      kills_at_.reset();
      killed_ = true;
      kill_all(SIGKILL);
    }
    if (verdict_.is_open() && someone_is_ending()) verdict_.expect_another(t);
    verdict_.settle(t);
    if (verdict_.message_due() && t >= *verdict_.message_due()) say_verdict();
  }

  /// True if some process is ending. A process closes its connection before it ends, or is seen to be ending
  /// even earlier. A process that continues without a connection has usually announced its status.
  bool someone_is_ending() const {
    return std::ranges::any_of(members_, [this](const member& one) {
      return one.running && !exchange_->announced(rank_of(one)) &&
             (!one.process.socket || is_ending(one.process.pid));
    });
  }

  void terminate() {
    ends_at_.reset();
    kills_at_ = now() + (settings_.is_foreign() ? termination_time_of_foreign : termination_time);
    kill_all(SIGTERM);
  }

  // Output.

  void say(const std::string& text) { outputs_.standard_error().add(message_of(text), this); }

  void say_verdict() {
    if (const std::string text = verdict_.message(); !text.empty()) say(text);
  }

  /// Passes on the output that is left in the pipes, after all processes have ended.
  void drain(member& one) {
    for (line_source* from : {&one.standard_output, &one.standard_error}) {
      while (from->move_some() && !abandoned_)
        while (!wants(*from) && from->open() && !abandoned_) turn(next_time());
      from->close();
    }
  }

  bool waiting_output() {
    write_outputs();
    return std::ranges::any_of(outputs_.both(), [](const output* to) { return to->waiting() > 0; });
  }

  void write_outputs() {
    for (output* to : outputs_.both()) {
      if (to->broken()) continue;
      to->write_some();
      if (to->broken()) stop_taking(*to);
    }
  }

  /// Closes the pipes to a broken output, so that the writing processes get SIGPIPE as if they wrote there
  /// themselves.
  void stop_taking(const output& to) {
    for (member& one : members_)
      for (line_source* from : {&one.standard_output, &one.standard_error})
        if (&from->to() == &to) from->close();
    if (to.error() == EPIPE) return;
    say(std::string("cannot pass output on: ") + std::strerror(to.error()));
    if (!outcome_.status) outcome_.status = 1;
  }

  const job_settings& settings_;
  const launcher& launcher_;
  outputs outputs_;
  error_filter error_filter_;
  descriptor launcher_pipe_;
  descriptor presence_;  // write end of a pipe that processes see closed when the launcher has ended
  std::vector<member> members_;
  const std::time_t began_ = std::time(nullptr);
  std::set<pid_t> strangers_ = running_children();  // children from before this program's start
  std::set<pid_t> reaped_;
  int running_ = 0;
  std::optional<exchange> exchange_;
  std::optional<time_point> parted_at_;  // time at which the first process waited in vain
  verdict verdict_;
  struct {
    std::optional<int> status;  // set if the launcher decides it
    bool has_death = false;     // a signal has killed a process, which nobody had requested
    bool is_ended_by_user = false;
    resize_request resize;
  } outcome_;
  std::set<int> requested_signals_;  // signals sent to processes on request
  struct {
    std::optional<time_point> interrupted_at;  // time of the first SIGINT
    std::optional<time_point> quit_at;         // time of the last SIGQUIT
  } keys_;
  std::optional<time_point> ends_at_;
  std::optional<time_point> abandons_at_;
  std::optional<time_point> kills_at_;
  bool killed_ = false;
  bool abandoned_ = false;  // no longer waits for readers of the output
};

}  // namespace

job_end run_job(const job_settings& settings, const launcher& by) { return job(settings, by).run(); }

}  // namespace imbrex::tools
