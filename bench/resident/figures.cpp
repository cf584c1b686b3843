// SPDX-License-Identifier: Apache-2.0
// Figures 6.20 to 6.22 of paper 001 (Choi 2022) for chares inside GPUs, in simulated time: ping-pong within a
// GPU and between two, and Jacobi2D on 1 to 96.
//   build/release/bin/resident_figures --json lines.json
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <imbrex/base/options/command.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/resident.hpp>

#include "apps/harness/option_values.hpp"
#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/jacobi2d/block.hpp"
#include "apps/jacobi2d/waiting_share.hpp"
#include "bench/resident/cells.hpp"

namespace {

using bench::pinger;
using imbrex::nanoseconds;
using imbrex::resident::program;
using imbrex::resident::settings;
using imbrex::resident::symmetric_heap;
using jacobi2d::block;
using jacobi2d::waiting_share;

constexpr std::uint32_t blocks_of_gpu = 80;  // a V100's multiprocessors
constexpr int rows = 8192, width = 8192;

/// Location of the two ends.
struct place {
  const char* name;
  std::uint32_t gpus, pes;
  std::uint32_t to;  ///< PE of the second end; the first is PE 0
};

class measurement {
 public:
  measurement(const std::string& model, std::uint32_t rounds, std::ofstream& json, const std::string& file,
              bool is_quiet)
      : costs_(imbrex::find_device_model(model)),
        rounds_(rounds),
        json_(json),
        file_(file),
        is_quiet_(is_quiet) {}

  imbrex::task<> all() {
    constexpr std::uint32_t node = 6;
    for (const place& at : {place{"inside, a PE is a block", 1, blocks_of_gpu, 1},
                            place{"in a node, a PE is a block", 2, 2 * blocks_of_gpu, blocks_of_gpu},
                            place{"in a node, a PE is a GPU", 2, 2, 1},
                            place{"between nodes, a PE is a GPU", 2 * node, 2 * node, node}})
      co_await ping(at);
    for (const std::uint32_t gpus : {1U, 2U, 4U, 6U, 12U, 24U, 48U, 96U}) co_await jacobi(gpus);
  }

 private:
  void write(const std::string& line) {
    harness::write_json(json_, file_, line);
    if (!is_quiet_) harness::write_output(line + "\n");
  }

  /// Microseconds per round, without the fixed cost of a run.
  static imbrex::task<double> each(imbrex::stream& stream, std::uint32_t many,
                                   std::function<void(std::uint32_t)> start, std::function<void()> end) {
    double took[2] = {};
    for (int n = 0; n < 2; ++n) {
      const double begin = imbrex::seconds();
      start(n == 0 ? many : 2 * many);
      co_await stream.done();
      took[n] = imbrex::seconds() - begin;
      end();
    }
    co_return (took[1] - took[0]) * 1e6 / many;
  }

  imbrex::task<> ping(place at) {
    for (std::size_t bytes = 1; bytes <= std::size_t{1} << 20U; bytes *= 2) {
      settings s;
      s.gpus = at.gpus;
      s.pes = at.pes;
      s.parcels = 2;
      s.parcel_bytes = static_cast<std::uint32_t>((bytes + 15) / 16 * 16) + 128;
      const auto words = static_cast<std::uint32_t>((bytes + 15) / 16 * 2);
      // Memory per GPU: buffers of two channels, and the values that each end puts there.
      const symmetric_heap heap(imbrex::gpu(), at.gpus,
                                program<pinger>::heap_bytes(imbrex::gpu(), s, {static_cast<int>(2 * at.to)}) +
                                    std::size_t{6} * words * sizeof(std::uint64_t));
      const auto buffers = heap.make<std::uint64_t>(std::size_t{6} * words);
      program<pinger> p(heap, s, {static_cast<int>(2 * at.to)});
      const auto end = [&p] { p.end(); };
      const bool is_short = bytes <= 8;
      const double message = co_await each(
          p.stream(), rounds_,
          [&](std::uint32_t n) {
            if (is_short)
              p.start<&pinger::ping>(0, std::uint64_t{2} * n);
            else
              p.start<&pinger::start_payload>(0, 2 * n, words);
          },
          end);
      const auto prepare = [&](std::uint32_t last) {
        std::vector<pinger> both(p.count<pinger>());
        for (std::uint32_t n = 0; n < 2; ++n) {
          pinger& one = both[n * at.to];
          one.of_other.buffers =
              buffers.what().part(std::size_t{2} * (1 - n) * words, std::size_t{2} * words);
          one.to_put = buffers.what().part(std::size_t{4 + n} * words, words);
          one.last = last;
        }
        p.write(both);
      };
      double put = 0;
      {
        double took[2] = {};
        for (std::uint32_t n = 0; n < 2; ++n) {
          prepare(2 * rounds_ * (n + 1));
          const double begin = imbrex::seconds();
          p.start<&pinger::ping_put>(0, std::uint32_t{0});
          co_await p.stream().done();
          took[n] = imbrex::seconds() - begin;
          p.end();
        }
        put = (took[1] - took[0]) * 1e6 / rounds_;
      }
      write(fmt::format(
          R"({{"bench":"pingpong","place":"{}","bytes":{},"message":{:.6g},"put":{:.6g},"bare":{:.6g}}})",
          at.name, bytes, message / 2, put / 2, microseconds(bare(at, bytes))));
    }
  }

