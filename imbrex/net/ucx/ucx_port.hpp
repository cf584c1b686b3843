// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/network.hpp>
#include <imbrex/net/ucx/handles.hpp>
#include <imbrex/net/ucx/held.hpp>
#include <imbrex/net/ucx/long_path.hpp>
#include <imbrex/net/ucx/run_token.hpp>
#include <imbrex/net/ucx/shared_memory.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::ucx {

class heartbeat;

/// A port of a process, perhaps this one.
struct remote_port {
  std::string address;
  int process = 0;
  int host = 0;
  bool on_this_host = false;
  bool is_of_one_pe = true;
};

/// Where everybody is reached.
struct places {
  std::vector<remote_port> ports;
  std::vector<std::size_t> port_of_pe;
  std::vector<std::size_t> first_port;  ///< of each process
  /// The process of this host whose heartbeat watches its links to others, if any does; and that, in that process.
  std::optional<int> watchman;
  heartbeat* own_heartbeat = nullptr;
  bool are_on_one_host = true;
  run_token token = 0;
};

/// A worker and its endpoints: one PE's, or all of a process's. All is one thread's, but the two counters, which anybody may read;
/// when no PE runs any more, that of whoever ends the network.
///
/// An item is packed into one buffer, which UCX copies or keeps until it has left. A long block in it (a vector of
/// numbers, say) is not packed but sent from where it lies, and the rest before it as the header of the active
/// message: then the item itself is kept. The receiver unpacks the header and finds the block beside it; or, if
/// the block is so long that UCX asks first (rendezvous), lets UCX put it into the unpacked item.
///
/// Within a host UCX has the kernel copy what is long, page by page, which on some processors takes three times as long as a
/// copy to memory that both share and one from there, and on others half as long. So a port that sends a long block to another
/// of its host offers that one access to such memory. From when it has been taken, both paths are tried (`long_path`), and the
/// better one is used, memory as long as there is room in it.
///
/// A short item that may wait (`work::coalesced`) is put with others to the same port into one message, which leaves
/// when it is full, before anything else goes there, and whenever the PE looks for what has come. So is every short item
/// while UCX keeps earlier ones to that port, since the other side has not taken in what is there: each by itself would
/// cost hundreds of bytes here, and a slot of few there. Such a message leaves when it is full, or when UCX keeps nothing.
class ucx_port final : public port {
 public:
  /// `where` must be complete before the first send, and outlive this.
  ucx_port(ucp_context_h context, int process, const places& where, network::receiver& to);
  ~ucx_port() override;

  void send(work& item, int to) override;
  std::byte* room_for(int to, std::size_t most, bool may_wait) override;
  void send_written(std::size_t bytes, bool may_wait) override;
  void notify(int process, std::span<const std::byte> bytes) override;
  bool progress(std::size_t unread) override;
  bool arm() override;
  int descriptor() const override { return holds_off() ? -1 : descriptor_; }
  bool sending() const override { return !departing_.empty(); }
  /// Messages that UCX has not sent yet.
  std::size_t departing() const { return departing_.size(); }
  bool congested() const override { return departing_bytes_ > most_departing_bytes; }

  /// Only that PE uses it; else items come with the number of theirs. Before the first of them.
  void belong_to(int pe) { pe_ = pe; }
  /// The worker's address, as bytes for other processes.
  std::string address() const;
  /// True when nothing that was sent is still here; moves what can be moved. From the first call on nothing
  /// more is sent, and what comes is dropped.
  bool flushed();
  /// Drops all connections and what they still hold. False if UCX was still working on some of it.
  bool close();

  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  std::uint64_t received() const { return received_.load(std::memory_order_relaxed); }

 private:
  enum kind : unsigned {
    item_message,
    item_with_block,
    batch_message,
    notice_message,
    watch_message,
    greeting_message,
    memory_offer,  ///< read access to the sender's `shared_memory`
    memory_taken,
    path_verdict,  ///< which path is better for messages of a size class to the one that tells
    item_in_memory,
    item_on_trial  ///< `item_with_block`, with a `trial_mark`
  };
  enum class access_to_ours : std::uint8_t;
  using time_point = std::chrono::steady_clock::time_point;
  struct trial_mark;
  struct block_mark;
  struct verdict;
  struct departure;
  struct arrival;
  struct peer;
  /// A long message that UCX asks about (rendezvous); or one that is put off until no callback of UCX runs, or until there is
  /// room: then it is all in the header.
  struct offer {
    kind what;
    std::vector<std::byte> header;
    std::size_t size;
    void* described;  ///< what UCX knows it by; null if it was put off
  };

