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
#include "apps/jacobi3d/communication.hpp"
#include "apps/jacobi3d/device_layout.hpp"
#include "apps/jacobi3d/device_queues.hpp"
#include "apps/jacobi3d/exchange.hpp"
#include "apps/jacobi3d/fusion.hpp"
#include "apps/jacobi3d/host_faces.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/lent_faces.hpp"
#include "apps/jacobi3d/passed_faces.hpp"

namespace jacobi3d {

/// How blocks give an iteration's work to their device.
struct device_use {
  kernel_fusion fusion = kernel_fusion::none;
  bool by_graphs = false;    ///< as a graph, when all faces have come
  bool by_requests = false;  ///< as `imbrex::work_request`s, not by streams of the blocks; not with graphs
  communication comm = communication::host;  ///< not in the memory of devices with requests
};

/// One block of the grid in its PE's device. Otherwise like `block`, whose entries it has. With faces through
/// the host an iteration waits for its device once, when its outgoing faces have come there; with faces in
/// messages or channels it waits for nothing but its neighbours, and the device has its order from events.
///
/// A graph keeps the addresses that it was captured with, and these come round: the two arrays change places
/// in each iteration (Choi 2022, section 5.2.4), and faces in messages are the same again every four, those
/// for channels every two. So there is a graph for each set of addresses.
class device_block : public imbrex::chare<device_block, imbrex::index<3>> {
 public:
  device_block(const extents& grid, const std::string& init, const device_use& use);

  imbrex::mailbox<face> halo;
  imbrex::mailbox<passed_face> device_halo;
  /// To the neighbours of all sides.
  imbrex::device_channel<double> channel_0, channel_1, channel_2, channel_3, channel_4, channel_5;
  imbrex::persistent_channel<double> bound_0, bound_1, bound_2, bound_3, bound_4, bound_5;

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
  bool has_fusion(kernel_fusion least) const { return use_.fusion >= least; }
  void fill(const extents& grid, const initial_values& values);

  // What an iteration submits, in this order, to streams or to a work request. It does not swap the arrays.
  /// A neighbour's face, which has been put.
  template <class Queues>
  void submit_incoming(const Queues& to, int side);
  /// The update, when all faces were submitted.
  template <class Queues>
  void submit_update(const Queues& to);
  /// Packs of the faces that go, of these cells, unless the update has put them there; and their copies to
  /// the host, if they go through it.
  template <class Queues>
  void submit_outgoing(const Queues& to, const cells_on_device& of, bool in_faces);

  incoming_faces incoming() const;
  outgoing_faces outgoing();
  /// The kind of work that fills the faces that go.
  device_part filling(bool in_faces) const;

  /// Calls submit(queues) with those of this block.
  template <class Submit>
  void with_queues(Submit submit);
  /// All that an iteration submits, from `now_` to `next_`. It runs nothing.
  imbrex::graph capture();
  /// That of an iteration with these addresses.
  imbrex::graph& graph_of_iteration();

  void connect();
  /// The stream that reads a side's face.
  imbrex::stream& reader(const stream_queues& queues, int side) const;
  imbrex::device_channel<double>& channel(int side);
  imbrex::persistent_channel<double>& bound_channel(int side);
  bool by_bound_channels() const { return use_.comm == communication::persistent; }
  imbrex::index<3> neighbour(int side) const;
  /// Takes the next face that comes, and has the device wait for it where it reads it; returns its side. By
  /// channels it is that of the next side.
  imbrex::task<int> receive_face(int next_side);
  /// When what was submitted is done.
  imbrex::task<> done();
  /// Those that are in the place of faces are filled by that stream, or have come to the host.
  imbrex::task<> send_faces(device_part filled_by);
  /// The faces that came last are read by what was submitted.
  void release_faces();
  /// The cells of one array, with padding, on the host.
  imbrex::task<> fetch(const cells_on_device& from, imbrex::pinned_buffer<double>& to);
  /// Calls visit(i, j, k, position in the array) for each cell.
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
  std::optional<imbrex::work_request> request_;  ///< of one iteration, instead of streams
  cells_on_device now_, next_;
  std::optional<host_faces> host_;
  std::optional<passed_faces> passed_;
  std::optional<lent_faces> lent_;
  struct captured_iteration {
    std::array<const void*, 2 + 2 * sides> addresses;
    imbrex::graph work;
  };
  std::vector<captured_iteration> graphs_;
  int neighbours_ = 0;
  std::int64_t iteration_ = 0;
  std::int64_t filled_ = 0;  ///< how many times faces have been sent
};

}  // namespace jacobi3d
