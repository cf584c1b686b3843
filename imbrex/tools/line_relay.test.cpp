// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/line_relay.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace {

using imbrex::descriptor;
using imbrex::tools::line_source;
using imbrex::tools::line_splitter;
using imbrex::tools::output;

struct pipe_ends {
  pipe_ends() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    out = descriptor(ends[0]);
    in = descriptor(ends[1]);
  }

  std::string read_all() const {
    std::string all;
    std::array<char, 10'000> piece{};
    for (ssize_t got; (got = ::read(out.get(), piece.data(), piece.size())) > 0;)
      all.append(piece.data(), static_cast<std::size_t>(got));
    return all;
  }

  descriptor out;
  descriptor in;
};

TEST(line_splitter, gives_whole_lines_only) {
  line_splitter lines("");
  EXPECT_EQ(lines.take("on"), "");
  EXPECT_EQ(lines.take("e\ntwo\nthr"), "one\ntwo\n");
  EXPECT_EQ(lines.take("\n"), "thr\n");
  EXPECT_EQ(lines.take("\n\n"), "\n\n");
  EXPECT_EQ(lines.rest(), "");
  EXPECT_EQ(lines.take("last"), "");
  EXPECT_EQ(lines.rest(), "last");
}

TEST(line_splitter, puts_the_prefix_before_each_line_once) {
  line_splitter lines("[3] ");
  EXPECT_EQ(lines.take("a\n\nb"), "[3] a\n[3] \n");
  EXPECT_EQ(lines.take("c"), "");
  EXPECT_EQ(lines.rest(), "[3] bc");
  EXPECT_EQ(lines.rest(), "");
}

TEST(line_splitter, passes_an_endless_line_on_in_pieces) {
  line_splitter lines("[0] ");
  const std::string piece(line_splitter::longest_line / 2, 'x');
  std::string all = lines.take(piece) + lines.take(piece);
  EXPECT_EQ(all.size(), 2 * piece.size() + 4);
  all += lines.take("y\nnext\n");
  EXPECT_EQ(all, "[0] " + piece + piece + "y\n[0] next\n");
}

class errors : public testing::Test {
 protected:
  using filter_type = imbrex::tools::error_filter;
  std::string filter(std::string_view lines, const int& writer) {
    return filter_.without_repeated(lines, &writer, now_);
  }

  filter_type filter_;
  filter_type::time_point now_{};
  const int a_ = 0;
  const int b_ = 0;
};

TEST_F(errors, are_passed_on_once_unless_the_same_process_repeats_them) {
  EXPECT_EQ(filter("app: error: no such option\n\nhello\n", a_), "app: error: no such option\n\nhello\n");
  EXPECT_EQ(filter("hello\napp: error: no such option\nbye\n", b_), "hello\nbye\n");
  EXPECT_EQ(filter("app: error: no such option\n", a_), "app: error: no such option\n");
  EXPECT_EQ(filter("app: error: another\n", b_), "app: error: another\n");
  EXPECT_EQ(filter("", a_), "");
}

TEST_F(errors, are_passed_on_when_they_come_later) {
  EXPECT_EQ(filter("app: error: lost\n", a_), "app: error: lost\n");
  now_ += filter_type::longest_distance;
  EXPECT_EQ(filter("app: error: lost\n", b_), "");
  now_ += std::chrono::nanoseconds(1);
  EXPECT_EQ(filter("app: error: lost\n", b_), "app: error: lost\n");
}

TEST_F(errors, are_whole_lines_that_are_not_too_long) {
  const std::string piece = "app: error: of a line without end";
  const std::string longest = "app: error: " + std::string(filter_type::longest_line - 13, 'x') + "\n";
  const std::string longer = "x" + longest;
  for (const int* writer : {&a_, &b_}) {
    EXPECT_EQ(filter(piece, *writer), piece);
    EXPECT_EQ(filter(longer, *writer), longer);
    EXPECT_EQ(filter(longest, *writer), writer == &a_ ? longest : "");
  }
}

TEST_F(errors, are_kept_up_to_some_number) {
  const auto line = [](std::size_t i) { return "app: error: " + std::to_string(i) + "\n"; };
  for (std::size_t i = 0; i <= filter_type::most_kept; ++i) filter(line(i), a_);
  EXPECT_EQ(filter(line(filter_type::most_kept - 1), b_), "");
  EXPECT_EQ(filter(line(filter_type::most_kept), b_), line(filter_type::most_kept));
}

TEST(output, begins_a_new_line_after_one_without_end) {
  const pipe_ends pipe;
  output to(pipe.in.get());
  const int a = 0;
  const int b = 0;
  to.add("one", &a);
  to.add("", &b);
  to.add("two\n", &b);
  to.add("three", &a);
  to.write_some();
  EXPECT_EQ(pipe.read_all(), "one\ntwo\nthree");
}

TEST(output, lets_a_writer_go_on_with_its_line) {
  const pipe_ends pipe;
  output to(pipe.in.get());
  const int a = 0;
  const int b = 0;
  to.add("o", &a);
  to.add("ne", &a);
  to.add("two\n", &b);
  to.add(" more\n", &a);
  to.write_some();
  EXPECT_EQ(pipe.read_all(), "one\ntwo\n more\n");
}

TEST(output, keeps_what_a_full_pipe_does_not_take) {
  const pipe_ends pipe;
  output to(pipe.in.get());
  std::string all;
  for (int i = 0; i < 300'000; ++i) all += std::to_string(i) + "\n";
  to.add(all, nullptr);
  std::string got;
  while (to.waiting() > 0) {
    const std::size_t before = to.waiting();
    to.write_some();
    ASSERT_LT(to.waiting(), before);
    got += pipe.read_all();
  }
  EXPECT_EQ(got, all);
}

TEST(output, drops_what_nobody_reads) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  pipe_ends pipe;
  pipe.out.close();
  output to(pipe.in.get());
  to.add("text\n", nullptr);
  to.write_some();
  EXPECT_TRUE(to.broken());
  EXPECT_EQ(to.error(), EPIPE);
  EXPECT_EQ(to.waiting(), 0U);
  ::signal(SIGPIPE, before);
}

TEST(line_source, passes_the_last_line_on_at_the_end) {
  pipe_ends from;
  const pipe_ends into;
  output to(into.in.get());
  line_source source(std::move(from.out), to, "[1] ");
  EXPECT_FALSE(source.move_some());
  EXPECT_TRUE(source.open());
  ASSERT_EQ(::write(from.in.get(), "a\nb", 3), 3);
  from.in.close();
  while (source.move_some()) continue;
  EXPECT_FALSE(source.open());
  to.write_some();
  EXPECT_EQ(into.read_all(), "[1] a\n[1] b");
}

}  // namespace
