// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/record/run_recording.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include <imbrex/base/host/ticks.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex::detail {

namespace {

trace::file_header header_of(const options& settings, const recorded_time& time, const bootstrap* meeting,
                             const pe_range& pes, std::uint64_t job) {
  trace::file_header header;
  header.first_pe = static_cast<std::uint32_t>(pes.first);
  header.pes = static_cast<std::uint32_t>(pes.count);
  if (meeting != nullptr) {
    header.process = static_cast<std::uint32_t>(meeting->rank());
    header.processes = static_cast<std::uint32_t>(meeting->size());
  }
  header.wall_clock =
      std::chrono::duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  header.job = job;
  if (time.is_real) {
    header.started = static_cast<std::uint64_t>(real_clock().now().count());
  } else {
    header.flags = trace::simulated_clock;
  }
  if (settings.source.one_pe_a_process) header.flags |= trace::one_pe_a_process;
  return header;
}

}  // namespace

run_recording::run_recording(const options& settings, const recorded_time& time, const bootstrap* meeting,
                             const pe_range& pes, std::uint64_t job)
    : process_(meeting == nullptr ? 0 : meeting->rank()),
      first_pe_(pes.first),
      file_(trace::file_of_process(settings.trace, static_cast<std::uint32_t>(process_))),
      unit_(time.is_real && ticks_are_even() ? trace::time_unit::ticks : trace::time_unit::ns),
      has_real_time_(time.is_real),
      recording_(
          {settings.trace, settings.trace_buffer.bytes, settings.trace_buffer.waits, !settings.trace_paused},
          header_of(settings, time, meeting, pes, job)) {
  const auto entries = std::min<std::uint32_t>(message_table::size(), trace::no_entry);
  for (std::uint32_t id = 0; id < entries; ++id) {
    recording_.name(trace::name_table::entries, id, 0, message_table::at(id).shown_name());
  }
  recording_.reserve_entries(entries);
  if (time.stands_still) order_ = 0;
}

void run_recording::attach(processor& pe) { attach(pe, trace::track_class::pe, pe.pe()); }
void run_recording::attach(scheduler& comm_thread) {
  attach(comm_thread, trace::track_class::comm_thread, process_);
}

void run_recording::attach(scheduler& watched, trace::track_class kind, int which) {
  recorders_.push_back(
      std::make_unique<recorder>(recording_, trace::track_number(kind, static_cast<std::uint32_t>(which)),
                                 unit_, watched, order_ ? &*order_ : nullptr));
  watched.attach(*recorders_.back());
}

bool run_recording::attach(device& used) {
  const auto number = static_cast<std::uint32_t>(device_recorders_.size());
  device_recorders_.push_back(std::make_unique<device_recorder>(recording_, number, used));
  return device_recorders_.back()->hears();
}

std::unique_ptr<block_recorder> run_recording::blocks(const device& of, std::uint32_t count) {
  for (std::size_t n = 0; has_real_time_ && n < device_recorders_.size(); ++n)
    if (device_recorders_[n]->is_of(of)) {
      block_tracks::set* const tracks = blocks_->take(static_cast<std::uint32_t>(n), count);
      return tracks == nullptr ? nullptr : std::make_unique<block_recorder>(blocks_, *tracks);
    }
  return nullptr;
}

void run_recording::share_clock() { recording_.add(trace::clock_reading{}); }

void run_recording::compare_clocks(std::function<void()> ask) {
  clocks_.emplace(std::move(ask), [this](const trace::clock_reading& found) { recording_.add(found); });
  recorders_.front()->compare(*clocks_);
}

void run_recording::clock_answered(std::uint64_t sent_at, std::uint64_t there, std::uint64_t now) {
  if (clocks_) clocks_->answered(sent_at, there, now);
}

trace::track& run_recording::track_of_network() {
  return recording_.add_track(trace::track_number(trace::track_class::network, 0));
}

void run_recording::set_on(bool on) {
  for (const auto& d : device_recorders_) d->catch_up();
  recording_.set_on(on);
}

void run_recording::end() {
  device_recorders_.clear();  // some write their last operations only now
  blocks_->end();
  recording_.finish();
  const auto& result = recording_.result();
  if (!result.failure.empty()) log(log_level::warning, result.failure + "; the trace ends there");
  if (result.waited > std::chrono::milliseconds(1))
    log(log_level::warning,
        "PEs waited " + duration_text(std::chrono::duration_cast<std::chrono::milliseconds>(result.waited)) +
            " in all for room in the buffers of the trace " + file_ +
            ", which counts as their programs' time: give more with --trace-buffer");
  if (result.lost == 0) return;
  log(log_level::warning,
      "the trace " + file_ + " lacks " + std::to_string(result.lost) + " of " +
          std::to_string(result.lost + result.records) +
          " records, for which there was no room: give more with --trace-buffer, or let PEs "
          "wait for the disk with --trace-full wait");
}

}  // namespace imbrex::detail
