// SPDX-License-Identifier: Apache-2.0
// Jacobi3D in plain MPI: a block for each rank, halos exchanged by non-blocking calls, and with --overlap
// manual the interior swept meanwhile (J. Choi, "Scalable Heterogeneous Computing with Asynchronous
// Message-Driven Execution", 2022, figure 5.1). Kernel, decomposition, boundary, timing and output are
// jacobi3d's.
//   mpirun -n 4 build/release/bin/jacobi3d_mpi --grid 256,256,256 --overlap manual
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/jacobi3d/checksum.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/stencil.hpp"
#include "bench/jacobi3d/mpi_program.hpp"

namespace {

using namespace jacobi3d;

constexpr const char* usage =
    "usage: mpirun -n RANKS jacobi3d_mpi [OPTIONS]\n"
    "Solves Laplace's equation by Jacobi's method with one block of the grid for each rank.\n"
    "\n"
    "  --grid X,Y,Z     cells of the grid (default 128,128,128)\n"
    "  --iters N        number of timed iterations (default 20)\n"
    "  --warmup N       number of untimed iterations before them (default 2)\n"
    "  --init KIND      initial values: hot-face (default), linear or random:SEED\n"
    "  --overlap KIND   computation that overlaps the halo exchange: none (default) or manual, the interior\n"
    "  --json FILE      write a line to this file\n"
    "  --quiet          print errors only\n"
    "  --help           print this text\n";

constexpr std::array<std::string_view, 8> known_options{"--grid",    "--iters", "--warmup", "--init",
                                                        "--overlap", "--json",  "--quiet",  "--help"};
constexpr std::array<std::string_view, 1> default_options{"--overlap=none"};

// The block of one rank.
class block {
 public:
  block(const settings& setup, const decomposition& cut, int rank)
      : cut_(cut),
        place_(by_ranks::place_of(cut, rank)),
        manual_(setup.overlap == overlap_mode::manual),
        field_(cut.cells(place_), cut.shared_sides(place_)),
        stores_(stores_for(std::uint64_t(setup.machine.pes) * block_field::bytes(field_.cells()))) {
    for (std::size_t side = 0; side < sides; ++side) {
      neighbours_[side] = by_ranks::neighbour_of(cut, rank, int(side));
      incoming_[side].resize(field_.face_size(int(side)));
    }
    fill(field_, initial_values::parse(setup.init), cut.grid, cut.first(place_));
  }

  // Runs one iteration. Returns the greatest change of a cell if requested.
  double iterate(bool needs_change) {
    const sweep_options options{.stores = stores_, .change = needs_change};
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

  bool keeps_data() const { return true; }
  std::uint64_t checksum() const { return jacobi3d::checksum(field_, cut_.grid, cut_.first(place_)); }

 private:
  decomposition cut_;
  extents place_;
  bool manual_;
  block_field field_;
  store_policy stores_;
  std::array<int, sides> neighbours_;
  std::array<std::vector<double>, sides> incoming_, outgoing_;
};

}  // namespace

int main(int argc, char** argv) {
  return by_ranks::program<block>({"jacobi3d_mpi", usage, known_options, default_options}, argc, argv);
}
