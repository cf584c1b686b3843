// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/flow_costs.hpp>

#include <algorithm>

namespace imbrex {

nanoseconds cost_of(const device_model& model, trace::flow::send_cost kind) {
  if (!model.has_links()) return model.message.send;
  switch (kind) {
    case trace::flow::send_cost::send: break;
    case trace::flow::send_cost::send_device: return model.message.send + model.step.envelope;
    case trace::flow::send_cost::channel: return model.step.channel;
  }
  return model.message.send;
}

nanoseconds cost_of(const device_model& model, trace::flow::item_cost kind) {
  if (!model.has_links()) return model.message.receive;
  switch (kind) {
    case trace::flow::item_cost::completion: return model.step.completion;
    case trace::flow::item_cost::receive: break;
    case trace::flow::item_cost::receive_device: return model.message.receive + model.step.post;
    case trace::flow::item_cost::channel: return model.step.channel;
  }
  return model.message.receive;
}

nanoseconds least_item_cost(const device_model& model) {
  if (!model.has_links()) return model.message.receive;
  return std::min({model.message.receive, model.step.channel, model.step.completion});
}

nanoseconds cost_of(const device_model& model, emulated::host_call what, std::uint64_t operations) {
  using emulated::host_call;
  switch (what) {
    case host_call::free: break;
    case host_call::launch: return model.host.launch;
    case host_call::call: return model.host.call;
    case host_call::query: return model.host.query;
    case host_call::synchronize: return model.host.synchronize;
    case host_call::transfer: return model.step.transfer;
    case host_call::graph:
      return model.host.graph_launch + static_cast<nanoseconds::rep>(operations) * model.host.graph_operation;
  }
  return nanoseconds(0);
}

}  // namespace imbrex
