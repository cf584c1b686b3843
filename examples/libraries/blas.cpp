// SPDX-License-Identifier: Apache-2.0
// BLAS in an entry: each chare multiplies its two matrices.
//   build/release/bin/blas --pes 2
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>

#include <cblas.h>

namespace {

constexpr int size = 60;

class block : public imbrex::chare<block> {
 public:
  /// The sum of the elements of a * b, where all elements of a are 1 and those of b are this chare's index.
  double multiply() {
    const std::vector<double> a(size * size, 1.0), b(size * size, where()[0]);
    std::vector<double> c(size * size, 0.0);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0, a.data(), size, b.data(),
                size, 0.0, c.data(), size);
    double sum = 0;
    for (const double element : c) sum += element;
    return sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<int> {
    const auto blocks = imbrex::make_array<block>(10);
    const double sum = co_await blocks.reduce<&block::multiply>(imbrex::sum);
    const bool is_right = sum == 45.0 * size * size * size;
    std::printf("10 products of %d x %d matrices: %s\n", size, size, is_right ? "right" : "wrong");
    co_return is_right ? 0 : 1;
  });
}
