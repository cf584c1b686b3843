// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_choice.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/gpu/persistent_channel.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::device_migration_test {

using test::compare;
using test::count_from;
using test::first_of;

std::size_t size_of(int number, std::size_t more = 0) { return std::size_t(number * number % 41) + more; }

struct parcel {
  int number = 0;
  std::optional<device_buffer<std::int64_t>> cells;
};

/// A chare's objects on its current device.
struct bench {
  stream fill{gpu(), stream_priority::normal, "fill"};
  stream look{gpu(), stream_priority::normal, "look"};
  device_buffer<std::int64_t> wrong{gpu(), 1};
  pinned_buffer<std::int64_t> seen{gpu(), 1};

  bench() { look.fill(wrong.span(), std::byte(0)); }
  device_buffer<std::int64_t> filled(int from, int number, std::size_t more = 0) {
    device_buffer<std::int64_t> cells(gpu(), size_of(number, more));
    fill.launch(count_from, cells.span(), first_of(from, number));
    return std::move(cells).ready_after(fill);
  }
  void check(const device_buffer<std::int64_t>& cells, int from, int number, std::size_t more = 0) {
    EXPECT_EQ(cells.size(), size_of(number, more));
    if (cells.size() != 0) EXPECT_EQ(cells.device(), gpu().info().id);
    look.wait(cells);
    look.launch(compare, cells.span(), first_of(from, number), wrong.span());
  }
};

/// Chares 2i and 2i + 1 are connected. Each moves between PEs on its own path, while arrays are in flight to
/// it or unread in it.
class nomad : public chare<nomad> {
 public:
  device_channel<std::int64_t> line;
  mailbox<device_buffer<std::int64_t>> letters;
  mailbox<parcel> parcels;
  persistent_channel<std::int64_t> bound;

  void connect() {
    line.connect<&nomad::line>(partner());
    bound.connect<&nomad::bound>(partner());
  }

