// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/clock.hpp>
#include <imbrex/gpu.hpp>
#include <imbrex/io.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/harness/progress.hpp"
#include "apps/jacobi3d/communication.hpp"
#include "apps/jacobi3d/device_layout.hpp"
#include "apps/jacobi3d/device_queues.hpp"
#include "apps/jacobi3d/exchange.hpp"
#include "apps/jacobi3d/exported_faces.hpp"
#include "apps/jacobi3d/fusion.hpp"
#include "apps/jacobi3d/host_faces.hpp"
#include "apps/jacobi3d/host_waits.hpp"
#include "apps/jacobi3d/hot_blocks.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/passed_faces.hpp"

namespace jacobi3d {

/// The way blocks submit an iteration's work to their device.
struct device_use {
  kernel_fusion fusion = kernel_fusion::none;
  bool by_graphs = false;    ///< as a graph, when all faces have arrived
  bool by_requests = false;  ///< as `imbrex::work_request`s instead of the blocks' streams; not with graphs
  communication comm = communication::host;  ///< only `host` with requests
  host_waits waits = host_waits::needed;
  std::int64_t mark = 0;  ///< number of iterations of a run whose end is noted; 0: none
  hot_blocks hot{};
};

/// One block of the grid on its PE's device, with the entries of `block`. With faces through the host, an
/// iteration waits for its device once, until its outgoing faces are on the host. With faces in messages or
/// channels it waits only for its neighbours, and events order the device's work, unless `device_use::waits`
/// says otherwise.
///
/// A graph keeps the addresses with which it was captured, and these repeat. The two arrays are swapped in
/// each iteration (Choi 2022, section 5.2.4). Faces in messages repeat every four iterations, faces of
/// channels every two. So there is a graph for each set of addresses.
class device_block : public imbrex::chare<device_block, imbrex::index<3>> {
 public:
  device_block(const extents& grid, const std::string& init, const device_use& use);

  imbrex::mailbox<face> halo;
  imbrex::mailbox<passed_face> device_halo;
  /// Channels to the neighbours, by side.
  imbrex::device_channel<double> channel_0, channel_1, channel_2, channel_3, channel_4, channel_5;
  imbrex::persistent_channel<double> bound_0, bound_1, bound_2, bound_3, bound_4, bound_5;

  imbrex::task<> start();
  /// Computes a residual only with a tolerance.
  imbrex::task<progress> run(std::int64_t iterations, double tolerance);
  /// The time at which the last run had made `device_use::mark` iterations.
  imbrex::nanoseconds marked() const { return marked_; }
  /// The greatest change of a cell in the last iteration. The host computes it from all cells, which is slow.
  imbrex::task<double> residual();
  imbrex::task<std::uint64_t> checksum();
  imbrex::task<imbrex::packed_cells<double, 3>> cells();

 private:
  using cells_on_device = imbrex::device_buffer<double>;

  bool shared(int side) const { return shared_[std::size_t(side)]; }
  bool has_fusion(kernel_fusion least) const { return use_.fusion >= least; }
  void fill(const extents& grid, const initial_values& values);

  // The work of an iteration, in this order, submitted to streams or to a work request. The arrays are not
  // swapped.
  /// The work for a received neighbour's face.
  template <class Queues>
  void submit_incoming(const Queues& to, int side);
  /// The update, after the work for all faces.
  template <class Queues>
  void submit_update(const Queues& to);
  /// Packs the outgoing faces from these cells, unless the update has written them; and copies them to the
  /// host, if they are sent through it.
  template <class Queues>
  void submit_outgoing(const Queues& to, const cells_on_device& of, bool in_faces);

  incoming_faces incoming() const;
  outgoing_faces outgoing();
  /// The kind of work that fills the outgoing faces.
  device_part filling(bool in_faces) const;

  /// Calls submit(queues) with this block's queues.
  template <class Submit>
  void with_queues(Submit submit);
  /// Captures all work of an iteration, from `now_` to `next_`, without running it.
  imbrex::graph capture();
  /// The graph of an iteration with the current addresses.
  imbrex::graph& graph_of_iteration();

  void connect();
  /// The stream that reads the face of a side.
  imbrex::stream& reader(const stream_queues& queues, int side) const;
  imbrex::device_channel<double>& channel(int side);
  imbrex::persistent_channel<double>& bound_channel(int side);
  bool by_bound_channels() const { return use_.comm == communication::persistent; }
  imbrex::index<3> neighbour(int side) const;
  /// Receives the next face, and makes the device wait for it before reading it. Returns its side; with
  /// channels that is `next_side`.
  imbrex::task<int> receive_face(int next_side);
  /// Receives a face, waits until it is in this device's memory, and submits its work.
  imbrex::task<> receive_complete_face(int next_side);
  /// Receives the faces of all sides as they come, and waits until the sent ones have been read.
  imbrex::task<> receive_complete_faces();
  /// Completes when all submitted work is complete.
  imbrex::task<> done();
  /// Sends the outgoing faces. Stream `filled_by` fills them, or they are on the host already.
  imbrex::task<> send_faces(device_part filled_by);
  /// Releases the received faces after the submitted work has read them.
  void release_faces();
  /// Copies one array, with its padding, to the host.
  imbrex::task<> fetch(const cells_on_device& from, imbrex::pinned_buffer<double>& to);
  /// Calls visit(i, j, k, index in the array) for each cell.
  template <class Visit>
  void for_each_cell(Visit visit) const;

  const device_use use_;
  decomposition cut_;
  extents place_;
  std::array<bool, sides> shared_;
  device_layout layout_;
  std::string name_;
  imbrex::stream_set streams_;
  imbrex::event_pool events_;
  imbrex::event turn_;
  std::optional<imbrex::work_request> request_;  ///< one iteration's request, if used instead of streams
  cells_on_device now_, next_;
  std::optional<host_faces> host_;
  std::optional<passed_faces> passed_;
  std::optional<exported_faces> exported_faces_;
  std::vector<imbrex::device_loan<double>> sent_;  ///< faces in channels, with `host_waits::faces`
  struct captured_iteration {
    std::array<const void*, 2 + 2 * sides> addresses;
    imbrex::graph work;
  };
  std::vector<captured_iteration> graphs_;
  int neighbours_ = 0;
  std::int64_t iteration_ = 0;
  imbrex::nanoseconds marked_{0};
  std::int64_t filled_ = 0;  ///< number of times that faces have been sent
};

}  // namespace jacobi3d
