// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/durable_element.hpp>
#include <imbrex/core/array/saved_names.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/saved_members.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::saved_members_test {

using test::compare;
using test::count_from;

constexpr std::size_t cells = 500;
constexpr std::int64_t first = 4'711;

class holder : public chare<holder> {
 public:
  task<> fill() {
    stream work(gpu(), stream_priority::normal, "work");
    own_ = device_buffer<std::int64_t>(gpu(), cells);
    work.launch(count_from, own_.span(), first);
    for (std::size_t i = 0; i < 3; ++i) {
      others_.emplace_back(gpu(), cells + i);
      work.launch(count_from, others_.back().span(), first + std::int64_t(i));
    }
    copy_ = pinned_buffer<std::int64_t>(gpu(), cells);
    work.copy(copy_.span(), std::as_const(own_).span());
    co_await work.done();
  }
  /// Writes itself, as it would for another run.
  task<std::vector<std::byte>> write() {
    auto& e = detail::element_memory<holder>::of(*this);
    detail::members_to_write members;
    detail::names_to_write names(&members);
    members.fetch(e);
    EXPECT_NE(members.last(), nullptr);
    co_await members.last()->done();
    writer out;
    out.carry_by(names);
    names.write_attachments(e, out);
    serialize(out);
    co_return out.take();
  }
  /// Takes the state of another element.
  task<> read(std::vector<std::byte> bytes) {
    const detail::saved_numbers none;
    detail::members_to_read members;
    detail::names_to_read names({}, {}, none, &members);
    reader in(bytes);
    in.carry_by(names);
    names.read_attachments(in);
    serialize(in);
    in.finish();
    names.complete(detail::element_memory<holder>::of(*this));
    EXPECT_NE(members.last(), nullptr);
    co_await members.last()->done();
  }
  task<int> count_wrong() {
    stream work(gpu(), stream_priority::normal, "work");
    device_buffer<std::int64_t> wrong(gpu(), 1);
    work.fill(wrong.span(), std::byte(0));
    work.launch(compare, own_.span(), first, wrong.span());
    for (std::size_t i = 0; i < others_.size(); ++i)
      work.launch(compare, others_[i].span(), first + std::int64_t(i), wrong.span());
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    work.copy(seen.span(), std::as_const(wrong).span());
    co_await work.done();
    int all = static_cast<int>(seen[0]);
    for (std::size_t i = 0; i < cells; ++i) all += copy_[i] == first + std::int64_t(i) ? 0 : 1;
    const bool is_here = own_.device() == gpu().info().id && others_.size() == 3 && own_.size() == cells;
    co_return all + (is_here && nothing_.size() == 0 ? 0 : 1);
  }
  /// The text of the error with which changed bytes are refused; empty if they are not.
  task<std::string> complaint(std::vector<std::byte> bytes) {
    const std::string text = co_await awaited_error_of<std::exception>(read(std::move(bytes)));
    co_return text;
  }
  void serialize(auto& ar) { ar(own_, others_, nothing_, copy_); }

 private:
  device_buffer<std::int64_t> own_, nothing_;
  std::vector<device_buffer<std::int64_t>> others_;
  pinned_buffer<std::int64_t> copy_;
};

class saved_members : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, saved_members,
                         ::testing::ValuesIn(machines({"threads_2", "deterministic_3", "simulated"})),
                         name_of_machine);

TEST_P(saved_members, are_copied_and_stay) {
  for (options settings : GetParam().runs) {
    settings.device = "emulated";
    settings.devices = 2;
    const int status = run_once(settings, []() -> task<> {
      const auto all = make_array<holder>({4});
      co_await all.call<&holder::fill>();
      const std::vector<std::byte> bytes = co_await all[0].call<&holder::write>();
      const int still_right = co_await all.reduce<&holder::count_wrong>(sum);
      EXPECT_EQ(still_right, 0);
      const auto others = make_array<holder>(dense(3).placed(round_robin));
      co_await others.call<&holder::read>(bytes);
      const int wrong = co_await others.reduce<&holder::count_wrong>(sum);
      EXPECT_EQ(wrong, 0);
    });
    EXPECT_EQ(status, 0) << text_of(settings);
  }
}

TEST(saved_members, of_foreign_bytes_are_refused_in_words) {
  options settings = seeded(1, 2);
  settings.device = "emulated";
  const int status = imbrex::run(settings, []() -> task<> {
    const auto all = make_array<holder>({1});
    co_await all.call<&holder::fill>();
    std::vector<std::byte> bytes = co_await all[0].call<&holder::write>();
    for (std::size_t n = 0; n < bytes.size(); n += 97) {
      const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + std::ptrdiff_t(n));
      const std::string text = co_await all[0].call<&holder::complaint>(cut);
      EXPECT_NE(text, "") << n;
    }
    // The number of buffers, and the first bytes of each: sizes, counts and kinds.
    for (std::size_t n = 0; n < 40; ++n) {
      bytes[n] ^= std::byte(0x11);
      co_await all[0].call<&holder::complaint>(bytes);
      bytes[n] ^= std::byte(0x11);
    }
    co_await all[0].call<&holder::read>(bytes);
    const int wrong = co_await all.reduce<&holder::count_wrong>(sum);
    EXPECT_EQ(wrong, 0);
  });
  EXPECT_EQ(status, 0);
}

}  // namespace imbrex::saved_members_test
