// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/out_of_memory.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/sanitized.test.hpp>

namespace {

constexpr std::size_t too_much = std::numeric_limits<std::ptrdiff_t>::max() / 2;

/// The text of the exception for an allocation that large; empty if nothing is thrown.
std::string refusal() {
  try {
    ::operator delete(::operator new(too_much));
    return {};
  } catch (...) {
    return imbrex::describe(std::current_exception());
  }
}

TEST(out_of_memory, has_the_figures_of_its_moment) {
  const imbrex::out_of_memory before;
  std::vector<char> much(std::size_t{40} << 20U, 'x');
  const std::string text = imbrex::out_of_memory().what();
  EXPECT_NE(text, before.what());
  EXPECT_TRUE(text.starts_with("out of memory (std::bad_alloc): ")) << text;
  EXPECT_NE(text.find("iB of the machine's "), text.npos) << text;
  EXPECT_TRUE(text.ends_with("its control group)")) << text;
  EXPECT_EQ(imbrex::describe(std::make_exception_ptr(before)), before.what());
  EXPECT_EQ(much.back(), 'x');
}

TEST(out_of_memory, keeps_the_text_of_another_process) {
  EXPECT_STREQ(imbrex::out_of_memory("there was none").what(), "there was none");
  EXPECT_EQ(std::string(imbrex::out_of_memory(std::string(10'000, 'x')).what()).size(), 319U);
}

TEST(memory_reserve, makes_refusals_tell_of_themselves_while_it_lives) {
  if (imbrex::test::memory_is_kept_back) GTEST_SKIP() << "a sanitizer refuses memory by itself";
  {
    const imbrex::memory_reserve reserve;
    const imbrex::memory_reserve other;
    EXPECT_THROW(static_cast<void>(::operator new(too_much)), imbrex::out_of_memory);
    EXPECT_TRUE(refusal().starts_with("out of memory")) << refusal();
    EXPECT_EQ(::operator new(too_much, std::nothrow), nullptr);
  }
  EXPECT_EQ(std::get_new_handler(), nullptr);
}

void* handled = nullptr;
void handle() {
  std::set_new_handler(nullptr);
  handled = &handled;
}

TEST(memory_reserve, leaves_a_programs_own_handler_alone) {
  if (imbrex::test::memory_is_kept_back) GTEST_SKIP() << "a sanitizer refuses memory by itself";
  std::set_new_handler(&handle);
  const imbrex::memory_reserve reserve;
  EXPECT_EQ(std::get_new_handler(), &handle);
  EXPECT_THROW(static_cast<void>(::operator new(too_much)), std::bad_alloc);
  EXPECT_EQ(handled, &handled);
}

}  // namespace
