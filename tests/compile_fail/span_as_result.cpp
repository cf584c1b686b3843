// SPDX-License-Identifier: Apache-2.0
// expect: a span only shows what lies with the chare that returns it
#include <span>
#include <vector>

#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  std::span<const int> values() const { return values_; }

 private:
  std::vector<int> values_;
};

imbrex::task<int> first_of(imbrex::element<cell> to) { co_return (co_await to.call<&cell::values>())[0]; }
