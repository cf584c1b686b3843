// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/simulated_machine.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/core/gpu/message_in_pieces.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/record/recorder.hpp>
#include <imbrex/device/emulated/flow_costs.hpp>
#include <imbrex/net/local/serializing.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

namespace {

/// The minimum duration of a turn, so that a PE that polls in a loop reaches the time of the event.
constexpr nanoseconds shortest_turn{1};

link_model link_between_pes(const options& settings, const device_model& model) {
  link_model link{settings.net_latency, settings.net_bandwidth, settings.net_injection_gap};
  if (link.latency.count() == 0) link.latency = model.message.latency;
  if (link.bandwidth == 0) link.bandwidth = model.message.bandwidth;
  return link;
}

bool blocks(const processor& pe) {
  return pe.completions() != nullptr && device_completions::of(pe)->blocks();
}

attachment_use use_of(const message& m) {
  return m.kind().attachments == nullptr ? attachment_use::message : m.kind().attachments->use;
}

/// True if the attachments of a message need no description: another message of its PE has described them.
bool is_repeated(const message& m) {
  const attachment_type* const how = m.kind().attachments;
  return how != nullptr && how->is_repeated != nullptr && how->is_repeated(m);
}

/// True if the PE has pending device work, even if it need not poll for it: only polling reports a failed
/// device.
bool waits_for_device(const processor& pe) {
  return pe.completions() != nullptr && pe.completions()->pending() > 0;
}

using trace::flow;

flow::send_cost send_cost_of(const work& item) {
  const message& sent = enclosed_message(static_cast<const message&>(item));
  const attachment_use use = use_of(sent);
  if (use == attachment_use::piece) return flow::send_cost::channel;
  if (!sent.has_attachments) return flow::send_cost::send;
  if (use == attachment_use::channel) return flow::send_cost::channel;
  return is_repeated(sent) ? flow::send_cost::send : flow::send_cost::send_device;
}

flow::item_cost item_cost_of(const work& item) {
  if (item.type->pack == nullptr || item.type->brings_message) return flow::item_cost::completion;
  const attachment_use use = use_of(static_cast<const message&>(item));
  if (use == attachment_use::piece) return flow::item_cost::channel;
  if (!item.has_attachments) return flow::item_cost::receive;
  switch (use) {
    case attachment_use::channel: return flow::item_cost::channel;
    case attachment_use::collective: return flow::item_cost::receive;
    case attachment_use::message:
    case attachment_use::piece: break;
  }
  return flow::item_cost::receive_device;
}

}  // namespace

simulated_machine::simulated_machine(const options& settings, local_run& run)
    : stepping_machine(settings, run),
      serializes_(settings.serialize_always),
      model_(settings.device_model.empty() ? device_model{} : find_device_model(settings.device_model)),
      link_(link_between_pes(settings, model_)),
      least_cost_(least_item_cost(model_)) {
  for (int p = 0; p < settings.pes; ++p) pes_.emplace_back(clock_);
  if (!settings.flow.empty())
    flow_ = std::make_unique<flow_recorder>(settings.flow, item_cost_of, send_cost_of);
}

delivery_rules simulated_machine::rules() const {
  return {.direct = !serializes_, .separates_broadcasts = true};  // each copy is charged, and may block
}

nanoseconds simulated_machine::cost_of_sending(const work& item) const {
  return cost_of(model_, send_cost_of(item));
}

nanoseconds simulated_machine::cost_of_running(const work& item) const {
  return cost_of(model_, item_cost_of(item));
}

int simulated_machine::pes_of_node() const {
  // With network options every two PEs are equally far apart.
  const bool by_links = run_.devices().links() != nullptr && run_.how().net_latency.count() == 0 &&
                        run_.how().net_bandwidth == 0;
  return by_links ? std::max(1, model_.node.devices * run_.how().pes / run_.devices().count()) : 0;
}

void simulated_machine::connect(bool /*may_spin*/, scheduler* /*comm_thread*/) {
  const int host_pes = pes_of_node();
  for (const auto& p : run_.processors()) {
    std::unique_ptr<transport> wire = std::make_unique<simulated_transport>(
        network_, link_, [this](const work& item) { return cost_of_sending(item); }, p->pe(),
        *charged_clock_of(p->pe()), host_pes, flow_.get());
    if (serializes_) wire = std::make_unique<serializing_transport>(std::move(wire));
    wires_.push_back(std::move(wire));
    p->be_punctual();
    if (flow_) p->attach(*flow_);
  }
  if (flow_) run_.devices().report_to(*flow_, *flow_);
}

void simulated_machine::run() {
  plan_all();
  run_steps([this] { return step(); });
  if (flow_) write_flow();
}

void simulated_machine::write_flow() {
  const options& how = run_.how();
  trace::flow::run_facts facts;
  facts.net_latency = static_cast<std::uint64_t>(how.net_latency.count());
  facts.net_bandwidth = how.net_bandwidth;
  facts.net_injection_gap = static_cast<std::uint64_t>(how.net_injection_gap.count());
  facts.devices = static_cast<std::uint32_t>(run_.devices().count());
  std::vector<std::uint32_t> device_of_pe;
  std::vector<std::uint8_t> has_device;
  for (const auto& p : run_.processors()) {
    device_of_pe.push_back(static_cast<std::uint32_t>(run_.devices().device_near(p->pe())));
    has_device.push_back(p->completions() != nullptr ? 1 : 0);
  }
  flow_->write(facts, how.device_model, std::move(device_of_pe), std::move(has_device));
}

