// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/emulated_stream.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <imbrex/device/error.hpp>

namespace imbrex::emulated {
namespace {

double time_at(double amount, double rate) { return rate > 0 ? amount * 1e9 / rate : 0; }

void merge(std::vector<std::size_t>& into, const std::vector<std::size_t>& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::ranges::sort(into);
  const auto same = std::ranges::unique(into);
  into.erase(same.begin(), same.end());
}

/// True if each of `ends` is in `from` or before a task in `from`.
bool leads_to(const std::vector<captured_task>& tasks, const std::vector<std::size_t>& ends,
              const std::vector<std::size_t>& from) {
  std::vector<bool> before(tasks.size());
  for (const std::size_t i : from) before[i] = true;
  for (std::size_t i = tasks.size(); i-- > 0;)
    if (before[i])
      for (const std::size_t j : tasks[i].after) before[j] = true;
  return std::ranges::all_of(ends, [&](std::size_t i) { return before[i]; });
}

}  // namespace

void attachment::fail(const std::string& owner, std::string_view operation, std::string_view reason) const {
  throw device_error(info.label(), owner, std::string(operation), reason);
}

void attachment::check(engine& core, const std::string& owner, std::string_view operation) const {
  if (const std::string& failure = core.failure(index); !failure.empty()) fail(owner, operation, failure);
}

void emulated_event::check_uncaptured(std::string_view operation) const {
  if (captured_ == nullptr) return;
  captured_->spoiled_by = operation;
  of_.fail(owner_, operation, "it was recorded in a capture; record it again outside");
}

bool emulated_event::done() {
  of_.runs->asks(mark_);
  const emulation::session inside(*of_.runs, host_call::query);
  of_.check(of_.runs->core(), owner_, "query of an event");
  check_uncaptured("query of an event");
  return last_ == nullptr || of_.runs->seen(*last_);
}

void emulated_event::synchronize() {
  completion_ref last;
  {
    const emulation::session inside(*of_.runs, host_call::free);
    of_.check(of_.runs->core(), owner_, "synchronize with an event");
    check_uncaptured("synchronize with an event");
    last = last_;
  }
  if (last == nullptr) return;
  try {
    of_.runs->wait(*last, of_.index);
  } catch (const error& e) {
    of_.fail(owner_, "synchronize with an event", e.what());
  }
  const emulation::session inside(*of_.runs, host_call::synchronize);
  of_.check(of_.runs->core(), owner_, "synchronize with an event");
}

emulated_stream::emulated_stream(const attachment& of, std::uint32_t number, stream_priority priority,
                                 std::string owner)
    : of_(of),
      number_(number),
      priority_(priority),
      owner_(std::make_shared<const std::string>(std::move(owner))) {
  const session inside(*of_.runs, host_call::free);
  of_.streams.push_back(this);
}

emulated_stream::~emulated_stream() {
  const session inside(*of_.runs, host_call::free);
  std::erase(of_.streams, this);
  leave_capture();
}

task emulated_stream::make(operation_kind kind, std::string_view what) const {
  task t;
  t.kind = kind;
  t.priority = priority_;
  t.owner = owner_;
  t.what = what;
  t.stream = number_;
  return t;
}

void emulated_stream::check(session&, std::string_view operation) const {
  of_.check(of_.runs->core(), *owner_, operation);
  if (capture_ != nullptr && !capture_->spoiled_by.empty())
    of_.fail(*owner_, operation, "the stream's capture was spoiled by: " + capture_->spoiled_by + "; end it");
}

void emulated_stream::spoil(capture& which, std::string_view operation, std::string_view reason) const {
  which.spoiled_by = std::string(operation) + ": " + std::string(reason);
  of_.fail(*owner_, operation, reason);
}

void emulated_stream::submit(task what, host_call cost) {
  session inside(*of_.runs, cost);
  check(inside, what.what);
  add(inside, std::move(what));
}

void emulated_stream::add(session& inside, task what) {
  if (capture_ != nullptr) {
    const std::size_t number = capture_->tasks.size();
    capture_->tasks.push_back({std::move(what), std::move(frontier_)});
    frontier_ = {number};
    return;
  }
  const bool is_copy = what.kind == operation_kind::to_device || what.kind == operation_kind::from_device;
  if (is_copy && has_defect(emulation_defect::copy_jumps_queue)) {
    const std::array both{last_, inside->submit(std::move(what), of_.index, {}, inside.moment())};
    last_ = inside->submit(make(operation_kind::join, "join"), of_.index, both, inside.moment());
    return;
  }
  last_ = inside->submit(std::move(what), of_.index, {&last_, 1}, inside.moment());
}

void emulated_stream::copy(copy_direction direction, void* to, const void* from, std::size_t bytes,
                           const void* other_device) {
  task what;
  const auto size = static_cast<double>(bytes);
  host_call cost = host_call::launch;
  switch (direction) {
    case copy_direction::to_device:
      what = make(operation_kind::to_device, "copy to the device");
      what.work = time_at(size, static_cast<double>(model().copy.to_device));
      what.latency = model().copy.latency;
      break;
    case copy_direction::from_device:
      what = make(operation_kind::from_device, "copy from the device");
      what.work = time_at(size, static_cast<double>(model().copy.from_device));
      what.latency = model().copy.latency;
      break;
    case copy_direction::within_device:
    case copy_direction::to_other_device:
      if (model().has_links() && other_device != nullptr && other_device != of_.info.id) {
        const bool leaves = direction == copy_direction::to_other_device;
        what = make(operation_kind::peer, leaves ? "copy to another device" : "copy from another device");
        what.copy.from = what.copy.to = of_.index;
        (leaves ? what.copy.to : what.copy.from) =
            std::min(imbrex::detail::info_of(other_device).index, of_.runs->how().devices - 1);
        cost = host_call::transfer;
        break;
      }
      what = make(operation_kind::kernel, "copy within the device");
      what.work = time_at(2 * size, static_cast<double>(model().device.memory_bandwidth));
      what.latency = model().device.kernel_start;
      what.amount.size.bytes = 2 * size;
      break;
  }
  what.copy.bytes = bytes;
  if (of_.runs->how().data && bytes != 0) what.body = [=] { std::memcpy(to, from, bytes); };
  submit(std::move(what), cost);
}

void emulated_stream::fill(void* to, std::byte value, std::size_t bytes) {
  task what = make(operation_kind::kernel, "fill");
  what.work = time_at(static_cast<double>(bytes), static_cast<double>(model().device.memory_bandwidth));
  what.latency = model().device.kernel_start;
  what.amount.size.bytes = static_cast<double>(bytes);
  if (of_.runs->how().data && bytes != 0)
    what.body = [=] { std::memset(to, std::to_integer<int>(value), bytes); };
  submit(std::move(what), host_call::launch);
}

void emulated_stream::launch(const kernel_launch& call) {
  if (call.host == nullptr)
    of_.fail(*owner_, "launch of kernel " + std::string(call.name),
             "it has no function for the emulated device; set kernel::host");
  task what = make(operation_kind::kernel, call.name);
  what.latency = model().device.kernel_start;
  if (call.work != nullptr) {
    const work_size size = call.work(call.arguments);
    if (!(size.bytes >= 0 && size.flops >= 0 && size.time.count() >= 0))
      of_.fail(*owner_, "launch of kernel " + std::string(call.name),
               "its work_size is no amount of work: " + std::to_string(size.bytes) + " bytes, " +
                   std::to_string(size.flops) + " flops, " + std::to_string(size.time.count()) +
                   " ns; kernel::work must return numbers from 0");
    const auto all = static_cast<double>(model().device.threads);
    if (size.threads != 0 && all > 0) what.share = std::min(1.0, static_cast<double>(size.threads) / all);
    what.work = std::max(time_at(size.bytes, static_cast<double>(model().device.memory_bandwidth)),
                         time_at(size.flops, model().device.flops));
    what.latency += size.time;
    what.amount.size = size;
  }
  if (of_.runs->how().data) what.body = call.host(call.arguments);
  submit(std::move(what), host_call::launch);
}

void emulated_stream::host(void (*function)(void*), void* argument) {
  task what = make(operation_kind::host_function, "host function");
  what.latency = model().host.host_function;
  what.body = [=] { function(argument); };
  submit(std::move(what), host_call::call);
}

void emulated_stream::write(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  task what = make(operation_kind::write_value, "write value");
  what.word = &word;
  what.value = value;
  submit(std::move(what), host_call::call);
}

void emulated_stream::wait(const std::atomic<std::uint32_t>& word, std::uint32_t at_least) {
  task what = make(operation_kind::wait_value, "wait for value");
  what.word = const_cast<std::atomic<std::uint32_t>*>(&word);  // only read
  what.value = at_least;
  submit(std::move(what), host_call::call);
}

void emulated_stream::record(event_backend& at) {
  auto& marked = static_cast<emulated_event&>(at);
  session inside(*of_.runs, host_call::call);
  check(inside, "record an event");
  marked.owner_ = *owner_;
  marked.captured_ = capture_;
  marked.frontier_ = frontier_;
  marked.last_ = capture_ != nullptr || has_defect(emulation_defect::early_event) ? nullptr : last_;
  if (capture_ == nullptr) marked.mark_ = of_.runs->marked(last_.get());
}

void emulated_stream::wait(event_backend& until) {
  auto& event = static_cast<emulated_event&>(until);
  session inside(*of_.runs, host_call::call);
  check(inside, "wait for an event");
  if (event.of_.runs != of_.runs)
    of_.fail(*owner_, "wait for an event",
             "it belongs to a device that was made by another call of devices()");
  if (has_defect(emulation_defect::ignored_wait)) return;
  if (event.captured_ == nullptr) {
    if (capture_ != nullptr)
      spoil(*capture_, "wait for an event",
            "this stream is captured, but the event was recorded outside of the capture");
    return add_wait(inside, event.last_);
  }
  if (event.captured_->origin == nullptr)
    of_.fail(*owner_, "wait for an event", "it was recorded in a capture that has ended; record it again");
  if (capture_ == nullptr) {
    capture_ = event.captured_;
    capture_->streams.push_back(this);
  } else if (capture_ != event.captured_) {
    event.captured_->spoiled_by = "wait for an event: two captures cannot be joined";
    spoil(*capture_, "wait for an event", "it was recorded in another capture than this stream's");
  }
  merge(frontier_, event.frontier_);
}

void emulated_stream::add_wait(session& inside, const completion_ref& until) {
  if (until == nullptr) return;
  const std::array both{last_, until};
  last_ = inside->submit(make(operation_kind::join, "wait for an event"), of_.index, both, inside.moment());
}

/// The stream of a handle. Only inside a session.
emulated_stream& emulated_stream::find(session& inside, native_stream handle, std::string_view operation) {
  check(inside, operation);
  const auto at = std::ranges::find(of_.streams, handle.handle, [](auto* each) -> void* { return each; });
  if (at == of_.streams.end())
    of_.fail(*owner_, operation, "the handle belongs to no stream of this device; give one of its streams");
  if (capture_ != nullptr) spoil(*capture_, operation, "this stream is captured, and that one is not");
  if ((*at)->capture_ != nullptr) of_.fail(*owner_, operation, "that stream is captured");
  return **at;
}

void emulated_stream::wait(native_stream until) {
  session inside(*of_.runs, host_call::call);
  const emulated_stream& other = find(inside, until, "wait for a stream of others");
  if (!has_defect(emulation_defect::ignored_wait)) add_wait(inside, other.last_);
}

void emulated_stream::delay(native_stream others) {
  session inside(*of_.runs, host_call::call);
  find(inside, others, "delay a stream of others").add_wait(inside, last_);
}

bool emulated_stream::idle() {
  session inside(*of_.runs, host_call::query);
  check(inside, "query");
  if (capture_ != nullptr) of_.fail(*owner_, "query", "the stream is captured");
  return last_ == nullptr || of_.runs->seen(*last_);
}

void emulated_stream::synchronize() {
  completion_ref last;
  {
    session inside(*of_.runs, host_call::free);
    check(inside, "synchronize");
    if (capture_ != nullptr) of_.fail(*owner_, "synchronize", "the stream is captured");
    last = last_;
  }
  if (last == nullptr) return;
  try {
    of_.runs->wait(*last, of_.index);
  } catch (const error& e) {
    of_.fail(*owner_, "synchronize", e.what());
  }
  session inside(*of_.runs, host_call::synchronize);
  check(inside, "synchronize");
}

void emulated_stream::begin_capture() {
  session inside(*of_.runs, host_call::call);
  check(inside, "begin capture");
  if (capture_ != nullptr) of_.fail(*owner_, "begin capture", "the stream is captured already");
  capture_ = std::make_shared<capture>();
  capture_->origin = this;
  capture_->streams.push_back(this);
}

std::unique_ptr<graph_backend> emulated_stream::end_capture() {
  session inside(*of_.runs, host_call::call);
  of_.check(of_.runs->core(), *owner_, "end capture");
  if (capture_ == nullptr || capture_->origin != this)
    of_.fail(*owner_, "end capture", "no capture was begun in this stream");
  const std::shared_ptr<capture> ended = capture_;
  const std::vector<std::size_t> frontier = frontier_;
  const std::string* unjoined = nullptr;
  for (const emulated_stream* stream : ended->streams)
    if (!leads_to(ended->tasks, stream->frontier_, frontier)) unjoined = stream->owner_.get();
  leave_capture();
  if (!ended->spoiled_by.empty())
    of_.fail(*owner_, "end capture", "the capture was spoiled by: " + ended->spoiled_by);
  if (unjoined != nullptr)
    of_.fail(*owner_, "end capture",
             detail::stream_of(*unjoined) + " was captured with it and not joined; wait for an event of it");
  return std::make_unique<emulated_graph>(std::move(ended->tasks));
}

/// Leaves the capture. If this stream began it, the capture ends for all its streams.
void emulated_stream::leave_capture() {
  if (capture_ == nullptr) return;
  const std::shared_ptr<capture> left = capture_;
  if (left->origin != this) {
    std::erase(left->streams, this);
    return;
  }
  for (emulated_stream* stream : left->streams) {
    stream->capture_ = nullptr;
    stream->frontier_.clear();
  }
  left->streams.clear();
  left->origin = nullptr;
}

bool emulated_stream::capturing() {
  session inside(*of_.runs, host_call::free);
  return capture_ != nullptr;
}

void emulated_stream::launch(graph_backend& what) {
  auto& graph = static_cast<emulated_graph&>(what);
  session inside(*of_.runs, host_call::graph, graph.tasks_.size());
  check(inside, "launch of a graph");
  if (capture_ != nullptr)
    of_.fail(*owner_, "launch of a graph", "the stream is captured; capture the graph's operations instead");
  const std::array before{last_, graph.last_launch_};
  const completion_ref begun =
      inside->submit(make(operation_kind::join, "launch of a graph"), of_.index, before, inside.moment());
  std::vector<completion_ref> ends;
  for (const captured_task& t : graph.tasks_) {
    std::vector<completion_ref> after{begun};
    if (!has_defect(emulation_defect::ignored_graph_order))
      for (const std::size_t i : t.after) after.push_back(ends[i]);
    task again = t.what;
    again.amount.in_graph = true;
    if (again.kind == operation_kind::kernel)
      again.latency += model().device.graph_kernel_start - model().device.kernel_start;
    ends.push_back(inside->submit(std::move(again), of_.index, after, inside.moment()));
  }
  ends.push_back(begun);
  last_ = inside->submit(make(operation_kind::join, "end of a graph"), of_.index, ends, inside.moment());
  graph.last_launch_ = last_;
}

}  // namespace imbrex::emulated