  task<> roam(int rounds, std::uint64_t seed) {
    while (round_ < rounds) {
      for (int more = arrays_in(where()[0], round_); more > 0; --more) write();
      // The other end is at most a round behind, so it has sent all arrays of the previous round.
      const int due = round_ > 0 ? arrays_in(number_of_partner(), round_ - 1) : 0;
      for (int i = 0; i < due; ++i) co_await read();
      ++round_;
      co_await put_down();
      random dice(seed * 1'000 + std::uint64_t(97 * where()[0] + round_));
      if (dice.below(4) > 0) migrate_to(int(dice.below(std::uint64_t(num_pes()))));
      co_await balance_point<&nomad::roam>(rounds, seed);
    }
    for (int i = arrays_in(number_of_partner(), rounds - 1); i > 0; --i) co_await read();
    co_await put_down();
  }

  /// The ends are bound again wherever they meet.
  task<> roam_bound(int rounds, std::uint64_t seed) {
    while (round_ < rounds) {
      co_await exchange_bound(round_);
      ++round_;
      co_await put_down();
      random dice(seed * 1'000 + std::uint64_t(97 * where()[0] + round_));
      if (dice.below(4) > 0) migrate_to(int(dice.below(std::uint64_t(num_pes()))));
      co_await balance_point<&nomad::roam_bound>(rounds, seed);
    }
  }

  task<> bind_once() {
    out_.emplace(gpu(), 9);
    in_.emplace(gpu(), 9);
    const std::vector<device_span<const std::int64_t>> from{std::as_const(*out_).span()};
    const std::vector<device_span<std::int64_t>> to{in_->span()};
    co_await bound.bind(from, to);
  }
  task<std::string> send_bound_in_vain() {
    stream work(gpu());
    const std::string text = co_await awaited_error_of<error>([&] { return bound.send(work); });
    co_return text;
  }

  void write_some(int count, std::size_t more) {
    for (int i = 0; i < count; ++i) write(more);
    bench_.reset();
  }
  void go(int to) { migrate_to(to); }
  int on() const { return pe(); }
  task<> read_some(int count, std::size_t more) {
    for (int i = 0; i < count; ++i) co_await read(more);
    co_await put_down();
  }
  task<std::string> read_in_vain() {
    const std::string text = co_await awaited_error_of<error>([&] { return letters.receive(0); });
    co_return text;
  }
  void send_buffer(const element<nomad>& to) {
    send<&nomad::letters>(to, 0, here().filled(where()[0], 5));
    bench_.reset();
  }
  std::int64_t wrong() const { return wrong_; }
  std::int64_t blocks() { return std::int64_t(gpu().memory(memory_kind::device).counts().blocks_in_use); }

  void serialize(auto& ar) { ar(round_, written_, read_, wrong_, line, letters, parcels, bound); }

 private:
  std::optional<device_buffer<std::int64_t>> out_, in_;

  static int arrays_in(int of, int round) { return (3 * of + 2 * round) % 5; }
  int number_of_partner() { return where()[0] ^ 1; }
  element<nomad> partner() { return peers()[number_of_partner()]; }
  bench& here() {
    if (!bench_) bench_.emplace();
    return *bench_;
  }

  /// Sends by one of four paths in turn.
  void write(std::size_t more = 0) {
    const int number = written_++;
    auto cells = here().filled(where()[0], number, more);
    if (number % 4 == 0)
      line.send(std::move(cells));
    else if (number % 4 == 1)
      static_cast<void>(line.send(std::as_const(cells).span(), here().fill));  // the loan keeps the memory
    else if (number % 4 == 2)
      send<&nomad::letters>(partner(), number, std::move(cells));
    else
      send<&nomad::parcels>(partner(), number, parcel{number, std::move(cells)});
  }
  task<> read(std::size_t more = 0) {
    const int number = read_++;
    device_buffer<std::int64_t> cells;
    if (number % 4 == 0) {
      cells = co_await line.receive();
    } else if (number % 4 == 1) {
      cells = device_buffer<std::int64_t>(gpu(), size_of(number, more));
      co_await line.receive(cells.span(), here().look);
    } else if (number % 4 == 2) {
      cells = co_await letters.receive(number);
    } else {
      parcel in = co_await parcels.receive(number);
      EXPECT_EQ(in.number, number);
      cells = std::move(*in.cells);
    }
    here().check(cells, number_of_partner(), number, more);
  }
  task<> exchange_bound(int round) {
    device_buffer<std::int64_t> out(gpu(), 9), in(gpu(), 9);
    const std::vector<device_span<const std::int64_t>> from{std::as_const(out).span()};
    const std::vector<device_span<std::int64_t>> to{in.span()};
    co_await bound.bind(from, to);
    here().fill.launch(count_from, out.span(), first_of(where()[0], round));
    co_await bound.send(here().fill);
    const device_span<std::int64_t> got = co_await bound.receive(here().look);
    here().look.launch(compare, got, first_of(number_of_partner(), round), here().wrong.span());
    bound.release(here().look);
  }
  /// Counts wrong cells, and destroys the objects on the device.
  task<> put_down() {
    here().look.copy(here().seen.span(), std::as_const(here().wrong).span());
    co_await here().look.done();
    wrong_ += here().seen[0];
    bench_.reset();
  }

  int round_ = 0, written_ = 0, read_ = 0;
  std::int64_t wrong_ = 0;
  std::optional<bench> bench_;  // does not migrate
};

/// Chares 2i and 2i + 1 have bound ends in members, which travel with them. At each move an array may be on
/// its way to each end, or unread in its memory.
class bound_nomad : public chare<bound_nomad> {
 public:
  persistent_channel<std::int64_t> line;

  task<std::int64_t> roam(int rounds, std::uint64_t seed) {
    stream work(gpu());
    if (out_.size() == 0) {
      out_ = device_buffer<std::int64_t>(gpu(), 2 * cells);
      in_.emplace_back(gpu(), 3);  // not bound
      for (int i = 0; i < 2; ++i) in_.emplace_back(gpu(), cells);
      wrong_ = device_buffer<std::int64_t>(gpu(), 1);
      work.fill(wrong_.span(), std::byte(0));
      line.connect<&bound_nomad::line>(peers()[where()[0] ^ 1]);
      std::vector<device_span<const std::int64_t>> from{half(0), half(1)};
      std::vector<device_span<std::int64_t>> to{in_[1].span(), in_[2].span()};
      co_await line.bind(from, to);
    }
    work.wait(wrong_);
    while (round_ < rounds) {
      work.launch(count_from, half(round_ % 2), first_of(where()[0], round_));
      co_await line.send(work);
      if (round_ > 0) co_await look_at_array(work, round_ - 1);
      ++round_;
      co_await work.done();
      random dice(seed * 1'000 + std::uint64_t(97 * where()[0] + round_));
      if (dice.below(4) > 0) migrate_to(int(dice.below(std::uint64_t(num_pes()))));
      co_await balance_point<&bound_nomad::roam>(rounds, seed);
    }
    co_await look_at_array(work, rounds - 1);
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    work.copy(seen.span(), std::as_const(wrong_).span());
    co_await work.done();
    co_return seen[0];
  }
  void serialize(auto& ar) { ar(round_, in_, line, out_, wrong_); }

 private:
  static constexpr std::size_t cells = 700;

  device_span<std::int64_t> half(int which) { return out_.span().subspan(std::size_t(which) * cells, cells); }
  task<> look_at_array(stream& work, int number) {
    const device_span<std::int64_t> got = co_await line.receive(work);
    EXPECT_EQ(got.data(), in_[std::size_t(1 + number % 2)].span().data());
    work.launch(compare, got, first_of(where()[0] ^ 1, number), wrong_.span());
    line.release(work);
  }

  int round_ = 0;
  device_buffer<std::int64_t> out_, wrong_;
  std::vector<device_buffer<std::int64_t>> in_;
};

/// Moves with each array that it gets, so that the next one is sent to a PE that it has left.
class wanderer : public chare<wanderer> {
 public:
  void take(int number, device_buffer<std::int64_t> cells) {
    stream look(gpu());
    if (wrong_.size() == 0) {
      wrong_ = device_buffer<std::int64_t>(gpu(), 1);
      look.fill(wrong_.span(), std::byte(0));
    }
    misplaced_ += cells.device() == gpu().info().id ? 0 : 1;
    look.wait(cells);
    look.wait(wrong_);
    look.launch(compare, cells.span(), first_of(0, number), wrong_.span());
    wrong_.ready_after(look);
    ++taken_;
    migrate_to((pe() + 1 + number % 2) % num_pes());
  }
  task<int> count() {
    stream look(gpu());
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    look.wait(wrong_);
    look.copy(seen.span(), std::as_const(wrong_).span());
    co_await look.done();
    co_return seen[0] == 0 && misplaced_ == 0 ? taken_ : -1;
  }
  void send_all(const element<wanderer>& to, int arrays) {
    stream fill(gpu());
    for (int n = 0; n < arrays; ++n) {
      device_buffer<std::int64_t> cells(gpu(), 100);
      fill.launch(count_from, cells.span(), first_of(0, n));
      send<&wanderer::take>(to, n, std::move(cells).ready_after(fill));
    }
  }
  void serialize(auto& ar) { ar(wrong_, taken_, misplaced_); }

 private:
  device_buffer<std::int64_t> wrong_;
  int taken_ = 0, misplaced_ = 0;
};

class device_migration : public on_machine {
 protected:
  template <class Main>
  void run_with(int devices, device_path path, const Main& main) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.devices = devices;
      settings.gpu_path = path;
      EXPECT_EQ(run_once(settings, main), 0);
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << text_of(settings) << ", " << devices << " devices";
      return;
    }
  }
  template <class Main>
  void run_all(const Main& main) {
    run_with(1, device_path::any, main);
    run_with(2, device_path::any, main);
    if (GetParam().processes > 1) run_with(1, device_path::host, main);
  }
};

INSTANTIATE_TEST_SUITE_P(on, device_migration, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(device_migration, of_both_ends_during_traffic) {
  std::uint64_t seed = 0;
  run_all([&seed]() -> task<> {
    auto all = make_array<nomad>({6});
    co_await all.call<&nomad::connect>();
    co_await all.call<&nomad::roam>(8, ++seed);
    EXPECT_EQ((co_await all.reduce<&nomad::wrong>(sum)), 0);
  });
}
TEST_P(device_migration, of_both_ends_that_are_bound) {
  run_all([]() -> task<> {
    auto all = make_array<nomad>({4});
    co_await all.call<&nomad::connect>();
    co_await all.call<&nomad::roam_bound>(5, 3);
    EXPECT_EQ((co_await all.reduce<&nomad::wrong>(sum)), 0);
  });
}
TEST_P(device_migration, takes_bound_members_along) {
  std::uint64_t seed = 0;
  run_all([&seed]() -> task<> {
    auto all = make_array<bound_nomad>({4});
    EXPECT_EQ((co_await all.reduce<&bound_nomad::roam>(sum, 12, ++seed)), 0);
  });
}
TEST_P(device_migration, leaves_what_was_bound) {
  run_all([]() -> task<> {
    auto all = make_array<nomad>({2});
    co_await all.call<&nomad::connect>();
    co_await all.call<&nomad::bind_once>();
    const int from = co_await all[0].call<&nomad::on>();
    if (num_pes() == 1) co_return;
    send<&nomad::go>(all[0], (from + 1) % num_pes());
    co_await quiescence();
    const std::string text = co_await all[0].call<&nomad::send_bound_in_vain>();
    EXPECT_NE(text.find("an unbound persistent channel is used"), std::string::npos) << text;
  });
}
TEST_P(device_migration, takes_what_is_unread_from_pe_to_pe) {
  std::size_t more = 0;  // additional elements of each array
  const auto take_along = [&more]() -> task<> {
    constexpr int arrays = 12;
    auto all = make_array<nomad>({2});
    co_await all.call<&nomad::connect>();
    for (int round = 0; round < 2; ++round) {
      co_await all[0].call<&nomad::write_some>(arrays, more);
      co_await quiescence();
      for (int p = num_pes() - 1; p >= 0; --p) {
        send<&nomad::go>(all[1], p);
        co_await quiescence();
        EXPECT_EQ((co_await all[1].call<&nomad::on>()), p);
      }
      co_await all[1].call<&nomad::read_some>(arrays, more);
    }
    EXPECT_EQ((co_await all.reduce<&nomad::wrong>(sum)), 0);
    co_await quiescence();
    EXPECT_EQ((co_await all[0].call<&nomad::blocks>()), 0);
    EXPECT_EQ((co_await all[1].call<&nomad::blocks>()), 0);
  };
  run_all(take_along);
  more = 5'000;  // other messages of this size would be sent in pieces
  run_all(take_along);
  if (GetParam().processes > 1) run_with(1, device_path::network, take_along);
}

TEST_P(device_migration, is_followed_by_messages_of_device_memory) {
  run_all([]() -> task<> {
    auto writers = make_array<wanderer>({3});
    auto reader = make_chare<wanderer>();
    for (int i = 0; i < 3; ++i) send<&wanderer::send_all>(writers[i], reader, 8);
    co_await quiescence();
    EXPECT_EQ((co_await reader.call<&wanderer::count>()), 24);
  });
}

TEST(device_migration, tells_who_reads_where_there_is_no_device) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.choose_device = [](const device_choice& pe) {
    return pe.pe == 0 ? std::optional(0) : std::nullopt;
  };
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto writer = make_chare_on<nomad>(0), reader = make_chare_on<nomad>(0);
                          co_await writer.call<&nomad::send_buffer>(reader);
                          co_await quiescence();
                          send<&nomad::go>(reader, 1);
                          co_await quiescence();
                          const std::string text = co_await reader.call<&nomad::read_in_vain>();
                          EXPECT_NE(text.find("PE 1 has no device"), std::string::npos) << text;
                        }),
            0);
}

}  // namespace imbrex::device_migration_test
