// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/persistent_channel.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::persistent_channel_test {

using test::compare;
using test::count_from;
using test::first_of;

/// One of two connected neighbours. It has `places` arrays in each direction, the second longer than the
/// first, and so on.
class end : public chare<end> {
 public:
  end() : wrong_(gpu(), 1), seen_(gpu(), 1) {
    fill_.fill(wrong_.span(), std::byte(0));
    look_.wait(shared_event(fill_));
  }

  persistent_channel<std::int64_t> line;

  void connect() { line.connect<&end::line>(peers()[1 - where()[0]]); }

  task<> bind(int places) {
    out_.clear();
    in_.clear();
    std::vector<device_span<const std::int64_t>> from;
    std::vector<device_span<std::int64_t>> to;
    for (int i = 0; i < places; ++i) {
      const std::size_t length = i == 2 ? 2000 : std::size_t(5 + 4 * i);  // the third is copied beside others
      out_.emplace_back(gpu(), length);
      in_.emplace_back(gpu(), length);
    }
    for (int i = 0; i < places; ++i) {
      from.push_back(out_[std::size_t(i)].span());
      to.push_back(in_[std::size_t(i)].span());
    }
    sent_ = received_ = 0;
    ++bound_;
    co_await line.bind(from, to);
  }
  bool begins_to_bind() const { return bound_ == 2; }

  /// Fills each array as soon as that is allowed: once the previous send from it has completed.
  task<> say(int rounds) {
    for (int i = 0; i < rounds; ++i, ++sent_) {
      fill_.launch(count_from, out_[std::size_t(sent_) % out_.size()].span(), first_of(where()[0], sent_));
      co_await line.send(fill_);
    }
  }
  task<> hear(int rounds) {
    for (int i = 0; i < rounds; ++i, ++received_) {
      const device_span<std::int64_t> got = co_await line.receive(look_);
      EXPECT_EQ(got.data(), in_[std::size_t(received_) % in_.size()].span().data());
      EXPECT_EQ(got.size(), in_[std::size_t(received_) % in_.size()].size());
      look_.launch(compare, got, first_of(1 - where()[0], received_), wrong_.span());
      line.release(look_);
    }
    co_await look_.done();
  }
  /// Both directions, each end at its own speed.
  task<> talk(int rounds) { co_await when_all(say(rounds), hear(rounds)); }
  /// As neighbours of a grid do: no end is more than one array ahead.
  task<> exchange(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      co_await say(1);
      co_await hear(1);
    }
  }
  /// Keeps all arrays until the other end has sent all of them.
  task<> keep(int rounds) {
    for (int i = 0; i < rounds; ++i) co_await line.receive(look_);
    for (int i = 0; i < rounds; ++i, ++received_) {
      look_.launch(compare, std::as_const(in_[std::size_t(received_) % in_.size()]).span(),
                   first_of(1 - where()[0], received_), wrong_.span());
      line.release(look_);
    }
    co_await look_.done();
  }
  /// Two receives wait, of which one is cancelled when the bell rings; then `rounds` arrays are received.
  task<> give_up_and_hear(int rounds) {
    auto first = co_await when_any(line.receive(look_), bell.receive());
    EXPECT_EQ(first.index, 1U);
    co_await hear(rounds);
  }
  std::int64_t driver_calls() {
    return static_cast<std::int64_t>(gpu().memory(memory_kind::device).counts().driver_calls);
  }
  mailbox<int> bell;
  task<std::int64_t> wrong() {
    look_.copy(seen_.span(), std::as_const(wrong_).span());
    co_await look_.done();
    co_return seen_[0];
  }

  task<std::string> send_in_vain() {
    const std::string text = co_await awaited_error_of<error>([&] { return line.send(fill_); });
    co_return text;
  }
  std::string release_in_vain() {
    return error_of<error>([this] { line.release(look_); });
  }
  task<std::string> bind_in_vain(std::vector<std::size_t> from, std::vector<std::size_t> to) {
    std::vector<device_buffer<std::int64_t>> all;
    std::vector<device_span<const std::int64_t>> out;
    std::vector<device_span<std::int64_t>> in;
    for (const std::size_t size : from) out.push_back(all.emplace_back(gpu(), size).span());
    for (const std::size_t size : to) in.push_back(all.emplace_back(gpu(), size).span());
    const std::string text = co_await awaited_error_of<error>([&] { return line.bind(out, in); });
    co_return text;
  }
  task<std::string> bind_host_memory() {
    std::vector<std::int64_t> here(3);
    const std::vector<device_span<std::int64_t>> in{{here.data(), here.size(), nullptr}};
    const std::string text = co_await awaited_error_of<error>([&] { return line.bind({}, in); });
    co_return text;
  }

 private:
  stream fill_{gpu(), stream_priority::normal, "fill"}, look_{gpu(), stream_priority::normal, "look"};
  device_buffer<std::int64_t> wrong_;
  pinned_buffer<std::int64_t> seen_;
  std::vector<device_buffer<std::int64_t>> out_, in_;
  int sent_ = 0, received_ = 0, bound_ = 0;
};

