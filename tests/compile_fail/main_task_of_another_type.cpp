// SPDX-License-Identifier: Apache-2.0
// expect: the main task is a task<>, or a task<int> whose value is the exit status
#include <imbrex/imbrex.hpp>

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<bool> { co_return false; });
}
