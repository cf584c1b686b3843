// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/native_stream.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/resident/context.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/native.hpp>
#include <imbrex/resident/pe_loop.hpp>
#include <imbrex/resident/report.hpp>
#include <imbrex/resident/run_state.hpp>
#include <imbrex/resident/symmetric_heap.hpp>
#include <imbrex/resident/thread_machine.hpp>

namespace imbrex::resident {
namespace detail {

template <class List>
void serve_on_host(const machine& m, pe_state& state, team& threads, std::uint32_t pe) {
  pe_loop<List>(m, state, threads, pe).serve();
}
template <class List>
void run_on_host(machine m) {
  run_on_threads(m, serve_on_host<List>);
}

template <auto... Entry>
void add_names(entry_names& to, std::uint32_t array, entries<Entry...>) {
  (to.all.push_back({std::string(short_name(member_name<Entry>())), array, traits_of<Entry>::in_parcel}),
   ...);
}
template <class... Reduction>
void add_names(entry_names& to, std::uint32_t array, reductions<Reduction...>) {
  (to.all.push_back(
       {"the reduction for " + std::string(short_name(member_name<reduction_traits<Reduction>::entry>())),
        array, false}),
   ...);
}

template <int N>
std::vector<int> numbers_of(const index<N>& i) {
  std::vector<int> numbers;
  for (int d = 0; d < N; ++d) numbers.push_back(i[d]);
  return numbers;
}

template <class C>
array_kind kind_of(const typename C::index_type& shape) {
  return {.name = std::string(short_name(type_name<C>())),
          .element_bytes = sizeof(C),
          .shape = numbers_of(shape),
          .numbered = entry_list<typename C::entries>::numbered,
          .reductions = reduction_list<typename reductions_of<C>::type>::count,
          .entries_of_host = host_entry_list<typename host_entries_of<C>::type>::count};
}

template <class... Entry>
void add_host_names(entry_names& to, host_entries<Entry...>) {
  (to.host.push_back(std::string(short_name(type_name<Entry>()))), ...);
}

/// Calls a listener with the arguments of a message.
template <class Traits, class Listener, class... Done>
void call_listener(Listener& listener, const host_slot& slot, const packed<>&, const Done&... done) {
  if constexpr (Traits::has_payload) {
    using element = typename Traits::element;
    const auto* const parcel = reinterpret_cast<const std::byte*>(&slot + 1);
    listener(done...,
             std::span(reinterpret_cast<const element*>(parcel + payload_offset<Traits::fixed_bytes>),
                       reinterpret_cast<const parcel_head*>(parcel)->size));
  } else {
    listener(done...);
  }
}
template <class Traits, class Listener, class Head, class... Rest, class... Done>
void call_listener(Listener& listener, const host_slot& slot, const packed<Head, Rest...>& left,
                   const Done&... done) {
  if constexpr (sizeof...(Rest) > 0)
    call_listener<Traits>(listener, slot, left.tail, done..., left.head);
  else
    call_listener<Traits>(listener, slot, packed<>(), done..., left.head);
}
template <class Traits, class Listener>
void dispatch(Listener& listener, const host_slot& slot) {
  if constexpr (Traits::fixed_bytes > 0) {
    typename Traits::fixed fixed;
    if constexpr (Traits::in_parcel)
      std::memcpy(&fixed, reinterpret_cast<const std::byte*>(&slot + 1) + sizeof(parcel_head), sizeof(fixed));
    else
      std::memcpy(&fixed, &slot.body, sizeof(fixed));
    call_listener<Traits>(listener, slot, fixed);
  } else {
    call_listener<Traits>(listener, slot, packed<>());
  }
}

/// Parcel of a message of the host.
template <class Traits, class... A>
std::vector<std::byte> parcel_with(const A&... arguments) {
  constexpr std::uint32_t offset = payload_offset<Traits::fixed_bytes>;
  std::vector<std::byte> parcel(offset);
  parcel_head head;
  if constexpr (Traits::has_payload) {
    using element = const typename Traits::element;
    const std::span<element> payload(std::get<sizeof...(A) - 1>(std::tie(arguments...)));
    head.size = static_cast<std::uint32_t>(payload.size());
    parcel.resize((offset + payload.size_bytes() + 15) / 16 * 16);
    if (!payload.empty()) std::memcpy(parcel.data() + offset, payload.data(), payload.size_bytes());
  }
  std::memcpy(parcel.data(), &head, sizeof(head));
  if constexpr (Traits::fixed_bytes > 0) {
    typename Traits::fixed fixed;
    pack(fixed, arguments...);
    std::memcpy(parcel.data() + sizeof(head), &fixed, sizeof(fixed));
  }
  return parcel;
}

}  // namespace detail

/// Chares that live in a device's memory, and the runs in which they are scheduled there. A run is one
/// kernel. On a GPU each PE is a block of it. On an emulated device a PE is threads of the host. One thread
/// uses it.
///
///     resident::program<cell> ring(imbrex::gpu(), {.pes = 132}, {1056});
///     const resident::outcome end = ring.run<&cell::token>(0, 100'000);
///
/// An entry of an Imbrex program awaits a run as any work of a device:
///
///     ring.start<&cell::token>(0, 100'000);
///     co_await ring.stream().done();
///     const resident::outcome end = ring.end();
///
/// For a GPU, one file that the device's compiler compiles has `template struct
/// imbrex::resident::native<cell>;` (<imbrex/resident/native.hpp>).
template <class... C>
class program {
  using list = chares<C...>;
  using table = detail::table<list>;
  static constexpr unsigned blocks = detail::blocks_of<typename detail::pe_of_list<list>::type>;
  static constexpr unsigned neighbours = detail::neighbours_of<typename detail::pe_of_list<list>::type>;
  static_assert(sizeof...(C) >= 1 && sizeof...(C) <= detail::most_arrays,
                "imbrex: a program inside a GPU has 1 to 4 classes of chares");
  static_assert((std::is_same_v<typename detail::chares_of<C>::type, list> && ...),
                "imbrex: each class of a program inside a GPU names the program's list: using chares = "
                "imbrex::resident::chares<...>");
  static_assert(((std::is_trivially_copyable_v<C> && std::is_default_constructible_v<C>) && ...),
                "imbrex: chares inside a GPU must be trivially copyable, and are made without arguments");

