// SPDX-License-Identifier: Apache-2.0
// Jacobi3D for a CUDA-aware MPI: each rank has a block on its device. Faces are sent to the neighbours from
// device memory (--comm message), or through the host (--comm host), as in figures 4.13 and 4.14 of J. Choi,
// "Scalable Heterogeneous Computing with Asynchronous Message-Driven Execution", 2022. Kernels,
// decomposition, boundary, timing and output are jacobi3d's.
//   imbrex run --ranks 4 --pes 2 --device emulated --devices 2 jacobi3d_device_ranks --grid 64,64,64
//   imbrex run --ranks 12 --pes 12 --machine simulated --device-model summit --no-data
//       jacobi3d_device_ranks --grid 1536,1536,3072 --comm message
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/harness/cell_checksum.hpp"
#include "apps/jacobi3d/device_kernels.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "bench/jacobi3d/mpi_program.hpp"

namespace {

using namespace jacobi3d;
using imbrex::device_span;

constexpr const char* usage =
    "usage: imbrex run --ranks RANKS --device emulated jacobi3d_device_ranks [OPTIONS]\n"
    "Solves Laplace's equation by Jacobi's method with one block of the grid for each rank, in its device.\n"
    "\n"
    "  --grid X,Y,Z     cells of the grid (default 128,128,128)\n"
    "  --iters N        number of timed iterations (default 20)\n"
    "  --warmup N       number of untimed iterations before them (default 2)\n"
    "  --init KIND      initial values: hot-face (default), linear or random:SEED\n"
    "  --comm KIND      path of faces: host (default), through the host, or message, from device to device\n"
    "  --json FILE      write a line to this file\n"
    "  --quiet          print errors only\n"
    "  --help           print this text\n";

constexpr std::array<std::string_view, 8> known_options{"--grid", "--iters", "--warmup", "--init",
                                                        "--comm", "--json",  "--quiet",  "--help"};
constexpr std::array<std::string_view, 2> default_options{"--overlap=none", "--device=emulated"};

/// Doubles on the device of the rank's PE.
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    if (size > 0) MPIX_Device_malloc(MPI_Aint(size * sizeof(double)), &cells_);
  }
  device_array(device_array&& other) noexcept
      : size_(std::exchange(other.size_, 0)), cells_(std::exchange(other.cells_, nullptr)) {}
  device_array& operator=(device_array&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(cells_, other.cells_);
    return *this;
  }
  ~device_array() { MPIX_Device_free(cells_); }

  double* data() const { return cells_; }
  device_span<double> span() const { return {cells_, size_, nullptr}; }
  void put(const std::vector<double>& values) { MPIX_Device_memcpy(cells_, values.data(), bytes()); }
  void get(std::vector<double>& values) const {
    values.resize(size_);
    MPIX_Device_memcpy(values.data(), cells_, bytes());
  }

 private:
  MPI_Aint bytes() const { return MPI_Aint(size_ * sizeof(double)); }

  std::size_t size_;
  double* cells_ = nullptr;
};

/// Launches one of jacobi3d's kernels after all earlier work.
template <class... Args>
void launch(const imbrex::kernel<Args...>& what, const std::type_identity_t<Args>&... args) {
  struct call {
    void (*function)(Args...);
    std::tuple<Args...> arguments;
  };
  const call its{what.host, {args...}};
  const imbrex::work_size work = what.work(args...);
  MPIX_Device_launch(
      [](void* arguments) {
        const call& function_call = *static_cast<const call*>(arguments);
        std::apply(function_call.function, function_call.arguments);
      },
      &its, sizeof its, work.bytes, work.flops);
}

/// The block of one rank.
class block {
 public:
  block(const settings& setup, const decomposition& cut, int rank)
      : cut_(cut),
        place_(by_ranks::place_of(cut, rank)),
        through_host_(setup.comm == communication::host),
        layout_(cut.cells(place_)),
        now_(layout_.size()),
        next_(layout_.size()) {
    const std::array<bool, sides> shared = cut.shared_sides(place_);
    for (int side = 0; side < sides; ++side)
      if (shared[std::size_t(side)])
        exchanged_.push_back({side, by_ranks::neighbour_of(cut, rank, side), layout_.face_cells(side)});
    if (keeps_data()) fill(initial_values::parse(setup.init));
  }

