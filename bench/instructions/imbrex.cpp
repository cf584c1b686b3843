// SPDX-License-Identifier: Apache-2.0
// Repeats one operation; count.py derives the cost of a single one:
//   valgrind --tool=callgrind build/release/bin/instructions_imbrex message 20000 --pes 1
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include <imbrex/core/extension/load.hpp>
#include <imbrex/gpu.hpp>

#include "faces.hpp"

namespace {

/// The number of elements in operations that are counted for each element.
constexpr int elements = 1000;

class player : public imbrex::chare<player> {
 public:
  imbrex::mailbox<std::int64_t> letters;

  /// Each entry sends the next message, to the other chare.
  imbrex::task<std::int64_t> pass_on(std::int64_t messages) {
    imbrex::send<&player::pass>(peers()[1], messages - 1);
    const std::int64_t left = co_await letters.receive();
    co_return messages - left;
  }
  void pass(std::int64_t left) {
    if (left == 0) return imbrex::send<&player::letters>(peers()[0], left);
    imbrex::send<&player::pass>(peers()[1 - where()[0]], left - 1);
  }

  /// Receives each message by its reference number, and sends the next one to this chare itself.
  imbrex::task<std::int64_t> receive_own(std::int64_t messages) {
    std::int64_t received = 0;
    for (std::int64_t i = 0; i < messages; ++i) {
      imbrex::send<&player::letters>(self(), i, 1);
      const std::int64_t got = co_await letters.receive(i);
      received += got;
    }
    co_return received;
  }

  /// Receives the other chare's messages by reference number, and sends it as many.
  imbrex::task<std::int64_t> exchange(std::int64_t messages) {
    const auto other = peers()[1 - where()[0]];
    std::int64_t received = 0;
    for (std::int64_t i = 0; i < messages; ++i) {
      imbrex::send<&player::letters>(other, i, 1);
      const std::int64_t got = co_await letters.receive(i);
      received += got;
    }
    co_return received;
  }

  /// Awaits each reply of the other chare before the next call.
  imbrex::task<std::int64_t> call_other(std::int64_t calls) {
    const auto other = peers()[1];
    std::int64_t answered = 0;
    for (std::int64_t i = 0; i < calls; ++i) {
      const std::int64_t answer = co_await other.call<&player::next>(answered);
      answered = answer;
    }
    co_return answered;
  }
  std::int64_t next(std::int64_t number) { return number + 1; }
};

class cell : public imbrex::chare<cell> {
 public:
  std::int64_t one() { return 1; }

  imbrex::task<std::int64_t> reduce_again(std::int64_t times) {
    std::int64_t reduced = 0;
    for (std::int64_t i = 0; i < times; ++i) {
      const std::int64_t sum = co_await all_reduce(std::int64_t{1}, imbrex::sum);
      reduced += sum;
    }
    co_return reduced;
  }
};

/// Takes part in collectives with others.
class member : public imbrex::chare<member> {
 public:
  using pair = std::pair<imbrex::index<1>, double>;

  imbrex::task<std::int64_t> all_to_all(std::int64_t rounds, int members) {
    std::int64_t received = 0;
    for (std::int64_t i = 0; i < rounds; ++i) {
      const auto values =
          co_await imbrex::all_to_all(*this, std::vector<double>(static_cast<std::size_t>(members), 1.0));
      received += static_cast<std::int64_t>(values.size());
    }
    co_return received;
  }
  /// Exchanges with four partners, of which two are on the other PE if there are two PEs.
  imbrex::task<std::int64_t> sparse_exchange(std::int64_t rounds, int members) {
    const int own = where()[0];
    std::int64_t done = 0;
    for (; done < rounds; ++done) {
      std::vector<pair> pairs;
      pairs.reserve(4);
      for (const int away : {1, members / 2, members / 2 + 1, members - 1})
        pairs.emplace_back((own + away) % members, 1.0);
      const auto received = co_await imbrex::exchange(*this, std::move(pairs));
      if (received.size() != 4) co_return -1;
    }
    co_return done;
  }
  imbrex::task<std::int64_t> reduce_by_key(std::int64_t times) {
    double reduced = 0;
    for (std::int64_t i = 0; i < times; ++i) {
      const double sum = co_await all_reduce(1.0, imbrex::by_key(imbrex::sum));
      reduced += sum;
    }
    co_return static_cast<std::int64_t>(reduced);
  }
};

class wanderer : public imbrex::chare<wanderer> {
 public:
  /// Moves from PE to PE, each time at its balance point.
  imbrex::task<std::int64_t> wander(std::int64_t moves) {
    while (moved_ < moves) {
      ++moved_;
      migrate_to((pe() + 1) % imbrex::num_pes());
      co_await balance_point<&wanderer::wander>(moves);
    }
    co_return moved_;
  }
  void serialize(auto& ar) { ar(moved_); }

