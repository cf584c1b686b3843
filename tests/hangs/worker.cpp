// SPDX-License-Identifier: Apache-2.0
// Programs that hang in one way or another; the first argument says in which. Each prints "begun" once it
// hangs.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <imbrex/imbrex.hpp>

namespace {

using namespace std::chrono_literals;

void tell_begun() {
  std::puts("begun");
  std::fflush(stdout);
}

struct block : imbrex::chare<block> {
  imbrex::mailbox<int> halo;

  block() = default;
  explicit block(double seconds) { spin(seconds); }

  imbrex::task<> run() {  // nobody sends it
    const int got = co_await halo.receive(4);
    static_cast<void>(got);
  }
  imbrex::task<> tick() {  // so the run is never quiet
    for (;;) co_await imbrex::sleep_for(1s);
  }
  void spin(double seconds) {
    tell_begun();
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
  void hop(int left) {
    if (left > 0) imbrex::send<&block::hop>(peers()[left % 4], left - 1);
  }
  std::size_t keep(const std::vector<char>& bytes) { return bytes.size(); }
  void serialize(auto& ar) { ar(halo); }
};

/// The program of the documents: an entry waits for a message that nobody sends.
imbrex::task<> wait_in_vain() {
  const auto a = imbrex::make_array<block>(4);
  imbrex::send<&block::tick>(a[0]);
  imbrex::send<&block::halo>(a[1], 5, 1);
  auto result = a.call<&block::run>();
  co_await imbrex::sleep_for(10ms);
  tell_begun();
  co_await result;
}

imbrex::task<> spin(double seconds) {
  const auto a = imbrex::make_array<block>(4);
  imbrex::send<&block::run>(a);
  co_await a[3].call<&block::spin>(seconds);
}

imbrex::task<> construct(double seconds) { co_await imbrex::make_array<block>(1, seconds).created(); }

/// Messages hop until the time is over, so that reports are made at all moments.
imbrex::task<> hop(double seconds) {
  const auto a = imbrex::make_array<block>(4);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  tell_begun();
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 4; ++i) imbrex::send<&block::hop>(a[i], 100);
    co_await imbrex::quiescence();
  }
}

imbrex::task<> send_much(std::size_t bytes) {
  const auto a = imbrex::make_array<block>(4);
  tell_begun();
  const std::size_t size = co_await a[3].call<&block::keep>(std::vector<char>(bytes, 'x'));
  std::printf("kept %zu\n", size);
}

/// Only a thread that is no PE could go on, and it does not before its time.
imbrex::task<> await_thread(double seconds) {
  auto [promise, result] = imbrex::make_promise<>();
  const auto here = imbrex::make_executor();
  std::thread([here, promise, seconds] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    here.post([promise] { promise.set_value(); });
  }).detach();
  tell_begun();
  co_await result;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string_view how = argc > 1 ? argv[1] : "";
  const double number = argc > 2 ? std::atof(argv[2]) : 0;
  if (how == "before") {
    tell_begun();
    std::this_thread::sleep_for(std::chrono::duration<double>(number));
  }
  const int status = imbrex::run(argc, argv, [=]() -> imbrex::task<> {
    if (how == "wait") co_await wait_in_vain();
    if (how == "spin") co_await spin(number);
    if (how == "construct") co_await construct(number);
    if (how == "hop") co_await hop(number);
    if (how == "much") co_await send_much(static_cast<std::size_t>(number));
    if (how == "thread") co_await await_thread(number);
  });
  if (how == "after") {
    tell_begun();
    std::this_thread::sleep_for(std::chrono::duration<double>(number));
  }
  return status;
}
