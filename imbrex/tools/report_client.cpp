// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/report_client.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/report_socket.hpp>
#include <imbrex/tools/process/descendants.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// The time that a process has to answer: its PEs take up to a second of it. A stopped process does not run,
/// so more time would not help.
constexpr auto patience = 10s;
constexpr auto patience_with_stopped = 2s;
constexpr int look_ms = 50;

std::string words_for(pid_t process) { return "process " + std::to_string(process); }

/// The processes on this host that may be asked for a report, whoever runs them.
std::set<pid_t> processes_of_runs() {
  std::set<pid_t> found;
  std::ifstream table("/proc/net/unix");
  constexpr std::string_view prefix = report_address::shown_prefix;
  for (std::string line; std::getline(table, line);) {
    const std::size_t at = line.find(prefix);
    if (at == std::string::npos) continue;
    pid_t process = 0;
    const char* const first = line.data() + at + prefix.size();
    if (std::from_chars(first, line.data() + line.size(), process).ec == std::errc()) found.insert(process);
  }
  return found;
}

std::optional<uid_t> user_of(pid_t process) {
  struct stat folder{};
  if (::stat(("/proc/" + std::to_string(process)).c_str(), &folder) != 0) return std::nullopt;
  return folder.st_uid;
}

bool comes_from(pid_t process, pid_t ancestor) {
  while (process > 1 && process != ancestor) process = parent_of(process);
  return process == ancestor;
}

}  // namespace

std::set<pid_t> processes_to_ask(std::optional<pid_t> process) {
  const std::set<pid_t> all = processes_of_runs();
  std::set<pid_t> some;
  if (!process) {
    for (const pid_t one : all)
      if (user_of(one) == ::geteuid()) some.insert(one);
    if (some.empty()) throw error("no program of yours that uses Imbrex runs on this host");
    return some;
  }
  const pid_t root = *process;
  const auto user = user_of(root);
  if (!user) throw error("there is no " + words_for(root) + " on this host");
  if (user != ::geteuid())
    throw error(words_for(root) + " belongs to user " + std::to_string(*user) +
                ", and a run answers only its own user, here " + std::to_string(::geteuid()));
  for (const pid_t one : all)
    if (comes_from(one, root)) some.insert(one);
  if (some.empty())
    throw error(words_for(root) +
                " is in no run of Imbrex, and has started no process that is: give the process id of a "
                "running program, or of its `imbrex run`; `imbrex who` alone asks all");
  return some;
}

std::string ask_for_report(pid_t process, bool json) {
  const descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection) throw error(std::string("cannot open a socket: ") + std::strerror(errno));
  const report_address place(process);
  if (::connect(connection.get(), place.get(), place.size()) != 0) {
    if (errno == EAGAIN) throw error(words_for(process) + " has too many requests that wait; try again");
    throw error(words_for(process) + " has just ended its run");
  }
  const auto other = other_end_of(connection.get());
  if (!other || other->pid != process || other->uid != ::geteuid())
    throw error(words_for(process) + " is not asked: the socket with its name belongs to " +
                (other ? words_for(other->pid) + " of user " + std::to_string(other->uid) : "nobody"));
  send_all(connection.get(), json ? "json\n" : "text\n", 0);
  ::kill(process, SIGURG);  // for a run whose only thread steps the PEs; it is ignored elsewhere
  std::string answer;
  for (const auto begin = steady_clock::now();;) {
    pollfd input{connection.get(), POLLIN, 0};
    if (::poll(&input, 1, look_ms) > 0) {
      char bytes[65'536];
      const ssize_t n = ::recv(connection.get(), bytes, sizeof bytes, 0);
      if (n > 0) answer.append(bytes, static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) break;
      continue;
    }
    const auto time = steady_clock::now() - begin;
    if (time > patience_with_stopped && is_stopped(process))
      throw error(words_for(process) + " is stopped, so it cannot answer; kill -CONT " +
                  std::to_string(process) + " lets it go on");
    if (time > patience)
      throw error(words_for(process) + " has not answered for " + std::to_string(patience.count()) +
                  " s; if it steps its PEs on one thread (--machine), an entry there does not return");
  }
  if (!answer.ends_with('\n')) throw error(words_for(process) + " has just ended its run");
  return answer;
}

}  // namespace imbrex::tools
