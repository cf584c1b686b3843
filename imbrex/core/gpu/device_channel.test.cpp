// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_channel.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::device_channel_test {

using test::compare;
using test::count_from;
using test::first_of;

std::size_t size_of(int round) { return std::size_t(round * round % 41); }

/// One of two connected neighbours.
class end : public chare<end> {
 public:
  end() : wrong_(gpu(), 1), seen_(gpu(), 1) {
    fill_.fill(wrong_.span(), std::byte(0));
    look_.wait(shared_event(fill_));
  }

  device_channel<std::int64_t> line;

  void connect() { line.connect<&end::line>(peers()[1 - where()[0]]); }

  std::string connect_to_itself() {
    return error_of<error>([&] { line.connect<&end::line>(self()); });
  }

  task<> talk(int rounds) {
    co_await when_all(say(rounds), hear(rounds));
    co_await look_.done();
  }
  /// Shares one array, and sends it again as soon as that is allowed; each third array is sent as a buffer.
  task<> say(int rounds) {
    device_buffer<std::int64_t> kept(gpu(), 41);
    for (int round = 0; round < rounds; ++round) {
      if (round % 3 == 2) {
        device_buffer<std::int64_t> buffer(gpu(), size_of(round));
        fill_.launch(count_from, buffer.span(), first_of(where()[0], round));
        line.send(std::move(buffer).ready_after(fill_));
        continue;
      }
      const auto face = kept.span().subspan(0, size_of(round));
      fill_.launch(count_from, face, first_of(where()[0], round));
      const auto loan = line.send(face, fill_);
      co_await loan.done();
    }
  }
  task<> hear(int rounds) {
    const int other = 1 - where()[0];
    for (int round = 0; round < rounds; round += 2) {
      device_buffer<std::int64_t> ghost(gpu(), size_of(round));
      if (round + 1 == rounds) {
        co_await line.receive(ghost.span(), look_);
      } else {  // two pending receives
        auto [nothing, buffer] = co_await when_all(line.receive(ghost.span(), look_), line.receive());
        EXPECT_EQ(buffer.size(), size_of(round + 1));
        look_.wait(buffer);
        look_.launch(compare, std::as_const(buffer).span(), first_of(other, round + 1), wrong_.span());
      }
      look_.launch(compare, std::as_const(ghost).span(), first_of(other, round), wrong_.span());
    }
  }
  task<std::int64_t> wrong() {
    look_.copy(seen_.span(), std::as_const(wrong_).span());
    co_await look_.done();
    co_return seen_[0];
  }

  /// Two receives wait; one is cancelled when the bell rings.
  task<> give_up_and_hear(int rounds) {
    device_buffer<std::int64_t> ghost(gpu(), size_of(0));
    auto first = co_await when_any(line.receive(ghost.span(), look_), bell.receive());
    EXPECT_EQ(first.index, 1U);
    co_await hear(rounds);
    co_await look_.done();
  }
  mailbox<int> bell;
  /// Shares an array with the waiting other end, and then with others.
  task<> share_twice() {
    device_buffer<std::int64_t> face(gpu(), size_of(0));
    fill_.launch(count_from, face.span(), first_of(where()[0], 0));
    const auto loan = line.send(std::as_const(face).span(), fill_);
    const auto copied = loan;
    send<&end::look_at>(peers()[1 - where()[0]], first_of(where()[0], 0), copied);
    co_await loan.done();
    fill_.launch(count_from, face.span(), -7);
    co_await fill_.done();
  }
  void look_at(std::int64_t first, device_argument<std::int64_t> came) {
    look_.wait(came.ready());
    look_.launch(compare, std::as_const(came).span(), first, wrong_.span());
    ++looks_;
  }
  int looks() const { return looks_; }
  /// Sends all arrays before the other end receives.
  void say_ahead(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      device_buffer<std::int64_t> buffer(gpu(), size_of(round));
      fill_.launch(count_from, buffer.span(), first_of(where()[0], round));
      static_cast<void>(line.send(std::as_const(buffer).span(), fill_));  // the loan keeps the memory
    }
  }
  task<std::string> receive_in_vain() {
    device_buffer<std::int64_t> ghost(gpu(), 5);
    const std::string text =
        co_await awaited_error_of<error>([&] { return line.receive(ghost.span(), look_); });
    co_return text;
  }
  std::uintptr_t address() const { return std::bit_cast<std::uintptr_t>(this); }
  /// Receives by a stream of another chare, to memory of that stream's device.
  task<std::string> receive_by_other(std::uintptr_t address) {
    const auto* const other = std::bit_cast<const end*>(address);
    device_buffer<std::int64_t> ghost(other->look_.on(), 3);
    const std::string text = co_await awaited_error_of<error>(
        [&] { return line.receive(ghost.span(), const_cast<stream&>(other->look_)); });
    co_return text;
  }
  std::string send_in_vain() {
    return error_of<error>([&] {
      device_buffer<std::int64_t> face(gpu(), 5);
      line.send(std::move(face));
    });
  }
  void say_three() {
    device_buffer<std::int64_t> face(gpu(), 3);
    line.send(std::move(face).ready_after(fill_));
  }

 private:
  int looks_ = 0;
  stream fill_{gpu(), stream_priority::normal, "fill"}, look_{gpu(), stream_priority::normal, "look"};
  device_buffer<std::int64_t> wrong_;
  pinned_buffer<std::int64_t> seen_;
};

