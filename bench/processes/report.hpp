// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/processes/course.hpp"
#include "bench/processes/rounds.hpp"

namespace bench {

/// The output of a program: one line, a JSON object.
class report {
 public:
  report(const char* program, const course& plan) : program_(program), plan_(plan) {}

  void add(const point& p) { points_.push_back(p); }

  void print() const {
    std::printf("{\"program\": \"%s\", \"bench\": \"%s\", \"window\": %d, \"points\": [", program_,
                plan_.bench.c_str(), plan_.window);
    const char* between = "";
    for (const auto& p : points_) {
      std::printf("%s{\"size\": %zu, \"rounds\": %lld, \"seconds_per_round\": %.9g, \"checked\": true}",
                  between, p.size, static_cast<long long>(p.rounds), p.seconds_per_round);
      between = ", ";
    }
    std::printf("]}\n");
    std::fflush(stdout);
  }

 private:
  const char* program_;
  course plan_;
  std::vector<point> points_;
};

}  // namespace bench
