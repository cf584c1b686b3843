// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/load.hpp>

#include <utility>

#include <imbrex/core/array/chare_functions.hpp>
#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/gpu/pe_device.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/device/attachment.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::extension {

namespace {

detail::load_meter::unit unit_on(machine_kind machine) {
  switch (machine) {
    case machine_kind::threads: return detail::load_meter::unit::ticks;
    case machine_kind::deterministic: return detail::load_meter::unit::items;
    case machine_kind::simulated: return detail::load_meter::unit::nanoseconds;
  }
  return detail::load_meter::unit::ticks;
}

const detail::collection_base& part_of(const detail::local_array& array) {
  return static_cast<const detail::collection_base&>(array);
}

bool moves_with_entries(const chare_header& element) {
  return part_of(*element.home).chares().moves_with_entries;
}

bool leaves_process(const chare_header& element) { return part_of(*element.home).chares().leaves_process(); }

}  // namespace

std::vector<const element_class*> classes_of_arrays() { return detail::message_table::classes_of_arrays(); }

std::optional<double> measured_element::expected_load() const {
  const auto& chares = part_of(*element_->home).chares();
  if (chares.expected_load == nullptr) return std::nullopt;
  return chares.expected_load(*element_);
}

std::uint64_t measured_element::bytes() const {
  if (moves_with_entries(*element_)) return 0;
  writer counter(writer::counting);
  part_of(*element_->home).chares().write(*element_, counter);
  return counter.size();
}

namespace {

/// Sums up the memory of devices that an archive meets.
class sum_of_parts final : public detail::part_carrier {
 public:
  void take(detail::attachment& part) override { bytes_ += part.bytes(); }
  void give(detail::attachment& /*part*/, std::size_t /*size*/) override {}
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::uint64_t measured_element::device_bytes() const {
  const auto& chares = part_of(*element_->home).chares();
  if (chares.moves_with_entries || chares.is_pickled) return 0;
  sum_of_parts sum;
  writer counter(writer::counting);
  counter.carry_by(sum);
  chares.write(*element_, counter);
  return sum.bytes();
}

balanced_device balanced_device::here() {
  auto& pe = detail::processor::running_here();
  detail::device_loads* const loads = pe.run().devices().loads(pe.pe());
  if (loads == nullptr) return {};
  // A trace has the times of operations, which have one observer.
  if (pe.run().recording() == nullptr) loads->end_period(pe.pe());
  return {.number = loads->pes().front(),
          .pes = static_cast<int>(loads->pes().size()),
          .free_memory = gpu().available_memory()};
}

bool measured_element::can_leave() const {
  if (element_->dying || element_->travels || element_->load.has_stayed) return false;
  if (detail::is_bound_elsewhere(*element_, part_of(*element_->home).chares())) return false;
  const bool passes_points = element_->load.point_periods > 0 || element_->load.balance_points > 0;
  if (moves_with_entries(*element_))
    return passes_points && element_->entries != nullptr &&
           (element_->home->pe().run().processes() == 1 || leaves_process(*element_));
  if (element_->entries == nullptr) return true;
  return passes_points && element_->entries->next == nullptr;
}

std::vector<measured_element> local_loads::elements() const {
  std::vector<measured_element> found;
  detail::for_each_array(pe_, [&](const detail::local_array& part) {
    if (!part.can_migrate()) return;
    for (chare_header* const each : part.locals()) found.push_back(measured_element(*each));
  });
  return found;
}

std::uint64_t local_loads::take_time_of_fixed_elements() {
  std::uint64_t time = 0;
  detail::for_each_array(pe_, [&](const detail::local_array& part) {
    if (part.can_migrate()) return;
    for (chare_header* const each : part.locals()) time += std::exchange(each->load.now, 0);
  });
  return time;
}

std::uint64_t local_loads::count_fixed_elements() const {
  std::uint64_t count = 0;
  detail::for_each_array(pe_, [&](const detail::local_array& part) {
    if (part.can_migrate()) return;
    for (const chare_header* const each : part.locals()) count += each->load.is_apart ? 0 : 1;
  });
  return count;
}

int local_loads::write_coordinates(std::uint64_t array, std::uint64_t key, float* out) const {
  const auto* const part = detail::array_at(pe_, array);
  return part == nullptr ? 0 : part_of(*part).write_coordinates(key, out);
}

load_meter::load_meter(detail::scheduler& pe)
    : detail::load_meter(static_cast<detail::processor&>(pe), unit_on(run_handle(pe).settings().machine)) {}

void load_meter::attach(detail::scheduler& pe, detail::owner<load_meter> meter) {
  detail::load_meter::attach(static_cast<detail::processor&>(pe), std::move(meter));
}

std::uint64_t load_meter::bytes_beside(detail::message& m) {
  if (!m.has_attachments) return 0;
  std::vector<detail::attachment*> parts;
  m.kind().collect_attachments(m, parts);
  std::uint64_t bytes = 0;
  for (const detail::attachment* const part : parts) bytes += part->bytes();
  return bytes;
}

}  // namespace imbrex::extension
