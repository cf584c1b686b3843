// SPDX-License-Identifier: Apache-2.0
// expect: run is given a function without parameters
#include <imbrex/imbrex.hpp>

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [](int) -> imbrex::task<> { co_return; });
}
