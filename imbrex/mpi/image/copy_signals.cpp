// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_signals.hpp>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/copy_timers.hpp>

namespace imbrex::mpi {

namespace {

using action = copy_signals::action;
constexpr int most = copy_signals::most;

std::mutex actions_mutex;          // guards changes of actions
action before[most + 1];           // the process' actions before copies used the signal
bool is_known[most + 1] = {};      // `before` is set
bool is_installed[most + 1] = {};  // `handle` is the process' action

// Marker whose address identifies a signal between threads: take your pending signals.
const int request = 0;

bool is_handled(const action& a) {
  return (a.sa_flags & SA_SIGINFO) != 0 || (a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN);
}

constexpr std::uint64_t bit_of(int number) { return std::uint64_t{1} << static_cast<unsigned>(number - 1); }

/// True for signals that an instruction has caused: these cannot be deferred.
bool is_of_instruction(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
}

void invoke(const action& a, int number, siginfo_t* info, void* context) {
  if ((a.sa_flags & SA_SIGINFO) != 0)
    a.sa_sigaction(number, info, context);
  else
    a.sa_handler(number);
}

void take_action_of_process(int number, siginfo_t* info, void* context) {
  const action& other = before[number];
  if (is_handled(other)) {
    invoke(other, number, info, context);
  } else if (other.sa_handler == SIG_DFL) {
    ::sigaction(number, &other, nullptr);
    ::raise(number);
  }
}

bool give_to_copies(int number, siginfo_t* info, void* context) {
  if (copy_state* const owner = copy_timers::owner_of(*info))
    return owner->signals.give(number, *info, context);
  // A child belongs to the copy that has made it.
  const bool is_of_thread =
      is_child() || info->si_code == SI_TKILL || (info->si_code > 0 && info->si_code != SI_KERNEL);
  if (is_of_thread) {
    copy_state* const here = copy_of_thread();
    return here != nullptr && here->signals.give(number, *info, context);
  }
  bool is_taken = false;
  if (const copy_area* area = copy_area::current())
    area->for_each(
        [&](copy_state& copy) { is_taken = copy.signals.give(number, *info, context) || is_taken; });
  return is_taken;
}

/// The process' action for signals that copies use. Blocks nothing: a copy's own handler blocks what its
/// action specifies.
void handle(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &request) {
    if (copy_state* const here = running_state()) here->signals.take();
  } else if (!give_to_copies(number, info, context)) {
    take_action_of_process(number, info, context);
  }
  errno = error;
}

/// Makes `handle` the process' action. Returns like sigaction.
int install(int number, int flags) {
  const std::lock_guard hold(actions_mutex);
  if (!is_known[number] && ::sigaction(number, nullptr, &before[number]) != 0) return -1;
  is_known[number] = true;
  action process_action{};
  process_action.sa_sigaction = &handle;
  process_action.sa_flags = (flags & ~static_cast<int>(SA_RESETHAND)) | SA_SIGINFO | SA_NODEFER;
  sigemptyset(&process_action.sa_mask);
  if (::sigaction(number, &process_action, nullptr) != 0) return -1;
  is_installed[number] = true;
  return 0;
}

/// Sets the process' action for a signal that no copy handles yet.
int set_action_of_process(int number, const action& new_value) {
  const std::lock_guard hold(actions_mutex);
  if (is_installed[number]) return 0;
  if (!is_known[number] && ::sigaction(number, nullptr, &before[number]) != 0) return -1;
  is_known[number] = true;
  return ::sigaction(number, new_value.sa_handler == SIG_IGN ? &new_value : &before[number], nullptr);
}

sigset_t blocked_here() {
  sigset_t now;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return now;
}

}  // namespace

int copy_signals::set_action(int number, const action* new_value, action* previous) {
  if (number <= 0 || number > most) return ::sigaction(number, new_value, previous);  // reports the error
  action& own = actions_[static_cast<std::size_t>(number)];
  const action was = own;
  if (new_value != nullptr) {
    use();
    const int result = is_handled(*new_value) ? install(number, new_value->sa_flags)
                                              : set_action_of_process(number, *new_value);
    if (result != 0) return result;
    own = *new_value;
  }
  if (previous != nullptr) *previous = was;
  return 0;
}

void copy_signals::use() noexcept {
  if (copy_.runs_here()) thread_ = ::gettid();
  are_used_ = true;
}

bool copy_signals::enter() noexcept {
  if (!are_used_.load(std::memory_order_relaxed)) return false;
  thread_ = ::gettid();
  if (has_mask_) ::pthread_sigmask(SIG_SETMASK, &mask_, &outside_);
  return waiting_ != 0;
}

void copy_signals::leave() noexcept {
  if (!are_used_.load(std::memory_order_relaxed)) return;
  thread_ = 0;
  if (has_mask_) ::pthread_sigmask(SIG_SETMASK, &outside_, &mask_);
}

int copy_signals::set_mask(int how, const sigset_t* new_value, sigset_t* previous) {
  const sigset_t was = blocked_here();
  if (new_value != nullptr) {
    use();
    if (how != SIG_UNBLOCK)  // an outside signal reaches any thread, so it must be dispatched to the copies
      for (int number = 1; number <= most; ++number)
        if (sigismember(new_value, number) == 1 && number != SIGKILL && number != SIGSTOP &&
            !is_of_instruction(number) && !is_installed[number])
          install(number, SA_RESTART);
    if (!has_mask_) outside_ = was;
    has_mask_ = true;
  }
  const int result = ::pthread_sigmask(how, new_value, nullptr);
  if (result != 0) return result;
  if (previous != nullptr) *previous = was;
  if (new_value != nullptr && waiting_ != 0) take();
  return 0;
}

