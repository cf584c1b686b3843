// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/build.hpp>

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace imbrex {
namespace {

void here() {}
void also_here() {}

const void* address_of(void (*function)()) { return reinterpret_cast<const void*>(function); }

TEST(build, is_that_of_the_module_which_holds_the_function) {
  const std::uint64_t number = build_of(address_of(here));
  EXPECT_NE(number, 0U);
  EXPECT_EQ(number, build_of(address_of(also_here)));
  // The function is looked up by handle: sanitizers put functions of their own, which this executable
  // contains, before the C library's.
  void* const c_library = ::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(c_library, nullptr) << ::dlerror();
  const std::uint64_t other = build_of(::dlsym(c_library, "abort"));
  ::dlclose(c_library);
  EXPECT_NE(other, number);
  EXPECT_NE(other, 0U);
}

TEST(build, is_none_of_what_no_module_holds) {
  int local = 0;
  EXPECT_EQ(build_of(&local), 0U);
  EXPECT_EQ(build_of(nullptr), 0U);
}

}  // namespace
}  // namespace imbrex
