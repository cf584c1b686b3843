// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <imbrex/resident/channel.hpp>
#include <imbrex/resident/entries.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/pe_context.hpp>
#include <imbrex/resident/reducer.hpp>

namespace imbrex::resident {

namespace detail {

template <int N>
IMBREX_DEVICE constexpr bool contains(const array_layout& a, const index<N>& i) {
  for (int d = 0; d < N; ++d)
    if (i[d] < 0 || static_cast<std::uint32_t>(i[d]) >= a.shape[d]) return false;
  return true;
}
template <int N>
IMBREX_DEVICE constexpr std::uint32_t linear(const array_layout& a, const index<N>& i) {
  std::uint32_t l = 0;
  for (int d = 0; d < N; ++d) l = l * a.shape[d] + static_cast<std::uint32_t>(i[d]);
  return l;
}

/// Converts an argument to the entry's type. Conversions that the host's sends refuse are refused here as
/// well.
template <class Parameter, class Argument>
IMBREX_DEVICE Parameter converted(const Argument& argument) {
  constexpr bool is_bool = std::is_same_v<Parameter, bool>;
  static_assert(!(std::is_integral_v<Parameter> && !is_bool && std::is_floating_point_v<Argument>),
                "imbrex: an argument is a floating number where an integer is wanted: say how to round it");
  static_assert(!is_bool || std::is_same_v<Argument, bool> || std::is_class_v<Argument>,
                "imbrex: an argument is a number or a pointer where a bool is wanted: compare it, as in "
                "n != 0");
  static_assert(std::is_convertible_v<Argument, Parameter>,
                "imbrex: an argument has the wrong type for this entry");
  return static_cast<Parameter>(argument);
}
template <class Head, class... Rest, class First, class... Others>
IMBREX_DEVICE void pack(packed<Head, Rest...>& to, const First& first, const Others&... others) {
  to.head = converted<Head>(first);
  if constexpr (sizeof...(Rest) > 0) pack(to.tail, others...);
}
/// Type of the last argument; void if there is none.
template <class... A>
struct last_argument {
  using type = void;
};
template <class Only>
struct last_argument<Only> {
  using type = Only;
};
template <class First, class... Rest>
struct last_argument<First, Rest...> : last_argument<Rest...> {};

template <class T>
IMBREX_DEVICE const payload<T>& payload_in(const payload<T>& last) {
  return last;
}
template <class First, class... Rest>
IMBREX_DEVICE const auto& payload_in(const First&, const Rest&... rest) {
  return payload_in(rest...);
}

}  // namespace detail

/// Interface of a running entry: its index, and its sends. All threads of the PE run the entry, each with its
/// own context. All threads make the same calls in the same order, unless documented otherwise. Argument
/// values are those of the first thread.
template <class Chare>
class context {
  using list = typename detail::chares_of<Chare>::type;
  using pe_context = detail::pe_context<detail::pe_kind<Chare>>;
  template <auto Entry>
  using target_index = typename detail::traits_of<Entry>::index_type;

 public:
  using index_type = typename Chare::index_type;

  /// For the runtime: the interface of an entry that this PE runs.
  IMBREX_DEVICE explicit context(pe_context& of) : pe_(of) {}

  /// Index of this chare in its array.
  IMBREX_DEVICE index_type where() const {
    index_type i;
    std::uint32_t rest = pe_.element;
    for (int d = index_type::dimensions - 1; d > 0; --d) {
      const std::uint32_t extent = array<Chare>().shape[d];
      i[d] = static_cast<int>(rest % extent);
      rest /= extent;
    }
    i[0] = static_cast<int>(rest);
    return i;
  }
  /// Extents of this chare's array.
  IMBREX_DEVICE index_type shape() const {
    index_type s;
    for (int d = 0; d < index_type::dimensions; ++d) s[d] = static_cast<int>(array<Chare>().shape[d]);
    return s;
  }
  /// Number of elements of this chare's array.
  IMBREX_DEVICE std::uint32_t size() const { return array<Chare>().count; }
  /// Number of this chare in the order of elements.
  IMBREX_DEVICE std::uint32_t number() const { return pe_.element; }

