// SPDX-License-Identifier: Apache-2.0
// The cost of overdecomposition with nothing to hide: a cube of cells, whole and divided into blocks without
// communication. Each block is a chare of one PE with its own stream. An iteration is Jacobi3D's update and
// the wait for its end. So blocks differ from one large block only by launches, completions, and the device's
// scheduling of concurrent kernels.
//   build/release/bin/gpu_independent --cells 768 --odf 1,8
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/jacobi3d/device_kernels.hpp"
#include "bench/gpu/program.hpp"
#include "bench/stopwatch.hpp"

namespace {

using harness::extents;
using jacobi3d::device_layout;

struct course {
  std::int64_t edge = 0;
  std::vector<std::int64_t> odf{1, 8};
  int iterations = 20;
  int repeats = 9;
};

class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  explicit block(const harness::decomposition& cut)
      : layout_(cut.cells({where()[0], where()[1], where()[2]})),
        stream_(imbrex::gpu(), imbrex::stream_priority::normal, "block"),
        now_(imbrex::gpu(), layout_.size()),
        next_(imbrex::gpu(), layout_.size()) {
    constexpr std::byte half{0x3f};  // eight such bytes are the number 4.8e-4
    stream_.fill(now_.span(), half);
    stream_.fill(next_.span(), half);
  }

  imbrex::task<> run(int iterations) {
    for (int done = 0; done < iterations; ++done) {
      stream_.launch(jacobi3d::update, std::as_const(now_).span(), next_.span(), layout_);
      std::swap(now_, next_);
      co_await stream_.done();
    }
  }

 private:
  device_layout layout_;
  imbrex::stream stream_;
  imbrex::device_buffer<double> now_, next_;
};

/// All blocks of a decomposition, and the times of their iterations.
struct candidate {
  std::int64_t odf;
  harness::decomposition cut;
  imbrex::array<block> blocks;
  std::vector<double> seconds;
};

std::size_t bytes_of(const harness::decomposition& cut) {
  const auto blocks = static_cast<std::size_t>(cut.blocks[0] * cut.blocks[1] * cut.blocks[2]);
  return 2 * sizeof(double) * blocks * device_layout(cut.largest()).size();
}

/// The decompositions of the cube, or of the largest cube for which the device has memory.
std::vector<harness::decomposition> fitting(const course& plan, std::size_t free) {
  constexpr std::int64_t step = 16;
  for (std::int64_t edge = plan.edge;; edge -= step) {
    std::vector<harness::decomposition> cuts;
    std::size_t bytes = 0;
    for (const std::int64_t odf : plan.odf) {
      cuts.push_back(harness::minimal_surface({edge, edge, edge}, odf));
      bytes += bytes_of(cuts.back());
    }
    if (bytes <= free / 20 * 19 || edge <= step) return cuts;
  }
}

imbrex::task<> measure(const course& plan, nlohmann::ordered_json& rows) {
  std::vector<candidate> all;
  for (const harness::decomposition& cut : fitting(plan, imbrex::gpu().free_memory())) {
    const imbrex::index<3> shape(cut.blocks[0], cut.blocks[1], cut.blocks[2]);
    all.push_back({plan.odf[all.size()], cut, imbrex::make_array<block>(shape, cut), {}});
    co_await all.back().blocks.call<&block::run>(2);
  }
  for (int repeat = 0; repeat < plan.repeats; ++repeat)
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      candidate& c = all[(turn + static_cast<std::size_t>(repeat)) % all.size()];
      const bench::stopwatch watch;
      co_await c.blocks.call<&block::run>(plan.iterations);
      c.seconds.push_back(watch.seconds() / plan.iterations);
    }
  for (const candidate& one : all) {
    std::vector<double> times_the_first;
    std::vector<double> microseconds;
    for (std::size_t repeat = 0; repeat < one.seconds.size(); ++repeat) {
      times_the_first.push_back(one.seconds[repeat] / all.front().seconds[repeat]);
      microseconds.push_back(one.seconds[repeat] * 1e6);
    }
    nlohmann::ordered_json row{{"what", "independent"},
                               {"cells", one.cut.grid[0]},
                               {"odf", one.odf},
                               {"us_per_iter", bench::spread(microseconds)},
                               {"times_the_first", bench::spread(times_the_first)}};
    if (one.cut.grid[0] != plan.edge) row["cells_asked"] = plan.edge;
    rows.push_back(std::move(row));
  }
}

}  // namespace

int main(int argc, char** argv) {
  course plan;
  return bench::run(
      {.name = "independent",
       .text = "A cube of cells on one PE, whole and in blocks that exchange nothing.",
       .declare =
           [&](CLI::App& app) {
             app.add_option(
                    "--cells", plan.edge,
                    "edge of the cube (default 768, 64 on the emulated device), less if it does not fit")
                 ->check(CLI::Range(1, 4096));
             app.add_option("--odf", plan.odf,
                            "numbers of blocks (default 1,8); the others are compared with the first")
                 ->delimiter(',')
                 ->check(CLI::Range(1, 4096));
             app.add_option("--iterations", plan.iterations,
                            "number of iterations that are timed together (default 20)")
                 ->check(CLI::Range(1, 1'000'000));
             app.add_option("--repeats", plan.repeats, "number of repeats of each, in turn (default 9)")
                 ->check(CLI::Range(1, 1000));
           },
       .measure =
           [&](const imbrex::options& settings, auto& rows) {
             if (plan.edge == 0) plan.edge = settings.device == "emulated" ? 64 : 768;
             bench::run_on(settings, [&] { return measure(plan, rows); });
           }},
      argc, argv);
}
