// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace imbrex::trace {

/// The dataflow of a run in simulated time: all work of its PEs and devices, and what it waits for. It has no
/// moments and no costs of a machine, so that an evaluation can give it those of any machine. All arrays are
/// flat; elements refer to each other by indices. Times are in ns.
///
/// A PE takes one item at a time from its queue. An item runs a segment, which does its actions in their
/// order. Some actions let another segment of the PE run at once, if nothing else is missing to it.
struct flow {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  enum class action_kind : std::uint8_t {
    work,    ///< the PE works for `value` ns
    copy,    ///< the PE copies `value` bytes in the memory of the host
    call,    ///< `what` calls of a device; `detail`: their kind, `value`: operations of a graph
    query,   ///< the PE asks whether mark `what` is done, unless it has seen that
    send,    ///< message `what` leaves
    push,    ///< item `what` is queued on the PE itself
    submit,  ///< operation `what` is submitted
    await,   ///< the PE polls from now on for completion `what`
    follow,  ///< segment `what` has one thing less to wait for
    value,   ///< a value for box `what` has arrived
    end,     ///< the run ends with this item
  };
  struct action {
    std::uint64_t value = 0;
    std::uint32_t what = 0;
    action_kind kind = action_kind::work;
    std::uint8_t detail = 0;
    std::uint16_t unused = 0;
  };

  struct segment {
    std::uint32_t first_action = 0;  ///< up to that of the next segment; the last segment is a sentinel
    std::uint32_t needs = 0;         ///< things that it waits for: turns of its item, segments, values
  };

  /// The cost of a PE to begin an item.
  enum class item_cost : std::uint8_t { completion, receive, receive_device, channel };
  struct item {
    std::uint32_t segment = 0;
    item_cost cost = item_cost::completion;
    std::int8_t priority = 0;
    std::uint16_t unused = 0;
  };

  /// The cost of a PE to send a message.
  enum class send_cost : std::uint8_t { send, send_device, channel };
  struct message {
    std::uint64_t bytes = 0;
    std::uint32_t to = 0;
    std::uint32_t item = 0;
    send_cost cost = send_cost::send;
    std::uint8_t unused[7] = {};
  };

  enum class operation_kind : std::uint8_t { join, kernel, to_device, from_device, peer };
  /// The amount of work of operations.
  struct shape {
    double bytes = 0;           ///< device memory that a kernel reads and writes
    double flops = 0;           ///< operations of a kernel
    std::uint64_t threads = 0;  ///< threads of a kernel; 0: it fills the device
    std::uint64_t time = 0;     ///< shortest duration of a kernel
    std::uint64_t copied = 0;   ///< bytes of a copy
    operation_kind kind = operation_kind::join;
    std::uint8_t in_graph = 0;  ///< 1: begins as kernels of a graph do
    std::int8_t priority = 0;   ///< higher first
    std::uint8_t unused[5] = {};
  };
  struct operation {
    std::uint32_t shape = 0;
    std::uint32_t device = 0;
    std::uint32_t from = 0;  ///< source device of a peer copy
    std::uint32_t to = 0;    ///< destination device of a peer copy
    /// In `befores`, up to that of the next operation; the last operation is a sentinel.
    std::uint32_t first_before = 0;
  };

  /// An operation before another one. The other may work on memory that a value has brought. Then it waits
  /// for the operation that belongs to the value which has come.
  struct before {
    static constexpr std::uint32_t of_sender = none - 1;
    std::uint32_t operation = 0;
    /// Index among the operations of the segment that brought the value; `of_sender`: an operation of the
    /// value's sender, which the operation at the same place waits for in the segment that took the other
    /// value; `none`: the operation belongs to no value.
    std::uint32_t place = none;
  };

  /// An event, of which PEs ask whether it is done.
  struct mark {
    std::uint32_t operation = none;  ///< `none`: done at once
  };

  /// A completion that a PE polls for.
  struct completion {
    std::uint32_t operation = none;  ///< `none`: done at once
    std::uint32_t item = 0;
    std::uint32_t stream = 0;  ///< a number of the stream, unique on its device
  };

  /// A segment that takes a value, and the one that brought it in the recorded run.
  struct user {
    std::uint32_t segment = 0;
    std::uint32_t source = 0;
  };
  /// Values of one mailbox and reference number: the first goes to the first user.
  struct box {
    std::uint32_t first_user = 0;  ///< in `users`, up to that of the next box; the last is a sentinel
  };

  /// Facts about the recorded run.
  struct run_facts {
    std::uint64_t time = 0;  ///< length of the run, as a check
    std::uint64_t net_latency = 0;
    std::uint64_t net_bandwidth = 0;
    std::uint64_t net_injection_gap = 0;
    std::uint32_t devices = 0;
    std::uint32_t first_item = 0;  ///< runs at time 0 on PE 0
  };

  run_facts facts;
  std::string machine;                      ///< `--device-model` of the run
  std::vector<std::uint32_t> device_of_pe;  ///< device of each PE, or the one near it
  std::vector<std::uint8_t> has_device;     ///< by PE: 1 if it polls a device
  std::vector<segment> segments;
  std::vector<action> actions;
  std::vector<item> items;
  std::vector<message> messages;
  std::vector<shape> shapes;
  std::vector<operation> operations;
  std::vector<before> befores;
  std::vector<mark> marks;
  std::vector<completion> completions;
  std::vector<box> boxes;
  std::vector<user> users;

  std::size_t pes() const { return device_of_pe.size(); }

  /// Calls `visit` with each array.
  template <class Self, class Visit>
  static void for_each_array(Self& self, Visit visit) {
    visit(self.device_of_pe);
    visit(self.has_device);
    visit(self.segments);
    visit(self.actions);
    visit(self.items);
    visit(self.messages);
    visit(self.shapes);
    visit(self.operations);
    visit(self.befores);
    visit(self.marks);
    visit(self.completions);
    visit(self.boxes);
    visit(self.users);
  }
};
static_assert(sizeof(flow::action) == 16 && sizeof(flow::message) == 24 && sizeof(flow::shape) == 48);

/// Writes a flow into a file. Throws `error`.
void write_flow(const flow& what, const std::string& file);

/// Reads a flow. All indices in it are valid. Throws `usage_error` for a file that is none, is cut or
/// damaged, or has another version.
flow read_flow(const std::string& file);
/// Like `read_flow`, from the content of a file; `file` names it in errors.
flow parse_flow(std::string_view content, const std::string& file);

}  // namespace imbrex::trace