  IMBREX_DEVICE std::uint32_t pe() const { return pe_.pe; }          ///< Number of this PE, from 0.
  IMBREX_DEVICE std::uint32_t num_pes() const { return pe_.m.pes; }  ///< Number of PEs of the program.
  /// Index of this thread among those of the PE.
  IMBREX_DEVICE std::uint32_t thread() const { return pe_.threads.thread(); }
  /// Number of threads that run an entry together.
  IMBREX_DEVICE std::uint32_t threads() const { return pe_.threads.threads(); }
  /// True for the first thread of the PE.
  IMBREX_DEVICE bool leads() const { return pe_.leads(); }
  /// Waits for all threads of the PE.
  IMBREX_DEVICE void sync() {
    if (leads()) detail::take_step(pe_.m.steps, detail::step::sync);
    pe_.threads.sync();
  }

  /// GPU that this chare runs on, and the number of GPUs of the run.
  IMBREX_DEVICE std::uint32_t gpu() const { return pe_.m.gpu; }
  IMBREX_DEVICE std::uint32_t num_gpus() const { return pe_.m.gpus; }  ///< Number of GPUs of the program.
  /// PE of a chare, and its GPU. If there is no such chare the run ends with an error.
  template <class C>
  IMBREX_DEVICE std::uint32_t pe_of(const typename C::index_type& i) const {
    return array<C>().pe_of(element_of<C>(i));
  }
  /// GPU that the chare with this index is on.
  template <class C>
  IMBREX_DEVICE std::uint32_t gpu_of(const typename C::index_type& i) const {
    return pe_.m.gpu_of(pe_of<C>(i));
  }

  /// Another chare, on any GPU: all of a GPU's memory is shared, and the other GPUs' memory is mapped. The
  /// program itself must order the accesses. Reads of another GPU's memory go over the link. If there is no
  /// such chare the run ends with an error, and the result is the array's first.
  template <class C>
  IMBREX_DEVICE C& of(const typename C::index_type& i) const {
    const detail::array_layout& a = array<C>();
    const std::uint32_t element = element_of<C>(i);
    std::byte* at = a.elements + std::uint64_t{sizeof(C)} * element;
    if (pe_.m.gpus != 1) at = pe_.m.on(pe_.m.gpu_of(a.pe_of(element)), at);
    return *reinterpret_cast<C*>(at);
  }

  /// Address of symmetric memory on this GPU, and on another. Null if there is no such GPU, or if the two do
  /// not map each other.
  template <class T>
  IMBREX_DEVICE T* local(const symmetric<T>& which) const {
    return remote(which, pe_.m.gpu);
  }
  /// Address here of another GPU's piece of symmetric memory; null if it cannot be mapped.
  template <class T>
  IMBREX_DEVICE T* remote(const symmetric<T>& which, std::uint32_t of_gpu) const {
    std::byte* const heap = of_gpu < pe_.m.gpus ? pe_.m.links.heaps.at[of_gpu] : nullptr;
    return heap == nullptr ? nullptr : reinterpret_cast<T*>(heap + which.offset);
  }
  /// Writes all of `there`, symmetric memory of a GPU, from `from` on. A receiver sees it after a later
  /// `signal`, `send_ordered`, or message with a payload from this PE. Ends the run with an error if this GPU
  /// cannot reach the other, or if `there` is not within the heap.
  template <class T>
  IMBREX_DEVICE void put(const symmetric<T>& there, std::uint32_t of_gpu, const T* from) {
    T* const to = remote(there, of_gpu);
    if (to == nullptr) {
      if (leads()) pe_.fail(detail::failure_kind::missing_gpu, of_gpu);
      return;
    }
    if (!is_in_heap(there)) return;
    const std::uint64_t bytes = there.size * sizeof(T);
    const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
    if (places % sizeof(wide_word) == 0) {
      auto* const out = reinterpret_cast<wide_word*>(to);
      const auto* const in = reinterpret_cast<const wide_word*>(from);
      for (std::uint64_t w = thread(); w < bytes / sizeof(wide_word); w += threads()) out[w] = in[w];
    } else {
      for (std::uint64_t n = thread(); n < there.size; n += threads()) to[n] = from[n];
    }
    pass_put(of_gpu * pe_.m.pes_here, bytes);
  }

