// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace imbrex::tools {

/// The work of a run and its dependencies: everything in a trace that does not depend on the network. Times
/// are in ns.
struct dataflow {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  enum class event_kind : std::uint8_t { send, phase_begin, phase_end };
  /// An event of a piece, after it has run for `after`.
  struct event {
    std::uint64_t after = 0;
    std::uint32_t what = 0;  ///< index of a message or phase
    event_kind kind = event_kind::send;
  };

  /// A piece that may begin `delay` after another has ended.
  struct follower {
    std::uint32_t piece = 0;
    std::uint64_t delay = 0;
  };

  /// Work of one PE between two moments at which it may have to wait.
  struct piece {
    std::uint64_t length = 0;
    std::uint64_t begun = 0;  ///< in the recorded run, since its first record
    std::uint32_t pe = 0;     ///< index in `pes`
    std::uint32_t needs = 0;  ///< number of pieces, messages and values that it waits for
    std::uint32_t first_event = 0;
    std::uint32_t events = 0;
    std::uint32_t first_follower = 0;
    std::uint32_t followers = 0;
    std::uint32_t box = none;  ///< index in `boxes`, for an item that brings a value to a mailbox
    bool is_item = false;      ///< queued on its PE; other pieces run as soon as they can
  };

  /// Values with one reference number in one mailbox. The first value goes to the first user.
  struct box {
    std::vector<std::uint32_t> users;  ///< pieces, in the order of their receives
  };

  struct message {
    std::uint64_t bytes = 0;
    std::uint64_t network = 0;    ///< time in flight, without the share of a link model
    std::uint64_t sent = 0;       ///< in the recorded run, since its first record
    std::uint64_t needed = 0;     ///< time of a coroutine's receive, or else of its item's begin
    std::uint64_t needed_at = 0;  ///< `needed` as a record's position in reading order
    std::uint64_t hidden = 0;     ///< time in between for which the receiving PE worked
    std::int64_t reference = 0;   ///< reference number of its receive; 0 if by no mailbox
    std::uint32_t entry = 0;      ///< index in `entries`
    std::uint32_t sender = none;  ///< sending piece
    std::uint32_t item = none;    ///< first piece of its item; none if it never began
    std::uint32_t user = none;    ///< piece that needed it
    bool received = false;        ///< by a mailbox
    bool is_program = false;      ///< not one of the runtime's own messages
  };

  struct phase {
    std::uint32_t name = 0;  ///< index in `phase_names`
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;  ///< equal to `begun` if the trace ends before its end
    // Begin and end as records' positions in reading order. In simulated time many events share one time, and
    // the positions show which are inside.
    std::uint64_t begun_at = 0;
    std::uint64_t ended_at = 0;
  };

  /// A stretch in which a piece wrote or read a datum marked by the user.
  struct data_use {
    std::uint32_t name = 0;  ///< index in `data_names`
    std::uint32_t piece = 0;
    std::uint64_t words = 0;
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
    bool writes = false;
    std::vector<std::uint64_t> order{};  ///< marked elements, in the order of their access
  };

  std::vector<piece> pieces;  ///< each after its predecessors
  std::vector<event> events;
  std::vector<follower> followers;
  std::vector<box> boxes;
  std::vector<message> messages;
  std::vector<phase> phases;
  std::vector<data_use> data;
  std::vector<std::uint32_t> pes;  ///< PE numbers in the job
  std::vector<std::string> entries;
  std::vector<std::string> phase_names;
  std::vector<std::string> data_names;
  std::uint64_t length = 0;   ///< length of the recorded run, to the end of its main task if recorded
  std::uint32_t last = none;  ///< piece in which the main task ended; none if it did not end
};

/// Receives a run of any length while it is read. Numbers of pieces and messages are reused once no later
/// call can refer to them.
class dataflow_listener {
 public:
  /// A stretch of a piece in which it used a datum.
  virtual void used(const dataflow::data_use& what) = 0;
  /// The piece's length is final.
  virtual void ended(std::uint32_t number, const dataflow::piece& what) = 0;
  /// A message has arrived, and the piece that needed it is known. Its pieces may still run.
  virtual void came(const dataflow::message& what, std::uint32_t sender_pe, std::uint32_t receiver_pe) = 0;
  /// No later call refers to the piece.
  virtual void forgotten(std::uint32_t piece) = 0;

 protected:
  ~dataflow_listener() = default;
};

}  // namespace imbrex::tools
