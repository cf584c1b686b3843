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
#include <type_traits>
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
#include <imbrex/resident/report.hpp>
#include <imbrex/resident/run_state.hpp>
#include <imbrex/resident/scheduler.hpp>
#include <imbrex/resident/thread_machine.hpp>

namespace imbrex::resident {
namespace detail {

template <class List>
void serve_on_host(const machine& m, pe_state& state, team& threads, std::uint32_t pe) {
  scheduler<List>(m, state, threads, pe).serve();
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
          .reductions = reduction_list<typename reductions_of<C>::type>::count};
}

}  // namespace detail

/// Chares that live in a device's memory, and the runs in which they are scheduled there. A run is one
/// kernel: on a GPU each PE is a block of it; where the device is emulated, threads of the host. One thread
/// uses it.
///
///     resident::program<cell> ring(imbrex::gpu(), {.pes = 132}, {1056});
///     const resident::outcome end = ring.run<&cell::token>(0, 100'000);
///
/// An entry of an Imbrex program awaits a run as any work of a device: `ring.start<&cell::token>(0,
/// 100'000)`, then `co_await ring.stream().done()`, then `ring.end()`.
///
/// On a GPU one file that the device's compiler compiles has `template struct
/// imbrex::resident::native<cell>;` (<imbrex/resident/native.hpp>).
template <class... C>
class program {
  using list = chares<C...>;
  using table = detail::table<list>;
  static_assert(sizeof...(C) >= 1 && sizeof...(C) <= detail::most_arrays,
                "imbrex: a program inside a GPU has 1 to 4 classes of chares");
  static_assert((std::is_same_v<typename detail::chares_of<C>::type, list> && ...),
                "imbrex: each class of a program inside a GPU names the program's list: using chares = "
                "imbrex::resident::chares<...>");
  static_assert(((std::is_trivially_copyable_v<C> && std::is_default_constructible_v<C>) && ...),
                "imbrex: chares inside a GPU must be trivially copyable, and are made without arguments");

 public:
  /// Its arrays, by their extents, of elements that are made without arguments. `of` must outlive the
  /// program. Throws usage_error for settings that cannot be, device_error if the device cannot run it.
  program(device& of, const settings& s, const typename C::index_type&... shapes)
      : state_(of, detail::layout(completed(of, s), {detail::kind_of<C>(shapes)...}), names()) {
    (write(std::vector<C>(state_.count(table::template array<C>()))), ...);
  }

  /// The settings that are 0, as they come out on that device.
  static settings completed(device& of, settings s) {
    const bool is_emulated = of.info().backend == "emulated";
    if (s.threads == 0) s.threads = is_emulated ? 1 : 128;
    if (s.pes == 0)
      s.pes = is_emulated ? std::clamp(std::thread::hardware_concurrency(), 1U, 256U)
                          : std::min(most_pes(s.threads), 256U);
    return s;
  }
  /// What the settings came to.
  const settings& chosen() const { return state_.chosen(); }
  /// Elements of the array of T.
  template <class T>
  std::uint32_t count() const {
    return state_.count(array<T>());
  }
  /// Copies of an array's elements, in their order. Between runs.
  template <class T>
  std::vector<T> read() {
    std::vector<T> elements(count<T>());
    state_.read(array<T>(), std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  /// Replaces them; there must be as many. Between runs.
  template <class T>
  void write(const std::vector<T>& elements) {
    state_.write(array<T>(), std::as_bytes(std::span(elements)));
  }

  /// Runs with a message for one element, at most 8 bytes of arguments, until a chare calls `exit` or all is
  /// quiet. Throws imbrex::error if the run fails.
  template <auto Entry, class... A>
  outcome run(const typename detail::traits_of<Entry>::index_type& to, const A&... arguments) {
    start<Entry>(to, arguments...);
    stream().synchronize();
    return end();
  }
  /// The same with a message for all elements of an array.
  template <auto Entry, class... A>
  outcome run_all(const A&... arguments) {
    start_all<Entry>(arguments...);
    stream().synchronize();
    return end();
  }
  /// Submits a run to `stream()`. The next one begins after `end()`.
  template <auto Entry, class... A>
  void start(const typename detail::traits_of<Entry>::index_type& to, const A&... arguments) {
    using target = typename detail::traits_of<Entry>::chare;
    const detail::array_layout& a = state_.array(array<target>());
    if (!detail::contains(a, to)) state_.refuse(array<target>(), detail::numbers_of(to));
    const std::uint32_t element = detail::linear(a, to);
    state_.start(code, a.pe_of(element), item_of<Entry>(element, arguments...));
  }
  template <auto Entry, class... A>
  void start_all(const A&... arguments) {
    state_.start(code, 0, item_of<Entry>(detail::all_elements, arguments...));
  }
  imbrex::stream& stream() { return state_.stream(); }
  /// How the run ended whose work in `stream()` is done.
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
    return all;
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
