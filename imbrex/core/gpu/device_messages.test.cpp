// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_choice.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::device_messages_test {

using test::compare;
using test::count_from;
using test::first_of;

constexpr std::size_t sizes[] = {0, 1, 7, 257, 4096};

struct parcel {
  int from = 0;
  std::vector<device_buffer<std::int64_t>> layers;
  std::optional<device_buffer<std::int64_t>> edge;
};

/// Fills memory on its device, and checks received data there.
class node : public chare<node> {
 public:
  node()
      : own_(gpu(), stream_priority::normal, "node " + std::to_string(where()[0])),
        wrong_(gpu(), 1),
        place_(gpu(), 2 * room),
        seen_(gpu(), 1) {
    own_.fill(wrong_.span(), std::byte(0));
  }

  mailbox<parcel> parcels;
  mailbox<int> taken;

  // Owned buffers.

  task<> give(int rounds) {
    for (int round = 0; round < rounds; ++round)
      send<&node::keep>(next(), where()[0], round,
                        filled(sizes[std::size_t(round) % std::size(sizes)], round));
    for (int round = 0; round < rounds; ++round) co_await taken.receive();
  }
  void keep(int from, int round, device_buffer<std::int64_t> cells) {
    EXPECT_EQ(cells.size(), sizes[std::size_t(round) % std::size(sizes)]);
    EXPECT_EQ(cells.device(), gpu().info().id);
    own_.wait(cells);
    check(std::as_const(cells).span(), first_of(from, round));
    send<&node::taken>(peers()[from], 0);
  }
  task<> keep_later(int from, int round, device_buffer<std::int64_t> cells) {
    co_await sleep_for(nanoseconds(1000));
    own_.wait(cells);
    check(std::as_const(cells).span(), first_of(from, round));
    send<&node::taken>(peers()[from], 0);
  }
  task<> give_to_coroutines(int rounds) {
    for (int round = 0; round < rounds; ++round)
      send<&node::keep_later>(next(), where()[0], round, filled(33, round));
    for (int round = 0; round < rounds; ++round) co_await taken.receive();
  }

