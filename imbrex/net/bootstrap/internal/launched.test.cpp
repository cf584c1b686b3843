// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/launched.hpp>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using namespace std::chrono_literals;
using imbrex::descriptor;
using imbrex::frame_kind;
using imbrex::testing::error_of;

/// A process's bootstrap; the test acts as the launcher.
class launched : public testing::Test {
 protected:
  launched() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    process_ = descriptor(ends[0]);
    launcher_ = descriptor(ends[1]);
  }

  imbrex::launched_bootstrap start(std::chrono::milliseconds patience) {
    return {1, 2, std::move(process_), descriptor(), patience};
  }

  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(launcher_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

  imbrex::frame hear() {
    while (true) {
      if (auto complete = in_.next()) return *std::move(complete);
      std::array<char, 1000> piece{};
      const ssize_t got = ::recv(launcher_.get(), piece.data(), piece.size(), 0);
      if (got <= 0) throw imbrex::error("the process has closed the connection");
      in_.append({piece.data(), static_cast<std::size_t>(got)});
    }
  }

  static std::string complaint(imbrex::bootstrap& process) {
    return error_of<imbrex::error>([&] { process.all_gather("mine"); });
  }

  descriptor process_;
  descriptor launcher_;
  imbrex::frame_reader in_;
};

TEST_F(launched, gives_its_text_and_gets_all) {
  auto process = start(30s);
  const std::vector<std::string> all{"other", ""};
  say(encode_frame(frame_kind::gathered, imbrex::encode_texts(all)));
  EXPECT_EQ(process.all_gather("mine"), all);
  const imbrex::frame frame = hear();
  EXPECT_EQ(frame.kind, frame_kind::gather);
  EXPECT_EQ(frame.payload, "mine");
}

TEST_F(launched, asks_who_is_missing_and_fails_for_good) {
  auto process = start(10ms);
  std::thread launcher([this] {
    EXPECT_EQ(hear().kind, frame_kind::gather);
    const imbrex::frame overdue = hear();
    EXPECT_EQ(overdue.kind, frame_kind::overdue);
    EXPECT_EQ(overdue.payload, "0.01 s");
    say(encode_frame(frame_kind::failed, "rank 0 is missing"));
  });
  const std::string text = complaint(process);
  launcher.join();
  EXPECT_NE(text.find("rank 0 is missing"), std::string::npos) << text;
  EXPECT_EQ(complaint(process), text);
}

TEST_F(launched, says_that_the_launcher_has_gone) {
  auto process = start(30s);
  launcher_.close();
  EXPECT_NE(complaint(process).find("imbrex run, has gone"), std::string::npos);
  process.finish(1);  // the frame has no receiver, and no signal ends the process
}

TEST_F(launched, refuses_what_is_not_an_answer) {
  auto process = start(30s);
  say(std::string(16, 'x'));
  EXPECT_NE(complaint(process).find("not of the protocol"), std::string::npos);
}

TEST_F(launched, refuses_the_texts_of_another_job) {
  auto process = start(30s);
  say(encode_frame(frame_kind::gathered, imbrex::encode_texts({"a", "b", "c"})));
  EXPECT_NE(complaint(process).find("3 texts of 2 processes"), std::string::npos);
}

TEST_F(launched, complains_to_a_launcher_that_is_there) {
  auto process = start(30s);
  EXPECT_TRUE(process.complain("rank 0 is silent"));
  const imbrex::frame message = hear();
  EXPECT_EQ(message.kind, frame_kind::complaint);
  EXPECT_EQ(message.payload, "rank 0 is silent");
  launcher_.close();
  EXPECT_FALSE(process.complain("again"));
}

TEST_F(launched, waits_for_the_others_at_the_end_without_limit) {
  auto process = start(10ms);
  std::thread launcher([this] {
    const imbrex::frame message = hear();
    EXPECT_EQ(message.kind, frame_kind::leave);
    EXPECT_EQ(imbrex::decode_status(message.payload), 3);
    std::this_thread::sleep_for(50ms);
    say(encode_frame(frame_kind::gathered,
                     imbrex::encode_texts({imbrex::encode_status(0), imbrex::encode_status(3)})));
  });
  EXPECT_EQ(process.leave(3), 3);
  launcher.join();
}

TEST_F(launched, hears_that_others_have_left) {
  auto process = start(30s);
  EXPECT_FALSE(process.others_left());
  say(encode_frame(frame_kind::left, imbrex::encode_status(3)));
  const auto end = process.others_left();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, 3);
  EXPECT_FALSE(end->is_death);
  EXPECT_FALSE(process.others_left());
  say(encode_frame(frame_kind::left, imbrex::encode_status(3)));
  say(encode_frame(frame_kind::gathered,
                   imbrex::encode_texts({imbrex::encode_status(5), imbrex::encode_status(3)})));
  EXPECT_EQ(process.leave(3), 5);
  launcher_.close();
  EXPECT_FALSE(process.others_left());
}

TEST_F(launched, hears_that_one_has_died) {
  auto process = start(30s);
  say(encode_frame(frame_kind::died, ""));
  const auto end = process.others_left();
  ASSERT_TRUE(end);
  EXPECT_NE(end->status, 0);
  EXPECT_TRUE(end->is_death);
  say(encode_frame(frame_kind::died, ""));
  say(encode_frame(frame_kind::failed, "rank 1 has ended by signal 9 (Killed) and will not come"));
  EXPECT_THROW(process.leave(1), imbrex::reported_error);
}

TEST_F(launched, announces_its_status) {
  auto process = start(30s);
  process.finish(7);
  const imbrex::frame message = hear();
  EXPECT_EQ(message.kind, frame_kind::finish);
  EXPECT_EQ(imbrex::decode_status(message.payload), 7);
}

}  // namespace
