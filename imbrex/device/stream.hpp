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

namespace imbrex {

class stream;

/// The end of what has been submitted to a stream so far: what an entry method awaits.
struct [[nodiscard("co_await stream.done()")]] stream_end {
  stream& of;
};

/// An ordered queue of a device: what is submitted to one stream runs in that order, what is submitted to
/// several in any order, unless they wait for each other. Nothing here but `synchronize` waits for the
/// device. Several threads may use one stream, but between `begin_capture` and `end_capture` only one.
///
/// An operation that fails on the device fails the device, for good: from then on every call that can tell
/// throws `device_error`, and so does `co_await` of the end of any of its streams, also for those who wait
/// already. Whoever catches it can tidy up, but a run ends with exit status 1 if a device of it has failed,
/// and with the reason if nothing else has ended it.
///
/// What was submitted goes on when the stream is destroyed. Using a stream, graph or event after it was moved
/// from throws `error`.
class stream {
 public:
  /// `owner` says in errors whose stream it is, such as "block[3] halo".
  stream(device& on, stream_priority priority, std::string owner);
  stream(stream&& other) noexcept = default;
  stream& operator=(stream&& other) noexcept;
  ~stream();

  device& on() const noexcept { return *on_; }
  stream_priority priority() const noexcept { return priority_; }
  const std::string& owner() const noexcept { return owner_; }

  /// Copies as many elements as both views have; throws `device_error` if they differ, or if device memory is
  /// of another device. The views must not overlap, and stay valid and untouched until the copy is done.
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
  /// Within this device, or from another one to it where `peer_copies` is set.
  template <class T>
  void copy(device_span<T> to, device_span<const std::type_identity_t<T>> from) {
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

  /// Throws `device_error` naming both if the kernel has no function for this backend, and if a `device_span`
  /// among the arguments is of another device; what lies in structures is not looked at.
  template <class... Args>
  void launch(const kernel<Args...>& what, const std::type_identity_t<Args>&... arguments) {
    (check_argument(what.name, arguments), ...);
    const detail::bound_kernel<Args...> bound{what, {arguments...}};
    backend().launch(bound.launch());
  }
  /// Says what is wrong with the arguments.
  template <class... Args, class... Given>
    requires(!detail::kernel_takes<std::tuple<Args...>, Given...>)
  void launch(const kernel<Args...>&, const Given&...) {
    static_assert(sizeof...(Args) == sizeof...(Given), "imbrex: wrong number of arguments for this kernel");
    static_assert(
        sizeof...(Args) != sizeof...(Given) || detail::kernel_takes<std::tuple<Args...>, Given...>,
        "imbrex: an argument has the wrong type for this kernel: give it the span() of a device_buffer, "
        "not a buffer or a container; host memory is copied to the device before");
  }
  /// Captured before; throws `device_error` where graphs are missing.
  void launch(graph& what);

  /// Has the host call `function()` in the stream's order, on a thread of the device's driver: it must not
  /// throw, use the device, or take long, for it may keep other host functions waiting. It must live until
  /// then. A graph calls it at each replay.
  template <class Function>
    requires std::is_nothrow_invocable_v<Function&>
  void host(Function& function) {
    backend().host([](void* f) { (*static_cast<Function*>(f))(); }, &function);
  }

  /// Marks this point of the stream. Throws `device_error` for an event of another device.
  void record(event& at);
  /// What follows in the stream waits for the event's last record; for none, if it was never recorded. The
  /// event may be of another device of the same backend.
  void wait(const event& until);

  /// Writes into the flag in the stream's order. Throws `device_error` if the device cannot.
  void write(device_flag to, std::uint32_t value);
  /// What follows waits until the flag has reached the value: until (flag - value) is not negative as a
  /// signed number. Throws `device_error` if the device cannot. For a flag that nobody writes it waits for
  /// ever, and so do runs on threads that await the stream: that the device will not write cannot be known,
  /// nor be told of. While a stream waits, calls of the driver that wait for the device do not return: making
  /// streams, memory that no pool has, a kernel's first launch. Whoever is to write the flag does these
  /// before.
  void wait(device_flag until, std::uint32_t at_least);

  /// `co_await stream.done()`: the entry goes on when all that was submitted is done; its PE does other
  /// things meanwhile, or what the run's `completion_method` says. Throws `device_error` if the device has
  /// failed or fails. (<imbrex/core/gpu/device_work.hpp>)
  stream_end done() noexcept { return {*this}; }
  /// A number that no other stream of this process has or had.
  std::uint64_t number() const noexcept { return number_; }

  /// True if all that was submitted is done. Does not wait.
  bool idle();
  /// Blocks the calling thread until all that was submitted is done.
  void synchronize();

  /// From now on operations are not run but collected for a graph, until `end_capture`. Other streams that
  /// wait for an event of a capturing stream are captured with it, and must be joined to it by an event
  /// before the end. Meanwhile neither they nor their events can be asked whether they are done. To ask such
  /// an event, to wait for one of outside, or to join two captures spoils the capture: then all but its end
  /// is refused, and the end throws. Throws `device_error` where graphs are missing, and for a shared stream.
  void begin_capture();
  /// True between the two.
  bool capturing() { return backend().capturing(); }
  /// Throws `device_error` if a stream was captured with this one and not joined.
  graph end_capture();
  /// From now on several threads use it at any time, so it takes part in no capture.
  void share() noexcept { is_shared_ = true; }

 private:
  stream_backend& backend() const;
  /// Of an operation that uses something of a device.
  void check_device(std::string_view operation, std::string_view what, const void* device) const;
  template <class T>
  void check_argument(std::string_view kernel, const device_span<T>& memory) const {
    if (memory.device() != on_->info().id)
      check_device("launch of kernel " + std::string(kernel), "memory", memory.device());
  }
  template <class T>
  void check_argument(std::string_view, const T&) const noexcept {}
  void check_copy(std::size_t to, std::size_t from, const void* device) const;
  void check_peer(const void* device) const;
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
