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

  /// Submits an operation, which does not start before `moment`.
  void submit(std::uint32_t operation, std::int64_t moment);
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
  };
  struct progress {
    std::int64_t earliest = 0;
    double left = 0;
    double speed = 0;
    std::uint32_t unmet = 0;
    std::uint32_t next = none;  ///< in the list that it waits in
    std::uint64_t rank = 0;
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

  const trace::flow::shape& shape(std::uint32_t op) const { return flow_.shapes[flow_.operations[op].shape]; }
  device& of(std::uint32_t op) { return devices_[flow_.operations[op].device]; }
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
  void complete(std::uint32_t op);
  void compute(device& d);
  void share_out(std::uint32_t number);
  void finish_computing(std::uint32_t number);
  bool is_before(std::uint32_t a, std::uint32_t b) const;

  const trace::flow& flow_;
  const device_model& model_;
  node_links* const links_;
  std::vector<cost> costs_;             ///< by shape
  std::vector<progress> state_;         ///< by operation
  std::vector<std::uint32_t> follows_;  ///< first of each operation in `followers_`, and a sentinel
  std::vector<std::uint32_t> followers_;
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