  /// Sends a message, which runs an entry of the chare `to`. With at most 8 bytes of arguments it costs one
  /// atomic addition and one store of 16 bytes. Such a message orders no other memory; one with a payload,
  /// and `send_ordered`, do. More than 8 bytes take a parcel of the PE. Ends the run with an error if there
  /// is no such chare, or no parcel left. Messages from one chare to another arrive in order.
  template <auto Entry, class... A>
  IMBREX_DEVICE void send(const target_index<Entry>& to, const A&... arguments) {
    if constexpr (detail::traits_of<Entry>::has_payload) sync();  // other threads have written to the payload
    post<Entry>(to, 0, arguments...);
  }
  /// Like `send`, and ordered. The entry runs after all earlier reads and writes by this PE's threads of
  /// memory that chares share.
  template <auto Entry, class... A>
  IMBREX_DEVICE void send_ordered(const target_index<Entry>& to, const A&... arguments) {
    sync();
    post<Entry>(to, is_ordered, arguments...);
  }

  /// Runs an entry of all elements of its array, along a tree of PEs. At most 8 bytes of arguments.
  template <auto Entry, class... A>
  IMBREX_DEVICE void broadcast(const A&... arguments) {
    using traits = detail::traits_of<Entry>;
    static_assert(sizeof...(A) == traits::arguments, "imbrex: wrong number of arguments for this entry");
    static_assert(!traits::in_parcel, "imbrex: a broadcast inside a GPU has at most 8 bytes of arguments");
    static_assert(!traits::is_numbered, "imbrex: a broadcast inside a GPU has no reference number");
    if (!leads()) return;
    item i;
    make_item<Entry>(i, detail::all_elements, arguments...);
    pe_.post(0, i);
  }

  /// Takes memory for the payload of a message, `count` Ts. All threads share it, fill it together, and send
  /// it once. The result is false as a bool if the PE has no parcel left, because earlier messages are still
  /// unread. Then the entry can only end, and retry when it is run again. A payload larger than a parcel ends
  /// the run with an error. An entry may forward a payload that it has received to an entry of the same
  /// parameters. No thread may use the arguments after that. Sending a payload again ends the run with an
  /// error.
  template <auto Entry>
  IMBREX_DEVICE auto prepare(std::uint32_t count) {
    return prepare_payload<detail::traits_of<Entry>>(count, pe_.m.sizes.parcel_bytes,
                                                     detail::failure_kind::no_parcel);
  }
  /// Like `prepare`, for an entry of the host, with at most `settings::host_bytes`.
  template <class HostEntry>
  IMBREX_DEVICE auto prepare_to_tell(std::uint32_t count) {
    using traits = typename HostEntry::traits;
    const std::uint32_t most = most_to_tell();
    const bool is_less = most < pe_.m.sizes.parcel_bytes;
    return prepare_payload<traits>(
        count, is_less ? most : pe_.m.sizes.parcel_bytes,
        is_less ? detail::failure_kind::host_bytes : detail::failure_kind::no_parcel);
  }

  /// Sends a message to the host, which runs the function set by `program::on<HostEntry>`. Messages of one
  /// chare arrive in order. If the host does not keep up, the message is kept as one for a full mailbox is.
  /// More than 8 bytes of arguments take one of the PE's `settings::parcels` until the message is in the
  /// host's ring. If no parcel is left the run ends with an error.
  template <class HostEntry, class... A>
  IMBREX_DEVICE void tell(const A&... arguments) {
    using traits = typename HostEntry::traits;
    constexpr std::uint32_t number = detail::table<list>::template host_number<Chare, HostEntry>();
    static_assert(sizeof...(A) == traits::arguments,
                  "imbrex: wrong number of arguments for this entry of the host");
    if constexpr (traits::has_payload) sync();  // other threads have written to the payload
    if (!leads()) return;
    item i;
    if (!fill_item<traits>(i, detail::failure_kind::no_parcel_to_tell, arguments...)) return;
    if constexpr (traits::in_parcel) {
      auto* const head = reinterpret_cast<detail::parcel_head*>(pe_.m.parcel(i.body));
      head->bytes = detail::payload_offset<traits::fixed_bytes>;
      if constexpr (traits::has_payload)
        head->bytes += head->size * static_cast<std::uint32_t>(sizeof(typename traits::element));
      if (head->bytes > most_to_tell()) {  // the payload was prepared for another chare
        pe_.m.give_back(i.body);
        return pe_.fail(detail::failure_kind::host_bytes, head->bytes);
      }
    }
    pe_.tell(i.body, number | (traits::in_parcel ? detail::host_item::in_parcel : 0));
  }

