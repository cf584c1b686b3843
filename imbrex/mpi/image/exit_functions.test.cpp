// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/exit_functions.hpp>

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace {

using imbrex::mpi::exit_functions;

std::string called;
exit_functions functions;

void note(void* character) { called += *static_cast<const char*>(character); }
void note_status(int status, void* character) {
  called += std::to_string(status) + *static_cast<const char*>(character);
}
void add_another(void* character) { functions.add(&note, character, nullptr); }

std::array<char, 4> letters{'a', 'b', 'c', 'd'};

TEST(exit_functions, run_the_last_first_and_those_that_come_late) {
  called.clear();
  functions.add(&note, &letters[0], nullptr);
  functions.add(&note_status, &letters[1]);
  functions.add(&add_another, &letters[2], nullptr);
  functions.run(7);
  EXPECT_EQ(called, "c7ba");
  functions.run(7);
  EXPECT_EQ(called, "c7ba");
}

TEST(exit_functions, run_those_of_a_module) {
  called.clear();
  int one = 0, other = 0;
  functions.add(&note, &letters[0], &one);
  functions.add(&note, &letters[1], &other);
  functions.add(&note, &letters[2], &one);
  functions.run_of(&one);
  EXPECT_EQ(called, "ca");
  functions.run(0);
  EXPECT_EQ(called, "cab");
}

TEST(exit_functions, follow_what_has_moved) {
  called.clear();
  std::array<char, 4> moved{'A', 'B', 'C', 'D'};
  char elsewhere = 'x';
  functions.add(&note, &letters[1], nullptr);
  functions.add(&note, &elsewhere, nullptr);
  functions.move_arguments(reinterpret_cast<const std::byte*>(letters.data()), letters.size(),
                           reinterpret_cast<std::byte*>(moved.data()));
  functions.run(0);
  EXPECT_EQ(called, "xB");
}

}  // namespace