  task<> exchange_parcels(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      parcel out{where()[0], {}, std::nullopt};
      for (int layer = 0; layer < round % 4; ++layer) out.layers.push_back(filled(5, round + layer));
      if (round % 3 != 0) out.edge = filled(11, round);
      send<&node::parcels>(next(), round, std::move(out));
      parcel in = co_await parcels.receive(round);
      EXPECT_EQ(int(in.layers.size()), round % 4);
      EXPECT_EQ(in.edge.has_value(), round % 3 != 0);
      for (int layer = 0; layer < round % 4; ++layer) {
        own_.wait(in.layers[std::size_t(layer)]);
        check(std::as_const(in.layers[std::size_t(layer)]).span(), first_of(in.from, round + layer));
      }
      if (!in.edge) continue;
      own_.wait(*in.edge);
      check(std::as_const(*in.edge).span(), first_of(in.from, round));
    }
  }

  // Arrays with a place, and shared arrays.

  device_place<std::int64_t> place(int from, int round, std::size_t count) {
    if (round == refused_round) throw std::runtime_error("no place for " + std::to_string(from));
    requested_round_ = round;
    static std::vector<std::int64_t> of_host(8);
    if (round == host_round) return {{of_host.data(), count, nullptr}, own_};
    return {place_.span().subspan(room * std::size_t(round % 2), round == short_round ? count - 1 : count),
            own_};
  }
  void take(int from, int round, device_argument<std::int64_t, &node::place> cells) {
    EXPECT_EQ(requested_round_, round);
    EXPECT_EQ(cells.span().data(), place_.span().data() + room * std::size_t(round % 2));
    check(cells.span(), first_of(from, round));
    send<&node::taken>(peers()[from], 0);
  }
  void take_anywhere(int from, int round, device_argument<std::int64_t> cells) {
    own_.wait(cells.ready());
    check(cells.span(), first_of(from, round));
    send<&node::taken>(peers()[from], 0);
  }
  /// Shares one array repeatedly, and overwrites it as soon as that is allowed.
  task<> share(int rounds, int receivers) {
    const std::size_t count = 301;
    device_buffer<std::int64_t> face(gpu(), count);
    for (int round = 0; round < rounds; ++round) {
      own_.launch(count_from, face.span(), first_of(where()[0], round));
      const auto loan = zero_copy(face.span(), own_);
      for (int r = 1; r <= receivers; ++r) {
        const auto to = peers()[(where()[0] + r) % int(peers().size())];
        if (r % 2 == 1)
          send<&node::take>(to, where()[0], round, loan);
        else
          send<&node::take_anywhere>(to, where()[0], round, loan);
      }
      // One waiter is cancelled or has completed, too; the others still wait.
      co_await when_any(loan.done(), sleep_for(nanoseconds(round % 2)));
      co_await when_all(loan.done(), loan.done());
    }
    for (int n = rounds * receivers; n > 0; --n) co_await taken.receive();
  }
  task<> give_to_place(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      send<&node::take>(next(), where()[0], round, filled(longest - std::size_t(round) % 3, round));
      co_await taken.receive();
    }
  }
  /// Loan and buffer are destroyed before the receiver has read.
  task<> share_and_drop(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      device_buffer<std::int64_t> face = filled(longest, round);
      send<&node::take_anywhere>(next(), where()[0], round, zero_copy(face.span(), own_));
      face.release();
      device_buffer<std::int64_t> other(gpu(), longest);  // would reuse the memory if it were free
      own_.launch(count_from, other.span(), -1);
    }
    for (int round = 0; round < rounds; ++round) co_await taken.receive();
  }
  task<int> share_with_none() {
    device_buffer<std::int64_t> face = filled(longest, 0);
    const auto nobody = make_chare<node>();
    nobody.destroy();
    const auto loan = zero_copy(face.span(), own_);
    int refused = 0;
    try {
      co_await nobody.call<&node::take_anywhere>(where()[0], 0, loan);
    } catch (const error&) {
      ++refused;
    }
    co_await loan.done();
    co_return refused;
  }

  /// The errors of sending a moved-from loan and a copy of it.
  task<std::vector<std::string>> share_moved() {
    device_buffer<std::int64_t> face = filled(longest, 0);
    auto loan = zero_copy(face.span(), own_);
    const auto kept = std::move(loan);
    const auto copy = loan;
    std::vector<std::string> error_texts;
    for (const auto* const empty : {&std::as_const(loan), &copy}) {
      EXPECT_EQ(empty->size(), 0U);
      co_await empty->done();
      try {
        send<&node::take_anywhere>(next(), where()[0], 0, *empty);
      } catch (const error& e) {
        error_texts.emplace_back(e.what());
      }
    }
    loan = kept;
    send<&node::take_anywhere>(next(), where()[0], 0, loan);
    co_await when_all(kept.done(), taken.receive());
    co_return error_texts;
  }

  task<std::string> refusal(int round) {
    const std::string text = co_await awaited_error_of(
        [&] { return next().call<&node::take>(where()[0], round, filled(8, round)); });
    co_return text;
  }
  task<std::string> refusal_of_foreign_stream() {
    try {
      own_.begin_capture();
      device_buffer<std::int64_t> face(gpu(), 3);
      face.ready_after(own_);
    } catch (const device_error& e) {
      static_cast<void>(own_.end_capture());
      co_return e.what();
    }
    co_return "";
  }

  task<std::size_t> driver_calls() {
    const auto& pool = gpu().memory(memory_kind::device);
    co_return pool.counts().driver_calls;
  }

  task<std::int64_t> wrong() {
    own_.copy(seen_.span(), std::as_const(wrong_).span());
    co_await own_.done();
    co_return seen_[0];
  }

  static constexpr std::size_t longest = 64;
  static constexpr std::size_t room = 320;  ///< elements of a place; there are two places
  static constexpr int refused_round = 1001;
  static constexpr int short_round = 1002;
  static constexpr int host_round = 1003;

 private:
  element<node> next() { return peers()[(where()[0] + 1) % int(peers().size())]; }
  device_buffer<std::int64_t> filled(std::size_t size, int round) {
    device_buffer<std::int64_t> cells(gpu(), size);
    own_.launch(count_from, cells.span(), first_of(where()[0], round));
    return std::move(cells).ready_after(own_);
  }
  void check(device_span<const std::int64_t> cells, std::int64_t first) {
    own_.launch(compare, cells, first, wrong_.span());
  }

  stream own_;
  device_buffer<std::int64_t> wrong_, place_;
  pinned_buffer<std::int64_t> seen_;
  int requested_round_ = -1;
};

