// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/report_desk.hpp>

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <imbrex/base/host/report_socket.hpp>
#include <imbrex/base/host/signal_text.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/pe/executor_gate.hpp>
#include <imbrex/core/record/report_source.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/machine.hpp>

namespace imbrex::detail {

namespace {

using std::chrono::steady_clock;

/// The time that PEs have to answer.
constexpr std::chrono::milliseconds patience{1000};
/// The interval at which the end of the run is seen meanwhile.
constexpr std::chrono::milliseconds between_end_checks{20};
/// The time that a client has for its request, and to take the answer.
constexpr int client_ms = 500;
constexpr int most_clients_waiting = 16;
/// The connection stays, and is tried again, while the process has no more descriptors.
constexpr std::chrono::milliseconds pause_without_descriptors{100};

descriptor open_socket() {
  descriptor place(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const report_address name(::getpid());
  if (!place || ::bind(place.get(), name.get(), name.size()) != 0 ||
      ::listen(place.get(), most_clients_waiting) != 0)
    return {};  // the run goes on without: another run of this process has the name
  return place;
}

/// The client's request up to its line end; what has come if there is none in time.
std::string request_of(int connection) {
  std::string request;
  char bytes[64];
  while (request.find('\n') == std::string::npos && request.size() < sizeof bytes) {
    pollfd input{connection, POLLIN, 0};
    const int ready = ::poll(&input, 1, client_ms);
    if (ready < 0 && errno == EINTR) continue;  // such as by another client's signal
    if (ready <= 0) break;
    const ssize_t n = ::recv(connection, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n <= 0) break;
    request.append(bytes, static_cast<std::size_t>(n));
  }
  return request;
}

}  // namespace

/// The answers of the PEs. It outlives the questions, of which a busy PE reads its own late.
struct report_desk::survey {
  explicit survey(std::size_t pes) : answers(pes), missing(pes) {}

  std::mutex lock;  ///< guards the other members
  std::condition_variable changed;
  std::vector<std::optional<pe_report>> answers;
  std::size_t missing;
};

/// Asks a PE.
struct report_desk::question final : work {
  question(std::shared_ptr<survey> of, processor& pe, std::size_t at)
      : all(std::move(of)), whom(pe), place(at) {
    type = &kind;
    priority = first_priority;
  }

  static void run(work& item) {
    const std::unique_ptr<question> self(static_cast<question*>(&item));
    std::optional<pe_report> its(std::in_place);
    try {
      ask(self->whom, *its);
    } catch (const std::bad_alloc&) {  // no reason to end the run
      its.reset();
    }
    const std::lock_guard hold(self->all->lock);
    self->all->answers[self->place] = std::move(its);
    --self->all->missing;
    self->all->changed.notify_all();
  }
  static void destroy(work& item) noexcept { delete static_cast<question*>(&item); }
  static constexpr work_type kind{"question for a report", &run, &destroy, nullptr, nullptr};

  const std::shared_ptr<survey> all;
  processor& whom;
  const std::size_t place;
};

report_desk::report_desk(local_run& run, machine& its_machine)
    : run_(run),
      machine_(its_machine),
      has_threads_(its_machine.simulated_time() == nullptr),
      socket_(open_socket()) {}

void report_desk::request_report(report_signal::asker by) noexcept {
  if (by == report_signal::asker::user) {
    has_user_request_ = true;
    // Only this line comes if the entry never returns, since no thread is left to make the report.
    const scheduler* const here = scheduler::current();
    if (const work_type* const item = has_threads_ || here == nullptr ? nullptr : here->running())
      signal_text()
          .add("imbrex: PE ")
          .add_number(here->pe())
          .add(" runs ")
          .add(item->name)
          .add("; the report of all PEs comes when that returns\n")
          .write_to(STDERR_FILENO);
  }
  has_request_ = true;
  machine_.interrupt();
}

std::vector<report_desk::client> report_desk::accept_clients() const {
  std::vector<client> all;
  for (int i = 0; i < most_clients_waiting; ++i) {  // others wait until the PEs have been looked after
    descriptor one(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!one) {
      if (errno != EAGAIN) std::this_thread::sleep_for(pause_without_descriptors);
      break;
    }
    const auto who = other_end_of(one.get());
    if (!who || who->uid != ::geteuid()) continue;
    const std::string request = request_of(one.get());
    if (request == "json\n" || request == "text\n") all.push_back({std::move(one), request == "json\n"});
  }
  return all;
}

void report_desk::attend() {
  if (!has_request_.exchange(false) && !has_threads_) return;  // each question comes with a signal there
  const bool by_signal = has_user_request_.exchange(false);
  std::vector<client> clients;
  if (socket_) clients = accept_clients();
  if (!by_signal && clients.empty()) return;
  const process_report now = report();
  if (by_signal) log_answer(now.text());
  for (const client& one : clients)
    send_all(one.connection.get(), one.wants_json ? now.json() + "\n" : now.text() + "\n", client_ms);
}

process_report report_desk::report() {
  process_report now;
  now.process = run_.process();
  now.processes = run_.processes();
  now.pid = ::getpid();
  if (!run_.ended()) ask_all(now.pes);
  now.has_ended = run_.ended();
  if (now.has_ended)
    now.pes.clear();
  else
    now.others = report_source::describe_all();
  return now;
}

void report_desk::ask_all(std::vector<pe_report>& pes) const {
  const auto begin = steady_clock::now();
  const auto all = std::make_shared<survey>(run_.processors().size());
  for (const auto& p : run_.processors()) {
    pe_report& its = pes.emplace_back();
    its.pe = p->pe();
    if (!has_threads_) {
      const scheduler::activation as(*p);
      ask(*p, its);
      its.sleeps = p->idle();
      continue;
    }
    its.sleeps = p->pe_inbox().is_parked();
    if (const work_type* const item = p->running(); item != nullptr && !its.sleeps)
      its.runs = shown_name_of(*item);
    auto item = std::make_unique<question>(all, *p, pes.size() - 1);
    if (run_.gate()->post(p->pe_inbox(), *item)) static_cast<void>(item.release());
  }
  if (!has_threads_) return;
  std::unique_lock hold(all->lock);
  const auto is_over = [&] { return all->missing == 0; };
  while (!all->changed.wait_for(hold, between_end_checks, is_over) && !run_.ended() &&
         steady_clock::now() < begin + patience) {
  }
  const auto busy = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  for (std::size_t i = 0; i < pes.size(); ++i) {
    pe_report& its = pes[i];
    if (!all->answers[i]) {
      its.busy = busy;
      continue;
    }
    pe_report answer = std::move(*all->answers[i]);
    answer.pe = its.pe;
    answer.sleeps = its.sleeps;
    answer.runs = std::move(its.runs);
    its = std::move(answer);
  }
}

}  // namespace imbrex::detail
