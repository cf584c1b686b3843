// SPDX-License-Identifier: Apache-2.0
// Common parts of the MPI programs: options, timing and output are jacobi3d's.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/harness/decomposition.hpp"
#include "apps/jacobi3d/options.hpp"
#include "apps/jacobi3d/report.hpp"
#include "bench/mpi/main.hpp"

namespace jacobi3d::by_ranks {

/// A program and its own options.
struct program_kind {
  const char* name;
  const char* usage;
  std::span<const std::string_view> options;          ///< jacobi3d's options that it accepts
  std::span<const std::string_view> default_options;  ///< words inserted before those of the command line
};

/// The index of a rank's block in the array of blocks.
inline extents place_of(const decomposition& cut, int rank) {
  return {rank / cut.blocks[2] / cut.blocks[1], rank / cut.blocks[2] % cut.blocks[1], rank % cut.blocks[2]};
}

/// The rank at a side of a rank's block.
inline int neighbour_of(const decomposition& cut, int rank, int side) {
  const extents between{cut.blocks[1] * cut.blocks[2], cut.blocks[2], 1};
  return rank + int(between[std::size_t(side / 2)]) * (side % 2 == 0 ? -1 : 1);
}

inline settings parse(const program_kind& kind, int argc, char** argv, int ranks) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]), option = word.substr(0, word.find('='));
    if (option.starts_with("--") && std::ranges::find(kind.options, option) == kind.options.end())
      throw imbrex::usage_error(fmt::format("unknown option {}; see --help", option));
  }
  std::vector<std::string> before(kind.default_options.begin(), kind.default_options.end());
  std::vector<char*> words(argv, argv + argc + 1);
  for (auto word = before.rbegin(); word != before.rend(); ++word)
    words.insert(words.begin() + 1, word->data());
  settings setup = parse_settings(int(words.size()) - 1, words.data());
  if (setup.overlap == overlap_mode::automatic)
    throw imbrex::usage_error("--overlap 'auto': a rank has one block; choose none or manual");
  setup.machine.pes = ranks;
  return setup;
}

/// Series of iterations end as jacobi3d's do: all ranks know the greatest change of all blocks.
template <class Block>
measurement measure(const settings& setup, Block& own_block) {
  measurement result;
  for (std::int64_t n = 0; n < setup.warmup; ++n) own_block.iterate(false);
  const std::vector<std::int64_t> lengths = stretches(setup.iterations);
  std::vector<double> seconds;
  for (std::size_t stretch = 0; stretch < lengths.size(); ++stretch) {
    const bool last = stretch + 1 == lengths.size();
    double change = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (std::int64_t n = 1; n <= lengths[stretch]; ++n)
      change = own_block.iterate(last && n == lengths[stretch]);
    MPI_Allreduce(&change, &result.residual.emplace(), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    seconds.push_back((MPI_Wtime() - begin) / double(lengths[stretch]));
  }
  result.iterations = setup.iterations;
  result.seconds_per_iteration = median(seconds);
  if (!own_block.keeps_data()) {
    result.residual.reset();
    return result;
  }
  const std::uint64_t sum = own_block.checksum();
  MPI_Allreduce(&sum, &result.checksum.emplace(), 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

inline decomposition cut_for(const settings& setup) {
  try {
    return minimal_surface(setup.grid, setup.machine.pes);
  } catch (const std::invalid_argument& e) {
    throw imbrex::usage_error(fmt::format("{} ranks: {}; choose another number of ranks or another --grid",
                                          setup.machine.pes, e.what()));
  }
}

template <class Block>
void run(const settings& setup, int rank) {
  const configuration chosen{1, cut_for(setup)};
  std::ofstream json;
  if (rank == 0 && !setup.json.empty()) json.open(setup.json);
  int writable = json.good() ? 1 : 0;
  MPI_Bcast(&writable, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (writable == 0)
    throw imbrex::usage_error(
        fmt::format("--json '{}': the file cannot be written; choose another file", setup.json));

  Block own_block(setup, chosen.cut, rank);
  const finished all{chosen, measure(setup, own_block)};
  if (rank != 0) return;
  const platform where{.machine = "mpi", .processes = setup.machine.pes, .plain_loop = false};
  if (!setup.quiet) fmt::print("{}{}", table_head(setup, where), table_row(all, all));
  if (json.is_open() && !(json << json_line(setup, where, all) << std::endl))
    throw std::runtime_error(setup.json + " cannot be written");
}

/// The main function of a program.
template <class Block>
int program(const program_kind& kind, int argc, char** argv) {
  return bench::mpi_main(kind.name, argc, argv, [&](int rank, int ranks) {
    const settings setup = parse(kind, argc, argv, ranks);
    if (setup.help.empty())
      run<Block>(setup, rank);
    else if (rank == 0)
      fmt::print("{}", kind.usage);
  });
}

}  // namespace jacobi3d::by_ranks
