// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <imbrex/device/device.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/device/graph.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/pinned_span.hpp>
#include <imbrex/device/shared_event.hpp>

namespace imbrex {

class stream;
template <class T>
class device_buffer;
namespace detail {
/// Makes later operations of the stream wait for all work submitted so far to any stream of its device. False
/// while a stream of the device is captured: then nothing has been done.
bool wait_for_device(stream& later);
}  // namespace detail

/// The end of the work submitted to a stream so far, which an entry method awaits.
struct [[nodiscard("co_await stream.done()")]] stream_end {
  stream& of;  ///< stream whose work is awaited
};

/// An ordered queue of a device. The operations of one stream run in the order of submission. Those of
/// several streams run in any order, unless they wait for each other. Only `synchronize` waits for the
/// device. Several threads may use one stream, but only one between `begin_capture` and `end_capture`.
///
/// If an operation fails on the device, the device has failed for good. From then on every call that can
/// detect this throws `device_error`. So does `co_await` of the end of any of its streams, also for entries
/// that already wait. A program that catches the error can clean up. But if one of its devices has failed,
/// the run ends with exit status 1. It reports the reason if no other error has ended it.
///
/// The end of a stream object does not stop the operations submitted to it. Use of a moved stream, graph or
/// event throws `error`.
class stream {
 public:
  /// `owner`: name of the stream's owner in errors, such as "block[3] halo".
  stream(device& on, stream_priority priority, std::string owner);
  explicit stream(device& on, stream_priority priority = stream_priority::normal)
      : stream(on, priority, {}) {}
  stream(stream&& other) noexcept = default;
  stream& operator=(stream&& other) noexcept;
  ~stream();

  device& on() const noexcept { return *on_; }  ///< Device to which the stream submits.
  /// Priority of its work beside other streams of the device.
  stream_priority priority() const noexcept { return priority_; }
  /// Name in errors and traces, given when it was made.
  const std::string& owner() const noexcept { return owner_; }

  /// Copies all elements of `from` to `to`. Throws `device_error` if their sizes differ, or if the device
  /// memory is on another device. The views must not overlap. Their memory must stay valid and unused until
  /// the copy is done.
  template <class T>
  void copy(device_span<T> to, pinned_span<const std::type_identity_t<T>> from) {
    check_copy(to.size(), from.size(), to.device());
    backend().copy(copy_direction::to_device, to.data(), from.data(), to.size_bytes(), nullptr);
  }
  template <class T>
  void copy(pinned_span<T> to, device_span<const std::type_identity_t<T>> from) {
    check_copy(to.size(), from.size(), from.device());
    backend().copy(copy_direction::from_device, to.data(), from.data(), to.size_bytes(), from.device());
  }
  /// Copies within this device. With `peer_copies`, also between this device and another, in either
  /// direction.
  template <class T>
  void copy(device_span<T> to, device_span<const std::type_identity_t<T>> from) {
    if (from.device() == on_->info().id && to.device() != from.device() && to.device() != nullptr)
        [[unlikely]] {
      check_copy(to.size(), from.size(), from.device());
      check_other(to.device());
      return backend().copy(copy_direction::to_other_device, to.data(), from.data(), to.size_bytes(),
                            to.device());
    }
    check_copy(to.size(), from.size(), to.device());
    check_peer(from.device());
    backend().copy(copy_direction::within_device, to.data(), from.data(), to.size_bytes(), from.device());
  }
  /// Sets every byte.
  template <class T>
  void fill(device_span<T> to, std::byte value) {
    check_device("fill", "memory", to.device());
    backend().fill(to.data(), value, to.size_bytes());
  }

  /// Launches a kernel. Throws `device_error` if the kernel has no function for this backend, or if a
  /// `device_span` among the arguments is of another device. Spans inside structures are not checked.
  template <class... Args>
  void launch(const kernel<Args...>& what, const std::type_identity_t<Args>&... arguments) {
    (check_argument(what.name, arguments), ...);
    const detail::bound_kernel<Args...> bound{what, {arguments...}};
    backend().launch(bound.launch());
  }
  /// Rejects wrong arguments with a readable message.
  template <class... Args, class... Values>
    requires(!detail::kernel_takes<std::tuple<Args...>, Values...>)
  void launch(const kernel<Args...>&, const Values&...) {
    static_assert(sizeof...(Args) == sizeof...(Values), "imbrex: wrong number of arguments for this kernel");
    static_assert(
        sizeof...(Args) != sizeof...(Values) || detail::kernel_takes<std::tuple<Args...>, Values...>,
        "imbrex: an argument has the wrong type for this kernel: give it the span() of a device_buffer, "
        "not a buffer or a container; host memory is copied to the device before");
  }
  /// Launches a graph. Throws `device_error` if the device has no graphs.
  void launch(graph& what);

  /// Calls `function()` on the host in the stream's order, on a thread of the device's driver. The function
  /// must not throw, use the device or take long, because other host functions may wait for it. It must live
  /// until the call. A graph calls it at each launch.
  template <class Function>
    requires std::is_nothrow_invocable_v<Function&>
  void host(Function& function) {
    backend().host([](void* f) { (*static_cast<Function*>(f))(); }, &function);
  }

