// SPDX-License-Identifier: Apache-2.0
// Jacobi3D's kernels alone, and their bound: a copy by the driver of as many cells within the device,
// alternating with the kernels on the same arrays. A cell of either counts 16 bytes, 8 read and 8 written.
//   build/release/bin/gpu_kernel --cells 1024,1536
//
// The host's clock measures series of launches, long enough for the requested time, with one wait at the end.
// The first launch and the wait add some 10 us, at most a thousandth of the default series. So for short
// kernels (the faces) the result is a stream's throughput, which the host's launch time bounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/device/buffer.hpp>
#include <imbrex/device/stream.hpp>

#include "apps/jacobi3d/block_field.hpp"
#include "apps/jacobi3d/device_kernels.hpp"
#include "bench/gpu/program.hpp"
#include "bench/stopwatch.hpp"

namespace {

using imbrex::device_buffer;
using jacobi3d::device_layout;

struct course {
  std::vector<std::int64_t> edges;  ///< edges of cubes, in cells
  int repeats = 9;
  double stretch = 0.02;  ///< seconds that are timed together
};

/// Submits an operation of one kind; the number distinguishes calls.
using operation = std::function<void(int number)>;

device_layout cube(std::int64_t edge) { return device_layout({edge, edge, edge}); }

/// The bytes of two arrays of cells, and of six faces.
std::size_t bytes_of(std::int64_t edge) {
  return (2 * cube(edge).size() + harness::sides * static_cast<std::size_t>(edge * edge)) * sizeof(double);
}

/// The edge, or the edge of the largest cube that fits into the device's memory.
std::int64_t fitting(std::int64_t edge, std::size_t free) {
  constexpr std::int64_t step = 16;
  while (edge > step && bytes_of(edge) > free / 20 * 19) edge = (edge - 1) / step * step;
  return edge;
}

/// Fills with distinct finite numbers, so that the data cannot be compressed.
void fill(imbrex::stream& in, imbrex::device& on, imbrex::device_span<double> to) {
  imbrex::pinned_buffer<double> some(on, std::min<std::size_t>(to.size(), std::size_t{1} << 20U));
  std::uint64_t state = 1;
  for (double& value : some.span()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11U) * 0x1p-53;
  }
  for (std::size_t first = 0; first < to.size(); first += some.size()) {
    const std::size_t count = std::min(some.size(), to.size() - first);
    in.copy(to.subspan(first, count), some.span().subspan(0, count));
  }
  in.synchronize();
}

double seconds_of(imbrex::stream& in, const operation& submit, int count) {
  const bench::stopwatch watch;
  for (int number = 0; number < count; ++number) submit(number);
  in.synchronize();
  return watch.seconds() / count;
}

/// The number of operations in a series; they have run before.
int count_of(imbrex::stream& in, const operation& submit, double stretch) {
  seconds_of(in, submit, 2);
  constexpr double most = 10'000;
  const double target = stretch / seconds_of(in, submit, 2);
  return static_cast<int>(std::clamp(target, 2.0, most)) / 2 * 2;  // even: each operation swaps the arrays
}

/// Seconds of each operation, by repeat. The operations alternate, and each is first in turn.
std::vector<std::vector<double>> in_turn(imbrex::stream& in, const std::vector<operation>& all,
                                         const course& plan) {
  std::vector<int> counts;
  for (const operation& op : all) counts.push_back(count_of(in, op, plan.stretch));
  std::vector<std::vector<double>> seconds(all.size());
  for (int repeat = 0; repeat < plan.repeats; ++repeat)
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      const std::size_t which = (turn + static_cast<std::size_t>(repeat)) % all.size();
      seconds[which].push_back(seconds_of(in, all[which], counts[which]));
    }
  return seconds;
}

std::vector<double> rates(double amount, const std::vector<double>& seconds) {
  std::vector<double> values;
  for (const double s : seconds) values.push_back(amount / s);
  return values;
}

class subject {
 public:
  subject(imbrex::device& on, std::int64_t edge)
      : layout_(cube(edge)),
        stream_(on, imbrex::stream_priority::normal, "bench"),
        now_(on, layout_.size()),
        next_(on, layout_.size()) {
    fill(stream_, on, now_.span());
    fill(stream_, on, next_.span());
    for (int side = 0; side < harness::sides; ++side) {
      faces_.emplace_back(on, layout_.face_cells(side));
      fill(stream_, on, faces_.back().span());
      in_.of[side] = out_.of[side] = faces_.back().span().data();
    }
  }

  nlohmann::ordered_json update_row(const course& plan) {
    return row_of("update", plan, [this](int number) {
      auto [from, to] = arrays(number);
      stream_.launch(jacobi3d::update, from, to, layout_);
    });
  }

  /// Reads and then writes all faces: the iteration of a block with six neighbours.
  nlohmann::ordered_json fused_row(const course& plan) {
    return row_of("update with faces", plan, [this](int number) {
      auto [from, to] = arrays(number);
      stream_.launch(jacobi3d::update_with_faces, from, to, layout_, in_, out_);
    });
  }

