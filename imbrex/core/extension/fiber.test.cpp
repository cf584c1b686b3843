// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/fiber.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cfenv>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::extension {
namespace {

constexpr std::size_t bytes = std::size_t{256} << 10U;

/// A fiber that runs `body(fiber)`.
class program {
 public:
  explicit program(std::function<void(fiber&)> body)
      : body_(std::move(body)),
        fiber_(
            bytes,
            [](void* self) {
              auto& its = *static_cast<program*>(self);
              its.body_(its.fiber_);
            },
            this) {}
  fiber* operator->() { return &fiber_; }

 private:
  std::function<void(fiber&)> body_;
  fiber fiber_;
};

TEST(fibers, run_until_they_leave_or_end) {
  std::string order;
  program one([&](fiber& own) {
    order += "a";
    own.leave();
    order += "c";
  });
  one->enter();
  order += "b";
  EXPECT_FALSE(one->has_ended());
  one->enter();
  EXPECT_TRUE(one->has_ended());
  EXPECT_EQ(order, "abc");
}

TEST(fibers, end_in_the_midst) {
  bool goes_on = false;
  program one([&](fiber& own) {
    own.end();
    goes_on = true;
  });
  one->enter();
  EXPECT_TRUE(one->has_ended());
  EXPECT_FALSE(goes_on);
}

TEST(fibers, nest_and_take_turns) {
  std::string order;
  program inner([&](fiber& own) {
    for (const char c : {'1', '2', '3'}) {
      order += c;
      own.leave();
    }
  });
  program outer([&](fiber& own) {
    for (const char c : {'a', 'b', 'c'}) {
      order += c;
      inner->enter();
      own.leave();
    }
  });
  for (int i = 0; i < 4; ++i) outer->enter();
  EXPECT_EQ(order, "a1b2c3");
  EXPECT_TRUE(outer->has_ended());
  EXPECT_FALSE(inner->has_ended());  // the stack is freed as it is
}

TEST(fibers, keep_exceptions_and_rounding_for_themselves) {
  program one([](fiber& own) {
    std::fesetround(FE_UPWARD);
    try {
      throw std::runtime_error("of the fiber");
    } catch (const std::runtime_error&) {
      own.leave();
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
      try {
        throw;
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "of the fiber");
      }
    }
    std::fesetround(FE_TONEAREST);
  });
  try {
    throw std::logic_error("of the caller");
  } catch (const std::logic_error&) {
    one->enter();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    one->enter();
    EXPECT_THROW(throw, std::logic_error);
  }
  EXPECT_TRUE(one->has_ended());
}

TEST(fibers, go_on_by_another_thread) {
  std::vector<pid_t> ran_on;
  program one([&](fiber& own) {
    for (int i = 0; i < 2; ++i) {
      ran_on.push_back(::gettid());  // compilers take std::this_thread::get_id() for a constant
      own.leave();
    }
  });
  one->enter();
  pid_t other = 0;
  std::thread([&] {
    other = ::gettid();
    one->enter();
  }).join();
  EXPECT_EQ(ran_on, (std::vector{::gettid(), other}));
}

TEST(fibers, know_their_stacks) {
  const void* inside = nullptr;
  program one([&](fiber&) { inside = __builtin_frame_address(0); });
  one->enter();
  EXPECT_TRUE(one->holds(inside));
  EXPECT_FALSE(one->is_below(inside));
  EXPECT_FALSE(one->holds(__builtin_frame_address(0)));
  EXPECT_EQ(one->bytes(), bytes);
}

TEST(fibers, refuse_stacks_that_no_address_space_holds) {
  try {
    const fiber one(std::size_t{1} << 60U, [](void*) {}, nullptr);
    FAIL() << "a stack of 2^60 bytes was mapped";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("a stack of 1152921504606846976 bytes cannot be mapped"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace imbrex::extension
