// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/deterministic.hpp>

#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/internal/stepping.hpp>
#include <imbrex/core/run_devices.hpp>

namespace imbrex {

namespace detail {

namespace {

void step_one(runtime& r, processor& pe) {
  act_as(r, pe, [&] { pe.step(); });
}

/// The PE whose timer is the first to be due; null if there is none.
processor* first_by_timers(runtime& r) {
  processor* first = nullptr;
  for (int p = 0; p < r.num_pes(); ++p) {
    auto& pe = r.processor_at(p);
    if (pe.next_deadline() && (first == nullptr || *pe.next_deadline() < *first->next_deadline()))
      first = &pe;
  }
  return first;
}

void advance_devices(runtime& r, nanoseconds moment) {
  r.devices().advance_to(moment);
  look_at_devices(r);
}

void advance_to_timer(runtime& r, processor& of) {
  r.virtual_time().advance_to(*of.next_deadline());
  step_one(r, of);
}

}  // namespace

bool step_deterministic(runtime& r, delayed_transport& wire) {
  if (r.ended()) return false;
  processor* const first = first_by_timers(r);
  auto of_devices = r.devices().next();
  const bool goes_on = of_devices && r.devices().goes_on_beside();
  if (first != nullptr && of_devices > first->next_deadline()) of_devices.reset();
  if (goes_on) {
    of_devices ? advance_devices(r, *of_devices) : advance_to_timer(r, *first);
    return !r.ended();
  }
  const int pes = r.num_pes();
  const int start =
      r.devices().any() ? r.devices().draw(pes) : 0;  // an item may ask a device again and again
  for (int p = start; p < start + pes; ++p)           // what the last delivery has made ready
    if (auto& pe = r.processor_at(p % pes); !pe.idle()) {
      step_one(r, pe);
      return !r.ended();
    }
  if (!wire.empty()) {
    const auto next = wire.take();
    auto& pe = r.processor_at(next.to);
    pe.push(*next.what);
    step_one(r, pe);
    return !r.ended();
  }
  if (look_at_devices(r)) return !r.ended();  // what takes no time is done when it is submitted
  if (of_devices) {
    advance_devices(r, *of_devices);
  } else if (first != nullptr) {
    advance_to_timer(r, *first);
  } else {
    r.quiet({});
  }
  return !r.ended();
}

void run_deterministic(runtime& r, delayed_transport& wire) {
  while (step_deterministic(r, wire)) {
  }
}

}  // namespace detail

bool deterministic::step() { return detail::step_deterministic(runtime_, wire()); }

int deterministic::run() {
  detail::run_deterministic(runtime_, wire());
  runtime_.clear();
  return runtime_.status();
}

undelivered deterministic::describe(const delayed_transport::item& i) {
  const auto& m = static_cast<const message&>(*i.what);
  undelivered u{std::string(m.kind().entry_name), std::nullopt, static_cast<int>(m.origin), i.to};
  if (m.kind().reference != nullptr) u.reference = m.kind().reference(m);
  return u;
}

void deterministic::expect(const std::optional<undelivered>& next, std::string_view entry,
                           std::optional<std::int64_t> reference) {
  const auto text = [](std::string_view name, const std::optional<std::int64_t>& r) {
    return std::string(name) + (r ? " with reference " + std::to_string(*r) : "");
  };
  if (next && next->entry == entry && (!reference || next->reference == reference)) return;
  throw error("expected the next message to be " + text(entry, reference) + ", but " +
              (next ? "it is " + text(next->entry, next->reference) : std::string("none is on its way")));
}

}  // namespace imbrex