class persistent_channels : public on_machine {
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

INSTANTIATE_TEST_SUITE_P(on, persistent_channels,
                         ::testing::ValuesIn(machines({"threads_1", "threads_2", "shuffled", "delayed",
                                                       "deterministic_30", "simulated", "processes_2",
                                                       "processes_2x2_comm_thread"})),
                         name_of_machine);

TEST_P(persistent_channels, bring_arrays_in_order_both_ways) {
  for (const int devices : {1, 2})
    for (const int places : {1, 2, 3})
      run_with(devices, [places]() -> task<> {
        auto ends = make_array<end>({2});
        co_await ends.call<&end::connect>();
        co_await ends.call<&end::bind>(places);
        co_await ends.call<&end::talk>(19);
        co_await ends.call<&end::exchange>(7);
        EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
      });
}
TEST_P(persistent_channels, let_one_end_send_and_the_other_receive) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::bind>(2);
    auto saying = ends[0].call<&end::say>(23);
    co_await ends[1].call<&end::hear>(20);
    co_await ends[1].call<&end::hear>(3);
    co_await saying;
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}
TEST_P(persistent_channels, keep_what_is_not_released) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::bind>(3);
    co_await when_all(ends[0].call<&end::say>(3), ends[1].call<&end::keep>(3));
    co_await when_all(ends[0].call<&end::say>(3), ends[1].call<&end::keep>(3));
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}
TEST_P(persistent_channels, take_no_memory_of_devices_for_other_processes_of_the_host) {
  if (GetParam().processes == 1) return;
  for (const device_path path : {device_path::any, device_path::host})
    run_with(
        1,
        []() -> task<> {
          auto ends = make_array<end>({2});
          co_await ends.call<&end::connect>();
          for (const int places : {3, 2}) {
            co_await ends.call<&end::bind>(places);
            const std::int64_t before = co_await ends.reduce<&end::driver_calls>(sum);
            co_await ends.call<&end::talk>(19);
            co_await ends.call<&end::exchange>(7);
            EXPECT_EQ((co_await ends.reduce<&end::driver_calls>(sum)), before);
          }
          EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
        },
        path);
}
TEST_P(persistent_channels, leave_out_receives_that_have_given_up) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::bind>(2);
    auto hearing = ends[1].call<&end::give_up_and_hear>(9);
    co_await quiescence();
    send<&end::bell>(ends[1], 0);
    co_await quiescence();
    co_await ends[0].call<&end::say>(9);
    co_await hearing;
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}
TEST_P(persistent_channels, are_bound_anew) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    for (const int places : {2, 3, 1}) {
      co_await ends.call<&end::bind>(places);
      co_await ends.call<&end::talk>(5);
    }
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}
TEST_P(persistent_channels, refuse_what_cannot_be) {
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    EXPECT_NE((co_await ends[0].call<&end::send_in_vain>()).find("an unbound persistent channel"),
              std::string::npos);
    EXPECT_NE((co_await ends[0].call<&end::release_in_vain>()).find("an unbound persistent channel"),
              std::string::npos);
    co_await ends.call<&end::connect>();
    EXPECT_NE((co_await ends[0].call<&end::bind_host_memory>()).find("on no device"), std::string::npos);
    const std::vector<std::size_t> none, three{3}, five{5}, two_of_three{3, 3};
    EXPECT_NE((co_await ends[0].call<&end::bind_in_vain>(three, none)).find("without memory"),
              std::string::npos);
    auto [shorter, other] = co_await when_all(ends[0].call<&end::bind_in_vain>(three, three),
                                              ends[1].call<&end::bind_in_vain>(three, five));
    EXPECT_NE(shorter.find("arrays of 3 elements where the other end receives 5"), std::string::npos)
        << shorter;
    EXPECT_EQ(other, "");
    auto [more, agreed] = co_await when_all(ends[0].call<&end::bind_in_vain>(two_of_three, three),
                                            ends[1].call<&end::bind_in_vain>(three, three));
    EXPECT_NE(more.find("from 2 arrays where the other end receives to 1"), std::string::npos) << more;
    EXPECT_EQ(agreed, "");
    co_await ends.call<&end::bind>(1);
    EXPECT_NE((co_await ends[0].call<&end::release_in_vain>()).find("has received none"), std::string::npos);
    co_await ends[0].call<&end::say>(1);
    co_await quiescence();
    auto [sent, unread] = co_await when_all(ends[0].call<&end::bind_in_vain>(five, five),
                                            ends[1].call<&end::bind_in_vain>(five, five));
    EXPECT_NE(sent.find("bound anew before all sent arrays were received"), std::string::npos) << sent;
    EXPECT_NE(unread.find("bound anew before all sent arrays were received"), std::string::npos) << unread;
  });
}
TEST_P(persistent_channels, tell_of_another_end_that_is_no_more) {
  if (GetParam().processes > 1) return;  // the memory then belongs to its own end alone
  run_with(1, []() -> task<> {
    auto ends = make_array<end>({2});
    co_await ends.call<&end::connect>();
    co_await ends.call<&end::bind>(1);
    auto anew = ends[1].call<&end::bind>(1);
    while (!(co_await ends[1].call<&end::begins_to_bind>()))
      co_await sleep_for(std::chrono::microseconds(50));
    const std::string text = co_await ends[0].call<&end::send_in_vain>();
    EXPECT_NE(text.find("its other end has been destroyed or has moved; bind both ends again"),
              std::string::npos)
        << text;
    co_await ends[0].call<&end::bind>(1);
    co_await std::move(anew);
    co_await ends.call<&end::talk>(5);
    EXPECT_EQ((co_await ends.reduce<&end::wrong>(sum)), 0);
  });
}

}  // namespace imbrex::persistent_channel_test
