// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/device.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/symmetric_heap.hpp>
#include <imbrex/stream.hpp>

#include "block.hpp"
#include "waiting_share.hpp"

namespace jacobi2d {

/// Method by which the sweeps are run.
enum class variant {
  sweeps,    ///< one kernel per sweep, which the host sends
  loop,      ///< one kernel whose blocks wait for each other
  waiting,   ///< a loop on each GPU that waits for its neighbours' rows
  resident,  ///< chares inside the GPU
};

struct problem {
  int rows = 1024, width = 1024;  ///< the width is a multiple of 4
  int sweeps = 100;
  int blocks_each = 1;                 ///< per PE, for `resident`
  std::uint32_t pes = 0, threads = 0;  ///< as in `imbrex::resident::settings`
  std::uint32_t gpus = 1;              ///< GPUs of this process, for `resident` and `waiting`
};

/// Result: rows of the grid, from the first on, and the time of all sweeps.
struct solution {
  std::vector<float> cells;
  double seconds = 0;
  int blocks = 0;
};

/// Cells before the first sweep.
std::vector<float> begin_of(const problem& p);
/// Cells after all sweeps, by a plain loop of the host.
std::vector<float> expected(const problem& p);
/// Solves a problem. Throws usage_error for an invalid problem, device_error if the device cannot run it.
solution solve(imbrex::device& on, const problem& p, variant how);

/// Partition of a grid into blocks of rows, with their offsets in the memory of their GPUs. Each block has
/// two rows more than it updates.
struct row_blocks {
  imbrex::resident::settings settings;
  int blocks = 0, rows_each = 0, longer = 0;
  int of_gpu = 0;  ///< maximum number of blocks per GPU
  std::size_t pitch = 0;

  /// Partition for PEs of a class of chares.
  template <class Chare>
  static row_blocks of(imbrex::device& on, const problem& p, std::uint32_t gpus);
  int rows(int b) const { return rows_each + (b < longer ? 1 : 0); }
  int first_row(int b) const { return b * rows_each + (b < longer ? b : longer); }
  std::uint32_t gpu(int b) const { return static_cast<std::uint32_t>(b / of_gpu); }
  /// Offset of a block in its GPU's cells, and the number of cells of a GPU.
  std::size_t place(int b) const;
  std::size_t cells() const;
};

/// Chares inside the GPUs of a heap, `block`s or `waiting_share`s. All processes of the heap make the solver,
/// with the same problem, and make the same calls.
template <class Chare>
class resident_solver {
 public:
  resident_solver(const imbrex::resident::symmetric_heap& heap, const problem& p);
  /// Bytes that each GPU needs, in a heap of `gpus` GPUs.
  static std::size_t heap_bytes(imbrex::device& on, const problem& p, std::uint32_t gpus);

  /// To be called before each run.
  void prepare(int sweeps);
  void start() { program_.template start_all<&Chare::sweep>(std::uint32_t{0}); }
  imbrex::stream& stream() { return program_.stream(); }
  void end();
  /// First row on GPUs of this process, and the cells of its rows after a run of `sweeps` sweeps.
  int first_row() const;
  std::vector<float> cells(int sweeps) const;
  int blocks() const { return cut_.blocks; }

 private:
  std::pair<int, int> blocks_of(std::uint32_t gpu) const;

  imbrex::resident::symmetric_heap heap_;
  problem problem_;
  row_blocks cut_;
  imbrex::resident::program<Chare> program_;
  imbrex::resident::symmetric_buffer<float> grids_[2];
  imbrex::resident::symmetric_buffer<std::uint32_t> flags_;
};

}  // namespace jacobi2d
