// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/trace_evidence.hpp>

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/summary.hpp>

namespace imbrex::tune {
namespace {

/// Sums the time in which at least one phase of one name is active. Each phase ends on the PE of its begin.
class covered_time {
 public:
  using which = std::pair<std::uint32_t, std::uint64_t>;  // track, and the phase's id there

  void begin(std::uint64_t time, which one) {
    if (open_.empty()) since_ = time;
    open_.insert(one);
  }
  /// Ignores phases without a recorded begin, from before the recording.
  void end(std::uint64_t time, which one) {
    const auto begun = open_.find(one);
    if (begun == open_.end()) return;
    open_.erase(begun);
    if (open_.empty()) sum_ += time - since_;
  }
  std::uint64_t sum() const { return sum_; }
  std::size_t not_ended() const { return open_.size(); }

 private:
  std::set<which> open_;
  std::uint64_t since_ = 0;
  std::uint64_t sum_ = 0;
};

[[noreturn]] void refuse(const std::string& phase, const std::set<std::string, std::less<>>& others) {
  std::string there;
  for (const std::string& one : others) there += (there.empty() ? "" : ", ") + printable(one);
  throw error("--phase " + phase + ": the trace has no such phase that begins and ends; " +
              (there.empty() ? "it has none, so leave --phase out" : "it has: " + there));
}

/// Refuses incomplete traces: the run's time is unknown.
void check_whole(const tools::run_report& run) {
  if (!run.warnings.empty())
    throw error("its trace is not whole: " + run.warnings.front() +
                "; see that TMPDIR has room, or give the program a larger --trace-buffer");
  if (run.length == 0)
    throw error("its trace has no two records of different times, so that it has no length");
}

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

/// The fraction of the devices' time in which they ran kernels.
std::optional<double> busy_devices(const tools::run_report& run) {
  if (run.devices.empty()) return std::nullopt;
  std::uint64_t busy = 0;
  for (const auto& one : run.devices) busy += one.overlap.computation;
  return part(busy, run.length * run.devices.size());
}

evidence evidence_in(const tools::run_report& run) {
  const tools::pe_report all = tools::sum_of_pes(run);
  const std::uint64_t time = run.length * run.pes.size();
  const auto& idle = all.idle;
  return {
      .program = part(all.program, time),
      .runtime = part(all.runtime, time),
      .idle_message = part(idle.communication, time),
      .idle_device = part(idle.device, time),
      .idle_other = part(idle.before_first + idle.after_last + idle.waking + idle.timer + idle.other, time),
      .exposed = part(all.overlap.exposed(), time),
      .covered = all.overlap.fraction(),
      .device = busy_devices(run)};
}

}  // namespace

nanoseconds time_of_phase(trace::reader& in, const std::string& phase) {
  covered_time covered;
  std::set<std::string, std::less<>> others;
  for (auto piece = in.next(); !piece.records.empty(); piece = in.next()) {
    const auto& file = *in.files()[in.tracks()[piece.track].file];
    for (const trace::record& one : piece.records) {
      const bool begins = one.kind == trace::record_kind::phase_begin;
      if (!begins && one.kind != trace::record_kind::phase_end) continue;
      const std::string_view name = file.name(trace::name_table::marks, one.group);
      if (name != phase)
        others.emplace(name);
      else if (begins)
        covered.begin(one.time, {piece.track, one.b});
      else
        covered.end(one.time, {piece.track, one.b});
    }
  }
  if (covered.not_ended() > 0)
    throw error("--phase " + phase + ": " + std::to_string(covered.not_ended()) +
                " of these phases have begun and not ended; end each before the run ends");
  if (covered.sum() == 0) refuse(phase, others);
  return nanoseconds(static_cast<std::int64_t>(covered.sum()));
}

observation read_trace(const std::string& file, const std::string& phase) {
  trace::reader whole(file);
  const tools::run_report run = tools::analyse(whole);
  check_whole(run);
  observation result{.simulated_time = run.simulated_time, .one_pe_a_process = run.one_pe_a_process};
  result.time = nanoseconds(static_cast<std::int64_t>(run.length));
  result.seen = evidence_in(run);
  if (phase.empty()) return result;
  trace::reader again(file);
  result.time = time_of_phase(again, phase);
  return result;
}

}  // namespace imbrex::tune