bool copy_signals::is_blocked(int number) const noexcept {
  if (copy_of_thread() == &copy_) {
    const sigset_t now = blocked_here();
    return sigismember(&now, number) == 1;
  }
  return thread_ == 0 && has_mask_ && sigismember(&mask_, number) == 1;
}

int copy_signals::raise(int number) {
  if (number <= 0 || number > most || !has_mask_ || !is_blocked(number)) return ::raise(number);
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_TKILL;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  wait(number, info);
  return 0;
}

void copy_signals::wait(int number, const siginfo_t& info) noexcept {
  infos_[static_cast<std::size_t>(number)] = info;
  waiting_ |= bit_of(number);
}

bool copy_signals::give(int number, const siginfo_t& info, void* context) {
  if (copy_.host == nullptr || copy_.has_ended) return false;
  const action& own = actions_[static_cast<std::size_t>(number)];
  const bool blocked = is_blocked(number);
  if (!blocked && !is_handled(own)) return own.sa_handler == SIG_IGN;
  if (!blocked && copy_of_thread() == &copy_) {
    siginfo_t its = info;
    call(number, &its, context);
    return true;
  }
  wait(number, info);
  siginfo_t asks{};
  asks.si_signo = number;
  asks.si_code = SI_QUEUE;
  asks.si_pid = ::getpid();
  asks.si_uid = ::getuid();
  asks.si_value.sival_ptr = const_cast<int*>(&request);
  if (const pid_t thread = thread_; thread != 0 && !copy_.runs_here())
    ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, number, &asks);
  return true;
}

void copy_signals::call(int number, siginfo_t* info, void* context) {
  action& own = actions_[static_cast<std::size_t>(number)];
  const action called = own;
  if ((called.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) own = {};
  sigset_t blocked = called.sa_mask;
  if ((called.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, number);
  sigset_t was;
  ::pthread_sigmask(SIG_BLOCK, &blocked, &was);
  // If the handler leaves by siglongjmp, the mask stays the copy's until siglongjmp restores it.
  const bool had_mask = !copy_.runs_here() || has_mask_;
  if (!had_mask) {
    outside_ = was;
    has_mask_ = true;
  }
  const std::byte* const caller = call_gates::caller();
  ++handled_;
  invoke(called, number, info, context);
  call_gates::set_caller(caller);
  ::pthread_sigmask(SIG_SETMASK, &was, nullptr);
  if (!had_mask) has_mask_ = false;
}

void copy_signals::take_default(int number) {
  if (actions_[static_cast<std::size_t>(number)].sa_handler == SIG_IGN) return;
  siginfo_t info = infos_[static_cast<std::size_t>(number)];
  ucontext_t context;
  ::getcontext(&context);
  take_action_of_process(number, &info, &context);
}

void copy_signals::take() {
  for (int number = 1; number <= most && waiting_ != 0; ++number) {
    const sigset_t blocked = blocked_here();
    if (sigismember(&blocked, number) == 1 || (waiting_.fetch_and(~bit_of(number)) & bit_of(number)) == 0)
      continue;
    if (!is_handled(actions_[static_cast<std::size_t>(number)])) {
      take_default(number);
      continue;
    }
    siginfo_t info = infos_[static_cast<std::size_t>(number)];
    ucontext_t context;
    ::getcontext(&context);
    call(number, &info, &context);
  }
}

int copy_signals::accept(const sigset_t& of, siginfo_t* info) {
  for (int number = 1; number <= most; ++number) {
    if (sigismember(&of, number) != 1 || (waiting_.fetch_and(~bit_of(number)) & bit_of(number)) == 0)
      continue;
    if (info != nullptr) *info = infos_[static_cast<std::size_t>(number)];
    return number;
  }
  return 0;
}

copy_signals::values copy_signals::now() const { return {actions_, infos_, waiting_, has_mask_, mask_}; }

bool copy_signals::become(const values& of_other) {
  for (int number = 1; number <= most; ++number) {
    const action& own = of_other.actions[static_cast<std::size_t>(number)];
    const bool is_default = !is_handled(own) && own.sa_handler == SIG_DFL;
    if (!is_default && set_action(number, &own, nullptr) != 0) return false;
    const bool is_dispatched = of_other.has_mask && sigismember(&of_other.mask, number) == 1 &&
                               number != SIGKILL && number != SIGSTOP && !is_of_instruction(number);
    if (is_dispatched && !is_installed[number]) install(number, SA_RESTART);
  }
  infos_ = of_other.infos;
  waiting_ = of_other.waiting;
  has_mask_ = of_other.has_mask;
  mask_ = of_other.mask;
  are_used_ = true;
  return true;
}

sigset_t copy_signals::waiting() const {
  sigset_t all;
  sigemptyset(&all);
  for (int number = 1; number <= most; ++number)
    if ((waiting_ & bit_of(number)) != 0) sigaddset(&all, number);
  return all;
}

}  // namespace imbrex::mpi