  /// Time of a put and a flag, without a runtime.
  nanoseconds bare(const place& at, std::size_t bytes) const {
    const auto& cost = costs_.resident;
    if (at.gpus == 1) {
      const std::uint64_t rate = costs_.device.memory_bandwidth / blocks_of_gpu;
      return cost.send + imbrex::device_model::transfer_time(bytes, rate) + cost.flight + cost.look;
    }
    return cost.send + way(at.gpus, at.to / (at.pes / at.gpus), bytes) + cost.look;
  }
  nanoseconds way(std::uint32_t gpus, std::uint32_t to, std::size_t bytes) const {
    imbrex::device_model model = costs_;
    model.link.eager = std::size_t{1} << 40U;  // no host starts the transfers
    model.link.staged_from = 0;
    imbrex::node_links links(model, static_cast<int>(gpus));
    return links.transfer(nanoseconds(0), {0, true}, {static_cast<int>(to), true}, bytes);
  }
  static double microseconds(nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

  imbrex::task<> jacobi(std::uint32_t gpus) {
    std::string line = fmt::format(R"({{"bench":"jacobi2d","gpus":{})", gpus);
    const auto add = [&line](const char* name, double value) {
      line += fmt::format(R"(,"{}":{:.6g})", name, value);
    };
    const auto start = static_cast<std::uint64_t>(costs_.device.kernel_start.count());
    add("put", co_await sweep_of<waiting_share>(gpus, 1, start));
    add("synchronous", co_await sweep_of<waiting_share>(gpus, 1, 0));
    add("asynchronous", co_await sweep_of<block>(gpus, 1, 0));
    add("asynchronous, ODF 2", co_await sweep_of<block>(gpus, 2, 0));
    write(line + "}");
  }

  /// Microseconds per sweep.
  template <class Chare>
  imbrex::task<double> sweep_of(std::uint32_t gpus, int odf, [[maybe_unused]] std::uint64_t start_time) {
    settings s;
    s.gpus = gpus;
    s.pes = gpus;
    s.placed = imbrex::resident::placement::blocks;
    const int shares = static_cast<int>(gpus) * odf;
    constexpr std::size_t for_flags = 256;
    const symmetric_heap heap(imbrex::gpu(), gpus,
                              program<Chare>::heap_bytes(imbrex::gpu(), s, {shares}) + for_flags);
    const auto flags = heap.make<std::uint32_t>(2);
    program<Chare> p(heap, s, {shares});
    double took[2] = {};
    for (int n = 0; n < 2; ++n) {
      std::vector<Chare> chares(static_cast<std::size_t>(shares));
      for (int b = 0; b < shares; ++b) {
        Chare& one = chares[static_cast<std::size_t>(b)];
        one.rows = rows / shares + (b < rows % shares ? 1 : 0);
        one.width = width;
        one.sweeps = static_cast<int>(rounds_) * (n + 1);
        if constexpr (std::is_same_v<Chare, waiting_share>) {
          one.flags = flags.what();
          one.start_time = start_time;
        }
      }
      p.write(chares);
      for (std::uint32_t g = 0; g < gpus; ++g) flags.write(g, std::vector<std::uint32_t>(2));
      const double begin = imbrex::seconds();
      p.template start_all<&Chare::sweep>(std::uint32_t{0});
      co_await p.stream().done();
      took[n] = imbrex::seconds() - begin;
      p.end();
    }
    co_return (took[1] - took[0]) * 1e6 / rounds_;
  }

  const imbrex::device_model costs_;
  const std::uint32_t rounds_;
  std::ofstream& json_;
  const std::string file_;
  const bool is_quiet_;
};

int run(const std::vector<std::string>& words) {
  std::optional<std::string> model, rounds, file;
  bool is_quiet = false;
  imbrex::command options("resident_figures", "[OPTIONS]",
                          "Ping-pong and Jacobi2D by chares inside GPUs, in simulated time.");
  options.option("--device-model", "NAME", model, "device model with links (default summit)")
      .option("--rounds", "N", rounds, "number of rounds of each measurement (default 10)")
      .flag("--quiet", is_quiet, "print nothing")
      .option("--json", "FILE", file, "write a line for each time to this file");
  if (const auto help = options.read(words)) return std::fputs(help->c_str(), stdout) < 0 ? 1 : 0;
  imbrex::options how;
  how.pes = 1;
  how.machine = imbrex::machine_kind::simulated;
  how.device = "emulated";
  how.device_model = model.value_or("summit");
  const std::string name = file.value_or("");
  std::ofstream json = harness::open_json(name);
  measurement all(
      how.device_model,
      static_cast<std::uint32_t>(harness::count_of("--rounds", rounds.value_or("10"), 1, "number of rounds")),
      json, name, is_quiet);
  return imbrex::run(how, [&]() -> imbrex::task<> { co_await all.all(); });
}

}  // namespace

int main(int argc, char** argv) {
  return harness::run_program("resident_figures", [&] { return run({argv + 1, argv + argc}); });
}
