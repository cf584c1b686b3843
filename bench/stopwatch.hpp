// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace bench {

using steady = std::chrono::steady_clock;

inline double microseconds(steady::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(steady::now() - begin_).count(); }

 private:
  steady::time_point begin_ = steady::now();
};

}  // namespace bench
