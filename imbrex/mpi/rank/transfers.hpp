// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/mpi/rank/device_transfers.hpp>
#include <imbrex/mpi/rank/envelope.hpp>
#include <imbrex/mpi/rank/matcher.hpp>
#include <imbrex/mpi/rank/peer_table.hpp>
#include <imbrex/mpi/rank/program.hpp>
#include <imbrex/mpi/rank/request.hpp>
#include <imbrex/mpi/rank/slots.hpp>

namespace imbrex::mpi {

class rank;
struct long_data;
struct offer_answer;
struct packet;
struct pull;
enum class offer_outcome : std::uint8_t;

/// Completion of a send: once its data have been copied, or only once the receiver has received them.
enum class send_mode : std::uint8_t { standard, synchronous };

/// Messages of a rank, sent and received. Messages of each sender are matched in the order in which
/// it has sent them (MPI 3.1, section 3.5).
///
/// A send takes one of these routes (`find_route`):
///
/// | receiver | its state | data |
/// |---|---|---|
/// | on this PE | a posted receive matches | copied into the receive |
/// | on this PE | no receive matches | a packet that the receiver keeps |
/// | on this PE | it expects earlier packets | a packet that the receiver keeps until these have arrived |
/// | elsewhere | unknown | a packet in transit |
///
/// A packet is eager, so that the send is done at once, up to a size that depends on the distance of the
/// receiver; longer data are offered.
class transfers {
 public:
  transfers(rank& owner, int number, const program& of)
      : owner_(owner), number_(number), program_(of), on_devices_(owner, *this), peers_(of.ranks) {}

  /// Begins to send `q.size` bytes at `q.buffer` to rank `to`, counted among all ranks.
  void send(request& q, int to, send_mode mode);
  /// Standard send that completes at once: the data go into a receive that a rank of this PE has posted, or
  /// travel with their packet. This is the common case; nothing waits. False if it is not possible; then
  /// nothing has happened.
  bool send_at_once(const envelope& head, const std::byte* data, std::uint64_t bytes, int to);
  /// Sends a packet to rank `to` among all ranks. The receiver gets it after all packets sent there before.
  void send(packet& p, int to);
  /// Begins to receive into `q.buffer`.
  void receive(request& q);
  /// Begins to receive a message that a probe has found before.
  void receive(request& q, packet& found);
  /// Cancels a receive that has not been matched, or requests the withdrawal of a send that has not been
  /// matched. The request is done then, at once or later.
  void cancel(request& q);

  /// The first message that matches this receive; null if there is none. The message stays in the matcher.
  packet* find(const envelope& of_receive) { return matcher_.find(of_receive); }
  /// Removes a message, so that no other receive matches it.
  void take(packet& found) { matcher_.remove(found); }
  /// Wakes the rank once a message matches this receive; `take_probed` returns that message.
  void probe(const envelope& of_receive) { probed_ = &of_receive; }
  /// The receive of the current probe; null if there is none.
  const envelope* probed() const { return probed_; }
  packet& take_probed();
  /// Writes or reads what belongs to a rank without requests that leaves its process.
  void write(writer& out);
  void read(reader& in);
  /// Number of messages that no receive has matched.
  std::size_t unexpected() const { return matcher_.messages(); }

  // Called by messages on delivery.
  /// Accepts packets in the order of sending; an early packet is kept.
  void take_in_order(packet& p);
  void serve_pull(const pull& p);
  void take_data(long_data& d);
  void take_answer(const offer_answer& a);
  /// Memory for `bytes` bytes of data that receive number `receive` has requested; null if there is no such
  /// receive.
  std::byte* place_for(std::uint64_t receive, std::uint64_t bytes) const;

 private:
  friend class device_transfers;
  struct route;

  route find_route(const envelope& head, std::uint64_t bytes, int to, send_mode mode);
  /// Passes data to the posted receive of a route. `make` makes their packet, in case a device copies them;
  /// true if it does.
  template <class Make>
  bool fill_posted(const route& way, const envelope& head, const std::byte* data, std::uint64_t bytes,
                   Make make);
  void pass(const route& way, packet& p, int to);
  packet& make_eager(const envelope& head, const std::byte* data, std::uint64_t bytes,
                     std::uint32_t sequence);
  packet& make_packet(request& q, std::uint32_t sequence, bool is_eager, bool same_process);

  void accept(packet& p);
  void accept_early(peer& from);
  void withdraw(packet& p);
  void keep(packet& p);
  void give(request& receive, packet& p);
  void fill(request& receive, const envelope& head, const std::byte* data, std::uint64_t size);
  void ask_for_data(request& receive, packet& p);
  void answer_offer(std::uint32_t to, std::uint64_t offer, offer_outcome outcome);

  rank& owner_;
  const int number_;  ///< the owner's
  const program& program_;
  device_transfers on_devices_;
  peer_table peers_;
  matcher matcher_;
  slot_table<request> offers_;        ///< sends whose data lie here
  slot_table<request> receives_;      ///< receives that have requested their data
  const envelope* probed_ = nullptr;  ///< envelope that the rank waits to match
  packet* found_ = nullptr;           ///< message that matches the probe
};

}  // namespace imbrex::mpi
