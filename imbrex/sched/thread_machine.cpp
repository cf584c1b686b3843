// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/thread_machine.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/host/crash_handler.hpp>
#include <imbrex/base/host/library_threads.hpp>
#include <imbrex/base/host/pause.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

namespace {

void run_nothing(work&) {}
void destroy_nothing(work&) noexcept {}
constexpr work_type nudge{"nudge", &run_nothing, &destroy_nothing, nullptr, nullptr};

/// Factor of the spinning time while sent bytes have not left: the receiver fetches them piece by piece. A
/// sleep would cost it a system call for each piece, to wake this PE.
constexpr int times_longer_while_sending = 50;

/// Turns between two readings of the clock, which take as long as a turn or two.
constexpr int turns_between_looks_at_clock = 16;

/// Limits of a sleep with a network. UCX does not make its descriptor readable for everything that it could
/// proceed with. It does not for room in shared memory. Before 1.15 it does not for messages that wait for
/// endpoints to connect (openucx/ucx pull request 8959). So a PE with a network sleeps no longer than the
/// first limit, and the second while something waits to leave.
constexpr nanoseconds longest_sleep_with_network{5'000'000};
constexpr nanoseconds longest_sleep_while_sending{100'000};

/// Time of each wait of the thread that waits for the PEs. While the process is stopped at most one of these
/// ends. So their number shows how long the PEs could run.
constexpr std::chrono::milliseconds slice{100};

/// Unsuccessful polls after which a PE sleeps. UCX cannot announce anything while it keeps bytes without
/// room. Then the receiver must proceed, which may need this processor. A yield does not suffice: among many
/// PEs, the next one may only poll, too.
constexpr int looks_before_rest = 16;

/// Limit of a sleep while the PE must poll its device. If no other needs its processor, it does not sleep at
/// all.
constexpr nanoseconds longest_sleep_with_device{20'000};

/// Rethrows the current exception, thrown because a thread cannot be made, with a text that names the thread.
[[noreturn]] void rethrow_as_no_thread(int pe) {
  try {
    throw;
  } catch (const std::system_error& e) {
    if (pe == scheduler::no_pe) throw_no_thread("of --comm-thread", e);
    throw_no_thread("of PE " + std::to_string(pe), e, "lower --pes, or ");
  }
}

/// Reports a sleep to the observers of a PE, until the end of the block.
class observed_rest {
 public:
  explicit observed_rest(const scheduler& pe) : listener_(pe.thread_observers()) {
    listener_.tell([](observer& o) { o.parks(); });
  }
  ~observed_rest() {
    listener_.tell_backward([](observer& o) { o.wakes(); });
  }
  observed_rest(const observed_rest&) = delete;
  observed_rest& operator=(const observed_rest&) = delete;

 private:
  const observer_list& listener_;
};

/// Reports a PE's thread to the PE's observers, until the end of the block.
class observed_thread {
 public:
  explicit observed_thread(const scheduler& pe) : listener_(pe.thread_observers()) {
    listener_.tell([](observer& o) { o.thread_begins(); });
  }
  ~observed_thread() {
    listener_.tell_backward([](observer& o) { o.thread_ends(); });
  }
  observed_thread(const observed_thread&) = delete;
  observed_thread& operator=(const observed_thread&) = delete;

 private:
  const observer_list& listener_;
};

}  // namespace

thread_machine::thread_machine(std::span<scheduler* const> pes, const thread_settings& settings,
                               bool may_spin, listener& events)
    : pes_(pes.begin(), pes.end()),
      nudges_(pes.size()),
      listener_(events),
      bind_(settings.bind),
      keeps_apart_(may_spin && settings.has_host_alone && settings.bind == thread_settings::binding::none),
      claims_(pes.size()),
      // no spinning if messages take longer than a wake
      spins_(may_spin && settings.latency <= wake_margin::largest),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      ended_(pes.size(), false) {
  if (!news_)
    throw error(std::string("cannot create an eventfd for a run: ") + std::strerror(errno) +
                "; raise the limit of open files (ulimit -n)");
  for (auto& n : nudges_) n.type = &nudge;
}

std::vector<int> thread_machine::run(const std::function<std::chrono::milliseconds()>& grace,
                                     const pauses& meanwhile) {
  const bool may_be_woken = pes_.size() > 1 || pes_.front()->network() != nullptr;
  if (spins_ && may_be_woken) spin_ = idle_spin(measure_wake().value_or(nanoseconds(0)));
  threads_.reserve(pes_.size());
  for (std::size_t p = 0; p < pes_.size(); ++p) {
    try {
      threads_.emplace_back([this, p] { run_thread(p); });
    } catch (...) {
      stop();
      finish({});
      rethrow_as_no_thread(pes_[p]->pe());
    }
  }
  const auto all_ended = [this] { return std::find(ended_.begin(), ended_.end(), false) == ended_.end(); };
  {
    std::unique_lock hold(ends_lock_);
    const auto is_over = [&] { return stopping() || all_ended(); };
    while (!is_over()) {
      hold.unlock();
      const bool has_news = wait_for_news(meanwhile);
      if (has_news && meanwhile.attend) meanwhile.attend();
      if (meanwhile.now_and_then) meanwhile.now_and_then();
      hold.lock();
    }
    for (auto left = grace(); left > left.zero() && !ends_.wait_for(hold, slice, all_ended);) left -= slice;
    if (!all_ended()) {
      std::vector<int> stuck;
      for (std::size_t p = 0; p < pes_.size(); ++p)
        if (!ended_[p]) stuck.push_back(pes_[p]->pe());
      for (auto& t : std::exchange(threads_, {})) t.detach();
      return stuck;
    }
  }
  return {};
}

bool thread_machine::wait_for_news(const pauses& meanwhile) const {
  pollfd sources[] = {{news_.get(), POLLIN, 0}, {meanwhile.descriptor, POLLIN, 0}};
  if (::poll(sources, 2, meanwhile.now_and_then ? static_cast<int>(slice.count()) : -1) <= 0) return false;
  std::uint64_t count;
  [[maybe_unused]] const auto drained = ::read(news_.get(), &count, sizeof count);
  return true;
}

void thread_machine::interrupt() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(news_.get(), &one, sizeof one);  // a full counter wakes, too
}

void thread_machine::finish(const std::function<void(scheduler& pe)>& last) {
  {
    const std::lock_guard hold(ends_lock_);
    last_ = &last;
    ends_.notify_all();
  }
  for (auto& t : std::exchange(threads_, {})) t.join();
}

thread_machine::~thread_machine() {
  if (!threads_.empty()) finish({});
}

void thread_machine::run_thread(std::size_t place) {
  scheduler& pe = *pes_[place];
  const scheduler::activation running(pe);
  std::optional<crash_stack> stack;
  std::optional<observed_thread> its_thread;
  std::optional<openmp_limit> its_openmp;
  try {
    stack.emplace();
    if (bind_ == thread_settings::binding::core && pe.pe() != scheduler::no_pe) bind_this_thread(pe.pe());
    if (keeps_apart_) claims_.settle(place);
    if (pe.pe() != scheduler::no_pe) its_openmp.emplace();
    its_thread.emplace(pe);
  } catch (...) {
    listener_.on_uncaught(pe.pe());
  }
  loop(pe, place);
  {
    std::optional<observed_rest> rest;  // an observer's lock must not keep other PEs from their ends
    if (pe.pe() != scheduler::no_pe)
      rest.emplace(pe);  // other threads finish the work of the communication thread
    std::unique_lock hold(ends_lock_);
    ended_[place] = true;
    interrupt();
    ends_.notify_all();
    ends_.wait(hold, [&] { return last_ != nullptr && turn_ == place; });
  }
  if (*last_) (*last_)(pe);
  its_thread.reset();
  const std::lock_guard hold(ends_lock_);
  ++turn_;
  ends_.notify_all();
}

void thread_machine::stop() {
  if (stopping_.exchange(true, std::memory_order_acq_rel)) return;
  for (std::size_t p = 0; p < pes_.size(); ++p) pes_[p]->pe_inbox().post(nudges_[p]);
  interrupt();
  const std::lock_guard hold(ends_lock_);
  ends_.notify_all();
}

void thread_machine::loop(scheduler& pe, std::size_t place) {
  if (pe.is_punctual()) ::prctl(PR_SET_TIMERSLACK, 1UL);  // ns; else sleeps are 50 us late
  wake_margin margin;
  int vain_looks = 0;
  while (!stopping()) {
    try {
      while (pe.step())
        if (stopping()) return;
      if (spin(pe, place)) continue;
      pe.flush();
      if (keeps_apart_) claims_.leave(place);
      wait_for_work(pe, margin, vain_looks);
      if (keeps_apart_) claims_.settle(place);
    } catch (...) {
      listener_.on_uncaught(pe.pe());
    }
  }
}

bool thread_machine::spin(scheduler& pe, std::size_t place) {
  if (!spins_) return false;
  const auto deadline = pe.next_deadline();
  const endpoint* const network = pe.network();
  const device_completions* const device = device_completions::of(pe);
  const auto longest = [&] {
    if (device != nullptr && device->must_look()) return nanoseconds::max();
    const auto usual = spin_.time(network != nullptr);
    return network != nullptr && network->sending() ? usual * times_longer_while_sending : usual;
  };
  std::optional<nanoseconds> begun;
  for (int turn = 0;; turn = (turn + 1) % turns_between_looks_at_clock) {
    if (pe.pe_inbox().has_items() || stopping() || pe.poll()) return true;
    if (!pe.idle() && (network == nullptr || !network->congested())) return true;  // sent bytes have left
    if (turn + 1 == turns_between_looks_at_clock) {
      const auto now = pe.now();
      if (deadline && now >= *deadline) return true;
      if (!begun) {
        begun = now;
        if (keeps_apart_) claims_.settle(place);
      }
      if (now - *begun > longest()) return false;
    }
    pause_processor();
  }
}

void thread_machine::wait_for_work(scheduler& pe, wake_margin& margin, int& vain_looks) {
  const auto deadline = pe.next_deadline();
  const auto early = pe.is_punctual() ? margin.get() : nanoseconds(0);
  if (deadline && early >= *deadline - pe.now()) return wait_awake(pe, *deadline);
  endpoint* const network = pe.network();
  const bool sending = network != nullptr && network->sending();
  const bool waits_for_device = pe.completions() != nullptr && pe.completions()->pending() > 0;
  if (pe.completions() != nullptr) device_completions::of(pe)->of().backend().close_ended();
  if (waits_for_device && device_completions::of(pe)->look_at_all()) return;
  if (!sending && !pe.idle()) return;  // the PE had too much to send, which has left meanwhile
  if (!pe.pe_inbox().park()) return;
  if (network != nullptr && !network->arm()) {
    const bool rests = sending && !spins_ && !deadline && vain_looks >= looks_before_rest;
    std::optional<observed_rest> rest;
    if (vain_looks > 0)
      rest.emplace(pe);  // an observer's lock must not block the work that this PE waits
                         // for
    pe.pe_inbox().sleep(rests ? longest_sleep_while_sending : nanoseconds(0));
    // Progress may depend on another process, which may need this processor.
    if (vain_looks > 0) std::this_thread::yield();
    rest.reset();
    vain_looks = pe.poll() || rests ? 0 : vain_looks + 1;
    return;
  }
  const observed_rest rest(pe);  // before other PEs can see it: the last one may report for all
  if (deadline || sending || waits_for_device || pe.executors().are_awaited()) {
    const auto alarm = deadline ? std::optional(*deadline - early) : std::nullopt;
    sleep(pe, alarm ? std::optional(*alarm - pe.now()) : std::nullopt);
    if (alarm && pe.now() >= *alarm) margin.learn(pe.now() - *alarm);
    return;
  }
  sleepers_.fetch_add(one_sleeper);
  while (auto claimed = claim_quiet()) {
    if (listener_.quiet(claimed->exchanged)) return pe.pe_inbox().sleep(nanoseconds(0));
    // Asleep again; PEs that slept meanwhile could not claim, and left it to this one.
    if (sleepers_.compare_exchange_strong(claimed->sleepers, claimed->sleepers + one_sleeper)) break;
    sleepers_.fetch_add(one_sleeper);
  }
  sleep(pe, std::nullopt);
  sleepers_.fetch_add(one_wake - one_sleeper);
}

void thread_machine::sleep(scheduler& pe, std::optional<nanoseconds> at_most) {
  const auto no_longer_than = [&](nanoseconds longest) {
    at_most = std::min(at_most.value_or(longest), longest);
  };
  const endpoint* const network = pe.network();
  if (network != nullptr)
    no_longer_than(network->sending() ? longest_sleep_while_sending : longest_sleep_with_network);
  const device_completions* const device = device_completions::of(pe);
  if (device != nullptr && device->pending() > 0)
    no_longer_than(device->must_look() ? longest_sleep_with_device : device_completions::between_checks);
  pe.pe_inbox().sleep(at_most, network != nullptr ? network->descriptor() : -1);
}

void thread_machine::wait_awake(scheduler& pe, nanoseconds deadline) const {
  while (pe.now() < deadline && !pe.pe_inbox().has_items() && !stopping() && !pe.poll()) pause_processor();
}

std::optional<thread_machine::claim> thread_machine::claim_quiet() {
  claim c{};
  auto seen = sleepers_.load();
  do {
    if (seen % one_wake != pes_.size() || stopping()) return std::nullopt;
    for (scheduler* pe : pes_)
      if (!pe->pe_inbox().is_parked()) return std::nullopt;
    c.exchanged = listener_.counted();
    c.sleepers = seen + one_wake - one_sleeper;
  } while (!sleepers_.compare_exchange_weak(seen, c.sleepers));
  return c;
}

}  // namespace imbrex::detail
