// SPDX-License-Identifier: Apache-2.0
// A process of a job that a test disturbs, for the tests in this folder:
//   worker compute SECONDS    every PE computes in one entry, without returning to its queue
//   worker idle SECONDS       no PE has work
//   worker exchange SECONDS   all PEs exchange messages of many lengths; each is checked
//   worker visit SECONDS      the last PE calls the third from the end again and again; the rest idles
//   worker fork SECONDS       all PEs idle, after each has had a child that ended by exit()
//   worker end SECONDS        the main task returns while the last PE still computes
//   worker fail PE            the main task fails while that PE computes; PE 0: an entry on the last PE fails
//   worker vanish RANK        that process ends by _exit(0) in the middle of the run; the rest idles
//   worker exit RANK          that process ends by exit(0), which runs atexit functions; the rest idles
//   worker garbage KIND       the last PE sends PE 0 bytes that are no message; the rest idles
// Each process writes "process RANK pid PID" at its start, and "process RANK at work" when it has begun to
// compute or to exchange messages; process 0 writes "done: N rounds" at the end.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/net/network.hpp>

namespace {

using namespace std::chrono_literals;
using seconds = std::chrono::duration<double>;

void announce() {
  static std::atomic<bool> done = false;
  if (done.exchange(true)) return;
  std::printf("process %d pid %d\n", imbrex::process(), static_cast<int>(::getpid()));
  std::fflush(stdout);
}

/// Writes once that a PE of this process has begun the work for the test.
void tell_of_work() {
  static std::atomic<bool> done = false;
  if (done.exchange(true)) return;
  std::printf("process %d at work\n", imbrex::process());
  std::fflush(stdout);
}

struct parcel {
#ifdef WORKER_OF_ANOTHER_BUILD
  float from = 0;  // differs neither in entry names nor in message length
#else
  int from = 0;
#endif
  std::vector<std::uint32_t> words;
};

parcel parcel_of(int from, int round) {
  const auto seed = static_cast<std::uint32_t>(from * 7919 + round);
  const std::size_t length = round % 16 == 0   ? 100'000 + seed % 1'000
                             : round % 16 == 8 ? 65'500 + seed % 40  // bytes around 256 KiB
                                               : seed * 37 % 3'000;
  parcel p{static_cast<decltype(parcel::from)>(from), std::vector<std::uint32_t>(length)};
  for (std::size_t i = 0; i < length; ++i) p.words[i] = seed * 2'654'435'761U + static_cast<std::uint32_t>(i);
  return p;
}

/// Bytes that are no valid message.
struct garbage : imbrex::detail::work {
  explicit garbage(std::vector<std::byte> b) : bytes(std::move(b)) { type = &kind; }
  static void write(work& item, imbrex::writer& out) {
    const auto& bytes = static_cast<garbage&>(item);
    out.bytes(bytes.bytes.data(), bytes.bytes.size());
  }
  static void forget(work& item) noexcept { delete static_cast<garbage*>(&item); }
  static constexpr imbrex::detail::work_type kind{"garbage", nullptr, &forget, &write, nullptr};

  std::vector<std::byte> bytes;
};

class member : public imbrex::chare<member> {
 public:
  imbrex::mailbox<parcel> letters;
  imbrex::mailbox<int> beginnings;

  void greet() { announce(); }

  int compute(double time) {
    announce();
    tell_of_work();
    const auto end = std::chrono::steady_clock::now() + seconds(time);
    while (std::chrono::steady_clock::now() < end) continue;
    return 1;
  }
  /// Notifies PE 0, then computes.
  void compute_after_telling(double time) {
    imbrex::send<&member::beginnings>(peers()[0], 0);
    compute(time);
  }
  imbrex::task<> hear_of_beginning() { co_await beginnings.receive(); }
  /// Makes an entry on PE `other` fail, and computes.
  void compute_while_another_fails(int other) {
    imbrex::send<&member::fail>(peers()[other]);
    compute(1e9);
  }

  /// In each round, each PE sends a message to one other PE and waits for the message to itself.
  imbrex::task<int> exchange(double time) {
    announce();
    tell_of_work();
    const auto end = std::chrono::steady_clock::now() + seconds(time);
    const int here = where()[0];
    const int all = imbrex::num_pes();
    int round = 0;
    bool more = true;
    while (more) {
      for (const int last = round + 20; round < last; ++round) {
        const int distance = 1 + round % (all > 1 ? all - 1 : 1);
        imbrex::send<&member::letters>(peers()[(here + distance) % all], round, parcel_of(here, round));
        const parcel got = co_await letters.receive(round);
        const int from = (here - distance + 2 * all) % all;
        if (got.from != from || got.words != parcel_of(from, round).words)
          throw imbrex::error("a wrong letter in round " + std::to_string(round));
      }
      const bool is_early = std::chrono::steady_clock::now() < end;
      const int wish = co_await all_reduce(is_early ? 1 : 0, imbrex::min);
      more = wish == 1;
    }
    co_return round;
  }

