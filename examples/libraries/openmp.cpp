// SPDX-License-Identifier: Apache-2.0
// OpenMP in entries: each chare adds its numbers by threads of OpenMP, of which each PE has its share.
//   build/release/bin/openmp --pes 2
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>

#include <omp.h>

namespace {

struct part_sum {
  double sum = 0;
  int threads = 0;
};

class part : public imbrex::chare<part> {
 public:
  explicit part(int numbers) : numbers_(static_cast<std::size_t>(numbers), where()[0] + 1.0) {}

  part_sum add() {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < numbers_.size(); ++i) sum += numbers_[i];
    return {sum, omp_get_max_threads()};
  }

 private:
  std::vector<double> numbers_;
};

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto parts = imbrex::make_array<part>(8, 1000);
    double sum = 0;
    const auto sums = co_await parts.reduce<&part::add>(imbrex::gather);
    for (const part_sum& each : sums) sum += each.sum;
    std::printf("the sum is %.0f, by %d threads of OpenMP in each PE\n", sum, sums.front().threads);
    co_return sum == 36'000 ? 0 : 1;
  });
}