bool simulated_machine::step() {
  local_run& r = run_;
  if (r.ended()) return false;
  const auto device = r.devices().next();
  const auto arrival = network_.next();
  const auto first = first_turn();
  const auto is_first = [&](nanoseconds when) {
    return (!arrival || when <= *arrival) && (!first || when <= first->when);
  };
  if (device && is_first(*device)) {
    r.devices().advance_to(*device);
    have_users_look();
  } else if (arrival && is_first(*arrival)) {
    clock_.advance_to(*arrival);
    const auto arrived = network_.take();
    if (arrived.leaves_host) {
      leave_host(arrived);
      return true;
    }
    if (arrivals_ != nullptr)
      recorder::record_arrival(*arrivals_, static_cast<const message&>(*arrived.what), *arrival);
    r.processor_at(arrived.to).push(*arrived.what);
    plan(arrived.to);
  } else if (first) {
    take(*first);
  } else {
    for (const logical_pe& pe : pes_) clock_.advance_to(pe.time.free_from());  // each PE works until then
    r.idle();
    plan_all();
  }
  return !r.ended();
}

void simulated_machine::leave_host(const simulated_network::arrival& message) {
  run_devices& devices = run_.devices();
  const nanoseconds when = devices.links()->transfer(clock_.now(), {devices.device_near(message.from), false},
                                                     {devices.device_near(message.to), false}, message.bytes);
  network_.put(when, *message.what, message.to);
}

void simulated_machine::have_users_look() {
  run_.devices().tell_news([&](int pe) {
    pes_[static_cast<std::size_t>(pe)].looks = waits_for_device(run_.processor_at(pe));
    plan(pe);
  });
}

std::optional<nanoseconds> simulated_machine::next_turn_of(const processor& pe) const {
  if (pes_[static_cast<std::size_t>(pe.pe())].looks) return pe.now();
  if (blocks(pe)) return std::nullopt;
  if (!pe.idle()) return pe.now();
  const auto deadline = pe.next_deadline();
  return deadline ? std::optional(std::max(pe.now(), *deadline)) : std::nullopt;
}

void simulated_machine::plan(int pe) {
  later_.erase(pe);
  due_.erase(pe);
  const processor& of = run_.processor_at(pe);
  if (of.executors().has_any() && std::ranges::find(posted_from_outside_, pe) == posted_from_outside_.end())
    posted_from_outside_.push_back(pe);
  const auto when = next_turn_of(of);
  if (!when) return;
  *when <= clock_.now() ? due_.set(pe, nanoseconds(0)) : later_.set(pe, *when);
}

void simulated_machine::plan_all() {
  for (int p = 0; p < run_.num_pes(); ++p) plan(p);
}

std::optional<simulated_machine::turn> simulated_machine::first_turn() {
  for (const int pe : posted_from_outside_) plan(pe);
  while (!later_.empty() && later_.first().when <= clock_.now()) {
    const int pe = later_.first().which;
    later_.erase(pe);
    due_.set(pe, nanoseconds(0));
  }
  if (!due_.empty()) return turn{clock_.now(), &run_.processor_at(due_.first().which)};
  if (later_.empty()) return std::nullopt;
  return turn{later_.first().when, &run_.processor_at(later_.first().which)};
}

void simulated_machine::take(const turn& first) {
  auto& pe = *first.whose;
  auto& own = pes_[static_cast<std::size_t>(pe.pe())];
  clock_.advance_to(first.when);
  run_.devices().charge_to(&own.time);
  act_as(pe, [&] {
    if (flow_) flow_->turn_begins_on(pe);
    if (std::exchange(own.looks, false) && (pe.idle() || blocks(pe))) {
      const bool blocked = blocks(pe);
      look(pe, own.time);
      own.goes_on = blocked && !blocks(pe);
      return;
    }
    const bool goes_on = std::exchange(own.goes_on, false);  // the rest of a blocked turn, which is no item
    const nanoseconds before = goes_on ? shortest_turn : std::max(least_cost_, shortest_turn);
    pe.charge(before);
    if (work* const item = pe.take_item()) {
      if (!goes_on) pe.charge(std::max(nanoseconds(0), cost_of_running(*item) - before));
      pe.run_taken(*item);
    }
    own.looks = waits_for_device(pe);  // work without duration is done when it is submitted
  });
  run_.devices().charge_to(nullptr);
  plan(pe.pe());
  have_users_look();  // a PE that writes a flag or synchronizes advances devices
}

/// Polls for a PE that has nothing else to do. The PE polls all the time, but is charged only if it finds
/// something.
void simulated_machine::look(processor& pe, local_clock& its_time) {
  const auto before = its_time.free_from();
  if (!device_completions::of(pe)->look_at_all()) its_time.take_back(before);
}

}  // namespace imbrex::detail