  /// Makes the host write a line to its standard output: "cell(3) on PE 2: " and the text. Each `{}` in the
  /// text stands for the next value, a number or bool. Lines that the host cannot take fast enough are
  /// dropped, and the host reports how many.
  template <std::size_t Size, class... V>
  IMBREX_DEVICE void print(const char (&text)[Size], const V&... values) {
    static_assert(Size <= detail::most_line_text + 1,
                  "imbrex: a line that is printed inside a GPU has at most 128 characters");
    static_assert(sizeof...(V) <= detail::most_line_values,
                  "imbrex: a line that is printed inside a GPU has at most 6 values");
    static_assert((std::is_arithmetic_v<V> && ...), "imbrex: what is printed inside a GPU are numbers");
    if (!leads()) return;
    detail::host_slot* const slot = detail::begin_line(pe_.m, pe_.me, pe_.pe);
    if (slot == nullptr) return;
    [[maybe_unused]] auto* at = reinterpret_cast<std::uint64_t*>(slot + 1);
    [[maybe_unused]] std::uint32_t n = 0;
    std::uint32_t what = detail::host_item::line | static_cast<std::uint32_t>(sizeof...(V)) << 16U;
    ((*at++ = detail::bits_in_line(values), what |= detail::kind_in_line<V>() << n, n += 2), ...);
    slot->meta = detail::meta_of(pe_.entry, pe_.element);
    slot->what = what;
    detail::end_line(pe_.m, pe_.me, pe_.pe, slot, text, static_cast<std::uint32_t>(Size - 1));
    detail::take_step(pe_.m.steps, detail::step::tell);
  }

  /// Contributes this chare's value to its next round of the reduction that ends with Entry.
  template <auto Entry, class V>
  IMBREX_DEVICE void contribute(const V& value) {
    using traits = detail::traits_of<Entry>;
    static_assert(!traits::in_parcel && traits::arguments == 1,
                  "imbrex: what a reduction inside a GPU combines is one value of at most 8 bytes");
    static_assert(std::is_same_v<typename traits::chare, Chare>,
                  "imbrex: a chare contributes to the reductions of its own class");
    if (!leads()) return;
    using reduction = typename detail::table<list>::template reduction_of<Entry>;
    detail::reducer<list, reduction>(pe_).contribute(detail::converted<typename traits::first>(value));
  }

  /// Sets the number that this chare accepts for its numbered entry. Messages with that number run; others
  /// wait. At first it is 0.
  template <auto Entry>
  IMBREX_DEVICE void accept(reference next) {
    static_assert(detail::traits_of<Entry>::is_numbered,
                  "imbrex: the first argument of a numbered entry is an imbrex::resident::reference");
    static_assert(std::is_same_v<typename detail::traits_of<Entry>::chare, Chare>,
                  "imbrex: a chare accepts numbers of its own entries");
    if (!leads()) return;
    constexpr std::uint32_t place =
        detail::entry_list<typename Chare::entries>::template place_among_numbered<Entry>();
    const detail::array_layout& a = array<Chare>();
    a.accepted[pe_.element * a.numbered + place] = next.number;
    pe_.me.kept.revisits = pe_.me.kept.count != 0;
    pe_.attends = pe_.attends || pe_.me.kept.revisits;
  }

