// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/joined.hpp>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/net/bootstrap/environment.hpp>
#include <imbrex/net/bootstrap/internal/meeting_point.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;

/// Time for process 0 to report the missing processes, and for the others to receive that.
constexpr auto root_answer_time = 2s;

std::string name_of(int rank) { return "process " + std::to_string(rank); }

std::vector<frame_connection> meet(const numbered_job& job, std::optional<std::string> secret,
                                   std::chrono::milliseconds patience) {
  const meeting_point where(job, std::move(secret));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::vector<frame_connection> others;
  try {
    if (job.rank != 0) {
      others.emplace_back(where.visit(deadline), name_of(0));
    } else {
      int rank = 1;
      for (auto& connection : where.receive(deadline))
        others.emplace_back(std::move(connection), name_of(rank++));
    }
  } catch (const error& e) {
    throw error(
        "the processes of this job did not find each other in " + in_seconds(patience) + " (started by " +
        job.launcher + ", number " + std::to_string(job.rank) + " of " + std::to_string(job.size) +
        "): " + e.what() +
        ". Programs that need longer to start: IMBREX_PATIENCE=SECONDS; IMBREX_BOOTSTRAP=none runs each "
        "process by itself");
  }
  return others;
}

}  // namespace

joined_bootstrap::joined_bootstrap(numbered_job job, std::optional<std::string> secret,
                                   std::chrono::milliseconds patience)
    : job_(std::move(job)),
      patience_(patience),
      others_(meet(job_, std::move(secret), patience)),
      waiting_(others_.size()) {}

std::vector<std::string> joined_bootstrap::all_gather(const std::string& text) {
  return exchange_or_fail({frame_kind::gather, text}, std::chrono::steady_clock::now() + patience_,
                          "the processes of this job did not find each other: ");
}

int joined_bootstrap::leave(int status) {
  return first_failure(exchange_or_fail({frame_kind::leave, encode_status(status)}, time_point::max(),
                                        "the processes of this job did not end together: "));
}

std::vector<std::string> joined_bootstrap::exchange_or_fail(const frame& message, time_point deadline,
                                                            const char* what) {
  if (failure_) std::rethrow_exception(failure_);
  try {
    return job_.rank == 0 ? collect(message, deadline) : exchange(message, deadline);
  } catch (const reported_error& e) {
    failure_ = std::make_exception_ptr(reported_error(std::string(what) + e.what()));
  } catch (const error& e) {
    if (job_.rank == 0) tell_others(frame_kind::failed, e.what());
    failure_ = std::make_exception_ptr(error(std::string(what) + e.what()));
  }
  std::rethrow_exception(failure_);
}

std::vector<std::string> joined_bootstrap::exchange(const frame& message, time_point deadline) {
  frame_connection& process_0 = others_.front();
  // Process 0 knows the missing processes, and reports them when its own patience ends.
  const time_point last = deadline == time_point::max() ? deadline : deadline + root_answer_time;
  if (process_0.send(encode_frame(message.kind, message.payload), last)) {
    while (const auto answer = process_0.receive(last)) {
      if (answer->kind == frame_kind::failed) throw reported_error(answer->payload);
      if (answer->kind == frame_kind::gathered) return decode_texts(answer->payload, job_.size);
    }
  }
  throw error("process 0 has not answered in " + in_seconds(patience_));
}

std::vector<std::string> joined_bootstrap::collect(const frame& message, time_point deadline) {
  if (message.kind == frame_kind::leave) tell_others(frame_kind::left, message.payload);
  while (true) {
    std::vector<pollfd> silent;
    for (std::size_t i = 0; i < others_.size(); ++i)
      if (!waiting_[i]) silent.push_back({others_[i].descriptor_number(), POLLIN, 0});
    if (silent.empty()) break;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    if (::poll(silent.data(), silent.size(), milliseconds) == 0 &&
        std::chrono::steady_clock::now() >= deadline)
      throw error("after " + in_seconds(patience_) + " these had not come: " + missing() +
                  ". Programs that need longer to start: IMBREX_PATIENCE=SECONDS");
    for (std::size_t i = 0; i < others_.size(); ++i)
      if (!waiting_[i]) waiting_[i] = others_[i].receive(time_point());
  }
  std::vector<std::string> texts{message.payload};
  for (auto& connection : waiting_) texts.push_back(std::exchange(connection, std::nullopt)->payload);
  const std::string bytes = encode_frame(frame_kind::gathered, encode_texts(texts));
  for (const auto& other : others_)
    if (!other.send(bytes, std::chrono::steady_clock::now() + patience_))
      throw error(other.other() + " has not received the texts of all processes in " + in_seconds(patience_));
  return texts;
}

std::string joined_bootstrap::missing() const {
  std::string list;
  for (std::size_t i = 0; i < others_.size(); ++i)
    if (!waiting_[i]) list += (list.empty() ? "" : ", ") + others_[i].other();
  return list;
}

void joined_bootstrap::tell_others(frame_kind kind, const std::string& payload) const noexcept {
  for (const auto& other : others_) try {
      other.send(encode_frame(kind, payload), std::chrono::steady_clock::now() + root_answer_time);
    } catch (const std::exception&) {  // the process has ended
    }
}

std::optional<bootstrap::end_of_others> joined_bootstrap::others_left() {
  if (failure_) return std::nullopt;
  try {
    return hear_of_end();
  } catch (const error& e) {
    const std::string text = std::string(e.what()) + ", and the others count on it";
    log(log_level::error, text);
    if (job_.rank == 0) tell_others(frame_kind::died, {});
    failure_ = std::make_exception_ptr(reported_error(text));
  }
  return end_of_others{1, true};
}

std::optional<bootstrap::end_of_others> joined_bootstrap::hear_of_end() {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (waiting_[i]) continue;
    const auto message = others_[i].receive(time_point());
    if (!message) continue;
    if (message->kind == frame_kind::died) {
      failure_ = std::make_exception_ptr(reported_error("a process of this job has ended"));
      return end_of_others{1, true};
    }
    if (message->kind == frame_kind::left) return end_of_others{decode_status(message->payload)};
    if (job_.rank != 0) continue;
    waiting_[i] = *message;
    if (message->kind != frame_kind::leave) continue;
    tell_others(frame_kind::left, message->payload);
    return end_of_others{decode_status(message->payload)};
  }
  return std::nullopt;
}

std::unique_ptr<bootstrap> find_joined_bootstrap() {
  auto job = find_numbered_job();
  if (!job) return nullptr;
  auto secret = read_secret_file();
  if (!job->is_on_one_host && !secret) {
    const std::string text = "the " + std::to_string(job->size) + " processes that " + job->launcher +
                             " has started are on several hosts, and must know each other by a secret: name "
                             "a file that only you may read, the "
                             "same on all hosts, by IMBREX_SECRET_FILE=FILE, made by (umask 077; head -c 32 "
                             "/dev/urandom > FILE). Or start "
                             "them by a launcher that serves PMIx (mpirun, srun --mpi=pmix)";
    if (job->rank != 0) throw reported_error(text, usage_error::exit_status);
    throw usage_error(text);
  }
  return std::make_unique<joined_bootstrap>(*std::move(job), std::move(secret), environment_patience());
}

}  // namespace imbrex