  /// All sides in one kernel.
  nlohmann::ordered_json faces_row(const course& plan) { return face_row("all", in_, out_, plan); }

  nlohmann::ordered_json face_row(int side, const course& plan) {
    constexpr const char* names[] = {"low x", "high x", "low y", "high y", "low z", "high z"};
    return face_row(names[side], in_.at_side(side), out_.at_side(side), plan);
  }

 private:
  nlohmann::ordered_json row_of(const char* what, const course& plan, const operation& update) {
    const auto seconds =
        in_turn(stream_,
                {update,
                 [this](int number) {
                   auto [from, to] = arrays(number);
                   stream_.copy(to.subspan(0, layout_.cells()), from.subspan(0, layout_.cells()));
                 }},
                plan);
    std::vector<double> ratios;
    for (std::size_t repeat = 0; repeat < seconds[0].size(); ++repeat)
      ratios.push_back(seconds[1][repeat] / seconds[0][repeat]);
    const auto cells = static_cast<double>(layout_.cells());
    return {{"what", what},
            {"cells", layout_.nx},
            {"gcell_per_s", bench::spread(rates(cells * 1e-9, seconds[0]))},
            {"copy_gb_per_s", bench::spread(rates(16e-9 * cells, seconds[1]))},
            {"of_copy", bench::spread(ratios)}};
  }

  nlohmann::ordered_json face_row(const char* name, const jacobi3d::incoming_faces& in,
                                  const jacobi3d::outgoing_faces& out, const course& plan) {
    const auto seconds =
        in_turn(stream_,
                {[&](int) { stream_.launch(jacobi3d::pack, std::as_const(now_).span(), out, layout_); },
                 [&](int) { stream_.launch(jacobi3d::unpack, in, now_.span(), layout_); }},
                plan);
    double bytes = 0;
    for (int side = 0; side < harness::sides; ++side)
      if (in.of[side] != nullptr) bytes += 16 * static_cast<double>(layout_.face_cells(side));
    return {{"what", "face"},
            {"cells", layout_.nx},
            {"side", name},
            {"pack_us", bench::median(seconds[0]) * 1e6},
            {"unpack_us", bench::median(seconds[1]) * 1e6},
            {"pack_gb_per_s", bench::spread(rates(bytes * 1e-9, seconds[0]))},
            {"unpack_gb_per_s", bench::spread(rates(bytes * 1e-9, seconds[1]))}};
  }

  std::pair<imbrex::device_span<const double>, imbrex::device_span<double>> arrays(int number) {
    if (number % 2 == 0) return {now_.span(), next_.span()};
    return {next_.span(), now_.span()};
  }

  device_layout layout_;
  imbrex::stream stream_;
  device_buffer<double> now_, next_;
  std::vector<device_buffer<double>> faces_;
  jacobi3d::incoming_faces in_;
  jacobi3d::outgoing_faces out_;
};

void measure(const course& plan, const imbrex::options& settings, nlohmann::ordered_json& rows) {
  const auto devices = bench::open_devices(settings);
  imbrex::device& on = *devices.front();
  std::vector<std::int64_t> edges = plan.edges;
  if (edges.empty())
    edges =
        settings.device == "emulated" ? std::vector<std::int64_t>{64} : std::vector<std::int64_t>{1024, 1536};
  std::vector<std::int64_t> done;
  for (const std::int64_t target : edges) {
    const std::int64_t edge = fitting(target, on.free_memory());
    if (std::ranges::count(done, edge) != 0) continue;
    done.push_back(edge);
    subject pair(on, edge);
    nlohmann::ordered_json row = pair.update_row(plan);
    if (edge != target) row["cells_asked"] = target;
    rows.push_back(std::move(row));
    rows.push_back(pair.fused_row(plan));
    for (int side = 0; side < harness::sides; ++side) rows.push_back(pair.face_row(side, plan));
    rows.push_back(pair.faces_row(plan));
  }
}

}  // namespace

int main(int argc, char** argv) {
  course plan;
  return bench::run(
      {.name = "kernel",
       .text = "Jacobi3D's kernels against a copy within the device.",
       .declare =
           [&](CLI::App& app) {
             app.add_option("--cells", plan.edges,
                            "edges of cubes of cells (default 1024,1536, 64 on the emulated device); a cube "
                            "that does not fit into the device is replaced by the largest that does")
                 ->delimiter(',')
                 ->check(CLI::Range(1, 4096));
             app.add_option("--repeats", plan.repeats, "number of repeats of each, in turn (default 9)")
                 ->check(CLI::Range(1, 1000));
             app.add_option("--stretch", plan.stretch,
                            "seconds of launches that are timed together (default 0.02)")
                 ->check(CLI::Range(1e-6, 10.0));
           },
       .measure = [&](const imbrex::options& settings, auto& rows) { measure(plan, settings, rows); }},
      argc, argv);
}
