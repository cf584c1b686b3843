// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/crash_handler.hpp>

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

extern char** environ;

namespace imbrex {

namespace {

struct crash_signal {
  int number;
  const char* name;
};
constexpr std::array<crash_signal, 5> crash_signals{{{SIGSEGV, "SIGSEGV (segmentation fault)"},
                                                     {SIGBUS, "SIGBUS (bus error)"},
                                                     {SIGFPE, "SIGFPE (arithmetic error)"},
                                                     {SIGILL, "SIGILL (illegal instruction)"},
                                                     {SIGABRT, "SIGABRT (abort)"}}};
constexpr std::size_t stack_bytes = std::size_t{1} << 17U;
constexpr int most_frames = 48;
constexpr int most_modules = 8;
constexpr int longest_symboliser_ms = 5000;

std::mutex handlers_lock;  // guards `users`, `is_own_handler` and the variables that handlers only read
int users = 0;
std::array<bool, crash_signals.size()> is_own_handler{};
crash_handler::description what_runs_here = nullptr;
char symboliser[PATH_MAX];
char executable[PATH_MAX];  ///< executable of this process: for the symboliser /proc/self/exe is another
posix_spawn_file_actions_t output_to_errors;
std::atomic<pid_t> crashing = 0;  ///< id of the crashing thread
std::atomic<pid_t> process = 0;   ///< id of the process that has installed the handlers
std::atomic<bool> describing = false;
std::atomic<const crash_details*> more_details = nullptr;

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

/// Finds a program in the PATH that names functions; `symboliser` stays empty if there is none.
void find_symboliser() {
  const ssize_t length = ::readlink("/proc/self/exe", executable, sizeof executable - 1);
  executable[std::max<ssize_t>(length, 0)] = 0;
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return;
  for (const std::string_view name : {"llvm-symbolizer", "addr2line"})
    for (std::string_view rest = path; !rest.empty();) {
      const auto end = std::min(rest.find(':'), rest.size());
      const std::string file = std::string(rest.substr(0, end)) + "/" + std::string(name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (file.front() != '/' || file.size() >= sizeof symboliser || ::access(file.c_str(), X_OK) != 0)
        continue;
      std::memcpy(symboliser, file.c_str(), file.size() + 1);
      return;
    }
}

const char* name_of(int signal) {
  for (const auto& crash_signal : crash_signals)
    if (crash_signal.number == signal) return crash_signal.name;
  return "a signal";
}

std::uintptr_t place_of(const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  static_cast<void>(context);
  return 0;
#endif
}

/// Runs the symboliser for some addresses of one executable or library. False if it fails.
bool name_functions(const char* module, char (*offsets)[24], int count) {
  const char* arguments[most_frames + 9] = {symboliser, "-C", "-f", "-i", "-p", "-e", module};
  int last = 7;
  for (int i = 0; i < count; ++i) arguments[last++] = offsets[i];
  arguments[last] = nullptr;
  pid_t child = 0;
  if (::posix_spawn(&child, symboliser, &output_to_errors, nullptr, const_cast<char* const*>(arguments),
                    environ) != 0)
    return false;
  int status = 0;
  for (int waited = 0; ::waitpid(child, &status, WNOHANG) == 0; ++waited) {
    if (waited == longest_symboliser_ms) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return false;
    }
    const timespec millisecond{0, 1'000'000};
    ::nanosleep(&millisecond, nullptr);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool name_functions(void* const* frames, int count) {
  if (symboliser[0] == 0) return false;
  char offsets[most_frames][24];
  int modules = 0;
  for (int i = 0; i < count && modules < most_modules; ++modules) {
    Dl_info module{};
    if (::dladdr(frames[i], &module) == 0 || module.dli_fname == nullptr) return false;
    int same = 0;
    for (; i < count; ++i) {
      Dl_info symbol{};
      if (::dladdr(frames[i], &symbol) == 0 || symbol.dli_fbase != module.dli_fbase) break;
      // All frames but the first are return addresses, which may belong to another line.
      const auto offset = reinterpret_cast<std::uintptr_t>(frames[i]) -
                          reinterpret_cast<std::uintptr_t>(module.dli_fbase) - (i == 0 ? 0 : 1);
      signal_text text;
      text.add_hex(offset);
      std::memcpy(offsets[same], text.text().data(), text.text().size());
      offsets[same++][text.text().size()] = 0;
    }
    const char* const file = module.dli_fname[0] == '/' ? module.dli_fname : executable;
    if (!name_functions(file, offsets, same)) return false;
  }
  return true;
}

void write_backtrace(const void* context) {
  void* frames[most_frames];
  const int count = ::backtrace(frames, most_frames);
  int first = 0;  // frames above it belong to this handler
  const auto place = place_of(context);
  for (int i = 0; i < count; ++i)
    if (reinterpret_cast<std::uintptr_t>(frames[i]) == place) first = i;
  const crash_details* const more = more_details;
  signal_text advice;
  if (more != nullptr) {
    more->describe_stack(frames + first, count - first, advice);
    for (int i = 0; i < count; ++i) frames[i] = more->loaded_code(frames[i]);
  }
  if (!name_functions(frames + first, count - first))
    ::backtrace_symbols_fd(frames + first, count - first, STDERR_FILENO);
  if (!advice.text().empty())
    signal_text().add("imbrex: error: ").add(advice.text()).add("\n").write_to(STDERR_FILENO);
}

/// Sets the default action of the signal, which follows as soon as this handler returns.
void end_by(int signal, const siginfo_t& info) {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  if (info.si_code > 0) return;  // the failed instruction is repeated, and fails again
  ::syscall(SYS_tgkill, ::getpid(), this_thread(), signal);
}

void handle(int signal, siginfo_t* info, void* context) {
  if (::getpid() != process) return end_by(signal, *info);
  const int error_before = errno;
  pid_t nobody = 0;
  if (!crashing.compare_exchange_strong(nobody, this_thread())) {
    if (nobody != this_thread())
      for (;;) ::pause();  // another thread reports its own crash, and ends the process
    if (!describing.exchange(false)) return end_by(signal, *info);
    signal_text()
        .add("imbrex: error: crash at an unknown location: the runtime's memory is damaged\n")
        .write_to(STDERR_FILENO);
    write_backtrace(context);
    return end_by(signal, *info);
  }
  signal_text line;
  line.add("imbrex: error: ");
  describing = true;
  what_runs_here(line);
  describing = false;
  line.add(": crash by ").add(name_of(signal));
  const bool has_address = signal == SIGSEGV || signal == SIGBUS;
  if (has_address && info->si_code > 0) {
    line.add(" at the address ").add_hex(reinterpret_cast<std::uintptr_t>(info->si_addr));
    if (const crash_details* const more = more_details) more->describe_address(info->si_addr, line);
  }
  line.add(", pid ").add_number(::getpid()).add("\n").write_to(STDERR_FILENO);
  write_backtrace(context);
  errno = error_before;
  end_by(signal, *info);
}

}  // namespace

crash_handler::crash_handler(description what_runs) {
  const std::lock_guard hold(handlers_lock);
  if (users++ > 0) return;
  what_runs_here = what_runs;
  process = ::getpid();
  static const bool prepared = [] {
    void* frame = nullptr;
    ::backtrace(&frame, 1);  // loads a library the first time, which a handler must not do
    find_symboliser();
    return ::posix_spawn_file_actions_init(&output_to_errors) == 0 &&
           ::posix_spawn_file_actions_adddup2(&output_to_errors, STDERR_FILENO, STDOUT_FILENO) == 0;
  }();
  if (!prepared) symboliser[0] = 0;
  struct sigaction own_setup{};
  own_setup.sa_sigaction = &handle;
  own_setup.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&own_setup.sa_mask);
  for (std::size_t i = 0; i < crash_signals.size(); ++i) {
    struct sigaction there{};
    if (::sigaction(crash_signals[i].number, nullptr, &there) != 0) continue;
    const bool is_free = (there.sa_flags & SA_SIGINFO) == 0 && there.sa_handler == SIG_DFL;
    is_own_handler[i] = is_free && ::sigaction(crash_signals[i].number, &own_setup, nullptr) == 0;
  }
}

crash_handler::~crash_handler() {
  const std::lock_guard hold(handlers_lock);
  if (--users > 0) return;
  for (std::size_t i = 0; i < crash_signals.size(); ++i) {
    if (!is_own_handler[i]) continue;
    struct sigaction there{};
    ::sigaction(crash_signals[i].number, nullptr, &there);
    if ((there.sa_flags & SA_SIGINFO) == 0 || there.sa_sigaction != &handle)
      continue;  // now a handler of the program
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    ::sigaction(crash_signals[i].number, &usual, nullptr);
  }
}

void set_crash_details(const crash_details* details) noexcept { more_details = details; }

crash_stack::crash_stack() {
  stack_t there{};
  if (::sigaltstack(nullptr, &there) != 0 || (there.ss_flags & SS_DISABLE) == 0) return;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
  const stack_t own_setup{memory_.get(), 0, stack_bytes};
  if (::sigaltstack(&own_setup, nullptr) != 0) memory_.reset();
}

crash_stack::~crash_stack() {
  if (memory_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

}  // namespace imbrex