  int welcome() { return 1; }

  void fail() { throw imbrex::error("an entry failed"); }

  void vanish(int process, bool exits) {
    if (imbrex::process() != process) return;
    if (exits) std::exit(0);
    ::_exit(0);
  }

  void have_child() {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(5);  // another thread may have held a lock at the fork
      std::exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }

  imbrex::task<int> visit(int other, double time) {
    const auto end = std::chrono::steady_clock::now() + seconds(time);
    int visits = 0;
    while (std::chrono::steady_clock::now() < end) visits += co_await peers()[other].call<&member::welcome>();
    co_return visits;
  }

  void send_garbage(std::string kind) {
    auto& here = imbrex::detail::processor::here();
    imbrex::writer out;
    if (kind == "notice") {
      out(std::uint8_t{77}, std::string("what is this?"));
      return here.network()->notify(0, out.written());
    }
    if (kind == "truncated") {
      // A truncated valid message.
      auto& m = imbrex::detail::make_message<imbrex::detail::reply_message<parcel>>(parcel_of(1, 1));
      m.type->pack(m, out);
      m.type->destroy(m);
      auto bytes = out.take();
      bytes.resize(bytes.size() - 5);
      return here.network()->send(*new garbage(std::move(bytes)), 0);
    }
    here.network()->send(*new garbage(std::vector<std::byte>(100, std::byte{0xa5})), 0);
  }
};

/// Returns when PE `on`, which is not 0, runs an entry that takes `time` seconds. Messages that a PE sends
/// during an entry leave at once only to PEs that it has sent to before. Hence the first call, whose reply
/// goes to PE 0.
imbrex::task<> begin_to_compute(imbrex::group<member> members, int on, double time) {
  co_await members[on].call<&member::welcome>();
  imbrex::send<&member::compute_after_telling>(members[on], time);
  co_await members[0].call<&member::hear_of_beginning>();
}

imbrex::task<int> run(std::string mode, std::string argument) {
  const auto members = imbrex::make_group<member>();
  if (mode == "leave") {  // ends while processes connect and messages are in transfer
    for (int i = 0; i < 100; ++i) imbrex::send<&member::welcome>(members);
    for (int i = 0; i < 100; ++i) imbrex::send<&member::welcome>(members[i % imbrex::num_pes()]);
    co_return 0;
  }
  if (mode == "fork") co_await members.call<&member::have_child>();
  imbrex::send<&member::greet>(members);
  co_await imbrex::quiescence();
  if (mode == "garbage") {
    imbrex::send<&member::send_garbage>(members[imbrex::num_pes() - 1], argument);
    co_await imbrex::sleep_for(60s);
    co_return 3;
  }
  if (mode == "vanish" || mode == "exit") {
    imbrex::send<&member::vanish>(members, std::stoi(argument), mode == "exit");
    co_await imbrex::sleep_for(60s);
    co_return 3;
  }
  if (mode == "fail") {
    const int busy = std::stoi(argument);
    if (busy == 0) {
      imbrex::send<&member::compute_while_another_fails>(members[0], imbrex::num_pes() - 1);
      co_await imbrex::sleep_for(60s);
    }
    co_await begin_to_compute(members, busy, 1e9);
    co_return 3;
  }
  if (mode == "nested") {
    const int status = imbrex::run(imbrex::options{.pes = 1}, []() -> imbrex::task<> { co_return; });
    co_return status;
  }
  const double time = std::stod(argument);
  int rounds = 1;
  if (mode == "compute") {
    const int came = co_await members.reduce<&member::compute>(imbrex::sum, time);
    if (came != imbrex::num_pes()) co_return 3;
  } else if (mode == "idle" || mode == "fork") {
    co_await imbrex::sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(seconds(time)));
  } else if (mode == "exchange") {
    rounds = co_await members.reduce<&member::exchange>(imbrex::min, time);
  } else if (mode == "visit") {
    rounds = co_await members[imbrex::num_pes() - 1].call<&member::visit>(imbrex::num_pes() - 3, time);
  } else if (mode == "end") {
    co_await begin_to_compute(members, imbrex::num_pes() - 1, time);
  }
  std::printf("done: %d rounds\n", rounds);
  std::fflush(stdout);
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Functions called by exit() may take long, while other threads of the process continue.
  if (argc > 1 && argv[1] == std::string_view("exit"))
    std::atexit([] { std::this_thread::sleep_for(std::chrono::seconds(1)); });
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    if (argc != 3) throw imbrex::usage_error("usage: worker MODE SECONDS|KIND");
    const int status = co_await run(argv[1], argv[2]);
    co_return status;
  });
}
