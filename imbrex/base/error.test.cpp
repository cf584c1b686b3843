// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/error.hpp>

#include <gtest/gtest.h>

#include <new>
#include <type_traits>

namespace model {

struct broken {};

class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace model

namespace {

using imbrex::describe;
using imbrex::exception_type;

TEST(describe, names_the_type_and_the_text) {
  EXPECT_EQ(describe(std::make_exception_ptr(std::out_of_range("index 7"))), "std::out_of_range: index 7");
  EXPECT_EQ(describe(std::make_exception_ptr(model::failure("no"))), "model::failure: no");
  EXPECT_EQ(describe(std::make_exception_ptr(imbrex::usage_error("--pes 0"))),
            "imbrex::usage_error: --pes 0");
}

TEST(describe, names_the_type_of_what_is_no_std_exception) {
  EXPECT_EQ(describe(std::make_exception_ptr(3)), "an exception of type int");
  EXPECT_EQ(describe(std::make_exception_ptr(model::broken{})), "an exception of type model::broken");
}

TEST(describe, gives_the_text_of_a_foreign_error_alone) {
  EXPECT_EQ(describe(std::make_exception_ptr(imbrex::foreign_error("KeyError: 'x'", {}))), "KeyError: 'x'");
}

TEST(describe, names_the_original_type_of_a_remote_error) {
  const imbrex::remote_error remote("model::failure", "too hot");
  EXPECT_STREQ(remote.what(), "too hot");
  EXPECT_EQ(remote.type_name(), "model::failure");
  EXPECT_EQ(describe(std::make_exception_ptr(remote)), "model::failure: too hot");
}

TEST(describe, explains_memory_that_ran_out) {
  const std::string text = describe(std::make_exception_ptr(std::bad_alloc()));
  EXPECT_TRUE(text.starts_with("out of memory (std::bad_alloc): ")) << text;
  EXPECT_NE(text.find("iB of the machine's "), text.npos) << text;
  const std::string impossible = describe(std::make_exception_ptr(std::bad_array_new_length()));
  EXPECT_EQ(impossible, "std::bad_array_new_length: an array of a negative or impossible size was requested");
}

TEST(describe, takes_no_exception) {
  EXPECT_EQ(describe(nullptr), "no exception");
  EXPECT_EQ(exception_type(nullptr), "");
}

TEST(error, is_the_base_of_the_others) {
  static_assert(std::is_base_of_v<imbrex::error, imbrex::usage_error>);
  static_assert(std::is_base_of_v<imbrex::error, imbrex::remote_error>);
  static_assert(std::is_base_of_v<std::runtime_error, imbrex::error>);
  EXPECT_EQ(imbrex::usage_error::exit_status, 2);
}

}  // namespace