 private:
  std::int64_t moved_ = 0;
};

/// The number of repetitions for each of the members.
std::int64_t rounds_of(std::int64_t times, std::int64_t members) {
  if (times % members != 0)
    throw imbrex::usage_error(std::to_string(times) + " times: it is done by " + std::to_string(members) +
                              " elements, give a multiple");
  return times / members;
}

class settler : public imbrex::chare<settler> {
 public:
  void serialize(auto& ar) { ar(state_); }

 private:
  std::int64_t state_ = 0;
};

class shifter : public imbrex::chare<shifter> {
 public:
  /// Moves the elements of this PE to the next one, as a balancer does. Returns how many there are.
  std::int64_t shift() {
    const auto here = imbrex::extension::local_loads::here().elements();
    for (const auto& each : here) each.move((pe() + 1) % imbrex::num_pes());
    return static_cast<std::int64_t>(here.size());
  }
};

imbrex::task<std::int64_t> migrate_together(std::int64_t times) {
  const auto settlers = imbrex::make_array<settler>(elements);
  const auto shifters = imbrex::make_group<shifter>();
  co_await settlers.created();
  std::int64_t moved = 0;
  for (std::int64_t round = rounds_of(times, elements); round > 0; --round) {
    const std::int64_t left = co_await shifters.reduce<&shifter::shift>(imbrex::sum);
    moved += left;
    co_await imbrex::quiescence();
  }
  co_return moved;
}

constexpr imbrex::kernel<> nothing{.name = "nothing", .host = [] {}};

class launcher : public imbrex::chare<launcher> {
 public:
  imbrex::task<std::int64_t> launch(std::int64_t times) {
    std::int64_t done = 0;
    for (; done < times; ++done) {
      work_.launch(nothing);
      co_await work_.done();
    }
    co_return done;
  }

 private:
  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "what is counted"};
};

/// One of two chares that pass 8 bytes of device memory back and forth.
class passer : public imbrex::chare<passer> {
 public:
  imbrex::mailbox<imbrex::device_buffer<double>> handed;
  imbrex::device_channel<double> line;
  imbrex::persistent_channel<double> bound;

  imbrex::task<> connect() {
    line.connect<&passer::line>(peers()[1 - where()[0]]);
    bound.connect<&passer::bound>(peers()[1 - where()[0]]);
    co_await bound.bind({out_[0].span(), out_[1].span()}, {in_[0].span(), in_[1].span()});
  }

  imbrex::task<std::int64_t> hand_over(std::int64_t times) {
    imbrex::device_buffer<double> cell(imbrex::gpu(), 1);
    std::int64_t passed = 0;
    for (; passed < times; ++passed) {
      if (passed > 0 || where()[0] == 1) {
        cell = co_await handed.receive();
        work_.wait(cell);
      }
      imbrex::send<&passer::handed>(peers()[1 - where()[0]], std::move(cell).ready_after(work_));
    }
    if (where()[0] == 0) cell = co_await handed.receive();
    co_await work_.done();
    co_return passed;
  }
  imbrex::task<std::int64_t> put(std::int64_t times) {
    std::int64_t passed = 0;
    for (; passed < times; ++passed) {
      if (passed > 0 || where()[0] == 1) {
        co_await bound.receive(work_);
        bound.release(work_);
      }
      co_await bound.send(work_);
    }
    if (where()[0] == 0) co_await bound.receive(work_);
    co_await work_.done();
    co_return passed;
  }
  imbrex::task<std::int64_t> pass_by_channel(std::int64_t times) {
    imbrex::device_buffer<double> out(imbrex::gpu(), 1), in(imbrex::gpu(), 1);
    std::int64_t passed = 0;
    for (; passed < times; ++passed) {
      if (passed > 0 || where()[0] == 1) co_await line.receive(in.span(), work_);
      static_cast<void>(line.send(std::as_const(out).span(), work_));
    }
    if (where()[0] == 0) co_await line.receive(in.span(), work_);
    co_await work_.done();
    co_return passed;
  }

 private:
  using cell = imbrex::device_buffer<double>;

  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "what is counted"};
  std::array<cell, 2> out_{cell(imbrex::gpu(), 1), cell(imbrex::gpu(), 1)};
  std::array<cell, 2> in_{cell(imbrex::gpu(), 1), cell(imbrex::gpu(), 1)};
};

