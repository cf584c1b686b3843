// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/library_threads.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include <imbrex/base/host/topology.hpp>

namespace {

/// The number that OpenMP of a program would have; no test links one.
int threads_of_openmp = 7;

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int omp_get_max_threads() { return threads_of_openmp; }
__attribute__((visibility("default"))) void omp_set_num_threads(int threads) { threads_of_openmp = threads; }
}

namespace imbrex {
namespace {

class library_thread_limit : public ::testing::Test {
 protected:
  library_thread_limit() {
    if (const char* const text = std::getenv(library_threads_variable)) before_ = text;
    ::unsetenv(library_threads_variable);
    limit_library_threads(1);
  }
  ~library_thread_limit() override {
    limit_library_threads(1);
    before_ ? ::setenv(library_threads_variable, before_->c_str(), 1) : ::unsetenv(library_threads_variable);
  }

  static std::string variable() {
    const char* const text = std::getenv(library_threads_variable);
    return text == nullptr ? "unset" : text;
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(library_thread_limit, divides_the_processors) {
  EXPECT_EQ(library_threads(16, 4), 4);
  EXPECT_EQ(library_threads(16, 5), 3);
  EXPECT_EQ(library_threads(2, 3), 1);
  EXPECT_EQ(library_threads(2, 0), 2);
}

TEST_F(library_thread_limit, knows_numbers_of_threads) {
  for (const char* const right : {"1", "16", " 4 ", "4,2", "4, 2,1"})
    EXPECT_TRUE(is_number_of_threads(right));
  for (const char* const wrong : {"", "0", "-1", "4,0", "4,", "many", "2x", "99999999999"})
    EXPECT_FALSE(is_number_of_threads(wrong)) << wrong;
}

TEST_F(library_thread_limit, is_that_of_the_last_run) {
  const std::string half = std::to_string(library_threads(usable_processors(), 2));
  limit_library_threads(2);
  EXPECT_EQ(variable(), half);
  EXPECT_EQ(std::to_string(limit_of_library_threads()), half);
  limit_library_threads(1'000'000);
  EXPECT_EQ(variable(), "1");
  limit_library_threads(1);
  EXPECT_EQ(variable(), "unset");
  EXPECT_EQ(limit_of_library_threads(), 0);
}

TEST_F(library_thread_limit, leaves_the_users_number) {
  ::setenv(library_threads_variable, "3", 1);
  limit_library_threads(1'000'000);
  EXPECT_EQ(variable(), "3");
  EXPECT_EQ(limit_of_library_threads(), 0);
}

TEST_F(library_thread_limit, replaces_what_is_no_number) {
  ::setenv(library_threads_variable, "0", 1);
  ::testing::internal::CaptureStderr();
  limit_library_threads(1'000'000);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "OMP_NUM_THREADS=0 is no number of threads; libraries get 1 in each PE"),
            std::string::npos);
  EXPECT_EQ(variable(), "1");
}

TEST_F(library_thread_limit, reaches_openmp_for_a_while) {
  {
    const openmp_limit none;
    EXPECT_EQ(threads_of_openmp, 7);
  }
  limit_library_threads(1'000'000);
  {
    const openmp_limit one;
    EXPECT_EQ(threads_of_openmp, 1);
  }
  EXPECT_EQ(threads_of_openmp, 7);
}

}  // namespace
}  // namespace imbrex
