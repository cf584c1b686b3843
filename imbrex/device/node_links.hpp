// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex {

/// The links between the devices and the hosts of a cluster, and the times at which they are free. They come
/// from the tables `[node]` and `[link]` of a model. A transfer over several links occupies each of them
/// after earlier transfers there, for the time that its bytes take. Its first bytes go on meanwhile. So two
/// transfers that meet anywhere on their paths are serialised there: at a device or card, between sockets, or
/// at the destination. A transfer that fits into a packet neither waits nor delays others. A transfer from
/// one device to another that is not eager begins with a rendezvous.
///
/// One thread.
class node_links {
 public:
  /// Makes the links of `devices` devices, those of the first host first. The model must have links.
  node_links(const device_model& model, int devices);

  /// A place of bytes: a device, or the memory of its socket.
  struct end {
    int device = 0;
    bool in_device = false;
  };

  /// Sends bytes at `now`, which never decreases between calls. Returns the arrival time of the last byte.
  /// O(1).
  nanoseconds transfer(nanoseconds now, end from, end to, std::size_t bytes);

  int host_of(int device) const { return device / devices_of_host_; }

  /// Bytes of a packet, the maximum of InfiniBand.
  static constexpr std::size_t packet = 4096;

 private:
  struct link {
    std::uint64_t rate = 0;  ///< bytes a second
    nanoseconds free{0};     ///< time from which it can take more
  };
  class way;

  int socket_of(int device) const { return device % devices_of_host_ * sockets_ / devices_of_host_; }
  link& between_devices(int from, int to);
  link& between_sockets(int host, int from, int to);

  const device_model::link_rates rates_;
  const int devices_of_host_;
  const int sockets_;
  std::vector<link> to_device_;    ///< to each device, from its socket's memory
  std::vector<link> from_device_;  ///< from each device, to its socket's memory
  std::vector<link> to_card_;      ///< from each device's memory, to the card
  std::vector<link> from_card_;
  std::vector<link> devices_;        ///< from each device, to each other of its host
  std::vector<link> sockets_links_;  ///< for each host, from each socket to each
  std::vector<link> cards_out_;      ///< for each socket
  std::vector<link> cards_in_;
};

}  // namespace imbrex
