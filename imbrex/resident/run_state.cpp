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
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/core/record/block_recording.hpp>

namespace imbrex::resident::detail {
namespace {

using imbrex::detail::processor;
using imbrex::detail::run_services;
using imbrex::detail::scheduler;

std::vector<device_buffer<std::byte>> buffers_for(device& of, const layout& plan) {
  std::vector<device_buffer<std::byte>> buffers;
  for (const array_kind& kind : plan.arrays()) {
    std::size_t bytes = kind.element_bytes;
    for (const int extent : kind.shape) bytes *= static_cast<std::size_t>(extent);
    buffers.emplace_back(of, bytes);
  }
  return buffers;
}

/// Where the machine lies, for the device's code.
machine placed(const layout& plan, device_buffer<std::byte>& image, device_buffer<std::byte>& bulk,
               std::vector<device_buffer<std::byte>>& elements) {
  std::vector<std::byte*> addresses;
  for (device_buffer<std::byte>& e : elements) addresses.push_back(e.span().data());
  return plan.at(image.span().data(), bulk.span().data(), addresses);
}

/// Where this thread is a PE of a run in simulated time, or a deterministic one: what things take there.
const run_services* stepped_run() {
  const scheduler* const here = scheduler::current();
  if (here == nullptr || here->pe() == scheduler::no_pe) return nullptr;
  const run_services& run = static_cast<const processor*>(here)->run();
  return run.how().machine == machine_kind::threads ? nullptr : &run;
}
std::optional<device_model> costs_here() {
  const run_services* const run = stepped_run();
  if (run == nullptr) return std::nullopt;
  return run->model() == nullptr ? device_model() : *run->model();
}
std::shared_ptr<imbrex::detail::executor_gate> gate_here() {
  const scheduler* const here = scheduler::current();
  if (here == nullptr || here->pe() == scheduler::no_pe) return nullptr;
  return static_cast<const processor*>(here)->run().gate();
}
std::uint64_t seed_here() {
  const run_services* const run = stepped_run();
  return run == nullptr ? 0 : run->how().shuffle.value_or(0);
}

/// What the device does meanwhile.
constexpr kernel<nanoseconds> pause{.name = "resident",
                                    .host = [](nanoseconds) {},
                                    .work = [](nanoseconds time) { return work_size{.time = time}; }};

}  // namespace

run_state::run_state(device& of, layout plan, entry_names names, stepping::serve_function serve)
    : device_(of),
      costs_(costs_here()),
      seed_(seed_here()),
      serve_(serve),
      layout_(std::move(plan)),
      names_(std::move(names)),
      stream_(of, stream_priority::normal, "a program inside the GPU"),
      watch_stream_(of, stream_priority::high, "a watchdog"),
      image_(of, layout_.image_bytes()),
      bulk_(of, layout_.bulk_bytes()),
      elements_(buffers_for(of, layout_)),
      door_(of, layout_.chosen(), reporter_, imbrex::detail::block_recording(of, layout_.chosen().pes),
            gate_here()),
      written_(of, layout_.image_bytes()),
      watched_(of, layout_.report_bytes()),
      machine_(placed(layout_, image_, bulk_, elements_)) {}

void run_state::check_rests() const {
  if (is_under_way_)
    throw error("a program inside a GPU is used while it runs: await its stream and call end() before");
}

void run_state::read(std::uint32_t array, std::span<std::byte> to) {
  check_rests();
  pinned_buffer<std::byte> copy(device_, to.size());
  stream_.copy(copy.span(), elements_.at(array).span());
  stream_.synchronize();
  std::ranges::copy(copy.span(), to.begin());
}

void run_state::write(std::uint32_t array, std::span<const std::byte> from) {
  check_rests();
  if (from.size() != elements_.at(array).size())
    throw usage_error("an array inside a GPU is written with " +
                      std::to_string(from.size() / machine_.arrays[array].element_bytes) +
                      " elements, but has " + std::to_string(count(array)));
  pinned_buffer<std::byte> copy(device_, from.size());
  std::ranges::copy(from, copy.span().begin());
  stream_.copy(elements_.at(array).span(), copy.span());
  stream_.synchronize();
}

void run_state::refuse(const char* what, std::uint32_t array, const std::vector<int>& place) const {
  throw usage_error("a run inside a GPU cannot " + std::string(what) + " " + reporter_.missing(array, place));
}

void run_state::start(const kernel<machine>& code, std::uint32_t to, const item& first) {
  check_rests();
  if (!costs_ && chosen().gpus != 1)
    throw usage_error("a program inside a GPU has PEs on " + std::to_string(chosen().gpus) +
                      " GPUs: in simulated time alone it can, with --machine simulated");
  machine_.host = door_.begin(!costs_, !names_.host.empty());
  layout_.write(written_.span().data(), to, first);
  stream_.copy(image_.span(), written_.span());
  loaded_ = shared_event(stream_);
  costs_ ? run_in_steps() : stream_.launch(code, machine_);
  const std::size_t report = layout_.report_bytes();
  stream_.copy(written_.span().subspan(0, report), image_.span().subspan(0, report));
  is_under_way_ = true;
  if (!costs_) watch();
}

void run_state::watch() {
  watchdog_ = std::make_unique<watchdog>(
      [this] { return watched(); }, [this](const std::vector<wide_word>& w) { return reporter_.text_of(w); },
      chosen().patience);
}

void run_state::listen(std::uint32_t host_entry, host_door::listener what) {
  check_rests();
  door_.listen(host_entry, std::move(what));
}

void run_state::open() {
  check_rests();
  if (costs_)
    throw usage_error(
        "a run inside a GPU is opened for messages of the host, but in simulated time the host does nothing "
        "while it goes on: call open() on --machine threads");
  door_.open();
}

void run_state::check_message(std::size_t bytes) const {
  const settings& s = layout_.chosen();
  const std::uint32_t most = std::min(s.host_bytes, s.parcel_bytes);
  if (bytes > most)
    throw usage_error("a message of the host to a chare inside a GPU has " + std::to_string(bytes) +
                      " bytes, and the most are " + std::to_string(most) +
                      ": raise settings::host_bytes and settings::parcel_bytes");
}

/// Before its time, which passes then.
void run_state::run_in_steps() {
  if (!device_.info().keeps_data)
    throw usage_error("a program inside a GPU runs on a device that keeps no data: leave out --no-data");
  stream_.synchronize();
  stepping steps(*costs_, chosen().gpus, seed_);
  watch();
  const nanoseconds time = steps.run(machine_, serve_, [this] { door_.look(); });
  watchdog_.reset();
  stream_.launch(pause, time);
}

std::vector<wide_word> run_state::watched() {
  std::vector<wide_word> all(machine_.pes);
  if (!costs_ && !loaded_.done()) return all;
  if (device_.info().backend == "emulated") {  // its memory is the host's, and its PEs write meanwhile
    for (std::uint32_t pe = 0; pe < machine_.pes; ++pe) all[pe] = memory::poll(machine_.watched[pe]);
  } else {
    watch_stream_.copy(watched_.span(), image_.span().subspan(0, watched_.size()));
    watch_stream_.synchronize();
    const machine copy =
        layout_.at(watched_.span().data(), nullptr, std::vector<std::byte*>(elements_.size()));
    std::copy_n(copy.watched, machine_.pes, all.begin());
  }
  all.push_back({door_.heard(), 0});
  return all;
}

outcome run_state::end() {
  if (!is_under_way_)
    throw error("a program inside a GPU is asked for the end of a run that was not started");
  is_under_way_ = false;
  watchdog_.reset();
  stream_.synchronize();
  door_.end();
  const machine m = layout_.at(written_.span().data(), nullptr, std::vector<std::byte*>(elements_.size()));
  const auto reason = static_cast<stop_reason>(m.end->stop);
  if (reason == stop_reason::failed) throw error(reporter_.text_of(m.end->first, m.end->value));
  outcome how;
  for (std::uint32_t pe = 0; pe < m.pes; ++pe) how.entries += static_cast<std::uint32_t>(m.watched[pe].body);
  if (reason == stop_reason::exited) {
    how.value = m.end->value;
    return how;
  }
  std::uint64_t unaccepted = 0;
  item example;
  for (std::uint32_t pe = 0; pe < m.pes; ++pe)
    if (m.kept[pe] != 0) {
      unaccepted += m.kept[pe];
      example = m.first_kept[pe];
    }
  if (unaccepted != 0)
    throw error("a program inside a GPU is quiet, but " + reporter_.unaccepted(unaccepted, example));
  return how;
}

}  // namespace imbrex::resident::detail
