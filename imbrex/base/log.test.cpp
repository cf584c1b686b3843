// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/log.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using imbrex::log_level;

/// Captures the standard error output while it lives, and restores the level at its end.
class captured {
 public:
  captured() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    saved_ = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    reader_ = std::thread([this, from = ends[0]] {
      std::array<char, 4096> part;
      for (ssize_t n = 0; (n = ::read(from, part.data(), part.size())) > 0;)
        all_.append(part.data(), static_cast<std::size_t>(n));
      ::close(from);
    });
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() {
    release();
    imbrex::set_log_level(log_level::warning);
  }

  /// Restores the output and returns everything written until then.
  const std::string& text() {
    release();
    return all_;
  }

 private:
  void release() {
    if (!reader_.joinable()) return;
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    reader_.join();
  }

  std::string all_;
  std::thread reader_;
  int saved_ = -1;
};

TEST(log, writes_what_matters_enough) {
  captured output;
  EXPECT_EQ(imbrex::current_log_level(), log_level::warning);
  imbrex::log(log_level::info, "quiet");
  imbrex::log(log_level::warning, "slow");
  imbrex::set_log_level(log_level::debug);
  imbrex::log(log_level::debug, "step 3");
  imbrex::log(log_level::info, "");
  imbrex::set_log_level(log_level::error);
  imbrex::log(log_level::warning, "quiet");
  imbrex::log(log_level::error, "wrong");
  EXPECT_EQ(output.text(), "imbrex: warning: slow\nimbrex: debug: step 3\nimbrex: \nimbrex: error: wrong\n");
}

TEST(log, shows_control_characters_escaped) {
  captured output;
  imbrex::log(log_level::error, "two lines\nand\x1b[31m colours");
  EXPECT_EQ(output.text(), "imbrex: error: two lines\nand\\x1b[31m colours\n");
}

TEST(log, keeps_the_lines_of_threads_whole) {
  captured output;
  constexpr int lines = 100;
  const std::string first(60, 'a');
  const std::string second(60, 'b');
  std::vector<std::thread> writers;
  for (const auto& text : {first, second})
    writers.emplace_back([text] {
      for (int i = 0; i < lines; ++i) imbrex::log(log_level::error, text);
    });
  for (auto& writer : writers) writer.join();
  std::istringstream all(output.text());
  int seen = 0;
  for (std::string line; std::getline(all, line); ++seen)
    EXPECT_TRUE(line == "imbrex: error: " + first || line == "imbrex: error: " + second) << line;
  EXPECT_EQ(seen, 2 * lines);
}

TEST(log, writes_a_line_longer_than_a_pipe) {
  captured output;
  const std::string text(300'000, 'x');
  imbrex::log(log_level::error, text);
  EXPECT_EQ(output.text(), "imbrex: error: " + text + "\n");
}

TEST(log, leaves_errno_alone_and_survives_a_closed_output) {
  const int saved = ::dup(STDERR_FILENO);
  ::close(STDERR_FILENO);
  errno = EDOM;
  imbrex::log(log_level::error, "lost");
  const int after = errno;
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  EXPECT_EQ(after, EDOM);
}

}  // namespace
