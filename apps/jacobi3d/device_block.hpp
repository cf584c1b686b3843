// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/gpu.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/harness/progress.hpp"
#include "apps/jacobi3d/device_layout.hpp"
#include "apps/jacobi3d/exchange.hpp"
#include "apps/jacobi3d/initial_values.hpp"

namespace jacobi3d {

/// One block of the grid in its PE's device. Faces travel through pinned memory of the host (Charm-H of Choi
/// 2022, section 5.2.3), and an iteration waits for its device once: when its outgoing faces have come.
/// Otherwise like `block`, whose entries it has.
class device_block : public imbrex::chare<device_block, imbrex::index<3>> {
 public:
  /// `by_requests`: work goes to the device as `imbrex::work_request`s, not by streams of the blocks.
  device_block(const extents& grid, const std::string& init, bool by_requests);

  imbrex::mailbox<face> halo;

  imbrex::task<> start();
  /// Without a tolerance no residual is computed.
  imbrex::task<progress> run(std::int64_t iterations, double tolerance);
  /// The greatest change of a cell in the last iteration. It is computed by the host, from all cells: what
  /// wants it is slow.
  imbrex::task<double> residual();
  imbrex::task<std::uint64_t> checksum();
  imbrex::task<std::vector<double>> cells();

 private:
  using cells_on_device = imbrex::device_buffer<double>;

  bool shared(int side) const { return shared_[std::size_t(side)]; }
  void fill(const extents& grid, const initial_values& values);
  /// What is submitted to `later` from now on comes after what has been submitted to `earlier`.
  void order(imbrex::stream& earlier, imbrex::stream& later);
  /// Gives the device a neighbour's face.
  void submit_halo(const face& received);
  void submit_update();
  /// Has the outermost cells copied to the host.
  void submit_faces();
  /// When what was submitted is done.
  imbrex::task<> done();
  /// Submits the faces, and sends them when they have come.
  imbrex::task<> send_faces();
  /// The cells of one array, with padding, on the host.
  imbrex::task<> fetch(const cells_on_device& from, imbrex::pinned_buffer<double>& to);
  /// Calls visit(i, j, k, position in the array) for each cell.
  template <class Visit>
  void for_each_cell(Visit visit) const;

  const bool keeps_data_;
  decomposition cut_;
  extents place_;
  std::array<bool, sides> shared_;
  device_layout layout_;
  imbrex::stream_set streams_;
  imbrex::event_pool events_;
  imbrex::event turn_;
  std::optional<imbrex::work_request> request_;  ///< of one iteration, instead of streams
  cells_on_device now_, next_;
  struct exchanged_face {
    std::optional<imbrex::device_buffer<double>> on_device;
    std::optional<imbrex::pinned_buffer<double>> on_host;
  };
  std::array<exchanged_face, sides> in_, out_;
  int neighbours_ = 0;
  std::int64_t iteration_ = 0;
};

}  // namespace jacobi3d
