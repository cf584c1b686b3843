// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/launched.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/net/bootstrap/environment.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;

/// Time for the launcher to report the missing processes.
constexpr auto launcher_answer_time = 2s;

/// Duplicates an inherited descriptor. Programs that this process starts inherit neither. The first stays
/// open, so that the process may find its bootstrap again.
descriptor adopt(const char* variable, int inherited, mode_t kind, const char* kind_name) {
  struct stat file{};
  if (::fstat(inherited, &file) != 0 || (file.st_mode & S_IFMT) != kind)
    throw error(
        std::string("the environment variable ") + variable + "=" + std::to_string(inherited) + " names no " +
        kind_name +
        " of imbrex run: a program between it and this one has closed the inherited descriptors. Start "
        "this program directly, or set IMBREX_BOOTSTRAP=none to run it as a single process");
  ::fcntl(inherited, F_SETFD, FD_CLOEXEC);
  descriptor own(::fcntl(inherited, F_DUPFD_CLOEXEC, 3));
  if (!own)
    throw error(std::string("cannot open a descriptor for the bootstrap: ") + std::strerror(errno) +
                "; raise the limit of open files (ulimit -n)");
  return own;
}

}  // namespace

launched_bootstrap::launched_bootstrap(int rank, int size, descriptor socket, descriptor launcher,
                                       std::chrono::milliseconds patience)
    : rank_(rank),
      size_(size),
      connection_(std::move(socket), "the launcher, imbrex run,"),
      launcher_(std::move(launcher)),
      patience_(patience) {}

std::vector<std::string> launched_bootstrap::all_gather(const std::string& text) {
  return exchange_or_fail({frame_kind::gather, text}, std::chrono::steady_clock::now() + patience_,
                          "the processes of this job did not find each other: ");
}

int launched_bootstrap::leave(int status) {
  return first_failure(exchange_or_fail({frame_kind::leave, encode_status(status)}, time_point::max(),
                                        "the processes of this job did not end together: "));
}

std::optional<bootstrap::end_of_others> launched_bootstrap::others_left() {
  try {
    const auto frame = connection_.receive(std::chrono::steady_clock::now());
    if (frame && frame->kind == frame_kind::left) return end_of_others{decode_status(frame->payload)};
    if (frame && frame->kind == frame_kind::died) return end_of_others{1, true};
  } catch (const error&) {  // the next exchange reports it
  }
  return std::nullopt;
}

std::vector<std::string> launched_bootstrap::exchange_or_fail(const frame& message, time_point deadline,
                                                              const char* what) {
  if (failure_) std::rethrow_exception(failure_);
  try {
    return exchange(message, deadline);
  } catch (const reported_error& e) {
    failure_ = std::make_exception_ptr(reported_error(std::string(what) + e.what()));
  } catch (const error& e) {
    failure_ = std::make_exception_ptr(error(std::string(what) + e.what()));
  }
  std::rethrow_exception(failure_);
}

std::vector<std::string> launched_bootstrap::exchange(const frame& message, time_point deadline) {
  std::optional<frame> answer;
  if (connection_.send(encode_frame(message.kind, message.payload), deadline)) {
    answer = receive_answer(deadline);
    if (!answer) {
      const time_point last = std::chrono::steady_clock::now() + launcher_answer_time;
      if (connection_.send(encode_frame(frame_kind::overdue, in_seconds(patience_)), last))
        answer = receive_answer(last);
    }
  }
  if (!answer)
    throw error("the launcher, imbrex run, is there but has not answered in " + in_seconds(patience_) +
                "; is it stopped?");
  if (answer->kind == frame_kind::failed) throw reported_error(answer->payload);
  if (answer->kind != frame_kind::gathered)
    throw error("imbrex run answered with a frame of kind " +
                std::to_string(static_cast<std::uint32_t>(answer->kind)) +
                "; was it built from another version of Imbrex?");
  return decode_texts(answer->payload, size_);
}

std::optional<frame> launched_bootstrap::receive_answer(time_point deadline) {
  auto answer = connection_.receive(deadline);
  while (answer && (answer->kind == frame_kind::left || answer->kind == frame_kind::died))
    answer = connection_.receive(deadline);
  return answer;
}

bool launched_bootstrap::say(frame_kind kind, const std::string& payload) const noexcept {
  try {
    return connection_.send(encode_frame(kind, payload),
                            std::chrono::steady_clock::now() + launcher_answer_time);
  } catch (const std::exception&) {  // no launcher, or no memory: nothing can be sent
    return false;
  }
}

bool launched_bootstrap::complain(const std::string& text) noexcept {
  return say(frame_kind::complaint, text);
}

void launched_bootstrap::finish(int status) noexcept { say(frame_kind::finish, encode_status(status)); }

std::unique_ptr<bootstrap> find_launched_bootstrap() {
  constexpr int most = std::numeric_limits<int>::max();
  const auto rank = environment_number("IMBREX_RANK", 0, most - 1);
  if (!rank) return nullptr;
  const auto size = environment_number("IMBREX_SIZE", *rank + 1, most);
  const auto socket = environment_number("IMBREX_BOOTSTRAP_FD", 0, most);
  const auto launcher = environment_number("IMBREX_LAUNCHER_FD", 0, most);
  if (!size || !socket || !launcher)
    throw usage_error(
        "the environment variable IMBREX_RANK is set, but not IMBREX_SIZE, IMBREX_BOOTSTRAP_FD and "
        "IMBREX_LAUNCHER_FD as imbrex run sets them; unset it to run this program as a single process");
  return std::make_unique<launched_bootstrap>(
      *rank, *size, adopt("IMBREX_BOOTSTRAP_FD", *socket, S_IFSOCK, "socket"),
      adopt("IMBREX_LAUNCHER_FD", *launcher, S_IFIFO, "pipe"), environment_patience());
}

}  // namespace imbrex
