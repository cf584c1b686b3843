// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/endpoint/back_pressure.hpp>
#include <imbrex/net/endpoint/callback_guard.hpp>
#include <imbrex/net/endpoint/fabric_endpoint.hpp>
#include <imbrex/net/endpoint/held.hpp>
#include <imbrex/net/endpoint/offer_queue.hpp>
#include <imbrex/net/endpoint/peer.hpp>
#include <imbrex/net/endpoint/shared_window.hpp>
#include <imbrex/serial/writer.hpp>

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
  int descriptor() const override { return pressure_.holds_off() ? -1 : worker_->descriptor(); }
  bool sending() const override { return !departing_.empty(); }
  bool congested() const override { return pressure_.congested(); }

  std::string address() const override { return worker_->address(); }
  bool flushed() override;
  bool close() override;
  std::size_t departing() const override { return departing_.size(); }

 private:
  friend Worker;  ///< calls events

  enum kind : unsigned {
    item_message,
    item_with_block,
    batch_message,
    control_message_item,
    watch_message,
    greeting_message,
    memory_offer,  ///< read access to the sender's memory
    memory_taken,
    path_message,  ///< the better path for messages of a size class to the sender of this message
    item_in_memory,
    item_on_trial  ///< `item_with_block`, with a `trial_mark`
  };
  static_assert(item_on_trial + 1 == fabric_events::kinds);

  static constexpr std::size_t bytes_beside_payload = 256;
  /// Limits of the bytes of long messages (rendezvous) in transfer at once; a single message may be longer.
  /// Within a host this processor copies them one after the other. The limit is low, so that memory already
  /// read is used again while still cached. Between hosts it keeps the link busy.
  static constexpr std::size_t most_arriving_bytes_on_host = std::size_t{1} << 19U;
  static constexpr std::size_t most_arriving_bytes = std::size_t{1} << 23U;
  /// Largest number of endpoints in a job whose PEs all connect at the start. In larger jobs a PE needs only
  /// a few others, and over TCP each connection takes a file descriptor.
  static constexpr std::size_t most_endpoints_greeted = 32;
  /// Limit for messages without a block and without a header. Longer ones carry the token as their header,
  /// since they may be offered.
  static constexpr std::size_t longest_without_header = fabric_worker::longest_short;
  /// More bytes than a fabric sends before the receiver has replied: once they have left, the two are
  /// connected.
  static constexpr std::size_t greeting_bytes = 1024;
  static constexpr std::chrono::milliseconds longest_wait_for_answers{1000};
  /// Limit of the time until a message to the link monitor, which is on this host, has left.
  static constexpr std::chrono::milliseconds longest_wait_for_monitor{100};
  /// Limit of the time for messages in transfer when the endpoint ends: a fabric may be copying them, and
  /// must not end before.
  static constexpr std::chrono::milliseconds longest_wait_for_arrivals{100};
  /// Limit of the fabric's calls in one progress(), so that the PE runs items in between.
  static constexpr int most_rounds = 16;

  /// The peer with that index. Only while `out_` is empty: it may have to connect, and then receives
  /// messages. Null if the fabric cannot connect; the receiver is notified then.
  peer* peer_at(std::size_t number);
  peer* connect_to(std::size_t number);
  /// `greet_others` connects to all other endpoints of a small job and waits for their replies. Otherwise a
  /// fabric that connects late holds messages back, also while an entry computes on after its first send. In
  /// a larger job it only connects to a neighbour (`be_connected_to_neighbour`), so that UCX uses shared
  /// memory. UCX wakes others there by sockets to which any process may send. Until UCX has used that memory,
  /// an empty datagram from another job makes it abort.
  void greet_others();
  void be_connected_to_neighbour();
  /// Sends the content of `out_`, which is empty afterwards. Takes ownership of `item`, one of whose blocks
  /// the fabric reads in place; null: there is no such block.
  void transmit(kind what, peer& other, detail::work* item);
  /// Requests that this host's link monitor watch an endpoint's host; before the first message to that host.
  void have_watched(std::size_t number);
  void send_lending(detail::work& item, int to, peer& other);
  /// Sends by the faster path to a neighbour. False if the endpoint is no neighbour, or the item takes the
  /// normal path.
  bool send_to_neighbour(detail::work& item, int to, peer& other);
  void send_in_memory(detail::work& item, int to, peer& other, const block_mark& mark);
  void offer_memory(peer& other);
  /// Sends values even while `out_` holds another item that is being packed.
  template <class... T>
  void tell(kind what, peer& other, const T&... values);
  template <class Function>
  void apart(const Function& function);
  /// Called after an item was added to the peer's batch.
  void held_back(peer& other);
  /// Makes progress if many bytes wait to leave.
  void move_much();
  /// Keeps the content of `out_` and its item until they have been sent, since the fabric still reads them.
  void depart(peer& other);
  [[gnu::noinline]] void prepare_departure();
  [[gnu::cold]] void tell_failure(const peer& other, fabric_status status);
  /// Sends the peer's batch and preserves the content of `out_`.
  void send_batch(peer& other);
  /// Sends all batches, except to endpoints for which the fabric keeps earlier messages.
  void send_batches();
  /// Writes the item to `out_`, or destroys it and throws what its type's serialize() throws.
  void pack(detail::work& item);
  /// Write and read the PE that an item is for, if the receiving endpoint has several.
  void address(int pe, const peer& other);
  int take_address(std::span<const std::byte>& bytes) const;
  /// Makes progress. True if the fabric found something to do.
  bool move() noexcept;

  static constexpr bool is_beside_block(unsigned what);
  /// Removes the token from the header of a block, else from the message. False, with a warning, if the
  /// message is from another run.
  [[gnu::always_inline]] bool is_of_this_run(std::span<const std::byte>& bytes) const;
  [[gnu::cold]] void tell_of_stranger_here() const;
  [[gnu::always_inline]] void came(unsigned what, std::span<const std::byte> header,
                                   std::span<const std::byte> body) override;
  bool offered(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer) override;
  void departed(fabric_transfer& what) override;
  void filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) override;
  void lost(int process, const std::string& why) override;

  void take(unsigned what, std::span<const std::byte> header, std::span<const std::byte> data);
  void take_item(std::span<const std::byte> bytes);
  void take_control_message(std::span<const std::byte> bytes);
  void take_watch(std::span<const std::byte> bytes);
  void take_item_with_block(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_on_trial(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_in_memory(std::span<const std::byte> bytes);
  void take_memory(std::span<const std::byte> bytes);
  void use_memory(std::span<const std::byte> bytes);
  void take_verdict(std::span<const std::byte> bytes);
  /// Notes that a message of a trial was received between `begun` and now.
  void compare(const trial_mark& tried, long_path by, std::size_t size, shared_window::time_point begun);
  peer& known_peer(std::size_t number) const;
  void look_now_and_then(std::size_t unread);
  bool has_room_for(std::size_t size) const;
  void accept(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer);
  void accept_first_offer();
  /// Refuses all offers.
  void decline_offers() noexcept;
  void arrived(detail::work& item, int pe, std::size_t bytes);

  held<departure> departing_;  ///< transfers that the fabric reads
  held<arrival> arriving_;     ///< transfers that the fabric fills; both outlive the worker
  shared_window window_;
  std::unique_ptr<Worker> worker_;
  std::vector<std::unique_ptr<peer>> peers_;
  std::set<int> hosts_;  ///< other hosts that the link monitor already watches
  writer out_;
  peer* written_to_ = nullptr;             ///< peer of the room that `room_for` returned
  std::vector<peer*> peers_with_batches_;  ///< their batches may be empty by now
  std::unique_ptr<departure> next_departure_;
  back_pressure pressure_;
  offer_queue offers_;
  bool has_greeted_ = false;
  bool took_ = false;         ///< an item or control message was received since progress() began
  bool progressing_ = false;  ///< during a call of the fabric that calls back
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
