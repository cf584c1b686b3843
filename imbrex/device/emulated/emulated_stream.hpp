// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/emulated/emulation.hpp>

namespace imbrex::emulated {

class emulated_stream;

/// Data that a stream shares with the rest of its device.
struct attachment {
  std::shared_ptr<emulation> runs;
  int index = 0;  ///< index in the engine
  device_info info;
  mutable std::vector<emulated_stream*> streams;  ///< all existing streams; only inside a session

  [[noreturn]] void fail(const std::string& owner, std::string_view operation, std::string_view reason) const;
  /// Throws if the device has failed. Only inside a session.
  void check(engine& core, const std::string& owner, std::string_view operation) const;
};

/// A task of a graph that is being captured, and the indices of the tasks before it.
struct captured_task {
  task what;
  std::vector<std::size_t> after;
};

/// The operations collected by several streams, from `begin_capture` to `end_capture` of the first stream.
struct capture {
  emulated_stream* origin = nullptr;
  std::vector<emulated_stream*> streams;
  std::vector<captured_task> tasks;
  std::string spoiled_by{};  ///< the operation that a capture forbids; empty if none was done
};

class emulated_event final : public event_backend {
 public:
  explicit emulated_event(const attachment& of) : of_(of) {}
  bool done() override;
  void synchronize() override;

 private:
  friend class emulated_stream;
  void check_uncaptured(std::string_view operation) const;

  const attachment& of_;
  std::string owner_;    // owner of the stream that recorded it last
  completion_ref last_;  // null if the event was recorded in a capture
  std::uint32_t mark_ = 0;
  std::shared_ptr<capture> captured_;
  std::vector<std::size_t> frontier_;
};

class emulated_graph final : public graph_backend {
 public:
  explicit emulated_graph(std::vector<captured_task> tasks) : tasks_(std::move(tasks)) {}

 private:
  friend class emulated_stream;
  std::vector<captured_task> tasks_;
  completion_ref last_launch_;
};

class emulated_stream final : public stream_backend {
 public:
  emulated_stream(const attachment& of, std::uint32_t number, stream_priority priority, std::string owner);
  ~emulated_stream() override;

  void copy(copy_direction direction, void* to, const void* from, std::size_t bytes,
            const void* other_device) override;
  void fill(void* to, std::byte value, std::size_t bytes) override;
  void launch(const kernel_launch& what) override;
  void host(void (*function)(void*), void* argument) override;
  void record(event_backend& at) override;
  void wait(event_backend& until) override;
  void write(std::atomic<std::uint32_t>& word, std::uint32_t value) override;
  void wait(const std::atomic<std::uint32_t>& word, std::uint32_t at_least) override;
  bool idle() override;
  void synchronize() override;
  void begin_capture() override;
  std::unique_ptr<graph_backend> end_capture() override;
  bool capturing() override;
  void launch(graph_backend& what) override;
  native_stream native() override { return {this}; }
  std::uint32_t number() const override { return number_; }
  void wait(native_stream until) override;
  void delay(native_stream others) override;

 private:
  using session = emulation::session;

  const device_model& model() const { return of_.runs->how().model; }
  bool has_defect(emulation_defect which) const { return of_.runs->how().defect == which; }
  task make(operation_kind kind, std::string_view what) const;
  void check(session& inside, std::string_view operation) const;
  /// Marks the capture as spoiled and throws, where CUDA aborts a capture.
  [[noreturn]] void spoil(capture& which, std::string_view operation, std::string_view reason) const;
  void submit(task what, host_call cost);
  void add(session& inside, task what);
  void add_wait(session& inside, const completion_ref& until);
  emulated_stream& find(session& inside, native_stream handle, std::string_view operation);
  void leave_capture();

  const attachment& of_;
  const std::uint32_t number_;
  const stream_priority priority_;
  const std::shared_ptr<const std::string> owner_;
  completion_ref last_;
  std::shared_ptr<capture> capture_;
  std::vector<std::size_t> frontier_;  // tasks before the next captured task
};

}  // namespace imbrex::emulated
