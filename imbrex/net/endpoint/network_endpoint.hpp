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

/// A worker of a fabric and its connections: one PE's, or all of a process's. What it does is the same on
/// every fabric. Where its messages are to cost no call through a pointer, `Worker` is that fabric's final
/// class, else `fabric_worker`; who makes one includes `definitions.hpp`.
///
/// An item is packed into one buffer, which the fabric copies or keeps until it has left. A long block in it
/// (a vector of numbers, say) is not packed but sent from where it lies, and the rest before it as the header
/// of the message: then the item itself is kept. The receiver unpacks the header and finds the block beside
/// it; or, if the block is so long that it is offered (rendezvous), lets the fabric put it into the unpacked
/// item. Within a host it may take another way, see `shared_window`.
///
/// A short item that may wait (`work::coalesced`) is put with others to the same endpoint into one message,
/// which leaves when it is full, before anything else goes there, and whenever the PE looks for what has
/// come. So is every short item while the fabric keeps earlier ones to that endpoint, since the other side
/// has not taken in what is there: each by itself would cost hundreds of bytes here, and a slot of few there.
/// Such a message leaves when it is full, or when the fabric keeps nothing.
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
    notice_message,
    watch_message,
    greeting_message,
    memory_offer,  ///< read access to the sender's memory
    memory_taken,
    path_message,  ///< which path is better for messages of a size class to the one that tells
    item_in_memory,
    item_on_trial  ///< `item_with_block`, with a `trial_mark`
  };
  static_assert(item_on_trial + 1 == fabric_events::kinds);

  static constexpr std::size_t bytes_beside_payload = 256;
  /// Of long messages (rendezvous) that come at once, unless it is a single one. Within a host this processor
  /// copies them, one after the other, and so few that the memory of those that have been read is used again
  /// while a cache holds it; a link between hosts is to have no gaps.
  static constexpr std::size_t most_arriving_bytes_on_host = std::size_t{1} << 19U;
  static constexpr std::size_t most_arriving_bytes = std::size_t{1} << 23U;
  /// Of larger jobs a PE needs few others; over TCP each connection takes a file descriptor.
  static constexpr std::size_t most_endpoints_greeted = 32;
  /// What is longer, and has no block, has the token as its header, too: it may be offered.
  static constexpr std::size_t longest_without_header = fabric_worker::longest_short;
  /// More than a fabric sends before the other side has answered: when it has left, the two are connected.
  static constexpr std::size_t greeting_bytes = 1024;
  static constexpr std::chrono::milliseconds longest_wait_for_answers{1000};
  /// For the watchman, which is on this host, to be told.
  static constexpr std::chrono::milliseconds longest_wait_for_watchman{100};
  /// For what has begun to arrive when the endpoint ends: a fabric may copy it by itself, and then must not
  /// end before.
  static constexpr std::chrono::milliseconds longest_wait_for_arrivals{100};
  /// Of the fabric in one progress(), so that the PE runs something in between.
  static constexpr int most_rounds = 16;

  /// While `out_` is empty: it may have to connect, and then takes in what comes. Null if the fabric cannot
  /// connect; then the receiver knows of it.
  peer* peer_at(std::size_t number);
  peer* connect_to(std::size_t number);
  /// Connects to all others of a small job and waits until they have answered: else a fabric that connects
  /// late keeps messages back, and so in an entry that computes on after its first send. In a larger job, to
  /// a neighbour: UCX wakes others in shared memory by sockets that everybody may send to, and an empty
  /// datagram makes it abort as long as it has not used that memory yet.
  void greet_others();
  void be_connected_to_neighbour();
  /// Sends what `out_` holds, which is empty afterwards. Takes `item`, if it is not null, because a block of
  /// it is lent.
  void transmit(kind what, peer& other, detail::work* item);
  /// Before the first message to an endpoint of another host: tells the watchman of that host.
  void have_watched(std::size_t number);
  void send_lending(detail::work& item, int to, peer& other);
  /// By what is better to a neighbour. False if it is no neighbour, or goes as any other does.
  bool send_to_neighbour(detail::work& item, int to, peer& other);
  void send_in_memory(detail::work& item, int to, peer& other, const block_mark& mark);
  void offer_memory(peer& other);
  /// Sends values while `out_` may hold another item that is being packed.
  template <class... T>
  void tell(kind what, peer& other, const T&... values);
  template <class Function>
  void apart(const Function& function);
  /// Something was added to the batch for that peer.
  void held_back(peer& other);
  /// What can be moved, if there is much.
  void move_much();
  /// The fabric still reads what `out_` holds: it stays where it is, with its item, until it has been sent.
  void depart(peer& other);
  [[gnu::noinline]] void prepare_departure();
  [[gnu::cold]] void tell_failure(const peer& other, fabric_status status);
  /// What `out_` holds stays for afterwards.
  void send_batch(peer& other);
  /// But those to endpoints where the fabric keeps earlier ones.
  void send_batches();
  /// Writes the item to `out_`, or destroys it and throws what its type's serialize() throws.
  void pack(detail::work& item);
  /// Writes the PE that an item is for, if the endpoint at the other end has several; reads it.
  void address(int pe, const peer& other);
  int take_address(std::span<const std::byte>& bytes) const;
  /// True if the fabric found something to do.
  bool move() noexcept;

  static constexpr bool is_beside_block(unsigned what);
  /// Takes the token off what stands alone, or off the header of a block. False, and said, if it is a
  /// stranger's.
  [[gnu::always_inline]] bool is_ours(std::span<const std::byte>& bytes) const;
  [[gnu::cold]] void tell_of_stranger_here() const;
  [[gnu::always_inline]] void came(unsigned what, std::span<const std::byte> header,
                                   std::span<const std::byte> body) override;
  bool offered(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer) override;
  void departed(fabric_transfer& what) override;
  void filled(fabric_transfer& what, fabric_receipt receipt, const std::string& why) override;
  void lost(int process, const std::string& why) override;

  void take(unsigned what, std::span<const std::byte> header, std::span<const std::byte> data);
  void take_item(std::span<const std::byte> bytes);
  void take_notice(std::span<const std::byte> bytes);
  void take_watch(std::span<const std::byte> bytes);
  void take_item_with_block(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_on_trial(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_in_memory(std::span<const std::byte> bytes);
  void take_memory(std::span<const std::byte> bytes);
  void use_memory(std::span<const std::byte> bytes);
  void take_verdict(std::span<const std::byte> bytes);
  /// A message of a trial has been received, from then until now.
  void compare(const trial_mark& tried, long_path by, std::size_t size, shared_window::time_point begun);
  peer& known_peer(std::size_t number) const;
  void look_now_and_then(std::size_t unread);
  bool has_room_for(std::size_t size) const;
  void accept(unsigned what, std::span<const std::byte> header, std::size_t size, void* offer);
  void accept_first_offer();
  /// Tells the senders that nobody wants them.
  void decline_offers() noexcept;
  void arrived(detail::work& item, int pe, std::size_t bytes);

  held<departure> departing_;  ///< what the fabric reads, and
  held<arrival> arriving_;     ///< what it fills: they stay longer than the worker
  shared_window window_;
  std::unique_ptr<Worker> worker_;
  std::vector<std::unique_ptr<peer>> peers_;
  std::set<int> hosts_;  ///< others that the watchman has been told of
  writer out_;
  peer* written_to_ = nullptr;             ///< whose room is being written to
  std::vector<peer*> peers_with_batches_;  ///< perhaps, by now, with empty ones
  std::unique_ptr<departure> next_departure_;
  back_pressure pressure_;
  offer_queue offers_;
  bool has_greeted_ = false;
  bool took_ = false;         ///< something came in since progress() began
  bool progressing_ = false;  ///< inside a call of the fabric that calls back
  callback_guard guard_;
};

/// An `endpoint_maker` for one kind of workers.
template <class Worker>
std::unique_ptr<fabric_endpoint> make_network_endpoint(std::unique_ptr<fabric_worker> worker, int process,
                                                       const places& where, detail::network::receiver& to) {
  std::unique_ptr<Worker> own_worker(static_cast<Worker*>(worker.release()));
  return std::make_unique<network_endpoint<Worker>>(std::move(own_worker), process, where, to);
}

/// On workers that are called through a pointer.
extern template class network_endpoint<fabric_worker>;

}  // namespace imbrex::endpoints
