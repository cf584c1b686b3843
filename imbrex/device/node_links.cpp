// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/node_links.hpp>

#include <algorithm>

namespace imbrex {

/// The progress of one transfer along its path.
class node_links::way {
 public:
  way(nanoseconds now, std::size_t bytes) : bytes_(bytes), first_(now), last_(now) {}

  void take(link& next) {
    const nanoseconds time = device_model::transfer_time(bytes_, next.rate);
    if (bytes_ > packet) {
      first_ = std::max(first_, next.free);
      next.free = first_ + time;
    }
    last_ = std::max(last_, first_ + time);
  }
  void wait(nanoseconds latency) {
    first_ += latency;
    last_ += latency;
  }
  /// Limits the rate of the rest of the path, without occupying a link.
  void last_at_least(std::uint64_t rate) {
    last_ = std::max(last_, first_ + device_model::transfer_time(bytes_, rate));
  }
  nanoseconds end() const { return last_; }

 private:
  const std::size_t bytes_;
  nanoseconds first_;  ///< arrival time of the first byte
  nanoseconds last_;
};

node_links::node_links(const device_model& model, int devices)
    : rates_(model.link), devices_of_host_(model.node.devices), sockets_(model.node.sockets) {
  const auto count = static_cast<std::size_t>(devices);
  const auto of_host = static_cast<std::size_t>(devices_of_host_);
  const auto sockets = static_cast<std::size_t>(sockets_);
  const std::size_t hosts = (count + of_host - 1) / of_host;
  to_device_.assign(count, {rates_.host});
  from_device_.assign(count, {rates_.host});
  to_card_.assign(count, {rates_.card_device});
  from_card_.assign(count, {rates_.card_device});
  devices_.assign(count * of_host, {rates_.device});
  sockets_links_.assign(hosts * sockets * sockets, {rates_.socket});
  cards_out_.assign(hosts * sockets, {rates_.card});
  cards_in_.assign(hosts * sockets, {rates_.card});
}

node_links::link& node_links::between_devices(int from, int to) {
  return devices_[static_cast<std::size_t>(from) * static_cast<std::size_t>(devices_of_host_) +
                  static_cast<std::size_t>(to % devices_of_host_)];
}

node_links::link& node_links::between_sockets(int host, int from, int to) {
  return sockets_links_[static_cast<std::size_t>((host * sockets_ + from) * sockets_ + to)];
}

nanoseconds node_links::transfer(nanoseconds now, end from, end to, std::size_t bytes) {
  way taken(now, bytes);
  const auto sender = static_cast<std::size_t>(from.device);
  const auto receiver = static_cast<std::size_t>(to.device);
  const int host = host_of(from.device);
  const int socket = socket_of(from.device);
  const int other_host = host_of(to.device);
  const int other_socket = socket_of(to.device);
  const bool near = host == other_host && socket == other_socket;
  if (from.in_device && to.in_device && bytes > rates_.eager)
    taken.wait(host == other_host ? rates_.device_rendezvous : rates_.card_rendezvous);
  if (near && from.in_device && to.in_device) {
    taken.take(between_devices(from.device, to.device));
    taken.wait(rates_.device_latency);
    return taken.end();
  }
  if (from.in_device) taken.take(from_device_[sender]);
  if (host != other_host) {
    if (from.in_device) taken.take(to_card_[sender]);
    taken.take(cards_out_[static_cast<std::size_t>(host * sockets_ + socket)]);
    taken.wait(rates_.card_latency);
    taken.take(cards_in_[static_cast<std::size_t>(other_host * sockets_ + other_socket)]);
    if (to.in_device) taken.take(from_card_[receiver]);
    if (from.in_device && to.in_device && rates_.staged_from != 0 && bytes >= rates_.staged_from)
      taken.last_at_least(rates_.staged);
  } else if (socket != other_socket) {
    taken.take(between_sockets(host, socket, other_socket));
    taken.wait(rates_.device_latency + rates_.socket_latency);
  }
  if (to.in_device) taken.take(to_device_[receiver]);
  return taken.end();
}

}  // namespace imbrex