class device_channels : public on_machine {
 protected:
  template <class Main>
  void run_with(int devices, const Main& main, device_path path = device_path::any) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.devices = devices;
      settings.gpu_path = path;
      EXPECT_EQ(run_once(settings, main), 0);
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << text_of(settings);
      return;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(on, device_channels,
                         ::testing::ValuesIn(machines({"threads_1", "threads_2", "shuffled", "delayed",
                                                       "deterministic_30", "simulated", "processes_2",
                                                       "processes_2x2_comm_thread"})),
                         name_of_machine);

TEST_P(device_channels, bring_arrays_in_order_both_ways) {
  const auto talk = []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::talk>(31);
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  };
  for (const int devices : {1, 2}) run_with(devices, talk);
  run_with(2, talk, device_path::host);
}
TEST_P(device_channels, keep_what_comes_before_it_is_received) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::say_ahead>(12);
    co_await ends.call<&end::hear>(12);
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}
TEST_P(device_channels, refuse_arrays_of_another_length) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    EXPECT_NE((co_await ends[0].call<&end::send_in_vain>()).find("connect"), std::string::npos);
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::connect>();  // a second connect to the same end is no error
    const std::string second = co_await ends[0].call<&end::connect_to_itself>();
    EXPECT_NE(second.find("a channel has one other end"), std::string::npos) << second;
    send<&end::say_three>(ends[0]);
    const std::string text = co_await ends[1].call<&end::receive_in_vain>();
    EXPECT_NE(text.find("an array of 3 elements, but expected 5"), std::string::npos) << text;
  });
}

TEST_P(device_channels, refuse_another_length_of_a_receive_that_waits) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    auto receiving = ends[1].call<&end::receive_in_vain>();
    co_await quiescence();
    co_await ends[0].call<&end::say>(1);
    const std::string text = co_await std::move(receiving);
    EXPECT_NE(text.find("elements, but expected 5"), std::string::npos) << text;
  });
}
TEST_P(device_channels, leave_out_receives_that_have_given_up) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    auto hearing = ends[1].call<&end::give_up_and_hear>(9);
    co_await quiescence();
    send<&end::bell>(ends[1], 0);
    co_await quiescence();
    co_await ends[0].call<&end::say>(9);
    co_await std::move(hearing);
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}
TEST_P(device_channels, lend_on_what_a_receive_has_waited_for) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    auto hearing = ends[1].call<&end::hear>(1);
    co_await quiescence();
    co_await ends[0].call<&end::share_twice>();
    co_await std::move(hearing);
    co_await quiescence();
    EXPECT_EQ((co_await ends[1].call<&end::looks>()), 1);
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}

// A chare that moves between threads may keep a stream of its former device.
TEST(device_channels, refuse_streams_of_another_device) {
  for (const device_path path : {device_path::any, device_path::host}) {
    options settings{.pes = 2, .machine = machine_kind::deterministic};
    settings.device = "emulated";
    settings.devices = 2;
    settings.gpu_path = path;
    EXPECT_EQ(imbrex::run(settings,
                          []() -> task<> {
                            auto ends = make_array<end>({2});
                            co_await ends.call<&end::connect>();
                            const std::uintptr_t other = co_await ends[0].call<&end::address>();
                            send<&end::say_three>(ends[0]);
                            const std::string text = co_await ends[1].call<&end::receive_by_other>(other);
                            EXPECT_NE(text.find("give both of gpu()"), std::string::npos) << text;
                          }),
              0);
  }
}

}  // namespace imbrex::device_channel_test
