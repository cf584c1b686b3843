// SPDX-License-Identifier: Apache-2.0
// The clock error of traces whose processes in fact share one clock, which they do not know. The script
// clocks.py makes such traces.
//   trace_clocks FILE
// Prints the estimated difference between the file's clock and process 0's, at each quarter of a second, in
// us.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <imbrex/trace/file_reader.hpp>
#include <imbrex/trace/reader.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: trace_clocks FILE\n", stderr);
    return 2;
  }
  try {
    const imbrex::trace::file_reader file(argv[1]);
    imbrex::trace::reader all(argv[1]);
    std::uint64_t end = 0;
    for (auto piece = all.next(); !piece.records.empty(); piece = all.next()) end = piece.records.back().time;
    std::vector<double> errors;
    for (std::uint64_t time = file.header().started; time < end; time += 250'000'000)
      errors.push_back(
          std::abs(static_cast<double>(static_cast<std::int64_t>(file.clock().aligned(time) - time))));
    if (errors.empty()) return 1;
    std::sort(errors.begin(), errors.end());
    std::printf("median %.1f us, worst %.1f us\n", errors[errors.size() / 2] / 1e3, errors.back() / 1e3);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "trace_clocks: %s\n", e.what());
    return 1;
  }
  return 0;
}
