// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/tools/flow/event_heap.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex::tools {

/// The devices of an evaluated flow: `emulated::engine` without bodies, failures and chance, on flat arrays.
/// Equal operations in equal order take equal times there and here.
class device_engine {
 public:
  device_engine(const trace::flow& what, const device_model& model, node_links* links);

  /// The segment that submits an operation, and the one that has brought the value which it works on;
  /// `flow::none` if there is no value.
  struct submission {
    std::uint32_t segment;
    std::uint32_t source;
  };
  /// Submits an operation, which does not start before `moment`.
  void submit(std::uint32_t operation, std::int64_t moment, const submission& by);
  /// The time of the next event; nothing if there is none.
  std::optional<std::int64_t> next();
  /// Processes all events until then.
  void advance_to(std::int64_t moment);
  bool is_done(std::uint32_t operation) const { return state_[operation].is_done; }
  /// Devices with completed operations since the last call, ascending; valid until the next call.
  const std::vector<std::uint32_t>& take_devices_with_news();
  std::uint64_t events() const { return events_; }

 private:
  static constexpr std::uint32_t none = trace::flow::none;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  using kind = trace::flow::operation_kind;

  enum class alarm : std::uint8_t { arm, latency_over, time_over };
  /// The time of operations of a shape on this machine.
  struct cost {
    std::int64_t latency = 0;
    double work = 0;
    double share = 1;
    kind what = kind::join;
    std::int8_t priority = 0;
  };
  /// An operation, in one line of cache.
  struct alignas(64) progress {
    std::int64_t earliest = 0;
    double left = 0;
    double speed = 0;
    std::uint64_t rank = 0;
    std::uint32_t unmet = 0;
    std::uint32_t next = none;  ///< in the list that it waits in
    std::uint32_t shape = 0;
    std::uint32_t device = 0;
    std::uint32_t from = 0;  ///< source device of a peer copy
    std::uint32_t first_follower = 0;
    std::uint32_t followers = 0;
    kind what = kind::join;
    bool is_done = false;
  };
  /// Operations that wait for an engine, in the order in which they became ready.
  struct place {
    std::uint32_t first = none;
    std::uint32_t last = none;
    int running = 0;
  };
  struct device {
    place kernels;
    place to_device;
    place from_device;
    place peer;
    std::int64_t computed_until = 0;
    std::vector<std::uint32_t> computing;
  };
  /// Operations that wait for others of segments that brought values: lists of entries of `befores`.
  struct brought_operations {
    std::vector<std::uint32_t> firsts;     ///< first operation of each segment, and of no segment `none`
    std::vector<std::uint32_t> takers;     ///< segment that took the value of each segment
    std::vector<std::uint32_t> counts;     ///< operations of each segment
    std::vector<std::uint32_t> lists;      ///< by operation
    std::vector<std::uint32_t> next;       ///< by entry
    std::vector<std::uint32_t> followers;  ///< by entry
  };
  /// Numbers of devices, each listed once until they are taken.
  class list {
   public:
    explicit list(std::size_t devices) : is_listed_(devices) {}
    void add(std::uint32_t number) {
      if (is_listed_[number] == 0) listed_.push_back(number);
      is_listed_[number] = 1;
    }
    bool empty() const { return listed_.empty(); }
    const std::vector<std::uint32_t>& take();

   private:
    std::vector<std::uint32_t> listed_;
    std::vector<std::uint32_t> taken_;
    std::vector<std::uint8_t> is_listed_;
  };

  const cost& cost_of(std::uint32_t op) const { return costs_[state_[op].shape]; }
  device& of(std::uint32_t op) { return devices_[state_[op].device]; }
  void set(std::int64_t when, alarm why, std::uint32_t op) {
    timers_.push_in_order(when, op | std::uint64_t{static_cast<std::uint8_t>(why)} << 32U);
  }
  void ring(const event& due);
  void arm(std::uint32_t op);
  void settle();
  void get_ready(std::uint32_t op);
  void add_to(place& at, std::uint32_t op);
  void assign(place& at, int limit, bool by_priority);
  void start(std::uint32_t op);
  void latency_over(std::uint32_t op);
  void time_over(std::uint32_t op);
  void complete(std::uint32_t number);
  void tell(std::uint32_t follower) {
    if (--state_[follower].unmet == 0) arm(follower);
  }
  void prepare_brought();
  std::uint32_t counterpart(std::uint32_t operation, const submission& by) const;
  std::uint32_t brought(const trace::flow::before& b, std::uint32_t other, const submission& by) const;
  void compute(device& d);
  void share_out(std::uint32_t number);
  void finish_computing(std::uint32_t number);
  bool is_before(std::uint32_t a, std::uint32_t b) const;

  const trace::flow& flow_;
  const device_model& model_;
  node_links* const links_;
  std::vector<cost> costs_;      ///< by shape
  std::vector<progress> state_;  ///< by operation
  std::vector<std::uint32_t> followers_;
  brought_operations brought_;
  std::vector<device> devices_;
  std::vector<std::uint32_t> armed_;
  std::vector<std::uint32_t> over_;
  std::vector<std::uint32_t> due_;
  list changed_;
  list with_news_;
  event_heap timers_;
  moments finishes_;  ///< end of the first kernel, by device
  std::int64_t now_ = 0;
  std::uint64_t ready_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace imbrex::tools
