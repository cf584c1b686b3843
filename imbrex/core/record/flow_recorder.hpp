// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/emulated/operation_listener.hpp>
#include <imbrex/net/simulated/simulated_network.hpp>
#include <imbrex/sched/device_completions.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex::detail {

class processor;

/// Records the flow of a run in simulated time (`--record-flow`).
///
/// Segments are cut where an entry waits: what it does then depends on its value, and on the earlier segments
/// of its chare. So entries of a chare keep the order of the recorded run, as do the operations of a stream.
/// Values of a mailbox go to its receivers in the order of their arrival, which an evaluation may change.
class flow_recorder final : public observer,
                            public emulated::operation_listener,
                            public completion_listener,
                            public send_listener {
 public:
  using item_cost_of = trace::flow::item_cost (*)(const work& item);
  using send_cost_of = trace::flow::send_cost (*)(const work& item);

  flow_recorder(std::string file, item_cost_of item_cost, send_cost_of send_cost)
      : file_(std::move(file)), item_cost_(item_cost), send_cost_(send_cost) {}

  /// A turn of the PE begins, which is activated.
  void turn_begins_on(const processor& pe);
  /// Writes the file of a run that has ended, `facts` and the rest set by the machine. Logs the reason if
  /// there is no flow.
  void write(trace::flow::run_facts facts, std::string machine, std::vector<std::uint32_t> device_of_pe,
             std::vector<std::uint8_t> has_device);

  void item_begins(const work& item) override;
  void item_ends() override;
  void turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                   const work& broadcast) override;
  void suspended(const suspension& what) override;
  void resumed(const suspension& what) override;
  void received(const work& item, std::int64_t reference) override;
  void gathered(const void* whole, std::uint64_t number, bool completes) override;
  void quiescent() override { refuse("the program waits for quiescence"); }

  void called(emulated::host_call what, std::uint32_t operations) override;
  void charged() override;
  void copies(std::uint64_t bytes) override;
  std::uint32_t submitted(const emulated::task& what, int device,
                          std::span<const emulated::completion* const> after) override;
  std::uint32_t marked(std::uint32_t operation) override;
  void asks(std::uint32_t mark) override { mark_.query = mark; }
  void blocked() override { refuse("an entry blocks its PE until a device is done"); }

  void awaits(const work& completion, std::uint64_t stream) override;

  void leaves(const work& item, int from, int to, std::size_t bytes) override;
  void has_left(int from) override;

 private:
  using flow = trace::flow;
  /// Code that runs: the segment that it is in, and what its order is kept with.
  struct frame {
    std::uint32_t segment;
    const void* chare;  ///< null: nothing
  };
  using box_key = std::tuple<const void*, std::uint64_t, std::uint64_t, std::uint64_t>;

  void refuse(std::string_view why);
  bool is_in_item() const { return !frames_.empty() && why_not_.empty(); }
  /// Adds an action to the running segment, behind the work before it.
  void act(flow::action_kind kind, std::uint32_t what, std::uint64_t value = 0, std::uint8_t detail = 0);
  void add(std::uint32_t segment, flow::action_kind kind, std::uint32_t what);
  void add_work();
  std::uint32_t new_segment(std::uint32_t needs);
  std::uint32_t new_item(const work& item, std::uint32_t needs);
  /// Makes the segment wait for what its chare has done before.
  void keep_order(std::uint32_t segment, const void* chare);
  /// Adds items that the running code has queued on its PE.
  void add_pushes();
  /// Goes on in a new segment, inside the running one or in its place.
  void enter(std::uint32_t segment, const void* chare);
  void go_on(std::uint32_t segment);
  std::uint32_t box_of(const work& item, std::int64_t reference);
  std::uint32_t shape_of(const emulated::task& what);
  flow::before before_of(std::uint32_t operation, int device) const;
  flow finish();

  const std::string file_;
  const item_cost_of item_cost_;
  const send_cost_of send_cost_;
  flow flow_;
  struct {
    std::vector<std::uint32_t> segments;                       ///< segment of each operation; `none`: no item
    std::unordered_map<std::uint32_t, std::uint32_t> firsts;   ///< first operation of a segment
    std::unordered_map<std::uint32_t, std::uint32_t> sources;  ///< segment that brought a segment's value
  } submitted_;
  std::vector<std::uint32_t> segment_of_action_;
  std::vector<std::vector<flow::user>> users_;  ///< by box
  std::string why_not_;                         ///< why there is no flow; empty: none

  std::vector<frame> frames_;  ///< frames of the running item, the innermost last
  nanoseconds since_{0};       ///< time of the PE up to which its work is recorded
  struct {
    bool has_item = false;
    std::uint32_t segment = flow::none;  ///< the last one
  } turn_;
  bool has_begun_ = false;
  const scope* resumes_ = nullptr;  ///< the entry that a value is about to resume
  struct {
    std::uint32_t operation = 0;  ///< operation of the last one
    std::uint32_t query = 0;      ///< mark that the next call asks for; 0: none
  } mark_;

  std::unordered_map<const work*, std::uint32_t> items_;  ///< items that will run
  std::unordered_map<const work*, std::uint32_t>
      arrived_;  ///< segments of messages that have run, by address
  std::unordered_map<const void*, std::uint32_t> last_of_chare_;
  std::map<std::tuple<int, const void*, std::uint64_t>, std::vector<std::uint32_t>> parts_;
  std::map<box_key, std::uint32_t> boxes_;
  std::map<std::tuple<double, double, std::uint64_t, std::uint64_t, std::uint64_t, unsigned>, std::uint32_t>
      shapes_;
};

}  // namespace imbrex::detail
