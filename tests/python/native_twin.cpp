// SPDX-License-Identifier: Apache-2.0
// A class with the name of one in native.cpp, in another module, for test_native.py.
#include <imbrex/python.hpp>

namespace {

class counter : public imbrex::chare<counter> {
 public:
  std::int64_t next() { return 1000; }
};

}  // namespace

NB_MODULE(native_twin, m) { imbrex::python::chare<counter>(m, "Counter").entry<&counter::next>("next"); }
