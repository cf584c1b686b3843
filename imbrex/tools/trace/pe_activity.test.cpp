// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/pe_activity.hpp>

#include <gtest/gtest.h>

#include <string>

namespace imbrex::tools {
namespace {

using trace::item_class;
using trace::record;
using trace::record_kind;

struct number {
  int value = 0;
};
using activity = pe_activity<number>;
using mode = activity::mode;

record of(record_kind kind, std::uint64_t element = 0, item_class detail = item_class::entry) {
  return {10, kind, static_cast<std::uint8_t>(detail), 3, 7, 0, element};
}

/// A text of the ended frames: "coroutine 2, item 0".
class endings {
 public:
  void operator()(const activity::frame& frame, std::size_t depth) const {
    static constexpr const char* kinds[]{"item", "turn", "coroutine"};
    text_ += (text_.empty() ? "" : ", ") + std::string(kinds[static_cast<int>(frame.kind)]) + " " +
             std::to_string(depth);
  }
  std::string take() const { return std::exchange(text_, {}); }

 private:
  mutable std::string text_;
};

TEST(pe_activity, is_a_stack_of_what_runs) {
  activity pe;
  const endings ended;
  EXPECT_EQ(pe.now(), mode::idle);
  activity::frame& item = pe.item_begin(of(record_kind::item_begin, 5), ended);
  EXPECT_TRUE(item.program);
  EXPECT_EQ(item.element, 5U);
  EXPECT_EQ(item.group, 7U);
  EXPECT_EQ(item.entry, 3U);
  EXPECT_EQ(item.begun, 10U);
  item.more.value = 9;
  ASSERT_NE(pe.turn_begin(of(record_kind::entry_begin, 6)), nullptr);
  ASSERT_NE(pe.resumed(of(record_kind::resumed, 8)), nullptr);
  EXPECT_EQ(pe.innermost().kind, frame_kind::coroutine);
  EXPECT_EQ(pe.frames().size(), 3U);
  EXPECT_TRUE(pe.suspended(of(record_kind::suspended, 8), ended));
  EXPECT_EQ(ended.take(), "coroutine 2");
  EXPECT_TRUE(pe.turn_end(ended));
  EXPECT_EQ(ended.take(), "turn 1");
  EXPECT_EQ(pe.innermost().more.value, 9);
  pe.item_end(ended);
  EXPECT_EQ(ended.take(), "item 0");
  EXPECT_EQ(pe.now(), mode::idle);
}

TEST(pe_activity, ends_what_was_left_unended_inside) {
  activity pe;
  const endings ended;
  pe.item_begin(of(record_kind::item_begin), ended);
  pe.turn_begin(of(record_kind::entry_begin));
  pe.resumed(of(record_kind::resumed, 1));
  pe.resumed(of(record_kind::resumed, 2));
  EXPECT_FALSE(pe.suspended(of(record_kind::suspended, 3), ended));
  EXPECT_EQ(ended.take(), "");
  EXPECT_TRUE(pe.suspended(of(record_kind::suspended, 1), ended));
  EXPECT_EQ(ended.take(), "coroutine 3, coroutine 2");
  pe.item_begin(of(record_kind::item_begin), ended);
  EXPECT_EQ(ended.take(), "turn 1, item 0");
  EXPECT_FALSE(pe.turn_end(ended));
  pe.stop(ended);
  EXPECT_EQ(ended.take(), "item 0");
}

TEST(pe_activity, is_idle_or_parked_or_unknown_between_items) {
  activity pe;
  const endings ended;
  pe.parked();
  EXPECT_EQ(pe.now(), mode::parked);
  pe.woken();
  EXPECT_EQ(pe.now(), mode::idle);
  pe.item_begin(of(record_kind::item_begin), ended);
  pe.parked();  // the records in between are lost
  EXPECT_EQ(pe.now(), mode::busy);
  pe.stop(ended);
  EXPECT_EQ(pe.now(), mode::unrecorded);
  EXPECT_EQ(pe.turn_begin(of(record_kind::entry_begin)), nullptr);
  EXPECT_EQ(pe.resumed(of(record_kind::resumed)), nullptr);
  pe.item_end(ended);
  EXPECT_EQ(pe.now(), mode::idle);
}

TEST(pe_activity, knows_the_program_from_the_runtime) {
  activity pe;
  const endings ended;
  EXPECT_FALSE(pe.item_begin(of(record_kind::item_begin, 0, item_class::runtime), ended).program);
  EXPECT_FALSE(pe.item_begin(of(record_kind::item_begin, 0, item_class::other), ended).program);
  EXPECT_FALSE(pe.turn_begin(of(record_kind::entry_begin, 0, item_class::runtime))->program);
  EXPECT_TRUE(pe.resumed(of(record_kind::resumed, 0, item_class::other))->program);
}

TEST(pe_activity, is_never_deeper_than_any_run) {
  activity pe;
  const endings ended;
  pe.item_begin(of(record_kind::item_begin), ended);
  for (std::size_t k = 1; k < activity::deepest; ++k)
    ASSERT_NE(pe.turn_begin(of(record_kind::entry_begin)), nullptr);
  EXPECT_EQ(pe.turn_begin(of(record_kind::entry_begin)), nullptr);
  EXPECT_EQ(pe.resumed(of(record_kind::resumed)), nullptr);
  EXPECT_EQ(pe.frames().size(), activity::deepest);
}

}  // namespace
}  // namespace imbrex::tools