  /// Adds a signal to a trigger, a member of a chare on the GPU of the chare `to`. The last of `all` signals
  /// runs that chare's entry, which sees everything that all threads wrote before these signals. Arguments
  /// are those of the last signal. Then the trigger is reset. The next round's senders must know, by that
  /// entry's work, that this round is over. A signal to another GPU is two stores, without a reply.
  template <auto Entry, class... A>
  IMBREX_DEVICE void signal(const target_index<Entry>& to, trigger& counter, std::uint32_t all,
                            const A&... arguments) {
    sync();
    signal_also<Entry>(to, counter, all, arguments...);
  }
  /// Like `signal`, without the `sync`: of other threads' writes, only those before their last `sync` or
  /// `signal` are visible. For the second and later signals in a row. Also for an entry of a chare on this
  /// PE, which runs after this entry has ended.
  template <auto Entry, class... A>
  IMBREX_DEVICE void signal_also(const target_index<Entry>& to, trigger& counter, std::uint32_t all,
                                 const A&... arguments) {
    using traits = detail::traits_of<Entry>;
    static_assert(sizeof...(A) == traits::arguments, "imbrex: wrong number of arguments for this entry");
    static_assert(!traits::in_parcel, "imbrex: a trigger's entry has at most 8 bytes of arguments");
    if (!leads()) return;
    if (all == 0) return pe_.fail(detail::failure_kind::wrong_signals, 0);
    if (pe_.m.gpus != 1) {
      using target = typename traits::chare;
      if (!detail::contains(array<target>(), to)) return missing<Entry>(to);
      const std::uint32_t element = detail::linear(array<target>(), to);
      const std::uint32_t pe = array<target>().pe_of(element);
      const auto offset = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&counter) -
                                                     pe_.m.links.heaps.at[pe_.m.gpu_of(pe)]);
      if (offset >= pe_.m.links.heaps.bytes) return pe_.fail(detail::failure_kind::trigger_elsewhere);
      if (all > detail::most_signals) return pe_.fail(detail::failure_kind::wrong_signals, all);
      if (!pe_.m.is_here(pe)) {
        item last;
        make_item<Entry>(last, element, arguments...);
        last.meta |= is_ordered;
        return pe_.post_across(pe, {detail::signal_to(offset, all), detail::meta_of(detail::signal_comes, 0)},
                               last, 2);
      }
    }
    if (counter.add(all)) post<Entry>(to, is_ordered, arguments...);
  }

  /// Writes value n of a channel of the chare `to`, from `from` on. Then runs that chare's entry, whose only
  /// argument is n. The entry reads the value from `local(there.buffer(n))`. `from` is aligned to 16 bytes.
  template <auto Entry, class T>
  IMBREX_DEVICE void put(const target_index<Entry>& to, const channel<T>& there, std::uint32_t n,
                         const T* from) {
    using target = typename detail::traits_of<Entry>::chare;
    if (!detail::contains(array<target>(), to)) {
      if (leads()) missing<Entry>(to);
      return;
    }
    put(there.buffer(n), gpu_of<target>(to), from);
    send_ordered<Entry>(to, n);
  }

  /// Writes a number into flags of a GPU, words of symmetric memory. The number follows everything that the
  /// PE's threads put there before their last `sync`.
  IMBREX_DEVICE void write(const symmetric<std::uint32_t>& flags, std::uint32_t of_gpu, std::uint32_t value) {
    if (!leads()) return;
    std::uint32_t* const to = remote(flags, of_gpu);
    if (to == nullptr) return pe_.fail(detail::failure_kind::missing_gpu, of_gpu);
    if (!is_in_heap(flags)) return;
    for (std::uint64_t n = 0; n < flags.size; ++n) {
      system_memory::store_release(to[n], value);
      detail::take_step(pe_.m.steps, detail::step::flag, reinterpret_cast<std::uintptr_t>(to + n), of_gpu,
                        value);
    }
  }
  /// Waits until each of these flags on this GPU has reached `value`: until (flag - value) is not negative as
  /// a signed number. All threads then see everything written before. False if the run ends meanwhile: the
  /// entry returns. The PE runs nothing else until then, so the flags' writers must not need it. If an entry
  /// may wait as long as `settings::patience`, raise that setting.
  IMBREX_DEVICE bool wait(const symmetric<std::uint32_t>& flags, std::uint32_t value) {
    return of_first([&] {
      if (!is_in_heap(flags)) return false;
      std::uint32_t* const own = local(flags);
      for (std::uint64_t n = 0; n < flags.size; ++n) {
        for (std::uint32_t looks = 0;
             static_cast<std::int32_t>(system_memory::load_acquire(own[n]) - value) < 0; ++looks)
          if (!waits(looks)) return false;
        detail::take_step(pe_.m.steps, detail::step::seen, reinterpret_cast<std::uintptr_t>(own + n), 0,
                          value);
      }
      return true;
    });
  }

  /// Waits for the PEs of all GPUs, which have one PE each. All GPUs make the same calls of `barrier`,
  /// `all_reduce` and `broadcast_from`, in one order, from any entries. Everything put anywhere before the
  /// call is visible to all after it. False if the run ends meanwhile: the entry returns. As for `wait`, the
  /// PE runs nothing else until then.
  IMBREX_DEVICE bool barrier() {
    sync();
    return of_first([&] { return gather(0, [](std::uint32_t, std::uint64_t) {}); });
  }
  /// Combines the values of all GPUs, in the order of GPUs, and stores the result in `value`: at most 8
  /// bytes. `value` is a variable of each thread, since each thread gets the result there. Let one thread
  /// assign it to a member of a chare afterwards.
  template <class V, class Operation>
  IMBREX_DEVICE bool all_reduce(V& value, Operation combine) {
    static_assert(std::is_trivially_copyable_v<V> && sizeof(V) <= 8,
                  "imbrex: GPUs reduce a value of at most 8 bytes, or symmetric memory");
    sync();
    std::uint64_t& all = pe_.me.reduced;
    const bool done = of_first([&] {
      std::uint64_t bits = 0;
      __builtin_memcpy(&bits, &value, sizeof(V));
      return gather(bits, [&](std::uint32_t g, std::uint64_t one) {
        V its{}, before{};
        __builtin_memcpy(&its, &one, sizeof(V));
        __builtin_memcpy(&before, &all, sizeof(V));
        if (g != 0) its = combine(before, its);
        all = 0;
        __builtin_memcpy(&all, &its, sizeof(V));
      });
    });
    if (done) __builtin_memcpy(&value, &all, sizeof(V));
    return done;
  }
  /// Combines each element of symmetric memory over all GPUs. Each GPU combines a part of the elements, for
  /// all.
  template <class T, class Operation>
  IMBREX_DEVICE bool all_reduce(symmetric<T> what, Operation combine) {
    if (!is_in_heap(what) || !maps_all() || !barrier()) return false;
    const std::uint64_t each = (what.size + num_gpus() - 1) / num_gpus();
    const std::uint64_t first = each * gpu() < what.size ? each * gpu() : what.size;
    const std::uint64_t last = first + each < what.size ? first + each : what.size;
    for (std::uint64_t n = first + thread(); n < last; n += threads()) {
      T all = remote(what, 0)[n];
      for (std::uint32_t g = 1; g < num_gpus(); ++g) all = combine(all, remote(what, g)[n]);
      for (std::uint32_t g = 0; g < num_gpus(); ++g) remote(what, g)[n] = all;
    }
    for (std::uint32_t g = 0; g < num_gpus(); ++g)  // values are read and written
      if (g != gpu()) pass_put(g, 2 * (last - first) * sizeof(T));
    return barrier();
  }
  /// Copies the symmetric memory of `root` to all GPUs. If there is no such GPU the run ends with an error.
  template <class T>
  IMBREX_DEVICE bool broadcast_from(std::uint32_t root, const symmetric<T>& what) {
    if (root >= num_gpus()) {
      if (leads()) pe_.fail(detail::failure_kind::missing_gpu, root);
      return false;
    }
    if (!barrier()) return false;
    for (std::uint32_t g = 0; g < num_gpus() && root == gpu(); ++g)
      if (g != root) put(what, g, local(what));
    return barrier();
  }

  /// Lets the entry take `nanoseconds` of simulated time, as `imbrex::spend` does on a host. Does nothing in
  /// real time.
  IMBREX_DEVICE void spend(std::uint64_t nanoseconds) {
    if (leads()) detail::take_step(pe_.m.steps, detail::step::time, nanoseconds);
  }
  /// Lets the entry take the simulated time of its PE to read or write `bytes` of the device's memory.
  IMBREX_DEVICE void spend_copy(std::uint64_t bytes) {
    if (leads()) detail::take_step(pe_.m.steps, detail::step::bytes, bytes);
  }
  /// Lets the entry take the simulated time to write `bytes` of memory of the PE `to`. To another GPU they go
  /// over the links, and later messages to it arrive behind them. If there is no such PE the run ends with an
  /// error.
  IMBREX_DEVICE void spend_put(std::uint32_t to, std::uint64_t bytes) {
    if (to < num_pes()) return pass_put(to, bytes);
    if (leads()) pe_.fail(detail::failure_kind::missing_pe, to);
  }

  /// Ends the run with this value. Messages in flight are lost.
  IMBREX_DEVICE void exit(std::uint64_t value) {
    if (leads()) pe_.end(detail::stop_reason::exited, value);
  }
  /// Ends the run with an error that has this number.
  IMBREX_DEVICE void fail(std::uint64_t number) {
    if (leads()) pe_.fail(detail::failure_kind::of_program, number);
  }

 private:
  template <auto Entry, class... A>
  IMBREX_DEVICE void post(const target_index<Entry>& to, std::uint32_t order, const A&... arguments) {
    using traits = detail::traits_of<Entry>;
    static_assert(sizeof...(A) == traits::arguments, "imbrex: wrong number of arguments for this entry");
    if (!leads()) return;
    using target = typename traits::chare;
    if (!detail::contains(array<target>(), to)) return missing<Entry>(to);
    const std::uint32_t element = detail::linear(array<target>(), to);
    item i;
    if (!make_item<Entry>(i, element, arguments...)) return;
    i.meta |= order;
    if constexpr (traits::has_payload) {
      const auto* const head = reinterpret_cast<const detail::parcel_head*>(pe_.m.parcel(i.body));
      pass_put(array<target>().pe_of(element), std::uint64_t{head->size} * sizeof(typename traits::element));
    }
    pe_.post(array<target>().pe_of(element), i);
  }
  IMBREX_DEVICE void pass_put(std::uint32_t to, std::uint64_t bytes) {
    if (leads()) detail::take_step(pe_.m.steps, detail::step::put, bytes, to);
  }
  /// Number of a chare; any thread. If there is no such chare the run ends with an error, and the result is
  /// 0.
  template <class C>
  IMBREX_DEVICE std::uint32_t element_of(const typename C::index_type& i) const {
    if (__builtin_expect(detail::contains(array<C>(), i), 1)) return detail::linear(array<C>(), i);
    fail_about(detail::failure_kind::missing_chare, detail::table<list>::template array<C>(), i);
    return 0;
  }
  /// True if the memory lies within the heap. If not, the run ends with an error.
  template <class T>
  IMBREX_DEVICE bool is_in_heap(const symmetric<T>& what) const {
    const std::uint64_t bytes = pe_.m.links.heaps.bytes;
    if (what.offset <= bytes && what.size <= (bytes - what.offset) / sizeof(T)) return true;
    if (leads()) pe_.fail(detail::failure_kind::outside_heap, what.offset);
    return false;
  }
  IMBREX_DEVICE std::uint64_t& next_scratch() { return pe_.me.scratch[pe_.scratches++ % 2]; }
  /// Calls `find` on the first thread and returns its result on all threads.
  template <class Find>
  IMBREX_DEVICE bool of_first(Find&& find) {
    std::uint64_t& found = next_scratch();
    if (leads()) found = find() ? 1 : 0;
    sync();
    return found != 0;
  }
  /// True if this GPU can reach all others. If not, the run ends with an error.
  IMBREX_DEVICE bool maps_all() {
    for (std::uint32_t g = 0; g < num_gpus(); ++g)
      if (pe_.m.links.heaps.at[g] == nullptr) {
        if (leads()) pe_.fail(detail::failure_kind::missing_gpu, g);
        return false;
      }
    return true;
  }
  IMBREX_DEVICE bool waits(std::uint32_t looks) {
    return detail::wait_on<detail::pe_kind<Chare>>(pe_.m, pe_.me, pe_.pe, looks);
  }
  /// First thread only.
  template <class Use>
  IMBREX_DEVICE bool gather(std::uint64_t bits, Use&& use) {
    if (pe_.m.pes_here != 1) {
      pe_.fail(detail::failure_kind::not_one_pe, pe_.m.pes_here);
      return false;
    }
    if (pe_.m.gpus == 1) {
      use(0, bits);
      return true;
    }
    std::uint32_t looks = 0;
    return detail::gather_of_gpus(pe_.m, pe_.me, bits, [&] { return waits(looks++); }, use);
  }
  template <class C>
  IMBREX_DEVICE const detail::array_layout& array() const {
    return pe_.m.arrays[detail::table<list>::template array<C>()];
  }
  IMBREX_DEVICE std::uint32_t most_to_tell() const {
    return pe_.m.host.slot_bytes - static_cast<std::uint32_t>(sizeof(detail::host_slot));
  }
  /// Takes a parcel and returns its name; 0 if none is left.
  IMBREX_DEVICE std::uint64_t take_parcel() {
    const std::uint32_t one = pe_.m.parcels_of(pe_.place()).take(pe_.me.parcels);
    return one == 0 ? 0 : pe_.m.parcel_name(pe_.place(), one);
  }
  template <class Traits>
  IMBREX_DEVICE auto prepare_payload(std::uint32_t count, std::uint32_t most_bytes,
                                     detail::failure_kind otherwise) {
    using element = typename Traits::element;
    constexpr std::uint32_t offset = detail::payload_offset<Traits::fixed_bytes>;
    std::uint64_t& shared = next_scratch();
    if (leads()) {
      shared = 0;
      if (offset + std::uint64_t{count} * sizeof(element) > most_bytes)
        pe_.fail(otherwise, offset + std::uint64_t{count} * sizeof(element));
      else
        shared = take_parcel();
      if (shared != 0)
        *reinterpret_cast<detail::parcel_head*>(pe_.m.parcel(shared)) = {count, 0, 1};
      else
        pe_.relax();
    }
    sync();
    const std::uint64_t parcel = shared;
    if (parcel == 0) return payload<element>();
    return payload<element>(reinterpret_cast<element*>(pe_.m.parcel(parcel) + offset), count, parcel);
  }
  /// First thread only. Marks a payload as sent, which is allowed once. Either its sender has prepared it, or
  /// the entry that received it forwards it. In the latter case the entry does not return its parcel.
  /// Otherwise the run ends with an error.
  IMBREX_DEVICE bool gives_away(std::uint64_t parcel, bool to_chare) {
    if (to_chare && pe_.held == parcel) {
      pe_.held = 0;
      return true;
    }
    auto* const head = reinterpret_cast<detail::parcel_head*>(pe_.m.parcel(parcel));
    if (head->is_prepared == 0) {
      pe_.fail(detail::failure_kind::not_prepared);
      return false;
    }
    head->is_prepared = 0;
    return true;
  }
  template <auto Entry, class... A>
  IMBREX_DEVICE bool make_item(item& i, std::uint32_t element, const A&... arguments) {
    i.meta = detail::meta_of(detail::table<list>::template number<Entry>(), element);
    return fill_item<detail::traits_of<Entry>>(i, detail::failure_kind::no_parcel, arguments...);
  }
  template <class Traits, class... A>
  IMBREX_DEVICE bool fill_item(item& i, [[maybe_unused]] detail::failure_kind otherwise,
                               const A&... arguments) {
    if constexpr (!Traits::in_parcel) {
      if constexpr (Traits::arguments > 0) {
        typename Traits::fixed fixed;
        detail::pack(fixed, arguments...);
        __builtin_memcpy(&i.body, &fixed, sizeof(fixed));
      }
      return true;
    } else {
      if constexpr (Traits::has_payload) {
        static_assert(
            std::is_same_v<typename detail::last_argument<A...>::type, payload<typename Traits::element>>,
            "imbrex: the last argument for this entry is a payload of the type that it takes");
        i.body = detail::payload_in(arguments...).parcel();
      } else {
        i.body = take_parcel();
      }
      if (i.body == 0) {
        pe_.fail(otherwise);
        return false;
      }
      if constexpr (Traits::has_payload) {
        const auto& last = detail::payload_in(arguments...);
        const std::byte* const should = pe_.m.parcel(i.body) + detail::payload_offset<Traits::fixed_bytes>;
        if (reinterpret_cast<const std::byte*>(last.data()) != should) {
          pe_.fail(detail::failure_kind::prepared_otherwise);
          return false;
        }
        if (!gives_away(i.body, otherwise == detail::failure_kind::no_parcel)) return false;
      }
      i.meta |= is_ordered;
      if constexpr (Traits::fixed_bytes > 0) {
        typename Traits::fixed fixed;
        detail::pack(fixed, arguments...);
        __builtin_memcpy(pe_.m.parcel(i.body) + sizeof(detail::parcel_head), &fixed, sizeof(fixed));
      }
      return true;
    }
  }
  template <auto Entry, class Index>
  IMBREX_DEVICE void missing(const Index& to) {
    fail_about(detail::failure_kind::missing_element, detail::table<list>::template number<Entry>(), to);
  }
  template <class Index>
  IMBREX_DEVICE void fail_about(detail::failure_kind kind, std::uint32_t what, const Index& where) const {
    pe_.fail(kind, 0, [&](detail::failure& f) {
      f.about_entry = what;
      for (int d = 0; d < Index::dimensions; ++d) f.about_place[d] = static_cast<std::uint32_t>(where[d]);
    });
  }
  pe_context& pe_;
};

}  // namespace imbrex::resident
