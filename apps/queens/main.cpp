// SPDX-License-Identifier: Apache-2.0
// The number of ways to place n queens on n columns so that none attacks another. The search tree's shape is
// unknown in advance. It is searched by chares inside one GPU, and by one kernel over boards that the host
// makes.
//   queens --device emulated --size 8
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/options/command.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/error.hpp>

#include "search.hpp"

namespace {

std::uint32_t number_of(const std::string& option, const std::string& text) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos)
    throw imbrex::usage_error(option + " takes a number, not \"" + text + "\"");
  return static_cast<std::uint32_t>(std::stoul(text));
}

void print(const char* how, const queens::result& r) {
  std::printf("%-14s %12llu solutions, %9llu boards, %10.3f ms\n", how,
              static_cast<unsigned long long>(r.solutions), static_cast<unsigned long long>(r.boards),
              r.seconds * 1e3);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::optional<std::string> device, size, split, pes, threads, odf;
    imbrex::command options("queens", "[OPTIONS]",
                            "Counts the solutions of the n queens problem, inside one GPU.");
    options.option("--device", "NAME", device, "kind of device: cuda (default) or emulated")
        .option("--size", "N", size, "rows of the board, 1 to 16 (default 12)")
        .option("--split", "N", split,
                "number of queens from which a board is searched without messages (default 4)")
        .option("--odf", "N", odf, "chares per PE (default 1)")
        .option("--pes", "N", pes, "PEs, each a block of the kernel (default one per multiprocessor)")
        .option("--threads", "N", threads, "threads of a block");
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (const auto help = options.read(words)) return std::fputs(help->c_str(), stdout) < 0 ? 1 : 0;
    queens::problem p;
    p.size = number_of("--size", size.value_or("12"));
    p.split = number_of("--split", split.value_or("4"));
    p.chares_each = number_of("--odf", odf.value_or("1"));
    p.pes = number_of("--pes", pes.value_or("0"));
    p.threads = number_of("--threads", threads.value_or("0"));
    const auto found = imbrex::devices(device.value_or("cuda"));
    std::printf("%s: %u queens\n", found.front()->info().label().c_str(), p.size);
    for (int n = 0; n < 2; ++n) {  // the first run loads the kernels
      print("chares inside", queens::search_inside(*found.front(), p));
      print("one kernel", queens::search_by_kernel(*found.front(), p));
    }
    return 0;
  } catch (const imbrex::usage_error& e) {
    std::fprintf(stderr, "queens: error: %s\n", e.what());
    return imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "queens: error: %s\n", e.what());
    return 1;
  }
}