  /// Marks this point of the stream. Throws `device_error` for an event of another device.
  void record(event& at);
  /// Makes later operations of this stream wait for the event's last record; for nothing if it was never
  /// recorded. The event may be of another device of the same backend.
  void wait(const event& until);
  void wait(const shared_event& until) {
    if (!until) return;
    event_backend& awaited = until.backend();
    if (until.device() != on_->info().id || is_shared_) [[unlikely]]
      return wait(awaited, until.device());
    backend().wait(awaited);
  }
  /// Makes later operations wait for the work submitted so far to a native stream of this device, of CUDA or
  /// HIP, which a library has made. Throws `device_error` for an invalid handle.
  void wait(native_stream until);
  /// Makes later operations of that stream wait for the work submitted so far to this one.
  void delay(native_stream others);
  /// The backend's own handle, for libraries.
  native_stream native() const { return backend().native(); }
  /// Makes later operations wait until the contents of the buffer are complete, as marked by its sender
  /// (`device_buffer::ready_after`).
  template <class T>
  void wait(const device_buffer<T>& until) {
    wait(until.ready());
  }

  /// Writes the value into the flag in the stream's order. Throws `device_error` if the device cannot do
  /// this.
  void write(device_flag to, std::uint32_t value);
  /// Makes later operations wait until the flag has reached the value: until (flag - value) is not negative
  /// as a signed number. Throws `device_error` if the device cannot do this. If the flag is never written,
  /// the stream waits for ever, and so does a run on threads that awaits the stream. The runtime cannot
  /// detect this. While a stream waits, driver calls that wait for the device block: creating streams,
  /// allocating memory that no pool has, a kernel's first launch. The writer of the flag must make such calls
  /// before.
  void wait(device_flag until, std::uint32_t at_least);

  /// Resumes the entry in `co_await stream.done()` when all work submitted so far is done. The PE runs other
  /// work meanwhile, or acts as the run's `completion_method` defines. Throws `device_error` if the device
  /// has failed or fails. (<imbrex/core/gpu/device_work.hpp>)
  stream_end done() noexcept { return {*this}; }
  /// A number unique among all streams that this process has had.
  std::uint64_t number() const noexcept { return number_; }

  /// True if all work submitted so far is done. Does not block.
  bool idle();
  /// Blocks the calling thread until all work submitted so far is done.
  void synchronize();

  /// Begins to collect operations for a graph, instead of running them, until `end_capture`. A stream that
  /// waits for an event of a capturing stream is captured with it. An event must join it to that stream
  /// before the end. Meanwhile the streams and their events cannot be queried. A query of such an event, a
  /// wait for an event from outside, or a join of two captures spoils the capture. Then all but its end is
  /// refused, and the end throws. Throws `device_error` if the device has no graphs, and for a shared stream.
  void begin_capture();
  /// True between `begin_capture` and `end_capture`.
  bool capturing() { return backend().capturing(); }
  /// Returns the graph. Throws `device_error` if a stream was captured with this one and not joined.
  graph end_capture();
  /// Allows several threads to use the stream at any time from now on, so it takes part in no capture.
  void share() noexcept { is_shared_ = true; }

 private:
  friend class shared_event;
  friend bool detail::wait_for_device(stream& later);
  void record(shared_event& at);
  void wait(event_backend& awaited, const void* device);
  stream_backend& backend() const {
    if (backend_ == nullptr || on_->ended()) [[unlikely]]
      refuse_use();
    return *backend_;
  }
  [[noreturn]] void refuse_use() const;
  /// Checks that an operation's object is of this device.
  void check_device(std::string_view operation, std::string_view what, const void* device) const {
    if (device != on_->info().id && device != nullptr) [[unlikely]]
      refuse_device(operation, what, device);
  }
  [[noreturn]] void refuse_device(std::string_view operation, std::string_view what,
                                  const void* device) const;
  /// Checks an argument that refers to device memory.
  template <class T>
    requires requires(const T& memory) { memory.device(); }
  void check_argument(std::string_view kernel, const T& memory) const {
    if (memory.device() != on_->info().id && memory.device() != nullptr) [[unlikely]]
      refuse_device("launch of kernel " + std::string(kernel), "memory", memory.device());
  }
  template <class T>
  void check_argument(std::string_view, const T&) const noexcept {}
  void check_copy(std::size_t to, std::size_t from, const void* device) const {
    check_device("copy", "memory", device);
    if (to != from) [[unlikely]]
      refuse_lengths(to, from);
  }
  [[noreturn]] void refuse_lengths(std::size_t to, std::size_t from) const;
  void check_peer(const void* device) const {
    if (device != on_->info().id && device != nullptr) [[unlikely]]
      check_other(device);
  }
  /// Checks that this device can copy from and to the other one.
  void check_other(const void* device) const;
  void check_backend(std::string_view operation, const void* device) const;
  void require_values(std::string_view operation) const;
  void require_graphs() const;
  void refuse_capture(std::string_view operation) const;
  void leave() noexcept;

  device* on_;
  stream_priority priority_;
  std::string owner_;
  std::uint64_t number_;
  bool is_shared_ = false;
  std::unique_ptr<stream_backend> backend_;
};

}  // namespace imbrex