class device_messages : public on_machine {
 protected:
  template <class Main>
  void run_with(int devices, const Main& main) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.devices = devices;
      EXPECT_EQ(run_once(settings, main), 0);
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << text_of(settings);
      return;
    }
  }
  /// The program must end with no wrong cell on any node.
  template <class Work>
  void check_nodes(int count, const Work& work) {
    for (const int devices : {1, 2})
      run_with(devices, [&]() -> task<> {
        auto nodes = make_array<node>({count});
        co_await work(nodes);
        EXPECT_EQ((co_await nodes.template reduce<&node::wrong>(sum)), 0);
      });
  }
};

INSTANTIATE_TEST_SUITE_P(on, device_messages,
                         ::testing::ValuesIn(machines({"threads_1", "threads_2", "threads_5", "shuffled",
                                                       "delayed", "deterministic_30", "simulated",
                                                       "processes_2", "processes_3",
                                                       "processes_2x2_comm_thread"})),
                         name_of_machine);

TEST_P(device_messages, move_buffers_from_chare_to_chare) {
  check_nodes(7, [](auto& nodes) -> task<> { co_await nodes.template call<&node::give>(20); });
}
TEST_P(device_messages, move_buffers_to_coroutines) {
  check_nodes(5, [](auto& nodes) -> task<> { co_await nodes.template call<&node::give_to_coroutines>(9); });
}
TEST_P(device_messages, move_buffers_in_aggregates_through_mailboxes) {
  check_nodes(5, [](auto& nodes) -> task<> { co_await nodes.template call<&node::exchange_parcels>(13); });
}
TEST_P(device_messages, are_put_where_the_receiver_says) {
  check_nodes(4, [](auto& nodes) -> task<> { co_await nodes.template call<&node::give_to_place>(12); });
}
TEST_P(device_messages, read_lent_memory_before_it_is_used_again) {
  check_nodes(6, [](auto& nodes) -> task<> { co_await nodes.template call<&node::share>(9, 4); });
}
TEST_P(device_messages, read_lent_memory_that_its_owner_forgets) {
  check_nodes(3, [](auto& nodes) -> task<> { co_await nodes.template call<&node::share_and_drop>(7); });
}
TEST_P(device_messages, give_back_what_is_lent_to_nobody) {
  run_with(1, []() -> task<> {
    auto nodes = make_array<node>({2});
    EXPECT_EQ((co_await nodes[0].call<&node::share_with_none>()), 1);
  });
}
TEST_P(device_messages, are_not_made_of_a_loan_that_has_been_moved_from) {
  run_with(1, []() -> task<> {
    auto nodes = make_array<node>({2});
    const auto error_texts = co_await nodes[0].call<&node::share_moved>();
    EXPECT_EQ(error_texts.size(), 2U);
    for (const std::string& text : error_texts)
      EXPECT_NE(text.find("has been moved from"), std::string::npos) << text;
    EXPECT_EQ((co_await nodes.reduce<&node::wrong>(sum)), 0);
  });
}
TEST_P(device_messages, tell_the_sender_what_is_wrong_with_a_place) {
  run_with(1, []() -> task<> {
    auto nodes = make_array<node>({2});
    const std::string thrown = co_await nodes[0].call<&node::refusal>(node::refused_round);
    EXPECT_NE(thrown.find("no place for 0"), std::string::npos) << thrown;
    const std::string too_short = co_await nodes[0].call<&node::refusal>(node::short_round);
    EXPECT_NE(too_short.find("node::place returned a place for 8 elements that has room for 7; return one "
                             "that is at least as long"),
              std::string::npos)
        << too_short;
    const std::string of_host = co_await nodes[0].call<&node::refusal>(node::host_round);
    EXPECT_NE(
        of_host.find("node::place returned a place for 8 elements that is on no device; return memory of "
                     "gpu(), which is emulated device 0"),
        std::string::npos)
        << of_host;
  });
}
TEST_P(device_messages, are_not_ordered_after_a_stream_that_is_captured) {
  run_with(1, []() -> task<> {
    auto nodes = make_array<node>({1});
    const std::string text = co_await nodes[0].call<&node::refusal_of_foreign_stream>();
    EXPECT_NE(text.find("send after the capture has ended"), std::string::npos) << text;
  });
}

