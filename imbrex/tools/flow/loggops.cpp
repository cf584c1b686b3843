// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/flow/loggops.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/flow/event_heap.hpp>

namespace imbrex::tools {
namespace {

constexpr std::uint32_t none = goal::any;
constexpr std::uint64_t most = std::uint64_t{1} << 40U;

/// Operations that wait for those after them: the first of each, and a sentinel.
class waiting_operations {
 public:
  waiting_operations(const goal& what, bool on_start) : first_(what.operations.size() + 1) {
    for (const goal::dependency& d : what.dependencies)
      if (d.on_start == on_start) ++first_[d.before + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    all_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const goal::dependency& d : what.dependencies)
      if (d.on_start == on_start) all_[next[d.before]++] = d.after;
  }
  template <class Visit>
  void for_each(std::uint32_t operation, Visit visit) const {
    for (std::uint32_t i = first_[operation]; i < first_[operation + 1]; ++i) visit(all_[i]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> all_;
};

/// Queues of sends or receives of all ranks, in the order of their arrival, as links between operations.
class match_queues {
 public:
  match_queues(std::size_t ranks, std::size_t operations) : queues_(ranks), next_(operations, none) {}
  void push(std::uint32_t rank, std::uint32_t operation) {
    queue& to = queues_[rank];
    (to.first == none ? to.first : next_[to.last]) = operation;
    to.last = operation;
  }
  /// Takes the first operation that matches; `none` if there is none.
  template <class Matches>
  std::uint32_t take(std::uint32_t rank, Matches matches) {
    queue& from = queues_[rank];
    for (std::uint32_t before = none, at = from.first; at != none; before = at, at = next_[at]) {
      if (!matches(at)) continue;
      (before == none ? from.first : next_[before]) = next_[at];
      if (from.last == at) from.last = before;
      next_[at] = none;
      return at;
    }
    return none;
  }

 private:
  struct queue {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  std::vector<queue> queues_;
  std::vector<std::uint32_t> next_;
};

class goal_run {
 public:
  goal_run(const goal& what, const loggops& machine)
      : goal_(what),
        machine_(machine),
        after_start_(what, true),
        after_end_(what, false),
        needs_(what.operations.size()),
        posted_(what.ranks, what.operations.size()),
        unexpected_(what.ranks, what.operations.size()),
        cpu_free_(std::size_t{what.ranks} * what.cpus),
        send_free_(std::size_t{what.ranks} * what.nics),
        receive_free_(std::size_t{what.ranks} * what.nics) {
    for (const goal::dependency& d : what.dependencies) ++needs_[d.after];
  }

  goal_times run() {
    for (std::uint32_t i = 0; i < needs_.size(); ++i)
      if (needs_[i] == 0) add_free(i);
    // Operations of a rank begin in the order of their kinds.
    begin_free(true);
    while (!events_.empty()) {
      const event now = events_.take_first();
      const auto which = static_cast<std::uint32_t>(now.what);
      if ((now.what & is_message) != 0) {
        arrive(now, which);
      } else {
        switch (goal_.operations[which].what) {
          case goal::kind::compute: compute(now, which); break;
          case goal::kind::send: send(now, which); break;
          case goal::kind::receive: receive(now, which); break;
        }
      }
      begin_free(false);
    }
    check_all_ended();
    goal_times times;
    times.events = happened_;
    times.ends.resize(goal_.ranks);
    for (std::size_t i = 0; i < cpu_free_.size(); ++i)
      times.ends[i / goal_.cpus] =
          std::max(times.ends[i / goal_.cpus], static_cast<std::uint64_t>(cpu_free_[i]));
    return times;
  }

 private:
  struct free_operation {
    std::uint32_t which;
    std::uint32_t order;
  };
  static constexpr std::uint64_t is_message = std::uint64_t{1} << 32U;

  std::int64_t& cpu(std::uint32_t rank, const goal::operation& op) {
    return cpu_free_[std::size_t{rank} * goal_.cpus + op.cpu];
  }
  std::int64_t& sending(std::uint32_t rank, const goal::operation& op) {
    return send_free_[std::size_t{rank} * goal_.nics + op.nic];
  }
  std::int64_t& receiving(std::uint32_t rank, const goal::operation& op) {
    return receive_free_[std::size_t{rank} * goal_.nics + op.nic];
  }
  /// The bytes behind the first one, which take their time.
  static std::int64_t more_bytes(const goal::operation& op) {
    return static_cast<std::int64_t>(std::max<std::uint64_t>(op.size, 1) - 1);
  }

  void add_free(std::uint32_t operation) {
    free_.push_back({operation, static_cast<std::uint32_t>(free_.size())});
  }
  /// Queues the operations that have become able to begin, rank by rank.
  void begin_free(bool is_start) {
    if (free_.empty()) return;
    if (free_.size() > 1)
      std::ranges::sort(free_, {}, [&](const free_operation& f) {
        const goal::operation& op = goal_.operations[f.which];
        return std::tuple(op.rank, op.what, f.order);
      });
    for (const auto& [i, order] : free_) {
      const goal::operation& op = goal_.operations[i];
      std::int64_t when = is_start ? 0 : cpu(op.rank, op);
      if (op.what == goal::kind::send && !is_start) when = std::max(when, sending(op.rank, op));
      events_.push_in_order(when, i);
    }
    free_.clear();
  }
  /// Tries an event again later, in its order.
  void retry(event what, std::int64_t when) {
    what.when = when;
    events_.push(what);
  }
  void need_less(std::uint32_t operation) {
    if (--needs_[operation] == 0) add_free(operation);
  }
  void started(std::uint32_t operation) {
    after_start_.for_each(operation, [&](std::uint32_t after) { need_less(after); });
  }
  void ended(std::uint32_t operation) {
    ++ended_;
    after_end_.for_each(operation, [&](std::uint32_t after) { need_less(after); });
  }

  void compute(const event& now, std::uint32_t which) {
    const goal::operation& op = goal_.operations[which];
    std::int64_t& free = cpu(op.rank, op);
    if (free > now.when) return retry(now, free);
    ++happened_;
    free = now.when + static_cast<std::int64_t>(op.size);
    started(which);
    ended(which);
  }

  void send(const event& now, std::uint32_t which) {
    const goal::operation& op = goal_.operations[which];
    std::int64_t& free = cpu(op.rank, op);
    std::int64_t& card = sending(op.rank, op);
    if (std::max(free, card) > now.when) return retry(now, std::max(free, card));
    ++happened_;
    const auto [L, o, g, G, O, S] = machine_;
    started(which);
    free = now.when + static_cast<std::int64_t>(o) + more_bytes(op) * static_cast<std::int64_t>(O);
    card = now.when + static_cast<std::int64_t>(g) + more_bytes(op) * static_cast<std::int64_t>(G);
    events_.push_in_order(now.when + static_cast<std::int64_t>(o + L), which | is_message);
    if (op.size <= S) ended(which);
  }

  bool match(const goal::operation& sent, const goal::operation& expected) const {
    return (expected.peer == goal::any || expected.peer == sent.rank) &&
           (expected.tag == goal::any || sent.tag == goal::any || expected.tag == sent.tag);
  }
  /// A long message has found its receive at this moment, which its sender learns at once.
  void rendezvous(std::int64_t now, std::uint32_t sent, const goal::operation& by) {
    const goal::operation& op = goal_.operations[sent];
    cpu(op.rank, by) = std::max(cpu(op.rank, by), now);
    sending(op.rank, by) = std::max(sending(op.rank, by), now);
    ended(sent);
  }

  void receive(const event& now, std::uint32_t which) {
    ++happened_;
    const goal::operation& op = goal_.operations[which];
    started(which);
    const std::uint32_t sent =
        unexpected_.take(op.rank, [&](std::uint32_t s) { return match(goal_.operations[s], op); });
    if (sent == none) return posted_.push(op.rank, which);
    if (op.size > machine_.S) rendezvous(now.when, sent, op);
    ended(which);
  }

  void arrive(const event& now, std::uint32_t sent) {
    const goal::operation& op = goal_.operations[sent];
    std::int64_t& free = cpu(op.peer, op);
    std::int64_t& card = receiving(op.peer, op);
    if (std::max(free, card) > now.when) return retry(now, std::max(free, card));
    ++happened_;
    const auto [L, o, g, G, O, S] = machine_;
    free =
        now.when + static_cast<std::int64_t>(o) + more_bytes(op) * static_cast<std::int64_t>(std::max(O, G));
    card = now.when + static_cast<std::int64_t>(g) + more_bytes(op) * static_cast<std::int64_t>(G);
    const std::uint32_t expected =
        posted_.take(op.peer, [&](std::uint32_t r) { return match(op, goal_.operations[r]); });
    if (expected == none) return unexpected_.push(op.peer, sent);
    if (op.size > S) rendezvous(now.when, sent, op);
    ended(expected);
  }

  void check_all_ended() const {
    if (ended_ == goal_.operations.size()) return;
    const auto stuck = std::ranges::find_if(needs_, [](std::uint32_t n) { return n != 0; });
    const std::size_t left = goal_.operations.size() - ended_;
    std::string text = std::to_string(left) + " operations of the schedule never end";
    if (stuck != needs_.end()) {
      const auto& op = goal_.operations[static_cast<std::size_t>(stuck - needs_.begin())];
      text += ", and one of rank " + std::to_string(op.rank) + " never begins";
    }
    throw error(text + ": a send or receive has no partner, or operations wait for each other");
  }

  const goal& goal_;
  const loggops machine_;
  const waiting_operations after_start_;
  const waiting_operations after_end_;
  std::vector<std::uint32_t> needs_;
  match_queues posted_;
  match_queues unexpected_;
  std::vector<std::int64_t> cpu_free_;   ///< by rank and processor
  std::vector<std::int64_t> send_free_;  ///< by rank and network card
  std::vector<std::int64_t> receive_free_;
  std::vector<free_operation> free_;  ///< operations that have become able to begin
  event_heap events_;
  std::size_t ended_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace

loggops parse_loggops(std::string_view text) {
  loggops found;
  const std::array<std::pair<char, std::uint64_t*>, 6> all{
      {{'L', &found.L}, {'o', &found.o}, {'g', &found.g}, {'G', &found.G}, {'O', &found.O}, {'S', &found.S}}};
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const auto which =
        std::ranges::find(all, one.empty() ? ' ' : one.front(), &std::pair<char, std::uint64_t*>::first);
    const auto value =
        one.size() < 3 || one[1] != '=' ? std::nullopt : parse_number<std::uint64_t>(one.substr(2));
    if (which == all.end() || !value || *value > most)
      throw usage_error(
          printable(std::string(one)) +
          " is no parameter of LogGOPS: write L, o, g, G, O or S with a whole number of ns or bytes, such "
          "as L=2500,o=1500,g=1000,G=6,O=0,S=65535");
    *which->second = *value;
  }
  return found;
}

goal_times evaluate(const goal& what, const loggops& machine) { return goal_run(what, machine).run(); }

}  // namespace imbrex::tools
