// SPDX-License-Identifier: Apache-2.0
// A process has one action for each signal. As soon as a copy asks to handle one, that is a function which
// asks the copies: a signal for what an instruction has done, or a thread has sent itself, belongs to the
// copy that runs there; one from outside goes to all copies that handle it, as to all processes of a job.
#include <csignal>
#include <mutex>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

using action = struct sigaction;

std::mutex mutex;        // of who changes an action
action before[65];       // of the process, before a copy asked
bool is_known[65] = {};  // that action
bool is_ours[65] = {};   // the function below is the process' action

bool is_handled(const action& a) {
  return (a.sa_flags & SA_SIGINFO) != 0 || (a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN);
}

void call(const action& a, int number, siginfo_t* info, void* context) {
  const std::byte* const caller = call_gates::caller();
  if ((a.sa_flags & SA_SIGINFO) != 0)
    a.sa_sigaction(number, info, context);
  else
    a.sa_handler(number);
  call_gates::set_caller(caller);
}

bool handle_by(copy_state& copy, int number, siginfo_t* info, void* context) {
  action& own = copy.library.signals[static_cast<std::size_t>(number)];
  if (!is_handled(own)) return own.sa_handler == SIG_IGN;
  const action called = own;
  if ((own.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) own = {};
  call(called, number, info, context);
  return true;
}

void handle(int number, siginfo_t* info, void* context) {
  const bool is_of_thread = info->si_code == SI_TKILL || (info->si_code > 0 && info->si_code != SI_KERNEL);
  bool is_handled_here = false;
  if (is_of_thread) {
    if (copy_state* const running = copy_of_thread())
      is_handled_here = handle_by(*running, number, info, context);
  } else if (const copy_area* area = copy_area::current()) {
    area->for_each([&](copy_state& copy) {
      is_handled_here = handle_by(copy, number, info, context) || is_handled_here;
    });
  }
  if (is_handled_here) return;
  const action& other = before[number];
  if (is_handled(other)) {
    call(other, number, info, context);
  } else if (other.sa_handler == SIG_DFL) {
    ::sigaction(number, &other, nullptr);
    std::raise(number);  // once this function has returned
  }
}

/// What the process does from now on, as a copy wants it. One thread at a time.
int set_action(int number, const action& wanted) {
  if (!is_known[number] && ::sigaction(number, nullptr, &before[number]) != 0) return -1;
  is_known[number] = true;
  if (is_handled(wanted)) {
    action ours = wanted;
    ours.sa_flags = (wanted.sa_flags | SA_SIGINFO) & ~static_cast<int>(SA_RESETHAND);
    ours.sa_sigaction = &handle;
    if (::sigaction(number, &ours, nullptr) != 0) return -1;
    is_ours[number] = true;
  }
  if (is_ours[number]) return 0;
  return ::sigaction(number, wanted.sa_handler == SIG_IGN ? &wanted : &before[number], nullptr);
}

int copy_sigaction(int number, const action* wanted, action* previous) {
  if (number <= 0 || number > 64) return ::sigaction(number, wanted, previous);  // which says what is wrong
  action& own = calling_copy().library.signals[static_cast<std::size_t>(number)];
  const std::lock_guard hold(mutex);
  const action was = own;
  if (wanted != nullptr) {
    if (set_action(number, *wanted) != 0) return -1;
    own = *wanted;
  }
  if (previous != nullptr) *previous = was;
  return 0;
}

sighandler_t set_handler(int number, sighandler_t handler, int flags) {
  action wanted{}, previous{};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  sigemptyset(&wanted.sa_mask);
  return copy_sigaction(number, &wanted, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}
sighandler_t copy_signal(int number, sighandler_t handler) {
  return set_handler(number, handler, SA_RESTART);
}
sighandler_t copy_sysv_signal(int number, sighandler_t handler) {
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

}  // namespace

void add_signals(function_table& table) {
  table.insert({
      {"sigaction", function_address(&copy_sigaction)},
      {"signal", function_address(&copy_signal)},
      {"bsd_signal", function_address(&copy_signal)},
      {"__sysv_signal", function_address(&copy_sysv_signal)},
      {"sysv_signal", function_address(&copy_sysv_signal)},
  });
}

}  // namespace imbrex::mpi