imbrex::task<std::int64_t> perform_collective(std::string_view what, std::int64_t times) {
  const int count = what == "all_to_all" ? 64 : what == "sparse_exchange" ? 10'000 : elements;
  const std::int64_t rounds = rounds_of(times, what == "all_to_all" ? count * count : count);
  const auto members = imbrex::make_array<member>(count);
  auto performing = what == "all_to_all" ? members.reduce<&member::all_to_all>(imbrex::sum, rounds, count)
                    : what == "sparse_exchange"
                        ? members.reduce<&member::sparse_exchange>(imbrex::sum, rounds, count)
                        : members.reduce<&member::reduce_by_key>(imbrex::min, rounds);
  const std::int64_t performed = co_await performing;
  co_return performed;
}

/// Performs the operation; returns the number of repetitions.
imbrex::task<std::int64_t> perform(std::string_view what, std::int64_t times) {
  if (what == "create") {
    const auto cells = imbrex::make_array<cell>(static_cast<int>(times));
    co_await cells.created();
    co_return times;
  }
  if (what == "broadcast" || what == "all_reduce") {
    const std::int64_t rounds = rounds_of(times, elements);
    const auto cells = imbrex::make_array<cell>(elements);
    if (what == "all_reduce") {
      const std::int64_t reduced = co_await cells.reduce<&cell::reduce_again>(imbrex::min, rounds);
      co_return reduced;
    }
    std::int64_t counted = 0;
    while (counted < times) {
      const std::int64_t sum = co_await cells.reduce<&cell::one>(imbrex::sum);
      counted += sum;
    }
    co_return counted;
  }
  if (what == "all_to_all" || what == "sparse_exchange" || what == "by_key") {
    const std::int64_t performed = co_await perform_collective(what, times);
    co_return performed;
  }
  if (what == "face" || what == "face_by_hand") {
    const auto way = what == "face" ? way_of_faces::by_halo : way_of_faces::by_hand;
    const std::int64_t exchanged = co_await exchange_faces(way, times);
    co_return exchanged;
  }
  if (what == "migrate" || what == "migrate_together") {
    if (imbrex::num_pes() < 2) throw imbrex::usage_error("migrate: give it two PEs to move between");
    if (what == "migrate_together") {
      const std::int64_t moved = co_await migrate_together(times);
      co_return moved;
    }
    const auto wanderers = imbrex::make_array<wanderer>(1);
    const std::int64_t moved = co_await wanderers[0].call<&wanderer::wander>(times);
    co_return moved;
  }
  if (what == "device") {
    const auto launchers = imbrex::make_array<launcher>(1);
    const std::int64_t done = co_await launchers[0].call<&launcher::launch>(times);
    co_return done;
  }
  if (what == "device_buffer" || what == "device_channel" || what == "persistent_channel") {
    const auto passers = imbrex::make_array<passer>(2);
    co_await passers.call<&passer::connect>();
    auto passing = what == "device_buffer" ? passers.reduce<&passer::hand_over>(imbrex::sum, times / 2)
                   : what == "device_channel"
                       ? passers.reduce<&passer::pass_by_channel>(imbrex::sum, times / 2)
                       : passers.reduce<&passer::put>(imbrex::sum, times / 2);
    const std::int64_t passed = co_await passing;
    co_return passed;
  }
  const auto players = imbrex::make_array<player>(2);
  if (what == "exchange") {
    const std::int64_t received = co_await players.reduce<&player::exchange>(imbrex::sum, times / 2);
    co_return received;
  }
  auto playing = what == "message"   ? players[0].call<&player::pass_on>(times)
                 : what == "receive" ? players[0].call<&player::receive_own>(times)
                 : what == "call"
                     ? players[0].call<&player::call_other>(times)
                     : throw imbrex::usage_error("there is no '" + std::string(what) +
                                                 "'; bench/instructions/README.md says what there is");
  const std::int64_t played = co_await playing;
  co_return played;
}

std::int64_t number(std::string_view text) {
  std::int64_t read = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (problem != std::errc() || end != text.data() + text.size() || read < 1 || read > 100'000'000)
    throw imbrex::usage_error("TIMES must be a whole number from 1 to 100000000, not " + std::string(text));
  return read;
}

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    if (argc != 3) throw imbrex::usage_error("usage: instructions_imbrex OPERATION TIMES");
    const std::int64_t count = number(argv[2]);
    const std::int64_t done = co_await perform(argv[1], count);
    if (done == count) co_return 0;
    std::fprintf(stderr, "instructions_imbrex: error: %s was done %lld times, not %lld\n", argv[1],
                 static_cast<long long>(done), static_cast<long long>(count));
    co_return 1;
  });
}