  /// Runs one iteration. Returns the greatest change of a cell if requested.
  double iterate(bool needs_change) {
    std::vector<MPI_Request> requests;
    for (exchanged_face& each : exchanged_) {
      outgoing_faces to;
      to.of[each.side] = each.out.data();
      launch(jacobi3d::pack, now_.span(), to, layout_);
      receive(each, requests.emplace_back());
    }
    MPIX_Device_synchronize();
    for (exchanged_face& each : exchanged_) send(each, requests.emplace_back());
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (exchanged_face& each : exchanged_) {
      if (through_host_) each.in.put(each.in_on_host);
      incoming_faces from;
      from.of[each.side] = each.in.data();
      launch(jacobi3d::unpack, from, now_.span(), layout_);
    }
    launch(jacobi3d::update, now_.span(), next_.span(), layout_);
    MPIX_Device_synchronize();
    std::swap(now_, next_);
    return needs_change && keeps_data() ? change() : 0;
  }

  /// Whether the emulated device stores data; with --no-data it does not.
  bool keeps_data() const {
    double seen = 0;
    const double known = 1;
    const device_array one(1);
    MPIX_Device_memcpy(one.data(), &known, sizeof known);
    MPIX_Device_memcpy(&seen, one.data(), sizeof seen);
    return seen == known;
  }

  std::uint64_t checksum() const {
    std::vector<double> values;
    now_.get(values);
    const extents first = cut_.first(place_);
    std::uint64_t sum = 0;
    for_each_cell([&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t at) {
      const std::int64_t row = (first[0] + i) * cut_.grid[1] + first[1] + j;
      sum += cell_checksum(std::uint64_t(row * cut_.grid[2] + first[2] + k), values[at]);
    });
    return sum;
  }

 private:
  /// A face exchanged with a neighbour, with buffers for both directions.
  struct exchanged_face {
    exchanged_face(int at, int rank, std::size_t cells)
        : side(at), neighbour(rank), in(cells), out(cells), in_on_host(cells), out_on_host(cells) {}

    int side, neighbour;
    device_array in, out;
    std::vector<double> in_on_host, out_on_host;  ///< used if faces go through the host
  };

  void receive(exchanged_face& face, MPI_Request& request) {
    MPI_Irecv(through_host_ ? face.in_on_host.data() : face.in.data(), int(face.in_on_host.size()),
              MPI_DOUBLE, face.neighbour, face.side, MPI_COMM_WORLD, &request);
  }
  void send(exchanged_face& face, MPI_Request& request) {
    if (through_host_) face.out.get(face.out_on_host);
    MPI_Isend(through_host_ ? face.out_on_host.data() : face.out.data(), int(face.out_on_host.size()),
              MPI_DOUBLE, face.neighbour, face.side ^ 1, MPI_COMM_WORLD, &request);
  }

  void fill(const initial_values& values) {
    const extents first = cut_.first(place_);
    std::vector<double> all(layout_.size(), 0.0);
    for (std::int64_t i = -1; i <= layout_.nx; ++i)
      for (std::int64_t j = -1; j <= layout_.ny; ++j)
        for (std::int64_t k = -1; k <= layout_.nz; ++k) {
          const int outside = (i < 0 || i == layout_.nx ? 1 : 0) + (j < 0 || j == layout_.ny ? 1 : 0) +
                              (k < 0 || k == layout_.nz ? 1 : 0);
          if (outside <= 1)
            all[layout_.at(i, j, k)] = values.at(cut_.grid, first[0] + i, first[1] + j, first[2] + k);
        }
    now_.put(all);
    next_.put(all);  // initialises the layer around the grid
  }

  double change() const {
    std::vector<double> now, before;
    now_.get(now);
    next_.get(before);
    double greatest = 0;
    for_each_cell([&](auto, auto, auto, std::size_t at) {
      greatest = std::max(greatest, std::abs(now[at] - before[at]));
    });
    return greatest;
  }

  template <class Visit>
  void for_each_cell(Visit visit) const {
    for (std::int64_t i = 0; i < layout_.nx; ++i)
      for (std::int64_t j = 0; j < layout_.ny; ++j)
        for (std::int64_t k = 0; k < layout_.nz; ++k) visit(i, j, k, layout_.at(i, j, k));
  }

  decomposition cut_;
  extents place_;
  bool through_host_;
  device_layout layout_;
  device_array now_, next_;
  std::vector<exchanged_face> exchanged_;
};

}  // namespace

int main(int argc, char** argv) {
  return by_ranks::program<block>({"jacobi3d_device_ranks", usage, known_options, default_options}, argc,
                                  argv);
}