/// A chare without a device.
class host_only : public chare<host_only> {
 public:
  void take(device_buffer<std::int64_t>) {}
};

TEST(device_messages, need_a_device_where_they_arrive) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.choose_device = [](const device_choice& pe) {
    return pe.pe == 0 ? std::optional(0) : std::nullopt;
  };
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto all = make_group<host_only>();
                          const std::string text = co_await awaited_error_of<error>([&] {
                            return all[1].call<&host_only::take>(device_buffer<std::int64_t>(gpu(), 3));
                          });
                          EXPECT_NE(text.find("PE 1 has no device"), std::string::npos) << text;
                        }),
            0);
}

/// Keeps received buffers until its device is out of memory.
class hoarder : public chare<hoarder> {
 public:
  mailbox<device_buffer<std::byte>> letters;
  device_channel<std::byte> line;

  void connect() { line.connect<&hoarder::line>(peers()[1 - where()[0]]); }
  /// Leaves `rest` bytes free.
  void fill_up(std::size_t rest) { kept_.emplace_back(gpu(), gpu().free_memory() - rest); }
  void keep(device_buffer<std::byte> more) { kept_.push_back(std::move(more)); }
  void give_up() { kept_.clear(); }
  /// The number of buffers that the next chare accepts, and the error of the others.
  task<std::pair<int, std::string>> give(int count, std::size_t size) {
    int taken = 0;
    std::string text;
    for (int i = 0; i < count; ++i) {
      try {
        co_await peers()[1 - where()[0]].call<&hoarder::keep>(device_buffer<std::byte>(gpu(), size));
        ++taken;
      } catch (const error& e) {
        text = e.what();
      }
    }
    co_return std::pair(taken, text);
  }

  void write(std::size_t size) {
    send<&hoarder::letters>(peers()[1 - where()[0]], device_buffer<std::byte>(gpu(), size));
  }
  void say(std::size_t size) { line.send(device_buffer<std::byte>(gpu(), size)); }
  task<std::string> hear() {
    try {
      kept_.push_back(co_await line.receive());
    } catch (const device_out_of_memory& e) {
      co_return e.what();
    }
    co_return "";
  }

 private:
  std::vector<device_buffer<std::byte>> kept_;
};

TEST(device_messages, tell_the_sender_that_the_device_has_no_more_memory) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.devices = 2;
  settings.device_model = "v100";
  settings.device_data = false;  // no data are needed
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto all = make_array<hoarder>({2});
                          const std::size_t room = 1'000'000, size = 300'000;
                          co_await all[1].call<&hoarder::fill_up>(room);
                          auto [taken, text] = co_await all[0].call<&hoarder::give>(6, size);
                          EXPECT_GT(taken, 0);
                          EXPECT_LE(taken, 3);
                          EXPECT_NE(text.find("free"), std::string::npos) << text;
                          co_await all[1].call<&hoarder::give_up>();
                          auto [later, nothing] = co_await all[0].call<&hoarder::give>(6, size);
                          EXPECT_EQ(later, 6);
                          EXPECT_EQ(nothing, "");
                        }),
            0);
}

