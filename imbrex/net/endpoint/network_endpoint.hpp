// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <imbrex/net/endpoint/callback_guard.hpp>
#include <imbrex/net/endpoint/connector.hpp>
#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/endpoint/message_receiver.hpp>
#include <imbrex/net/endpoint/neighbour_path.hpp>
#include <imbrex/net/endpoint/outbox.hpp>

namespace imbrex::endpoints {

/// A worker of a fabric and its connections, for one PE or for all PEs of a process. Its work is the same on
/// every fabric. `Worker` is a fabric's own final class, so that messages need no virtual calls, or
/// `fabric_worker`. Files that instantiate this include `definitions.hpp`.
///
/// An item is packed into one buffer, which the fabric copies, or keeps until it has left. A long block in it
/// (a vector of numbers, say) is not packed but sent from its own memory. The packed rest is then the header
/// of the message, and the item itself is kept. The receiver unpacks the header and finds the block beside
/// it. If the block is so long that it is offered (rendezvous), the fabric receives it into the unpacked
/// item. Within a host a block may take another path, see `shared_window`.
///
/// A short item that may wait (`work::coalesced`) is put with others to the same endpoint into one message, a
/// batch. The batch leaves when it is full, before any other message to that endpoint, and whenever the PE
/// polls the network. While the fabric keeps earlier messages to that endpoint, the receiver is behind, and
/// every short item is put into a batch. Alone, each would cost hundreds of bytes here, and one of the
/// receiver's few slots. Such a batch leaves when it is full, or when the fabric keeps nothing.
template <class Worker>
class network_endpoint final : public fabric_endpoint, public fabric_events {
 public:
  network_endpoint(std::unique_ptr<Worker> worker, int process, const places& where,
                   detail::network::receiver& to);
  ~network_endpoint() override { close(); }

  void send(detail::work& item, int to) override;
  std::byte* room_for(int to, std::size_t most, bool may_wait) override;
  void send_written(std::size_t bytes, bool may_wait) override;
  void notify(int process, std::span<const std::byte> bytes) override;
  bool progress(std::size_t unread) override;
  bool arm() override;
  int descriptor() const override { return out_.pressure().holds_off() ? -1 : out_.worker().descriptor(); }
  bool sending() const override { return out_.departing() > 0; }
  bool congested() const override { return out_.pressure().congested(); }

  std::string address() const override { return out_.worker().address(); }
  bool flushed() override;
  bool close() override;
  std::size_t departing() const override { return out_.departing(); }

 private:
  friend Worker;  ///< calls events

  /// Limit of the time for messages in transfer when the endpoint ends: a fabric may be copying them, and
  /// must not end before.
  static constexpr std::chrono::milliseconds longest_wait_for_arrivals{100};
  /// Limit of the fabric's calls in one progress(), so that the PE runs items in between.
  static constexpr int most_rounds = 16;

  void send_with_block(detail::work& item, int to, peer& other);
  void look_now_and_then(std::size_t unread);

  [[gnu::always_inline]] void came(unsigned what, std::span<const std::byte> header,
                                   std::span<const std::byte> body) override;
  bool offered(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer) override;
  void departed(fabric_transfer& what) override { out_.end_departure(what); }
  void filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) override;
  void lost(int process, const std::string& why) override;

  outbox<Worker> out_;
  connector<Worker> peers_;
  neighbour_path<Worker> neighbours_;
  message_receiver<Worker> receiver_;
  callback_guard guard_;
};

/// An `endpoint_maker` for one kind of workers.
template <class Worker>
std::unique_ptr<fabric_endpoint> make_network_endpoint(std::unique_ptr<fabric_worker> worker, int process,
                                                       const places& where, detail::network::receiver& to) {
  std::unique_ptr<Worker> own_worker(static_cast<Worker*>(worker.release()));
  return std::make_unique<network_endpoint<Worker>>(std::move(own_worker), process, where, to);
}

/// The instance whose worker is called through a pointer.
extern template class network_endpoint<fabric_worker>;

}  // namespace imbrex::endpoints
