// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/deterministic.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex {

detail::machine_maker deterministic::maker() {
  return [this](const options& settings, detail::local_run& run) {
    auto machine = std::make_unique<detail::deterministic_machine>(settings, run);
    machine_ = machine.get();
    return machine;
  };
}

bool deterministic::step() { return machine_->step(); }

int deterministic::run() {
  while (step()) {
  }
  runtime_.clear();
  return runtime_.status();
}

undelivered deterministic::describe(const detail::delayed_transport::item& i) {
  const auto& m = static_cast<const detail::message&>(*i.what);
  undelivered u{std::string(m.shown_kind().entry_name), std::nullopt, static_cast<int>(m.origin), i.to};
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
              (next ? "it is " + text(next->entry, next->reference) : std::string("none is in flight")));
}

}  // namespace imbrex
