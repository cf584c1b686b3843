// SPDX-License-Identifier: Apache-2.0
// Jacobi3D as one writes it with MPI: a block for each rank, halos exchanged by calls that do not block, and
// with --overlap manual the interior swept meanwhile (J. Choi, "Scalable Heterogeneous Computing with
// Asynchronous Message-Driven Execution", 2022, figure 5.1). Kernel, cuts, boundary, timing and output are
// jacobi3d's.
//   mpirun -n 4 build/release/bin/jacobi3d_mpi --grid 256,256,256 --overlap manual
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/harness/decomposition.hpp"
#include "apps/jacobi3d/checksum.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/options.hpp"
#include "apps/jacobi3d/report.hpp"
#include "apps/jacobi3d/stencil.hpp"

namespace {

using namespace jacobi3d;

constexpr const char* usage =
    "usage: mpirun -n RANKS jacobi3d_mpi [OPTIONS]\n"
    "Solves Laplace's equation by Jacobi's method with one block of the grid for each rank.\n\n"
    "  --grid X,Y,Z     cells of the grid; 128,128,128 unless given\n"
    "  --iters N        iterations that are timed; 20 unless given\n"
    "  --warmup N       iterations before these; 2 unless given\n"
    "  --init KIND      initial values: hot-face (unless given), linear or random:SEED\n"
    "  --overlap KIND   what a rank does while halos travel: none (unless given) or manual, its interior\n"
    "  --json FILE      write a line to this file\n"
    "  --quiet          print errors only\n"
    "  --help           print this text\n";

settings parse(int argc, char** argv, int ranks) {
  constexpr std::array<std::string_view, 8> known{"--grid",    "--iters", "--warmup", "--init",
                                                  "--overlap", "--json",  "--quiet",  "--help"};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]), option = word.substr(0, word.find('='));
    if (option.starts_with("--") && std::ranges::find(known, option) == known.end())
      throw imbrex::usage_error(fmt::format("unknown option {}; see --help", option));
  }
  std::string no_overlap = "--overlap=none";  // unless a later one says otherwise
  std::vector<char*> words(argv, argv + argc + 1);
  words.insert(words.begin() + 1, no_overlap.data());
  settings setup = parse_settings(argc + 1, words.data());
  if (setup.overlap == overlap_mode::automatic)
    throw imbrex::usage_error("--overlap 'auto': a rank has one block; choose none or manual");
  setup.machine.pes = ranks;
  return setup;
}

// The block of one rank.
class block {
 public:
  block(const settings& setup, const decomposition& cut, int rank)
      : cut_(cut),
        place_{rank / cut.blocks[2] / cut.blocks[1], rank / cut.blocks[2] % cut.blocks[1],
               rank % cut.blocks[2]},
        manual_(setup.overlap == overlap_mode::manual),
        field_(cut.cells(place_), shared_sides()),
        stores_(stores_for(std::uint64_t(setup.machine.pes) * block_field::bytes(field_.cells()))) {
    const extents ranks_between{cut.blocks[1] * cut.blocks[2], cut.blocks[2], 1};
    for (std::size_t side = 0; side < sides; ++side) {
      neighbours_[side] = rank + int(ranks_between[side / 2]) * (side % 2 == 0 ? -1 : 1);
      incoming_[side].resize(field_.face_size(int(side)));
    }
    fill(field_, initial_values::parse(setup.init), cut.grid, cut.first(place_));
  }

  // One iteration. Returns the greatest change of a cell if it is wanted.
  double iterate(bool change_wanted) {
    const sweep_options options{.stores = stores_, .change = change_wanted};
    std::array<MPI_Request, 2 * sides> requests;
    requests.fill(MPI_REQUEST_NULL);
    for (int side = 0; side < sides; ++side) {
      if (!field_.shared(side)) continue;
      const auto at = std::size_t(side);
      outgoing_[at] = field_.take_face(side);
      const int count = int(incoming_[at].size());
      MPI_Irecv(incoming_[at].data(), count, MPI_DOUBLE, neighbours_[at], side, MPI_COMM_WORLD,
                &requests[2 * at]);
      MPI_Isend(outgoing_[at].data(), count, MPI_DOUBLE, neighbours_[at], side ^ 1, MPI_COMM_WORLD,
                &requests[2 * at + 1]);
    }
    const double interior = manual_ ? sweep_interior(field_, options) : 0;
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (int side = 0; side < sides; ++side) {
      const auto at = std::size_t(side);
      if (field_.shared(side)) field_.put_halo(side, std::exchange(incoming_[at], std::move(outgoing_[at])));
    }
    return manual_ ? std::max(interior, sweep_exterior(field_, options)) : sweep(field_, options);
  }

  std::uint64_t checksum() const { return jacobi3d::checksum(field_, cut_.grid, cut_.first(place_)); }

 private:
  std::array<bool, sides> shared_sides() const {
    std::array<bool, sides> shared;
    for (std::size_t d = 0; d < 3; ++d) {
      shared[2 * d] = place_[d] > 0;
      shared[2 * d + 1] = place_[d] + 1 < cut_.blocks[d];
    }
    return shared;
  }

  decomposition cut_;
  extents place_;
  bool manual_;
  block_field field_;
  store_policy stores_;
  std::array<int, sides> neighbours_;
  std::array<std::vector<double>, sides> incoming_, outgoing_;
};

// Stretches end as jacobi3d's do, with the greatest change of all blocks known everywhere.
measurement measure(const settings& setup, block& own_block) {
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
  const std::uint64_t sum = own_block.checksum();
  MPI_Allreduce(&sum, &result.checksum.emplace(), 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

decomposition cut_for(const settings& setup) {
  try {
    return minimal_surface(setup.grid, setup.machine.pes);
  } catch (const std::invalid_argument& e) {
    throw imbrex::usage_error(fmt::format("{} ranks: {}; choose another number of ranks or another --grid",
                                          setup.machine.pes, e.what()));
  }
}

void run(const settings& setup, int rank) {
  const configuration chosen{1, cut_for(setup)};
  std::ofstream json;
  if (rank == 0 && !setup.json.empty()) json.open(setup.json);
  int writable = json.good() ? 1 : 0;
  MPI_Bcast(&writable, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (writable == 0)
    throw imbrex::usage_error(
        fmt::format("--json '{}': the file cannot be written; choose another place", setup.json));

  block own_block(setup, chosen.cut, rank);
  const finished all{chosen, measure(setup, own_block)};
  if (rank != 0) return;
  const platform where{.machine = "mpi", .processes = setup.machine.pes, .plain_loop = false};
  if (!setup.quiet) fmt::print("{}{}", table_head(setup, where), table_row(all, all));
  if (json.is_open() && !(json << json_line(setup, where, all) << std::endl))
    throw std::runtime_error(setup.json + " cannot be written");
}

// Every rank comes to the same usage error; the first says it.
int program(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const settings setup = parse(argc, argv, ranks);
    if (setup.help.empty())
      run(setup, rank);
    else if (rank == 0)
      fmt::print("{}", usage);
    return 0;
  } catch (const imbrex::usage_error& e) {
    if (rank == 0) fmt::print(stderr, "jacobi3d_mpi: error: {}\n", e.what());
    return imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    fmt::print(stderr, "jacobi3d_mpi: error: rank {}: {}\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = program(argc, argv);
  MPI_Finalize();
  return status;
}
