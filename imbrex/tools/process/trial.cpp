// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/process/trial.hpp>

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include <imbrex/tools/process/descendants.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;

/// Time between SIGTERM and SIGKILL, for a process to end itself and the processes it has started. It is
/// longer than the same time of `imbrex run`.
constexpr auto termination_time = 4s;
/// Attempts before a run is given up. A user who stops a command by hand does so less often during one run.
constexpr int most_attempts = 5;

std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

std::string line_around(const std::string& text, std::size_t at) {
  const std::size_t before = text.find_last_of("\r\n", at);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text.find_last_not_of(" \t", text.find_first_of("\r\n", at) - 1);
  return text.substr(begin, end + 1 - begin);
}

/// True at the start of a line or after "app: "; so "L2 error: 3e-06" is no message but a result.
bool begins_message(std::string_view before) {
  return before.empty() || before.ends_with('\n') || before.ends_with('\r') || before.ends_with(": ");
}

std::size_t last_error_message(std::string_view text) {
  std::size_t at = text.rfind("error:");
  while (at != std::string_view::npos && !begins_message(text.substr(0, at)))
    at = text.substr(0, at).rfind("error:");
  return at;
}

}  // namespace

struct trial_runner::running_trial {
  pid_t pid = 0;
  descriptor output;
  std::string written{};
  std::optional<int> how{};  ///< status from waitpid(), once the program has ended
  std::optional<time_point> ended{};
  int stop_signal = 0;       ///< number of the signal that this process received
  bool was_stopped = false;  ///< this process was stopped while the program ran
  nanoseconds stopped{0};    ///< total time of stops by SIGTSTP

  bool goes_on() const { return !how && stop_signal == 0 && !was_stopped; }

  /// Reads the bytes that are in the pipe.
  void read_some() {
    std::array<char, 65'536> piece;
    ssize_t got = 0;
    while ((got = ::read(output.get(), piece.data(), piece.size())) > 0) {
      written.append(piece.data(), static_cast<std::size_t>(got));
      if (written.size() > kept_output) written.erase(0, written.size() - kept_output);
    }
    if (got == 0) output.close();
  }

  void reap() {
    int status = 0;
    if (how || ::waitpid(pid, &status, WNOHANG) != pid) return;
    how = status;
    ended = now();
  }
};

std::string telling_line(const trial_result& of) {
  std::size_t at = last_error_message(of.output);
  if (at == std::string::npos) at = of.output.find_last_not_of(" \t\r\n");
  return at == std::string::npos ? std::string() : line_around(of.output, at);
}

interrupted::interrupted(int signal)
    : error(std::string("ended by signal ") + std::to_string(signal) + " (" + ::strsignal(signal) + ")"),
      signal_(signal) {}

trial_runner::trial_runner() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

trial_result trial_runner::run(const std::vector<std::string>& command, nanoseconds limit) {
  nanoseconds lost{0};
  for (int attempt = 0; attempt < most_attempts; ++attempt)
    if (auto result = run_once(command, limit, lost)) return *std::move(result);
  throw disturbed(
      "one run was given up " + std::to_string(most_attempts) +
      " times, each time since this command was stopped or got SIGCONT meanwhile; leave it running, or "
      "find out who sends that signal");
}

/// Empty if this process was stopped meanwhile, so that the program must run again. The time of the attempt,
/// without the stop, is added to `lost`.
std::optional<trial_result> trial_runner::run_once(const std::vector<std::string>& command, nanoseconds limit,
                                                   nanoseconds& lost) {
  signals_.forget(SIGCONT);  // a SIGCONT after a stop between two runs
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start("a trial", errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  descriptor child_end(ends[1]);
  const time_point began = now();
  running_trial one{.output = descriptor(ends[0])};
  one.pid = start_program(command, signals_.inherited(), "a trial", [&] {
    ::setpgid(0, 0);
    ::dup2(descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get(), STDIN_FILENO);
    ::dup2(child_end.get(), STDOUT_FILENO);
    ::dup2(child_end.get(), STDERR_FILENO);
  });
  child_end.close();

  const time_point last = began + limit;
  while (one.goes_on() && now() < last) turn(one, last);
  const bool timed_out = one.goes_on();
  if (!one.how) end(one);
  end_leftovers(one);
  one.read_some();
  if (one.stop_signal != 0) throw interrupted(one.stop_signal);
  if (one.was_stopped) {
    lost += std::min<nanoseconds>(now() - began - one.stopped, limit);  // length of SIGSTOP stops: unknown
    return std::nullopt;
  }
  const int status = timed_out               ? timeout_status
                     : WIFSIGNALED(*one.how) ? 128 + WTERMSIG(*one.how)
                                             : WEXITSTATUS(*one.how);
  return trial_result{status, timed_out, *one.ended - began, lost, std::move(one.written)};
}

/// Waits for an event, or until `until`, and handles it.
void trial_runner::turn(running_trial& one, time_point until) {
  std::array<pollfd, 2> waiting{{{signals_.get(), POLLIN, 0}, {one.output.get(), POLLIN, 0}}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now()).count();
  ::poll(waiting.data(), waiting.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
  if (waiting[1].revents != 0) one.read_some();
  while (const auto info = signals_.next()) take(one, static_cast<int>(info->ssi_signo));
  one.reap();
}

void trial_runner::take(running_trial& one, int signal) {
  switch (signal) {
    case SIGCHLD: break;
    case SIGTSTP: {
      const time_point began = now();
      ::kill(-one.pid, SIGSTOP);  // the program may block SIGTSTP
      signal_source::stop();
      ::kill(-one.pid, SIGCONT);
      one.stopped += now() - began;
      break;
    }
    case SIGCONT: one.was_stopped = true; break;  // also after SIGSTOP, which cannot be observed
    default: one.stop_signal = signal;
  }
}

void trial_runner::end(running_trial& one) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    ::kill(-one.pid, signal);
    for (const time_point last = now() + termination_time; !one.how && now() < last;) turn(one, last);
  }
  while (!one.how) turn(one, now() + 1s);
}

/// Ends processes that the program has started and left behind; they became this process's children at its
/// end.
void trial_runner::end_leftovers(running_trial& one) {
  for (const time_point last = now() + termination_time;
       now() < last;) {  // a process may stay in the kernel for long
    const std::set<pid_t> left = running_children(strangers_);
    bool some_ended = false;
    for (pid_t ended; (ended = ::waitpid(-1, nullptr, WNOHANG)) > 0; some_ended = true)
      strangers_.erase(ended);
    if (some_ended) continue;  // orphans have become children of this process
    if (left.empty()) return;
    for (const pid_t child : left) ::kill(child, SIGKILL);
    turn(one, now() + 10ms);
  }
}

}  // namespace imbrex::tools
