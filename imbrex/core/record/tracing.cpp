// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/tracing.hpp>

#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/core/record/recorder.hpp>
#include <imbrex/core/record/run_recording.hpp>

namespace imbrex {
namespace {

/// A message to a PE, of any process, that switches recording in its process.
struct recording_switch : detail::message {
  bool on = false;

  static inline detail::message_type type_record = detail::runtime_message_type<recording_switch>();
  void serialize(auto& ar) { ar(on); }
  void deliver() {
    const detail::message_guard guard(*this);
    if (auto* const recording = detail::processor::here().run().recording()) recording->set_on(on);
  }
};

void switch_all(bool on) {
  auto& here = detail::processor::here();
  if (here.run().recording() == nullptr) return;
  here.run().recording()->set_on(on);
  for (int pe = 0; pe < here.num_pes(); ++pe) {
    if (here.run().holds(pe)) continue;
    auto& m = detail::make_message<recording_switch>();
    m.on = on;
    here.dispatch(m, pe);
  }
}

}  // namespace

namespace detail {

recorder* recorder_here() {
  const auto* const here = scheduler::current();
  if (here == nullptr || here->observers() == nullptr || here->pe() == scheduler::no_pe) return nullptr;
  auto* const recording = static_cast<const processor*>(here)->run().recording();
  if (recording == nullptr) return nullptr;
  auto& its = recording->recorder_of(here->pe());
  return its.is_on() ? &its : nullptr;
}

}  // namespace detail

namespace trace {

void start() { switch_all(true); }
void stop() { switch_all(false); }

void mark(std::string_view name, std::int64_t value) {
  if (auto* const r = detail::recorder_here())
    r->add_user(record_kind::mark, r->records().mark_number(name), static_cast<std::uint64_t>(value), 0);
}

phase::phase(std::string_view name, std::int64_t value) {
  auto* const r = detail::recorder_here();
  if (r == nullptr) return;
  is_recorded_ = true;
  name_ = r->records().mark_number(name);
  value_ = value;
  which_ = r->new_stretch();
  r->add_user(record_kind::phase_begin, name_, static_cast<std::uint64_t>(value_), which_);
}

phase::~phase() {
  auto* const r = is_recorded_ ? detail::recorder_here() : nullptr;
  if (r != nullptr) r->add_user(record_kind::phase_end, name_, static_cast<std::uint64_t>(value_), which_);
}

data_stretch::data_stretch(record_kind kind, std::string_view datum, std::uint64_t words) : kind_(kind) {
  auto* const r = detail::recorder_here();
  if (r == nullptr) return;
  is_recorded_ = true;
  name_ = r->records().mark_number(datum);
  words_ = words;
  which_ = r->new_stretch();
  r->add_data(kind_, data_step::begin, name_, words_, which_);
}

data_stretch::~data_stretch() {
  auto* const r = is_recorded_ ? detail::recorder_here() : nullptr;
  if (r != nullptr) r->add_data(kind_, data_step::end, name_, words_, which_);
}

void data_stretch::element(std::uint64_t i) {
  auto* const r = is_recorded_ ? detail::recorder_here() : nullptr;
  if (r != nullptr) r->add_data(kind_, data_step::element, name_, i, which_);
}

}  // namespace trace
}  // namespace imbrex
