// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/flow_recorder.hpp>

#include <algorithm>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/chare_header.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/device/emulated/engine.hpp>

namespace imbrex::detail {

namespace {

bool travels_as_message(const work& item) { return item.type->pack != nullptr; }

/// The chare whose entries keep their order with the item's; null for others, such as values for mailboxes.
const void* chare_of(const work& item) {
  if (!travels_as_message(item)) return nullptr;
  const message_type& kind = static_cast<const message&>(item).kind();
  const bool is_entry = kind.element != nullptr && kind.port_address == nullptr;
  return is_entry && kind.addressee != nullptr ? kind.addressee(item) : nullptr;
}

/// The chare of a waiting entry; the main task stands for itself.
const void* chare_of(const scope& entry) { return entry.chare != nullptr ? entry.chare : &entry; }

}  // namespace

void flow_recorder::refuse(std::string_view why) {
  if (why_not_.empty()) why_not_ = why;
}

std::uint32_t flow_recorder::new_segment(std::uint32_t needs) {
  flow_.segments.push_back({0, needs});
  return static_cast<std::uint32_t>(flow_.segments.size() - 1);
}

std::uint32_t flow_recorder::new_item(const work& item, std::uint32_t needs) {
  const auto number = static_cast<std::uint32_t>(flow_.items.size());
  flow_.items.push_back({new_segment(needs), flow::item_cost::completion, item.priority, 0});
  items_[&item] = number;
  return number;
}

void flow_recorder::add(std::uint32_t segment, flow::action_kind kind, std::uint32_t what) {
  flow_.actions.push_back({0, what, kind, 0, 0});
  segment_of_action_.push_back(segment);
}

void flow_recorder::add_work() {
  const nanoseconds now = processor::running_here().now();
  if (now > since_) {
    add(frames_.back().segment, flow::action_kind::work, 0);
    flow_.actions.back().value = static_cast<std::uint64_t>((now - since_).count());
  }
  since_ = now;
}

void flow_recorder::act(flow::action_kind kind, std::uint32_t what, std::uint64_t value,
                        std::uint8_t detail) {
  add_work();
  add(frames_.back().segment, kind, what);
  flow_.actions.back().value = value;
  flow_.actions.back().detail = detail;
}

void flow_recorder::keep_order(std::uint32_t segment, const void* chare) {
  if (chare == nullptr) return;
  const auto [at, is_first] = last_of_chare_.try_emplace(chare, segment);
  const std::uint32_t before = std::exchange(at->second, segment);
  if (is_first || std::ranges::find(frames_, before, &frame::segment) != frames_.end()) return;
  add(before, flow::action_kind::follow, segment);
  ++flow_.segments[segment].needs;
}

void flow_recorder::add_pushes() {
  queue_of(processor::running_here()).for_each([&](const work& item) {
    if (!items_.contains(&item)) act(flow::action_kind::push, new_item(item, 1));
  });
}

void flow_recorder::enter(std::uint32_t segment, const void* chare) {
  keep_order(segment, chare);
  frames_.push_back({segment, chare});
}

void flow_recorder::go_on(std::uint32_t segment) {
  act(flow::action_kind::follow, segment);
  keep_order(segment, frames_.back().chare);
  frames_.back().segment = segment;
}

void flow_recorder::turn_begins_on(const processor& pe) {
  turn_.has_item = false;
  since_ = pe.now();
}

void flow_recorder::item_begins(const work& item) {
  if (!why_not_.empty()) return;
  const processor& pe = processor::running_here();
  frames_.clear();
  since_ = pe.now();
  if (turn_.has_item) {  // an item behind another, in one turn
    const std::uint32_t segment = new_segment(1);
    add(turn_.segment, flow::action_kind::follow, segment);
    return enter(segment, chare_of(item));
  }
  turn_.has_item = true;
  auto found = items_.find(&item);
  if (found == items_.end()) {
    if (has_begun_ || pe.pe() != 0) return refuse("the program uses timers, or threads that are no PE");
    flow_.facts.first_item = new_item(item, 1);
    found = items_.find(&item);
  }
  has_begun_ = true;
  flow::item& known = flow_.items[found->second];
  items_.erase(found);
  known.cost = item_cost_(item);
  if (travels_as_message(item)) arrived_[&item] = known.segment;
  enter(known.segment, chare_of(item));
}

void flow_recorder::item_ends() {
  if (!is_in_item()) return;
  add_pushes();
  add_work();
  turn_.segment = frames_.back().segment;
  flow_.facts.time = static_cast<std::uint64_t>(since_.count());
  frames_.clear();
}

void flow_recorder::turn_begins(const local_array&, const chare_header& element, const work_type&,
                                const work&) {
  if (!is_in_item()) return;
  add_pushes();
  const std::uint32_t segment = new_segment(1);
  act(flow::action_kind::follow, segment);
  enter(segment, &element);
}

void flow_recorder::suspended(const suspension& what) {
  if (!is_in_item()) return;
  add_pushes();
  add_work();
  if (frames_.size() > 1 && frames_.back().chare == chare_of(what.entry())) frames_.pop_back();
  // An entry that waits in the item that began it.
  else
    last_of_chare_[chare_of(what.entry())] = frames_.back().segment;
}

void flow_recorder::resumed(const suspension& what) {
  if (!is_in_item()) return;
  if (what.cause().cause == trace::wait_cause::timer) return refuse("an entry waits for a time");
  if (what.cause().cause == trace::wait_cause::mailbox) {
    resumes_ = &what.entry();
    return;
  }
  add_pushes();
  const std::uint32_t segment = new_segment(1);
  act(flow::action_kind::follow, segment);
  enter(segment, chare_of(what.entry()));
}

std::uint32_t flow_recorder::box_of(const work& item, std::int64_t reference) {
  const auto& m = static_cast<const message&>(item);
  const box_key key{&m.kind(), m.collection, m.kind().element == nullptr ? 0 : m.kind().element(m),
                    static_cast<std::uint64_t>(reference)};
  const auto [at, is_new] = boxes_.try_emplace(key, static_cast<std::uint32_t>(users_.size()));
  if (is_new) users_.emplace_back();
  return at->second;
}

void flow_recorder::received(const work& item, std::int64_t reference) {
  const scope* const resumes = std::exchange(resumes_, nullptr);
  if (!is_in_item()) return;
  const auto from = arrived_.find(&item);
  if (from == arrived_.end()) return refuse("a mailbox has a value that no message brought");
  add_pushes();
  const std::uint32_t box = box_of(item, reference);
  const std::uint32_t brought_in = from->second;
  arrived_.erase(from);
  const std::uint32_t source = resumes != nullptr ? frames_.back().segment : brought_in;
  const std::uint32_t segment = new_segment(resumes != nullptr ? 1 : 2);
  users_[box].push_back({segment, source});
  submitted_.sources.emplace(segment, source);
  if (resumes != nullptr) {
    act(flow::action_kind::value, box);
    enter(segment, chare_of(*resumes));
  } else {
    add(brought_in, flow::action_kind::value, box);
    go_on(segment);
  }
}

void flow_recorder::gathered(const void* whole, std::uint64_t number, bool completes) {
  if (!is_in_item()) return;
  const std::tuple key{processor::running_here().pe(), whole, number};
  const std::uint32_t running = frames_.back().segment;
  if (!completes) return parts_[key].push_back(running);
  const auto parts = parts_.find(key);
  if (parts == parts_.end()) return;
  add_pushes();
  const std::uint32_t segment = new_segment(1);
  for (const std::uint32_t part : parts->second) {
    if (std::ranges::find(frames_, part, &frame::segment) != frames_.end()) continue;
    add(part, flow::action_kind::follow, segment);
    ++flow_.segments[segment].needs;
  }
  parts_.erase(parts);
  go_on(segment);
}

/// Equal calls in a row are one action.
void flow_recorder::called(emulated::host_call what, std::uint32_t operations) {
  const std::uint32_t query = std::exchange(mark_.query, 0);
  if (!is_in_item()) return;
  if (what == emulated::host_call::query && query != 0) return act(flow::action_kind::query, query - 1);
  add_work();
  const auto kind = static_cast<std::uint8_t>(what);
  if (!flow_.actions.empty() && segment_of_action_.back() == frames_.back().segment) {
    flow::action& last = flow_.actions.back();
    if (last.kind == flow::action_kind::call && last.detail == kind && last.value == operations) {
      ++last.what;
      return;
    }
  }
  act(flow::action_kind::call, 1, operations, kind);
}

std::uint32_t flow_recorder::marked(std::uint32_t operation) {
  mark_.operation = operation;
  flow_.marks.push_back({operation == 0 ? flow::none : operation - 1});
  return static_cast<std::uint32_t>(flow_.marks.size());
}

void flow_recorder::charged() {
  if (is_in_item()) since_ = processor::running_here().now();
}

void flow_recorder::copies(std::uint64_t bytes) {
  if (is_in_item()) act(flow::action_kind::copy, 0, bytes);
}

std::uint32_t flow_recorder::shape_of(const emulated::task& what) {
  flow::shape s;
  switch (what.kind) {
    case emulated::operation_kind::kernel: s.kind = flow::operation_kind::kernel; break;
    case emulated::operation_kind::to_device: s.kind = flow::operation_kind::to_device; break;
    case emulated::operation_kind::from_device: s.kind = flow::operation_kind::from_device; break;
    case emulated::operation_kind::peer: s.kind = flow::operation_kind::peer; break;
    default: break;
  }
  s.bytes = what.amount.size.bytes;
  s.flops = what.amount.size.flops;
  s.threads = what.amount.size.threads;
  s.time = static_cast<std::uint64_t>(what.amount.size.time.count());
  s.copied = what.copy.bytes;
  s.in_graph = what.amount.in_graph ? 1 : 0;
  s.priority = static_cast<std::int8_t>(what.priority);
  const auto small = static_cast<unsigned>(s.kind) | static_cast<unsigned>(s.in_graph) << 8U |
                     static_cast<unsigned>(static_cast<std::uint8_t>(s.priority)) << 16U;
  const auto [at, is_new] = shapes_.try_emplace({s.bytes, s.flops, s.threads, s.time, s.copied, small},
                                                static_cast<std::uint32_t>(flow_.shapes.size()));
  if (is_new) flow_.shapes.push_back(s);
  return at->second;
}

trace::flow::before flow_recorder::before_of(std::uint32_t operation, int device) const {
  if (frames_.empty()) return {operation, flow::none};
  const auto source = submitted_.sources.find(frames_.back().segment);
  if (source == submitted_.sources.end()) return {operation, flow::none};
  if (submitted_.segments[operation] == source->second)
    return {operation, operation - submitted_.firsts.at(source->second)};
  const bool is_far = flow_.operations[operation].device != static_cast<std::uint32_t>(device);
  return {operation, is_far ? flow::before::of_sender : flow::none};
}

std::uint32_t flow_recorder::submitted(const emulated::task& what, int device,
                                       std::span<const emulated::completion* const> after) {
  using enum emulated::operation_kind;
  if (what.kind == host_function || what.kind == write_value || what.kind == wait_value)
    refuse("a stream calls functions of the host, or waits for values");
  const auto number = static_cast<std::uint32_t>(flow_.operations.size());
  flow_.operations.push_back(
      {shape_of(what), static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(what.copy.from),
       static_cast<std::uint32_t>(what.copy.to), static_cast<std::uint32_t>(flow_.befores.size())});
  for (const emulated::completion* const before : after)
    if (before != nullptr && before->number != 0)
      flow_.befores.push_back(before_of(before->number - 1, device));
  submitted_.segments.push_back(frames_.empty() ? flow::none : frames_.back().segment);
  if (!frames_.empty()) submitted_.firsts.try_emplace(frames_.back().segment, number);
  if (is_in_item())
    act(flow::action_kind::submit, number);
  else if (why_not_.empty())
    refuse("operations are submitted between items");
  return number + 1;
}

void flow_recorder::awaits(const work& completion, std::uint64_t stream) {
  if (!is_in_item()) return;
  const auto number = static_cast<std::uint32_t>(flow_.completions.size());
  const std::uint32_t item = new_item(completion, 1);
  flow_.completions.push_back(
      {mark_.operation == 0 ? flow::none : mark_.operation - 1, item, static_cast<std::uint32_t>(stream)});
  act(flow::action_kind::await, number);
}

void flow_recorder::leaves(const work& item, int from, int to, std::size_t bytes) {
  if (!why_not_.empty()) return;
  if (frames_.empty()) return refuse("messages leave between items");
  const auto number = static_cast<std::uint32_t>(flow_.messages.size());
  const std::uint32_t which = new_item(item, 1);
  flow_.messages.push_back({bytes,
                            static_cast<std::uint32_t>(to),
                            which,
                            from == to ? flow::send_cost::send : send_cost_(item),
                            {}});
  act(flow::action_kind::send, number);
}

void flow_recorder::has_left(int) {
  if (is_in_item()) since_ = processor::running_here().now();
}

/// Sorts the actions by their segments, and adds the sentinels.
trace::flow flow_recorder::finish() {
  add(turn_.segment, flow::action_kind::end, 0);
  flow done = std::move(flow_);
  const std::vector<flow::action> recorded = std::move(done.actions);
  std::vector<std::uint32_t> next(done.segments.size() + 1);
  for (const std::uint32_t segment : segment_of_action_) ++next[segment + 1];
  for (std::size_t s = 1; s < next.size(); ++s) next[s] += next[s - 1];
  done.segments.emplace_back();
  for (std::size_t s = 0; s < done.segments.size(); ++s) done.segments[s].first_action = next[s];
  done.actions.resize(recorded.size());
  for (std::size_t a = 0; a < recorded.size(); ++a) done.actions[next[segment_of_action_[a]]++] = recorded[a];
  done.operations.push_back({0, 0, 0, 0, static_cast<std::uint32_t>(done.befores.size())});
  for (const auto& users : users_) {
    done.boxes.push_back({static_cast<std::uint32_t>(done.users.size())});
    done.users.insert(done.users.end(), users.begin(), users.end());
  }
  done.boxes.push_back({static_cast<std::uint32_t>(done.users.size())});
  return done;
}

void flow_recorder::write(flow::run_facts facts, std::string machine, std::vector<std::uint32_t> device_of_pe,
                          std::vector<std::uint8_t> has_device) {
  if (!why_not_.empty() || turn_.segment == flow::none)
    return log(log_level::error, "--record-flow " + printable(file_) + ": this run has no flow: " +
                                     (why_not_.empty() ? "nothing ran" : why_not_));
  facts.first_item = flow_.facts.first_item;
  facts.time = flow_.facts.time;
  flow_.facts = facts;
  flow_.machine = std::move(machine);
  flow_.device_of_pe = std::move(device_of_pe);
  flow_.has_device = std::move(has_device);
  try {
    trace::write_flow(finish(), file_);
  } catch (const error& e) {
    log(log_level::error, "--record-flow " + printable(file_) + ": " + e.what());
  }
}

}  // namespace imbrex::detail
