// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/run_state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/report.hpp>
#include <imbrex/core/extension/run.hpp>

namespace imbrex::resident::detail {
namespace {

using extension::run_handle;

std::uint32_t mixed(std::uint32_t digest, std::string_view more) {
  for (const char c : more) digest = (digest ^ static_cast<unsigned char>(c)) * 16'777'619U;  // FNV-1a
  return digest;
}

/// Digest of everything that all processes must have equal: the program, and its offset in the heap.
std::uint32_t digest_of(const layout& plan, const entry_names& names, const heap_memory& heap,
                        std::size_t offset) {
  const settings& s = plan.chosen();
  std::string all;
  for (const std::uint64_t n : std::initializer_list<std::uint64_t>{
           offset, heap.bytes(), plan.bytes(), plan.image_bytes(), s.pes, s.gpus, s.mailbox, s.crossing,
           s.outbox, s.parcels, s.parcel_bytes, s.first_ticket, static_cast<std::uint64_t>(s.placed)})
    all += std::to_string(n) + " ";
  for (const array_kind& kind : plan.arrays()) {
    all += kind.name + " ";
    for (const int extent : kind.shape) all += std::to_string(extent) + " ";
  }
  for (const entry_names::one& one : names.all) all += one.name + " ";
  return mixed(2'166'136'261U, all);
}

/// Machine of the first GPU here, with addresses for the device's code.
machine placed(const layout& plan, const heap_memory& heap, std::size_t offset, std::uint32_t number) {
  const std::uint32_t first = heap.first();
  machine m = plan.at(heap.own(first) + offset);
  m.gpu = first;
  m.first_pe = first * m.pes_here;
  m.gpus_of_process = heap.here();
  m.links.heaps.bytes = heap.bytes();
  for (std::uint32_t g = 0; g < heap.gpus(); ++g) m.links.heaps.at[g] = heap.heap(g);
  const auto words = [&](std::size_t at) {
    return reinterpret_cast<system_memory::word*>(heap.own(first) + at);
  };
  m.links.meeting.ready = words(heap.ready_words(number));
  m.links.meeting.left = words(heap.left_words(number));
  m.links.meeting.digests = words(heap.digest_words(number));
  return m;
}

/// The run if this thread is a PE of a simulated or deterministic one; else empty.
std::optional<run_handle> stepped_run() {
  const auto run = run_handle::find_here();
  return run && !run->is_on_threads() ? run : std::nullopt;
}
/// The costs of steps in such a run.
std::optional<device_model> costs_here() {
  const auto run = stepped_run();
  if (!run) return std::nullopt;
  return run->model() == nullptr ? device_model() : *run->model();
}
extension::run_watch watch_here() {
  const auto run = run_handle::find_here();
  return run ? extension::run_watch(*run) : extension::run_watch();
}
std::uint64_t seed_here() {
  const auto run = stepped_run();
  return run ? run->seed_of_order() : 0;
}

/// Kernel that takes the simulated time of a run on the device.
constexpr kernel<nanoseconds> pause{.name = "resident",
                                    .host = [](nanoseconds) {},
                                    .work = [](nanoseconds time) { return work_size{.time = time}; }};

}  // namespace

run_state::run_state(device& of, layout plan, entry_names names, stepping::serve_function serve)
    : run_state(std::make_shared<heap_memory>(of, plan.chosen().gpus, plan.bytes()), plan, std::move(names),
                serve) {}

run_state::run_state(std::shared_ptr<heap_memory> heap, layout plan, entry_names names,
                     stepping::serve_function serve)
    : heap_(std::move(heap)),
      device_(heap_->on()),
      costs_(costs_here()),
      seed_(seed_here()),
      serve_(serve),
      layout_(std::move(plan)),
      names_(std::move(names)),
      memory_(heap_, layout_.bytes(), heap_use::of_program),
      number_(*heap_),
      stream_(device_, stream_priority::normal, "a program inside the GPU"),
      watch_stream_(device_, stream_priority::high, "a watchdog"),
      channel_(device_, chosen(), first_gpu() * (chosen().pes / chosen().gpus),
               heap_->here() * (chosen().pes / chosen().gpus), reporter_,
               extension::block_recording(device_, heap_->here() * (chosen().pes / chosen().gpus)),
               watch_here()),
      written_(device_, heap_->here() * layout_.image_bytes()),
      watched_(device_, heap_->here() * layout_.report_bytes()),
      digest_(digest_of(layout_, names_, *heap_, memory_.offset())),
      machine_(placed(layout_, *heap_, memory_.offset(), number_.value())) {
  if (costs_ && heap_->here() != heap_->gpus())
    throw usage_error(
        "a program inside GPUs of several processes runs on --machine threads alone: in simulated time all "
        "GPUs are of one process");
}

/// Waits until the PEs have ended, here and in other processes, before the memory in the heap is freed.
run_state::~run_state() {
  if (!is_under_way_) return;
  channel_.abandon();
  try {
    if (!costs_ && !device_.ended()) stream_.synchronize();  // in simulated time the PEs have ended
  } catch (const error&) {  // the device has failed, so that nothing runs there
  }
  heap_->end_run();
}

pinned_span<std::byte> run_state::written(std::uint32_t gpu) {
  const std::size_t each = layout_.image_bytes();
  return written_.span().subspan((gpu - first_gpu()) * each, each);
}

device_span<std::byte> run_state::image(std::uint32_t gpu) {
  return {heap_->own(gpu) + memory_.offset(), layout_.image_bytes(), device_.info().id};
}

void run_state::check_rests() const {
  if (is_under_way_)
    throw error("a program inside a GPU is used while it runs: await its stream and call end() before");
}

void run_state::read(std::uint32_t array, std::span<std::byte> to) {
  check_rests();
  const array_layout& a = machine_.arrays[array];
  const auto at = static_cast<std::size_t>(a.elements - heap_->own(first_gpu()));
  heap_->read(first_gpu(), at, to);
  std::vector<std::byte> others(heap_->here() == 1 ? 0 : to.size());
  for (std::uint32_t g = first_gpu() + 1; g < last_gpu(); ++g) {
    heap_->read(g, at, others);
    for (std::uint32_t e = 0; e < a.count; ++e)
      if (machine_.gpu_of(a.pe_of(e)) == g)
        std::copy_n(others.begin() + static_cast<std::ptrdiff_t>(std::size_t{e} * a.element_bytes),
                    a.element_bytes,
                    to.begin() + static_cast<std::ptrdiff_t>(std::size_t{e} * a.element_bytes));
  }
}

void run_state::write(std::uint32_t array, std::span<const std::byte> from) {
  check_rests();
  const array_layout& a = machine_.arrays[array];
  if (from.size() != std::size_t{a.count} * a.element_bytes)
    throw usage_error("an array inside a GPU is written with " +
                      std::to_string(from.size() / a.element_bytes) + " elements, but has " +
                      std::to_string(count(array)));
  const auto at = static_cast<std::size_t>(a.elements - heap_->own(first_gpu()));
  for (std::uint32_t g = first_gpu(); g < last_gpu(); ++g) heap_->write(g, at, from);
}

void run_state::refuse(const char* what, std::uint32_t array, const std::vector<int>& place) const {
  throw usage_error("a run inside a GPU cannot " + std::string(what) + " " + reporter_.missing(array, place));
}

void run_state::start(const kernel<machine>& code, std::uint32_t to, const item& first) {
  check_rests();
  machine_.host = channel_.begin(!costs_, !names_.host.empty());
  machine_.links.meeting.run = heap_->next_run(number_.value());
  machine_.links.meeting.digest =
      mixed(digest_, std::to_string(first.meta));  // without arguments, which only one process
                                                   // knows
  for (std::uint32_t g = first_gpu(); g < last_gpu(); ++g) {
    layout_.write(written(g).data());
    const std::uint32_t place = to - g * machine_.pes_here;
    if (place < machine_.pes_here) layout_.write(written(g).data(), place, first);
    stream_.copy(image(g), written(g));
  }
  loaded_ = shared_event(stream_);
  costs_ ? run_in_steps() : stream_.launch(code, machine_);
  const std::size_t report = layout_.report_bytes();
  for (std::uint32_t g = first_gpu(); g < last_gpu(); ++g)
    stream_.copy(written(g).subspan(0, report), image(g).subspan(0, report));
  is_under_way_ = true;
  heap_->begin_run();
  if (!costs_) watch();
}

void run_state::watch() {
  watchdog_ = std::make_unique<watchdog>(
      [this] { return watched(); },
      [this](const std::vector<wide_word>& w) { return reporter_.text_of(w, machine_.first_pe); },
      chosen().patience);
}

void run_state::listen(std::uint32_t host_entry, host_channel::listener what) {
  check_rests();
  channel_.listen(host_entry, std::move(what));
}

void run_state::open() {
  check_rests();
  if (costs_)
    throw usage_error(
        "a run inside a GPU is opened for messages of the host, but on --machine simulated or deterministic "
        "the host does nothing during the run: call open() on --machine threads");
  channel_.open();
}

void run_state::check_message(std::size_t bytes) const {
  const settings& s = layout_.chosen();
  const std::uint32_t most = std::min(s.host_bytes, s.parcel_bytes);
  if (bytes > most)
    throw usage_error("a message of the host to a chare inside a GPU has " + std::to_string(bytes) +
                      " bytes, but the maximum is " + std::to_string(most) +
                      ": raise settings::host_bytes and settings::parcel_bytes");
}

/// Runs the program before its simulated time passes on the device.
void run_state::run_in_steps() {
  stream_.synchronize();
  stepping steps(*costs_, chosen().gpus, seed_);
  watch();
  const nanoseconds time = steps.run(machine_, serve_, [this] { channel_.look(); });
  watchdog_.reset();
  stream_.launch(pause, time);
}

std::vector<wide_word> run_state::watched() {
  std::vector<wide_word> all;
  const std::size_t pes = std::size_t{heap_->here()} * machine_.pes_here;
  if (!costs_ && !loaded_.done()) return std::vector<wide_word>(pes);
  for (std::uint32_t g = first_gpu(); g < last_gpu(); ++g) {
    if (device_.info().backend == "emulated") {  // the memory is the host's, and its PEs write meanwhile
      const machine m = machine_.seen_by(g);
      for (std::uint32_t pe = 0; pe < m.pes_here; ++pe) all.push_back(memory::poll(m.progress.watched[pe]));
    } else {
      const std::size_t each = layout_.report_bytes();
      const auto copy = watched_.span().subspan((g - first_gpu()) * each, each);
      watch_stream_.copy(copy, image(g).subspan(0, each));
      watch_stream_.synchronize();
      const machine m = layout_.at(copy.data());
      all.insert(all.end(), m.progress.watched, m.progress.watched + m.pes_here);
    }
  }
  all.push_back({channel_.received_count(), 0});
  return all;
}

outcome run_state::end() {
  if (!is_under_way_) throw error("end() of a program inside a GPU was called before start()");
  watchdog_.reset();
  stream_.synchronize();
  is_under_way_ = false;
  heap_->end_run();
  channel_.end();
  const ending last = *report(first_gpu()).end;  // equal on all GPUs
  const auto reason = static_cast<stop_reason>(last.stop);
  if (reason == stop_reason::failed) throw error(reporter_.text_of(last.first, last.value));
  if (reason == stop_reason::abandoned)
    throw error(
        "a run inside a GPU was given up: a listener of another process has thrown, or its program was "
        "destroyed, or the Imbrex program ends");
  outcome how;
  std::uint64_t unaccepted = 0;
  item example;
  for (std::uint32_t g = first_gpu(); g < last_gpu(); ++g) {
    const machine m = report(g);
    for (std::uint32_t pe = 0; pe < m.pes_here; ++pe)
      how.entries += static_cast<std::uint32_t>(m.progress.watched[pe].body);
  }
  const machine first = report(first_gpu());
  for (std::uint32_t pe = 0; pe < first.pes; ++pe) {
    if (first.unaccepted.counts[pe] == 0) continue;
    unaccepted += first.unaccepted.counts[pe];
    example = first.unaccepted.first[pe];
  }
  if (reason == stop_reason::exited) {
    how.value = last.value;
    return how;
  }
  if (unaccepted != 0)
    throw error("a program inside a GPU is quiet, but " + reporter_.unaccepted(unaccepted, example));
  return how;
}

}  // namespace imbrex::resident::detail
