// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_pieces.hpp>

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <utility>

#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex::detail {
namespace {

/// The costs against which a reduction in pieces must pay off.
struct piece_costs {
  nanoseconds message{4'000};           ///< a message between two PEs, with the work of both
  std::uint64_t rate = 20'000'000'000;  ///< bytes a second between two devices
};

/// Costs by the model; without one, typical values for NVLink or PCIe and threads with other work. Empty for
/// devices of several hosts: each device would fetch all arrays of another host through the same network
/// card.
std::optional<piece_costs> costs_of(const run_services& run) {
  const device_model* const model = run.model();
  if (model == nullptr || !model->has_links()) return piece_costs();
  if (run.devices().count() > model->node.devices) return std::nullopt;
  return piece_costs{model->message.send + model->message.receive + model->message.latency,
                     model->link.device};
}

/// Keeps the pieces alive until all PEs have submitted their reads.
class reader_of_pieces final : public memory_lender {
 public:
  explicit reader_of_pieces(std::shared_ptr<device_pieces> of) : of_(std::move(of)) {}
  void read(const shared_event&) noexcept override {}

 private:
  std::shared_ptr<device_pieces> of_;
};

void add_devices(const device_terms& terms, std::vector<imbrex::device*>& all) {
  if (terms.is_one() && std::ranges::find(all, terms.one().on()) == all.end())
    all.push_back(terms.one().on());
  for (const device_terms& each : terms.several()) add_devices(each, all);
}

stream* stream_of(imbrex::device& on) { return &on == &gpu() ? nullptr : &stream_out_of(on); }

}  // namespace

void device_terms::append(device_terms&& next) {
  if (is_one()) {
    device_terms first(std::move(one_));
    one_ = {};
    several_.push_back(std::move(first));
  }
  several_.push_back(std::move(next));
}

bool is_reduced_in_pieces(std::size_t bytes) {
  const auto& run = processor::here().run();
  const int devices = std::min(run.devices().count(), processor::here().num_pes());
  if (run.processes() != 1 || devices < 2) return false;
  const auto costs = costs_of(run);
  if (!costs) return false;
  // Pieces need one more pass up and down the tree of PEs, which has about this depth. In the tree of arrays
  // some devices receive and send half as many arrays as there are devices. In pieces each device receives
  // and sends two arrays' worth.
  const auto message_time = 2 * std::bit_width(static_cast<unsigned>(devices - 1)) * costs->message;
  return device_model::transfer_time(bytes, costs->rate) * devices / 2 > message_time;
}

device_pieces::device_pieces(device_terms&& terms, combiner combine)
    : terms_(std::move(terms)), combine_(combine) {
  std::vector<imbrex::device*> all;
  add_devices(terms_, all);
  const std::size_t count = terms_.count();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t first = count * i / all.size();
    pieces_.push_back({.on = all[i], .first = first, .count = count * (i + 1) / all.size() - first});
  }
}

/// The work of one device for its piece.
class device_pieces::work {
 public:
  work(device_pieces& of, const piece& what) : of_(of), what_(what), order_(transfers_here().in) {}

  /// Combines the terms into this memory, in the order of the stream.
  void fill(const device_terms& terms, void* to) {
    if (terms.is_one()) {
      part_of(terms).land_at(to, order_, stream_of(*terms.one().on()));
      return;
    }
    // All transfers come first, so that they begin at once.
    const auto all = terms.several();
    std::vector<const void*> added;
    for (const device_terms& each : all.subspan(1)) added.push_back(value_of(each));
    fill(all.front(), to);
    for (const shared_event& ready : std::exchange(awaited_, {})) order_.wait(ready);
    of_.combine_(order_, to, added, what_.count, what_.on->info().id);
  }
  stream& order() { return order_; }

 private:
  const std::byte* start_of(const device_terms& one) const {
    return static_cast<const std::byte*>(one.one().address()) + what_.first * one.size();
  }
  attachment part_of(const device_terms& one) const {
    return of_.part_of(start_of(one), *one.one().on(), what_.count, one.one().ready());
  }
  /// The piece's address on this device, valid after the awaited events.
  const void* value_of(const device_terms& terms) {
    if (terms.is_one() && terms.one().on() == what_.on) {
      awaited_.push_back(terms.one().ready());
      return start_of(terms);
    }
    if (terms.is_one()) {
      attachment& landed = temporaries_.emplace_back(part_of(terms));
      landed.land(transfers_here().beside(), stream_of(*terms.one().on()));
      awaited_.push_back(landed.ready());
      return landed.address();
    }
    auto outer = std::exchange(awaited_, {});
    attachment& combined = temporaries_.emplace_back(*what_.on, what_.count, terms.size());
    fill(terms, combined.address());
    awaited_ = std::move(outer);
    return combined.address();
  }

  device_pieces& of_;
  const piece& what_;
  stream& order_;
  std::deque<attachment> temporaries_;
  std::vector<shared_event> awaited_;
};

device_pieces::piece* device_pieces::piece_here() {
  const auto here = std::ranges::find(pieces_, &gpu(), &piece::on);
  return here == pieces_.end() ? nullptr : &*here;
}

attachment device_pieces::part_of(const void* from, imbrex::device& on, std::size_t count,
                                  const shared_event& filled) {
  return {from, on, count, terms_.size(), filled, std::make_unique<reader_of_pieces>(shared_from_this())};
}

void device_pieces::order_here() {
  if (processor::here().completions() == nullptr) return;  // a PE without a device
  piece* const own = piece_here();
  if (own == nullptr) return;
  {
    const std::lock_guard guard(lock_);
    if (std::exchange(own->is_ordered, true)) return;
  }
  own->whole = attachment(*own->on, terms_.count(), terms_.size());
  own->address = static_cast<std::byte*>(own->whole.address());
  if (own->count == 0) return;
  work here(*this, *own);
  here.fill(terms_, own->address + own->first * terms_.size());
  own->ready = shared_event(here.order());
}

shared_memory device_pieces::whole_here() {
  imbrex::device& here = gpu();
  const std::lock_guard guard(lock_);
  for (const auto& [on, whole] : wholes_)
    if (on == &here) return whole;
  piece* const own = piece_here();
  attachment whole = own != nullptr ? std::move(own->whole) : attachment(here, terms_.count(), terms_.size());
  auto* const to = static_cast<std::byte*>(whole.address());
  stream& order = transfers_here().in;
  std::vector<shared_event> landed;
  for (const piece& each : pieces_) {
    if (&each == own || each.count == 0) continue;
    const std::size_t first = each.first * terms_.size();
    stream& beside = transfers_here().beside();
    part_of(each.address + first, *each.on, each.count, each.ready)
        .land_at(to + first, beside, stream_of(*each.on));
    landed.emplace_back(beside);
  }
  if (own != nullptr) order.wait(own->ready);
  for (const shared_event& each : landed) order.wait(each);
  whole.ready_after(order);
  return wholes_.emplace_back(&here, shared_memory(std::move(whole))).second;
}

}  // namespace imbrex::detail
