// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace imbrex::tools {

/// What a run did, and what each part of it needed before it could begin: all that a trace tells and that
/// does not depend on the network. Times are in ns.
struct dataflow {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  enum class event_kind : std::uint8_t { send, phase_begin, phase_end };
  /// What a piece does when it has run for `after`.
  struct event {
    std::uint64_t after = 0;
    std::uint32_t what = 0;  ///< a message or a phase
    event_kind kind = event_kind::send;
  };

  /// A piece may begin so long after another has ended.
  struct follower {
    std::uint32_t piece = 0;
    std::uint64_t delay = 0;
  };

  /// Work of one PE, between two moments at which it may have to wait.
  struct piece {
    std::uint64_t length = 0;
    std::uint64_t begun = 0;  ///< in the recorded run, since its first record
    std::uint32_t pe = 0;     ///< among `pes`
    std::uint32_t needs = 0;  ///< how many others, messages and values it waits for
    std::uint32_t first_event = 0;
    std::uint32_t events = 0;
    std::uint32_t first_follower = 0;
    std::uint32_t followers = 0;
    std::uint32_t box = none;  ///< among `boxes`: an item that brings a value there
    bool is_item = false;      ///< it takes its turn in the PE's queue; others go on as soon as they can
  };

  /// Values with one reference number in one mailbox: the first that comes is for the first who needs one.
  struct box {
    std::vector<std::uint32_t> users;  ///< pieces, in the order in which they received
  };

  struct message {
    std::uint64_t bytes = 0;
    std::uint64_t network = 0;    ///< how long it was on its way, but for what a model of a link did
    std::uint64_t sent = 0;       ///< in the recorded run, since its first record
    std::uint64_t needed = 0;     ///< when a coroutine received what it brought, or else its item began
    std::uint64_t needed_at = 0;  ///< the same among all records, in the order in which they were read
    std::uint64_t hidden = 0;     ///< how long in between the receiving PE worked
    std::int64_t reference = 0;   ///< with which it was received; 0 if by no mailbox
    std::uint32_t entry = 0;      ///< that it calls, among `entries`
    std::uint32_t sender = none;  ///< the piece that sent it
    std::uint32_t item = none;    ///< the piece that it begins; none if it never did
    std::uint32_t user = none;    ///< the piece that needed it
    bool received = false;        ///< by a mailbox
    bool is_program = false;      ///< not the runtime's own
  };

  struct phase {
    std::uint32_t name = 0;  ///< among `phase_names`
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;  ///< equal to `begun` if the trace ends before it
    // The same among all records, in the order in which they were read: in simulated time much happens in one
    // moment, and this tells what of it is inside.
    std::uint64_t begun_at = 0;
    std::uint64_t ended_at = 0;
  };

  /// A stretch in which a piece wrote or read a datum of the user's.
  struct data_use {
    std::uint32_t name = 0;  ///< among `data_names`
    std::uint32_t piece = 0;
    std::uint64_t words = 0;
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
    bool writes = false;
    std::vector<std::uint64_t> order{};  ///< of the elements that were told of, as they came
  };

  std::vector<piece> pieces;  ///< each after those that it follows
  std::vector<event> events;
  std::vector<follower> followers;
  std::vector<box> boxes;
  std::vector<message> messages;
  std::vector<phase> phases;
  std::vector<data_use> data;
  std::vector<std::uint32_t> pes;  ///< their numbers in the job
  std::vector<std::string> entries;
  std::vector<std::string> phase_names;
  std::vector<std::string> data_names;
  std::uint64_t length = 0;   ///< of the recorded run: to the end of its main task, if that is there
  std::uint32_t last = none;  ///< the piece in which the main task ended; none if the run ended otherwise
};

/// Hears of a run of any length while it is read. The numbers of pieces and messages are used again: what was
/// told of them is forgotten as soon as nothing more can be told of it.
class dataflow_listener {
 public:
  /// A stretch of a piece in which it used a datum.
  virtual void used(const dataflow::data_use& what) = 0;
  /// A piece is as long as it will be.
  virtual void ended(std::uint32_t number, const dataflow::piece& what) = 0;
  /// A message has come, and what needed it is known. Its pieces may run on.
  virtual void came(const dataflow::message& what, std::uint32_t sender_pe, std::uint32_t receiver_pe) = 0;
  /// Nobody will tell of that piece again.
  virtual void forgotten(std::uint32_t piece) = 0;

 protected:
  ~dataflow_listener() = default;
};

}  // namespace imbrex::tools