TEST(device_messages, tell_who_receives_that_the_device_has_no_more_memory) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.devices = 2;
  settings.device_model = "v100";
  settings.device_data = false;
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto all = make_array<hoarder>({2});
                          co_await all.call<&hoarder::connect>();
                          co_await all[1].call<&hoarder::fill_up>(std::size_t{100'000});
                          send<&hoarder::say>(all[0], std::size_t{300'000});
                          const std::string text = co_await all[1].call<&hoarder::hear>();
                          EXPECT_NE(text.find("no device memory for 300000 bytes"), std::string::npos)
                              << text;
                          co_await all[1].call<&hoarder::give_up>();
                          send<&hoarder::say>(all[0], std::size_t{300'000});
                          EXPECT_EQ((co_await all[1].call<&hoarder::hear>()), "");
                        }),
            0);
}

TEST(device_messages, end_the_run_if_nobody_can_be_told_that_there_is_no_more_memory) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.devices = 2;
  settings.device_model = "v100";
  settings.device_data = false;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto all = make_array<hoarder>({2});
                          co_await all[1].call<&hoarder::fill_up>(std::size_t{100'000});
                          send<&hoarder::write>(all[0], std::size_t{300'000});
                          co_await sleep_for(std::chrono::seconds(60));
                        }),
            1);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("hoarder(1)"), std::string::npos) << text;
  EXPECT_NE(text.find("letters"), std::string::npos) << text;
  EXPECT_NE(text.find("no device memory for 300000 bytes"), std::string::npos) << text;
}

/// Receives many buffers from another host.
class far_receiver : public chare<far_receiver> {
 public:
  mailbox<device_buffer<std::byte>> letters;

  void write(int to, int count, std::size_t size) {
    for (int i = 0; i < count; ++i)
      send<&far_receiver::letters>(peers()[to], device_buffer<std::byte>(gpu(), size));
  }
  /// The time until all buffers have arrived.
  task<nanoseconds> read(int count) {
    stream work(gpu(), stream_priority::normal, "a receiver");
    const nanoseconds begin = now();
    std::vector<device_buffer<std::byte>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(co_await letters.receive());
      work.wait(all.back());
    }
    co_await work.done();
    co_return now() - begin;
  }
};

/// In the model a transfer between hosts begins 26 us after its request; then 64 KiB take 6.6 us.
TEST(device_messages, of_one_sender_come_side_by_side) {
  options settings{.pes = 12, .machine = machine_kind::simulated};
  settings.device = "emulated";
  settings.device_model = "summit";
  settings.device_data = false;
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto all = make_group<far_receiver>();
                          constexpr int count = 32;
                          auto reading = all[6].call<&far_receiver::read>(count);
                          send<&far_receiver::write>(all[0], 6, count, std::size_t{1} << 16U);
                          const nanoseconds took = co_await reading;
                          EXPECT_LT(took, count * std::chrono::microseconds(26) * 7 / 10);
                        }),
            0);
}

TEST(device_messages, use_the_same_memory_again_and_again) {
  options settings{.pes = 1, .machine = machine_kind::deterministic};
  settings.device = "emulated";
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto nodes = make_array<node>({4});
                          constexpr int rounds = 1500;
                          for (int i = 0; i < rounds; ++i) {
                            co_await nodes.call<&node::give>(8);
                            co_await nodes.call<&node::share>(3, 3);
                          }
                          const std::size_t calls = co_await nodes[0].call<&node::driver_calls>();
                          EXPECT_LT(calls, rounds / 2) << "peaks depend on the order, and rounds add nothing";
                        }),
            0);
}

}  // namespace imbrex::device_messages_test