  /// Above this PEs run nothing that could send more.
  static constexpr std::size_t most_departing_bytes = std::size_t{32} << 20U;
  /// Above this every send also moves what can be moved, for the sake of long loops that send.
  static constexpr std::size_t many_departing_bytes = std::size_t{4} << 20U;
  static constexpr std::size_t bytes_beside_payload = 256;
  /// What UCX sends through its own shared memory, without a question: no faster way is known.
  static constexpr std::size_t longest_block_unasked = std::size_t{1} << 13U;
  /// What describes a block in shared memory is short, so that UCX does not ask about it in its turn, and takes no longer
  /// to read than the block.
  static constexpr std::size_t longest_beside_block = 1024;
  static constexpr std::size_t longest_about_block = longest_beside_block + 128;  ///< with all that is added
  /// A batch of so many bytes is full. After a look at the network the first is shorter, so that the other side begins
  /// soon; each further one may be twice as long.
  static constexpr std::size_t first_full_batch = 768;
  static constexpr std::size_t last_full_batch = 4096;
  /// Of long messages (rendezvous) that come at once, unless it is a single one. Within a host this processor
  /// copies them, one after the other, and so few that the memory of those that have been read is used again
  /// while a cache holds it; a link between hosts is to have no gaps.
  static constexpr std::size_t most_arriving_bytes_on_host = std::size_t{1} << 19U;
  static constexpr std::size_t most_arriving_bytes = std::size_t{1} << 23U;
  /// Between the looks of a PE that holds off.
  static constexpr std::chrono::microseconds shortest_patience{20};
  static constexpr std::chrono::microseconds longest_patience{50'000};
  /// While nothing leaves it takes one long message in the shortest such time, doubled for each `most_unread` that has come.
  static constexpr std::size_t most_doublings = 12;
  /// Over TCP a rendezvous takes a round trip, and spares a copy in memory. As UCX 1.20 has it; 1.13 asks from 8 or
  /// 20 KiB on.
  static constexpr std::size_t most_sent_unasked_over_tcp = std::size_t{1} << 18U;
  /// Of larger jobs a PE needs few others; over TCP each connection takes a file descriptor.
  static constexpr std::size_t most_ports_greeted = 32;
  /// What is longer, and has no block, has the token as its header, too: it may have to be asked for.
  static constexpr std::size_t longest_without_header = std::size_t{1} << 13U;
  /// More than UCX sends before the other side has answered: when it has left, the two are connected.
  static constexpr std::size_t greeting_bytes = 1024;
  static constexpr std::chrono::milliseconds longest_wait_for_answers{1000};
  /// Of UCX in one progress(), so that the PE runs something in between.
  static constexpr int most_rounds = 16;

  /// While `out_` is empty: it may have to connect, and then takes in what comes. Null if UCX cannot connect; then the
  /// receiver knows of it.
  peer* peer_at(std::size_t port);
  peer* connect_to(std::size_t port);
  /// Connects to all others of a small job and waits until they have answered: UCX keeps a message of more than some
  /// 90 bytes back until then, and so in an entry that computes on after its first send.
  void greet_others();
  /// UCX wakes others in shared memory by sockets that everybody may send to; an empty datagram makes it abort as long as it
  /// has not used that memory yet.
  void be_connected_to_neighbour();
  /// Sends what `out_` holds, which is empty afterwards. Takes `item`, if it is not null, because a block of it
  /// is lent.
  void transmit(kind what, peer& other, work* item);
  /// Before the first message to a port of another host: tells the watchman of that host.
  void have_watched(std::size_t port);
  void send_lending(work& item, int to, peer& other);
  /// By what is better to a neighbour. False if it is no neighbour, or goes as any other does.
  bool send_to_neighbour(work& item, int to, peer& other);
  void send_in_memory(work& item, int to, peer& other, const block_mark& mark);
  void offer_memory(peer& other);
  /// That its memory can be read.
  void tell_of_memory(peer& other);
  void tell_of_path(peer& other, const verdict& found);
  /// Of this port, among all.
  std::size_t own_number() const;
  /// Sends something while `out_` may hold another item that is being packed.
  template <class Function>
  void apart(const Function& function);
  /// Something was added to the batch for that peer.
  void held_back(peer& other);
  void count_sent() { sent_.store(sent() + 1, std::memory_order_relaxed); }
  /// What can be moved, if there is much.
  void move_much();
  void count_received() { received_.store(received() + 1, std::memory_order_relaxed); }
  void prepare_departure();
  /// UCX still reads what `out_` holds: it stays where it is, with its item, until UCX has.
  void depart(peer& other);
  /// What `out_` holds stays for afterwards.
  void send_batch(peer& other);
  /// But those to ports where UCX keeps earlier ones.
  void send_batches();
  /// Writes the item to `out_`, or destroys it and throws what its type's serialize() throws.
  void pack(work& item);
  /// Writes the PE that an item is for, if the port at the other end has several; reads it.
  void address(int pe, const peer& other);
  int take_address(std::span<const std::byte>& bytes) const;
  /// True if UCX found something to do.
  bool move() noexcept;

  static constexpr bool is_beside_block(kind what);
  void handle_messages();
  template <kind What>
  void handle();
  /// What UCX calls for a message.
  template <kind What>
  static ucs_status_t on_message(void* self, const void* header, std::size_t header_length, void* data,
                                 std::size_t length, const ucp_am_recv_param_t* how_it_came);
  /// Takes the token off what stands alone, or off the header of a block. False, and said, if it is a stranger's.
  bool is_ours(std::span<const std::byte>& bytes) const;
  [[gnu::cold]] void tell_of_stranger_here() const;
  void take(kind what, std::span<const std::byte> header, std::span<const std::byte> data);
  void take_item(std::span<const std::byte> bytes);
  void take_batch(std::span<const std::byte> bytes);
  void take_notice(std::span<const std::byte> bytes);
  void take_watch(std::span<const std::byte> bytes);
  void take_item_with_block(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_on_trial(std::span<const std::byte> header, std::span<const std::byte> block);
  void take_item_in_memory(std::span<const std::byte> bytes);
  void take_memory(std::span<const std::byte> bytes);
  void use_memory(std::span<const std::byte> bytes);
  void take_verdict(std::span<const std::byte> bytes);
  /// A message of a trial has been received, from then until now.
  void compare(const trial_mark& tried, long_path by, std::size_t size, time_point begun);
  peer& known_peer(std::size_t port) const;
  /// True while this PE can neither send nor run, and much has come.
  bool holds_off() const { return is_full_ && congested(); }
  void look_now_and_then(std::size_t unread);
  /// A message comes at once if there is room for it, else later.
  ucs_status_t be_offered(kind what, std::span<const std::byte> header, std::size_t size, void* described);
  bool has_room_for(std::size_t size) const;
  void accept(kind what, std::span<const std::byte> header, std::size_t size, void* described);
  void accept_offers();
  void accept_first_offer();
  /// Tells the senders that nobody wants them.
  void decline_offers() noexcept;
  void arrived(work& item, int pe, std::size_t bytes);
  void lost(int process, ucs_status_t why) noexcept;
  /// Calls something that may throw, from within UCX.
  template <class Function>
  void guarded(const Function& function) noexcept;

  const int process_;
  const places& where_;
  const bool leaves_rendezvous_to_ucx_;
  std::optional<int> pe_;
  network::receiver& to_;
  held<departure> departing_;              ///< what UCX reads, and
  held<arrival> arriving_;                 ///< what it fills: they stay longer than the worker
  std::unique_ptr<shared_memory> memory_;  ///< once there have been long blocks to others of this host
  worker worker_;
  int descriptor_ = -1;
  std::size_t longest_header_ = 0;
  std::vector<std::unique_ptr<peer>> peers_;
  std::set<int> hosts_;  ///< others that the watchman has been told of
  writer out_;
  peer* written_to_ = nullptr;             ///< whose room is being written to
  std::vector<peer*> peers_with_batches_;  ///< perhaps, by now, with empty ones
  std::unique_ptr<departure> next_departure_;
  /// What UCX is told with each message: its user data is `next_departure_`.
  ucp_request_param_t how_to_send_{};
  std::size_t departing_bytes_ = 0;
  std::deque<offer> offers_;  ///< that wait for room
  std::size_t arriving_bytes_ = 0;
  time_point compared_last_;  ///< no two messages are received at once, when that is timed
  bool is_full_ = false;      ///< more has come than the PE has run
  std::chrono::microseconds patience_ = shortest_patience;
  time_point looked_last_;  ///< when it held off
  time_point moved_last_;   ///< when something left then, or a long message was taken
  bool has_greeted_ = false;
  bool took_ = false;         ///< something came in since progress() began
  bool progressing_ = false;  ///< inside a call of UCX that calls back
  bool closing_ = false;
  std::exception_ptr problem_;  ///< of a callback: exceptions do not pass through UCX
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> received_ = 0;
};

}  // namespace imbrex::ucx
