// SPDX-License-Identifier: Apache-2.0
// Jacobi's method in two dimensions inside one GPU, in four variants: kernels that the host sends; one kernel
// whose blocks wait for each other; a loop on each GPU that waits for its neighbours' rows; and chares that
// live inside the GPU.
//   jacobi2d --device emulated --rows 64 --width 64 --odf 1,4 --check
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/options/command.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/error.hpp>

#include "numbers.hpp"
#include "solver.hpp"

namespace {

/// Solves and prints a line; false if a check fails.
bool report(imbrex::device& on, const jacobi2d::problem& p, jacobi2d::variant how,
            const std::vector<float>* should) {
  const jacobi2d::solution found = jacobi2d::solve(on, p, how);
  std::string name;
  switch (how) {
    case jacobi2d::variant::sweeps: name = "a kernel a sweep"; break;
    case jacobi2d::variant::loop: name = "one kernel, blocks wait for all"; break;
    case jacobi2d::variant::waiting: name = "a loop a GPU, waits for neighbours"; break;
    case jacobi2d::variant::resident: name = std::to_string(found.blocks) + " chares inside"; break;
  }
  const bool is_right = should == nullptr || found.cells == *should;
  std::printf("%-34s %10.2f us a sweep %10.1f Mcell/s%s\n", name.c_str(), found.seconds * 1e6 / p.sweeps,
              1e-6 * p.rows * p.width * p.sweeps / found.seconds,
              should == nullptr ? ""
              : is_right        ? "  check: all cells equal, bit for bit"
                                : "  check: CELLS DIFFER");
  std::fflush(stdout);
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::optional<std::string> device, rows, width, sweeps, odf, pes, threads, gpus;
    bool checks = false;
    imbrex::command options("jacobi2d", "[OPTIONS]", "Jacobi's method in two dimensions inside one GPU.");
    options.option("--device", "NAME", device, "kind of device: cuda (default) or emulated")
        .option("--rows", "N", rows, "rows of the grid (default 1024)")
        .option("--width", "N", width, "columns of the grid, a multiple of 4 (default 1024)")
        .option("--sweeps", "N", sweeps, "number of sweeps (default 100)")
        .option("--odf", "N,...", odf, "chares per PE (default 1)")
        .option("--pes", "N", pes, "PEs, each a block of the kernel (default one per multiprocessor)")
        .option("--gpus", "N", gpus, "number of emulated GPUs that share the PEs (default 1)")
        .option("--threads", "N", threads, "threads of a block (default 512)")
        .flag("--check", checks, "compare with a loop on the host, bit for bit");
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (const auto help = options.read(words)) return std::fputs(help->c_str(), stdout) < 0 ? 1 : 0;
    jacobi2d::problem p;
    p.rows = jacobi2d::number_of("--rows", rows.value_or("1024"));
    p.width = jacobi2d::number_of("--width", width.value_or("1024"));
    p.sweeps = jacobi2d::number_of("--sweeps", sweeps.value_or("100"));
    p.pes = static_cast<std::uint32_t>(jacobi2d::number_of("--pes", pes.value_or("0")));
    p.threads = static_cast<std::uint32_t>(jacobi2d::number_of("--threads", threads.value_or("0")));
    p.gpus = static_cast<std::uint32_t>(jacobi2d::number_of("--gpus", gpus.value_or("1")));
    const std::vector<float> should = checks ? jacobi2d::expected(p) : std::vector<float>();
    const std::vector<float>* const compared = checks ? &should : nullptr;
    const auto found = imbrex::devices(device.value_or("cuda"));
    std::printf("%s: %d x %d cells, %d sweeps\n", found.front()->info().label().c_str(), p.rows, p.width,
                p.sweeps);
    bool all_right = report(*found.front(), p, jacobi2d::variant::sweeps, compared);
    all_right = report(*found.front(), p, jacobi2d::variant::loop, compared) && all_right;
    all_right = report(*found.front(), p, jacobi2d::variant::waiting, compared) && all_right;
    for (const int blocks : jacobi2d::numbers_of("--odf", odf.value_or("1"))) {
      p.blocks_each = blocks;
      all_right = report(*found.front(), p, jacobi2d::variant::resident, compared) && all_right;
    }
    return all_right ? 0 : 1;
  } catch (const imbrex::usage_error& e) {
    std::fprintf(stderr, "jacobi2d: error: %s\n", e.what());
    return imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "jacobi2d: error: %s\n", e.what());
    return 1;
  }
}