 public:
  /// Makes the arrays, with these extents and elements made without arguments. `of` must outlive the program.
  /// Throws usage_error for invalid settings, device_error if the device cannot run the program.
  program(device& of, const settings& s, const typename C::index_type&... shapes)
      : state_(of, detail::layout(completed(of, s), {detail::kind_of<C>(shapes)...}, blocks, neighbours),
               names(), detail::serve_on_host<list>) {
    (write(std::vector<C>(state_.count(table::template array<C>()))), ...);
  }
  /// A program on the GPUs of a heap, which has its memory. If the GPUs belong to several processes, all make
  /// the program, with equal settings. All of them make each call that starts or ends a run. `settings::pes`
  /// counts the PEs of all processes.
  program(const symmetric_heap& heap, const settings& s, const typename C::index_type&... shapes)
      : state_(heap.memory(),
               detail::layout(on_gpus_of(heap, s), {detail::kind_of<C>(shapes)...}, blocks, neighbours),
               names(), detail::serve_on_host<list>) {
    (write(std::vector<C>(state_.count(table::template array<C>()))), ...);
  }

  /// Bytes that the program takes of a heap with `settings::gpus` GPUs of that device.
  static std::size_t heap_bytes(device& of, const settings& s, const typename C::index_type&... shapes) {
    return detail::layout(completed(of, s), {detail::kind_of<C>(shapes)...}, blocks, neighbours).bytes();
  }
  /// Settings in which values of 0 are replaced by the defaults for that device.
  static settings completed(device& of, settings s) {
    const bool is_emulated = of.info().backend == "emulated";
    if (s.threads == 0) s.threads = is_emulated ? 1 : 128;
    if (s.pes != 0) return s;
    std::uint32_t of_gpu = 1;
    if (blocks != 0)
      of_gpu = is_emulated ? std::thread::hardware_concurrency() / blocks : most_pes(s.threads);
    of_gpu = std::clamp(of_gpu, 1U, std::max(256U / std::max(s.gpus, 1U), 1U));
    s.pes = s.gpus * std::max(of_gpu / neighbours, 1U) * neighbours;
    return s;
  }
  /// Settings in effect.
  const settings& chosen() const { return state_.chosen(); }
  /// Number of elements of the array of T.
  template <class T>
  std::uint32_t count() const {
    return state_.count(array<T>());
  }
  /// Copies an array's elements, in their order. Elements on GPUs of other processes are as they were
  /// written. Between runs only.
  template <class T>
  std::vector<T> read() {
    std::vector<T> elements(count<T>());
    state_.read(array<T>(), std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  /// Replaces an array's elements; their number must not change. Between runs only.
  template <class T>
  void write(const std::vector<T>& elements) {
    state_.write(array<T>(), std::as_bytes(std::span(elements)));
  }

  /// Runs with a message for one element, until a chare calls `exit` or all is quiet. At most 8 bytes of
  /// arguments. Throws imbrex::error if the run fails.
  template <auto Entry, class... A>
  outcome run(const typename detail::traits_of<Entry>::index_type& to, const A&... arguments) {
    start<Entry>(to, arguments...);
    stream().synchronize();
    return end();
  }
  /// Runs with a message for all elements of an array, otherwise as `run`.
  template <auto Entry, class... A>
  outcome run_all(const A&... arguments) {
    start_all<Entry>(arguments...);
    stream().synchronize();
    return end();
  }
  /// Submits a run to `stream()`. The next run begins after `end()`.
  template <auto Entry, class... A>
  void start(const typename detail::traits_of<Entry>::index_type& to, const A&... arguments) {
    using target = typename detail::traits_of<Entry>::chare;
    const detail::array_layout& a = state_.array(array<target>());
    if (!detail::contains(a, to)) state_.refuse("begin with", array<target>(), detail::numbers_of(to));
    const std::uint32_t element = detail::linear(a, to);
    state_.start(code, a.pe_of(element), item_of<Entry>(element, arguments...));
  }
  /// As `start`, for all chares of the array.
  template <auto Entry, class... A>
  void start_all(const A&... arguments) {
    static_assert(!detail::traits_of<Entry>::is_numbered,
                  "imbrex: a broadcast inside a GPU has no reference number");
    state_.start(code, 0, item_of<Entry>(detail::all_elements, arguments...));
  }
  imbrex::stream& stream() { return state_.stream(); }  ///< Stream on which the kernel runs.

  /// Sets the listener for HostEntry. A thread of the program calls it with the arguments of each message, a
  /// payload as std::span<const T>. Messages of one chare arrive in order, until `end()` returns. In a run
  /// that fails, only messages that found room in the ring arrive. An exception of the listener ends the run,
  /// and `end()` throws it. In an Imbrex program the listener posts to an `executor`. Between runs only.
  template <class HostEntry, class Listener>
  void on(Listener listener) {
    static_assert((tells<C, HostEntry>() || ...),
                  "imbrex: no class of the program has this entry of the host in its list: tells");
    const auto callback = [listener = std::move(listener)](const detail::host_slot& slot) mutable {
      detail::dispatch<typename HostEntry::traits>(listener, slot);
    };
    (listen<C, HostEntry>(callback), ...);
  }
  /// Opens the next run for messages of the host. The run then goes on when all is quiet, until `close()`.
  /// Not in simulated time, in which nothing else happens during a run.
  void open() { state_.open(); }
  /// Sends a message to a chare of the open run, from any thread, and returns at once. Messages of one thread
  /// to one chare arrive in order. A payload is passed as std::span<const T>. Throws error if the run is not
  /// open. Throws usage_error if there is no such chare, or if the message is larger than
  /// `settings::host_bytes`.
  template <auto Entry, class... A>
  void send(const typename detail::traits_of<Entry>::index_type& to, const A&... arguments) {
    using traits = detail::traits_of<Entry>;
    using target = typename traits::chare;
    static_assert(sizeof...(A) == traits::arguments, "imbrex: wrong number of arguments for this entry");
    const detail::array_layout& a = state_.array(array<target>());
    if (!detail::contains(a, to))
      state_.refuse("have a message for", array<target>(), detail::numbers_of(to));
    const std::uint32_t element = detail::linear(a, to);
    if constexpr (traits::in_parcel) {
      std::vector<std::byte> parcel = detail::parcel_with<traits>(arguments...);
      state_.check_message(parcel.size());
      const std::uint32_t meta = detail::meta_of(table::template number<Entry>(), element) | is_ordered;
      state_.channel().send({a.pe_of(element), {0, meta}, std::move(parcel)});
    } else {
      state_.channel().send({a.pe_of(element), item_of<Entry>(element, arguments...), {}});
    }
  }
  /// Sends a message to all elements of an array, with at most 8 bytes of arguments, otherwise as `send`. PEs
  /// forward it, so a message sent later may arrive earlier.
  template <auto Entry, class... A>
  void send_all(const A&... arguments) {
    static_assert(!detail::traits_of<Entry>::is_numbered,
                  "imbrex: a broadcast inside a GPU has no reference number");
    state_.channel().send({0, item_of<Entry>(detail::all_elements, arguments...), {}});
  }
  /// Closes the run for messages of the host, from any thread: it ends when all is quiet. Further calls
  /// before `end()` do nothing. Throws error if the run was not opened.
  void close() { state_.channel().close(); }

  /// Returns how the run ended. Its work in `stream()` must be done.
  outcome end() { return state_.end(); }

 private:
#if IMBREX_HAS_CUDA
  static constexpr auto launch = native<C...>::launch;
  static std::uint32_t most_pes(std::uint32_t threads) { return native<C...>::most_pes(threads); }
#else
  static constexpr void (*launch)(native_stream, detail::machine) = nullptr;
  static std::uint32_t most_pes(std::uint32_t) { return 1; }
#endif
  static constexpr kernel<detail::machine> code{
      .name = "resident", .native = launch, .host = detail::run_on_host<list>};

  static settings on_gpus_of(const symmetric_heap& heap, settings s) {
    s.gpus = heap.gpus();
    return completed(heap.memory()->on(), s);
  }
  template <class T>
  static constexpr std::uint32_t array() {
    static_assert(table::template array<T>() != detail::no_entry,
                  "imbrex: the program has no array of this class");
    return table::template array<T>();
  }
  static detail::entry_names names() {
    detail::entry_names all;
    (detail::add_names(all, array<C>(), typename C::entries{}), ...);
    (detail::add_names(all, array<C>(), typename detail::reductions_of<C>::type{}), ...);
    (detail::add_host_names(all, typename detail::host_entries_of<C>::type{}), ...);
    return all;
  }
  /// True if the class T names that entry of the host.
  template <class T, class HostEntry>
  static constexpr bool tells() {
    using entries_of_host = detail::host_entry_list<typename detail::host_entries_of<T>::type>;
    return entries_of_host::template number<HostEntry>() != detail::no_entry;
  }
  template <class T, class HostEntry, class Callback>
  void listen(const Callback& callback) {
    if constexpr (tells<T, HostEntry>()) state_.listen(table::template host_number<T, HostEntry>(), callback);
  }
  template <auto Entry, class... A>
  static item item_of(std::uint32_t element, const A&... arguments) {
    using traits = detail::traits_of<Entry>;
    static_assert(sizeof...(A) == traits::arguments, "imbrex: wrong number of arguments for this entry");
    static_assert(!traits::in_parcel, "imbrex: a run inside a GPU begins with at most 8 bytes of arguments");
    item i{0, detail::meta_of(table::template number<Entry>(), element)};
    if constexpr (traits::arguments > 0) {
      typename traits::fixed fixed;
      detail::pack(fixed, arguments...);
      std::memcpy(&i.body, &fixed, sizeof(fixed));
    }
    return i;
  }

  detail::run_state state_;
};

}  // namespace imbrex::resident
