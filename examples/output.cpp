// SPDX-License-Identifier: Apache-2.0
// Writes fields and vectors of chares into an HDF5 file, and reads them into other numbers of chares.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <imbrex/grid.hpp>
#include <imbrex/io.hpp>

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  imbrex::grid::field<double, 2> heat;        // with ghost cells
  std::vector<std::array<double, 2>> points;  // as many as it has

  explicit block(const imbrex::grid::decomposition<2>& cut) : heat(cut[where()].extents) {
    for (const imbrex::index<2>& cell : imbrex::indices(heat.extents())) {
      const imbrex::index<2> place = cell + cut[where()].origin;
      heat[cell] = place[0] * 100 + place[1];
    }
    points.assign(static_cast<std::size_t>(where()[0] + 1), {1.0, 2.0});
  }
  double total() {
    double sum = 0;
    for (const imbrex::index<2>& cell : imbrex::indices(heat.extents())) sum += heat[cell];
    return sum;
  }
};

imbrex::task<int> compute(std::string file) {
  const imbrex::index<2> cells(12, 10);
  const imbrex::grid::decomposition<2> cut(cells, {3, 2});
  const auto blocks = imbrex::make_array<block>(imbrex::dense(cut.shape()), cut);

  imbrex::output_file out(file);
  co_await out.write<&block::heat>("heat", blocks);
  co_await out.write<&block::points>("particles/points", blocks);
  co_await out.commit();  // now the file has its name

  const imbrex::grid::decomposition<2> other(cells, {5, 1});
  const auto again = imbrex::make_array<block>(imbrex::dense(other.shape()), other);
  co_await imbrex::read<&block::heat>(file, "heat", again);
  const double before = co_await blocks.reduce<&block::total>(imbrex::sum);
  const double after = co_await again.reduce<&block::total>(imbrex::sum);
  std::printf("6 blocks have written %.0f, and 5 have read %.0f\n", before, after);
  co_return before == after ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    imbrex::output_file::check("heat.h5");
  } catch (const imbrex::usage_error& e) {
    std::printf("%s\n", e.what());  // HDF5 is missing
    return 0;
  }
  return imbrex::run(argc, argv, [] { return compute("heat.h5"); });
}
