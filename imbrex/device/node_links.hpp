// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex {

/// The links between the devices and the hosts of a cluster, as the tables `[node]` and `[link]` of a model
/// have them, and when they are free. What goes over several links takes each of them for the time that its
/// bytes take there, behind what came to that link before; its first bytes go on meanwhile. So two that meet
/// anywhere on their ways wait for each other there: at the device or card where they begin, between sockets,
/// or where they end. What fits into a packet waits for nobody, and nobody for it.
/// A transfer from one device to another that is not eager begins with a rendezvous.
///
/// One thread.
class node_links {
 public:
  /// Of so many devices, the first of which are those of the first host. The model must have links.
  node_links(const device_model& model, int devices);

  /// Where bytes lie: in a device, or in the memory of its socket.
  struct end {
    int device = 0;
    bool in_device = false;
  };

  /// Sends bytes at that moment, which never decreases from call to call. Returns when the last of them have
  /// come. O(1).
  nanoseconds transfer(nanoseconds now, end from, end to, std::size_t bytes);

  int host_of(int device) const { return device / devices_of_host_; }

  /// Bytes that go in one packet, as InfiniBand's largest.
  static constexpr std::size_t packet = 4096;

 private:
  struct link {
    std::uint64_t rate = 0;  ///< bytes a second
    nanoseconds free{0};     ///< from when it can take more
  };
  class way;

  int socket_of(int device) const { return device % devices_of_host_ * sockets_ / devices_of_host_; }
  link& between_devices(int from, int to);
  link& between_sockets(int host, int from, int to);

  const device_model::link_rates rates_;
  const int devices_of_host_;
  const int sockets_;
  std::vector<link> to_device_;    ///< of each device, from its socket's memory
  std::vector<link> from_device_;  ///< the other way
  std::vector<link> to_card_;      ///< of each device, what the card reads of its memory
  std::vector<link> from_card_;
  std::vector<link> devices_;        ///< of each device, to each other of its host
  std::vector<link> sockets_links_;  ///< of each host, from each socket to each
  std::vector<link> cards_out_;      ///< of each socket
  std::vector<link> cards_in_;
};

}  // namespace imbrex
