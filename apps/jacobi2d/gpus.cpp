// SPDX-License-Identifier: Apache-2.0
// Jacobi's method in two dimensions by chares inside the GPUs of several processes, with one GPU each. The
// result is checked against a loop of the host.
//   imbrex run -n 2 jacobi2d_gpus --device emulated --pes 1
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/options/command.hpp>
#include <imbrex/resident.hpp>

#include "numbers.hpp"
#include "solver.hpp"

namespace {

using jacobi2d::problem;
namespace resident = imbrex::resident;
using block_solver = jacobi2d::resident_solver<jacobi2d::block>;

/// Result of a process: the time, and the number of right cells in its rows.
struct finding {
  int blocks = 0;
  double seconds = 0;
  std::uint64_t right = 0;
};
struct together_operation {
  finding operator()(const finding& a, const finding& b) const {
    return {a.blocks, std::max(a.seconds, b.seconds), a.right + b.right};
  }
};

/// Chare of which each process has one.
class owner : public imbrex::chare<owner> {
 public:
  imbrex::task<finding> solve(imbrex::process_group<resident::heap_exchange> place, problem p) {
    const std::size_t bytes = block_solver::heap_bytes(imbrex::gpu(), p, p.gpus);
    const auto heap = co_await resident::symmetric_heap::of_processes(place, imbrex::gpu(), bytes);
    block_solver solver(heap, p);
    solver.prepare(p.sweeps);
    finding all{solver.blocks(), imbrex::seconds(), 0};
    solver.start();
    co_await solver.stream().done();
    all.seconds = imbrex::seconds() - all.seconds;
    solver.end();
    const std::vector<float> should = jacobi2d::expected(p), found = solver.cells(p.sweeps);
    const std::size_t first =
        static_cast<std::size_t>(solver.first_row()) * static_cast<std::size_t>(p.width);
    for (std::size_t n = 0; n < found.size(); ++n) all.right += found[n] == should[first + n] ? 1 : 0;
    co_return all;
  }
};

imbrex::task<int> solve(problem p) {
  const auto place = imbrex::make_process_group<resident::heap_exchange>();
  const auto owners = imbrex::make_process_group<owner>();
  p.gpus = static_cast<std::uint32_t>(owners.size());
  p.pes *= p.gpus;
  const finding all = co_await owners.reduce<&owner::solve>(together_operation(), place, p);
  const auto cells = static_cast<std::uint64_t>(p.rows) * static_cast<std::uint64_t>(p.width);
  std::printf("%u GPUs, %d x %d cells, %d chares: %.2f us a sweep, %llu of %llu cells are right\n", p.gpus,
              p.rows, p.width, all.blocks, all.seconds * 1e6 / p.sweeps, 0ULL + all.right, 0ULL + cells);
  co_return all.right == cells ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const imbrex::options how = imbrex::parse_options(argc, argv);
    std::optional<std::string> rows, width, sweeps, odf, blocks;
    imbrex::command options("jacobi2d_gpus", "[OPTIONS]",
                            "Jacobi's method in two dimensions over several GPUs.");
    options.option("--rows", "N", rows, "rows of the grid (default 1024)")
        .option("--width", "N", width, "columns of the grid, a multiple of 4 (default 1024)")
        .option("--sweeps", "N", sweeps, "number of sweeps (default 100)")
        .option("--odf", "N", odf, "chares per PE inside a GPU (default 1)")
        .option("--blocks", "N", blocks, "PEs inside each GPU (default one per multiprocessor)");
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (const auto help = options.read(words)) return std::fputs(help->c_str(), stdout) < 0 ? 1 : 0;
    problem p;
    p.rows = jacobi2d::number_of("--rows", rows.value_or("1024"));
    p.width = jacobi2d::number_of("--width", width.value_or("1024"));
    p.sweeps = jacobi2d::number_of("--sweeps", sweeps.value_or("100"));
    p.blocks_each = jacobi2d::number_of("--odf", odf.value_or("1"));
    p.pes = static_cast<std::uint32_t>(jacobi2d::number_of("--blocks", blocks.value_or("0")));
    return imbrex::run(how, [p] { return solve(p); });
  } catch (const imbrex::usage_error& e) {
    std::fprintf(stderr, "jacobi2d_gpus: error: %s\n", e.what());
    return imbrex::usage_error::exit_status;
  }
}
