// SPDX-License-Identifier: Apache-2.0
#pragma once
// Short messages between processes. The sender writes bytes without making a message, and the receiver runs
// from those bytes. The format is that of `pack_message`, so either side may also use an ordinary message. By
// ordinary messages alone, one of 8 bytes takes 28 % more instructions (1,295 for 1,014).

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/message/short_item.hpp>

namespace imbrex::detail {

/// Longer values are sent in a message: writing them in place would copy more often.
inline constexpr std::size_t longest_short_value = 256;

/// Writes an argument of type A for a parameter stored as a P without making the P, if `is_possible`. Runs no
/// code of the program, which might send in between.
template <class P, class A>
struct short_argument {
  static constexpr bool is_possible = false;
};

/// Numbers and bitwise types.
template <class P, class A>
  requires(kind_of<P>() == kind::bits || std::is_same_v<P, bool>)
struct short_argument<P, A> {
  using argument_type = std::remove_cvref_t<A>;
  static constexpr bool is_possible =
      sizeof(P) <= longest_short_value && !std::is_volatile_v<std::remove_reference_t<A>> &&
      (std::is_same_v<argument_type, P> || (std::is_arithmetic_v<P> && std::is_arithmetic_v<argument_type>));
  static std::size_t size(const argument_type&) { return sizeof(P); }
  static void write(short_output& out, const argument_type& input) {
    if constexpr (std::is_same_v<argument_type, P>) {
      process(out, input);
    } else {
      const auto converted = static_cast<P>(input);
      process(out, converted);
    }
  }
};

template <class Argument, class E>
inline constexpr bool shows_elements = false;
template <class Argument, std::size_t N, class E>
inline constexpr bool shows_elements<std::span<Argument, N>, E> =
    std::is_same_v<std::remove_const_t<Argument>, E>;
template <class Allocator, class E>
inline constexpr bool shows_elements<std::vector<E, Allocator>, E> = true;
template <std::size_t N, class E>
inline constexpr bool shows_elements<std::array<E, N>, E> = true;

/// Elements of lvalues and spans. Rvalue containers are excluded, since a vector that is passed by move would
/// keep its elements.
template <class E, class A>
  requires(bitwise<E> && (std::is_lvalue_reference_v<A> || is_span<std::remove_cvref_t<A>>))
struct short_argument<owned_span<E>, A> {
  using argument_type = std::remove_cvref_t<A>;
  static constexpr bool is_shared = std::is_same_v<argument_type, std::shared_ptr<const std::vector<E>>>;
  static constexpr bool is_possible = is_shared || shows_elements<argument_type, E>;
  static std::span<const E> shown(const argument_type& input) {
    if constexpr (is_shared)
      return input ? std::span<const E>(*input) : std::span<const E>();
    else
      return input;
  }
  static std::size_t size(const argument_type& input) {
    return sizeof(std::uint64_t) + shown(input).size_bytes();
  }
  static void write(short_output& out, const argument_type& input) { process_block(out, shown(input)); }
};

/// Throws imbrex::error if an integer is too large for a reference number; called before the conversion.
template <class Reference, class V>
void check_reference(const Reference& reference, const V&) {
  if constexpr (std::is_integral_v<Reference>)
    static_cast<void>(narrow<std::int64_t, reference_words>(reference));
}

/// The part of a message to M that follows the key.
template <auto M>
struct written_arguments {
  using type = typename traits_of<M>::arguments;
};
template <auto M>
  requires is_port<M>
struct written_arguments<M> {
  using type = std::tuple<std::int64_t, typename traits_of<M>::value_type>;
};

template <class Stored, class... A>
struct short_arguments {
  static constexpr bool are_possible = false;
};
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
struct short_arguments<std::tuple<P...>, A...> {
  static constexpr bool are_possible = (short_argument<P, A>::is_possible && ...);
  static std::size_t size(const std::remove_reference_t<A>&... input) {
    return (std::size_t{0} + ... + short_argument<P, A>::size(input));
  }
  static void write([[maybe_unused]] short_output& out, const std::remove_reference_t<A>&... input) {
    (short_argument<P, A>::write(out, input), ...);
  }
};

/// Sends a message for entry M of an element to a PE behind `remote_endpoint`, if the message can be
/// written at once. `collection` is the collection's number. Returns the number of bytes written: 0, without
/// any effect, if it cannot.
template <class T, auto M, class... A>
std::size_t send_as_bytes(endpoint& remote_endpoint, int to, const element<T>& who, std::uint64_t collection,
                          const std::remove_reference_t<A>&... arguments) {
  using input = short_arguments<typename written_arguments<M>::type, A...>;
  if constexpr (is_port<M> && sizeof...(A) == 1) {
    return send_as_bytes<T, M, std::int64_t, A...>(remote_endpoint, to, who, collection, 0,
                                                   arguments...);  // 0 is the reference number
  } else if constexpr (!input::are_possible || !std::is_same_v<typename element<T>::key, std::uint64_t>) {
    return 0;
  } else {
    if constexpr (is_port<M>) check_reference(arguments...);
    constexpr std::size_t most_before = longest_plain_header + longest_packed_number;
    const std::size_t most = most_before + input::size(arguments...);
    if (most > endpoint::longest_written) return 0;
    const bool may_wait = who.is_coalesced() && most <= most_before + endpoint::longest_that_waits;
    std::byte* const room = remote_endpoint.room_for(to, most, may_wait);
    if (room == nullptr) return 0;
    short_output out(room);
    pack_plain_header({entry_message<T, M>::type_record.id,
                       static_cast<std::uint32_t>(scheduler::current()->pe()), collection},
                      out);
    pack_number(who.key_value(), out);
    input::write(out, arguments...);
    remote_endpoint.send_written(out.size(), may_wait);
    return out.size();
  }
}

/// A stored argument that is read from the bytes, if `is_possible`.
template <class P>
struct short_parameter {
  static constexpr bool is_possible = false;
};

template <class P>
  requires((kind_of<P>() == kind::bits || std::is_same_v<P, bool>) && sizeof(P) <= longest_short_value)
struct short_parameter<P> {
  static constexpr bool is_possible = true;
  explicit short_parameter(reader& in) { process(in, value); }
  P value{};
};

template <class E>
  requires(bitwise<E> && alignof(E) <= pool::granule)
struct short_parameter<owned_span<E>> {
  static constexpr bool is_possible = true;
  explicit short_parameter(reader& in) {
    const auto bytes = in.view(read_count(in, sizeof(E)) * sizeof(E));
    if constexpr (alignof(E) == 1) {
      value = {reinterpret_cast<const E*>(bytes.data()), bytes.size() / sizeof(E)};
    } else {
      copy_bytes(aligned_.data(), bytes.data(), bytes.size());
      value = {reinterpret_cast<const E*>(aligned_.data()), bytes.size() / sizeof(E)};
    }
  }
  short_parameter(const short_parameter&) = delete;
  short_parameter& operator=(const short_parameter&) = delete;
  std::span<const E> value;

 private:
  alignas(E) std::array<std::byte, alignof(E) == 1 ? 1 : endpoint::longest_written> aligned_;
};

template <class Arguments>
inline constexpr bool are_short_parameters = false;
template <class... P>
inline constexpr bool are_short_parameters<std::tuple<P...>> = (short_parameter<P>::is_possible && ...);

/// Runs entry M of a T, which does not suspend, from the bytes of a short message.
template <class T, auto M>
class short_call {
 public:
  /// `work_type::addressee`
  static chare_header* addressee(const work& w) {
    const auto& item = static_cast<const short_item&>(w);
    auto* const part = part_at<T>(processor::running_here(), item.collection);
    return part != nullptr ? part->find(item.key) : nullptr;
  }
  static void run(work& w) {
    if (chare_header* const e = addressee(w)) [[likely]]
      return run_at(w, *e);
    const held holder{static_cast<short_item&>(w)};
    unpack_and_deliver(holder.item);
  }
  /// `work_type::run_at`
  static void run_at(work& w, chare_header& e) {
    const held holder{static_cast<short_item&>(w)};
    reader in(holder.item.bytes().subspan(holder.item.arguments));
    try {
      call(e, in);
    } catch (const serial_error&) {
      unpack_and_deliver(holder.item);  // throws the same error with the message's name
    }
  }

 private:
  using traits = traits_of<M>;
  using arguments = typename traits::arguments;
  using unpacked_message = entry_message<T, M>;
  struct held {
    short_item& item;
    ~held() { short_item::destroy(item); }
  };

  /// Throws serial_error if the bytes are not valid arguments, and nothing else.
  template <class... Before>
  static void call(chare_header& e, reader& in, Before&... before) {
    if constexpr (sizeof...(Before) < traits::arity) {
      short_parameter<std::tuple_element_t<sizeof...(Before), arguments>> next(in);
      call(e, in, before..., next);
    } else {
      in.finish();
      invoke(e, std::index_sequence_for<Before...>(), before...);
    }
  }
  template <std::size_t... I, class... Read>
  static void invoke(chare_header& e, std::index_sequence<I...>, Read&... read) {
    late_exception thrown;
    try {
      static_cast<void>((element_memory<T>::object(e).*
                         M)(argument_as<typename traits::template parameter<I>>(read.value)...));
      return;
    } catch (...) {
      thrown.keep();
    }
    fail_unanswered(e, shown_kind_of<T, M>(read.value...), thrown.take());
  }
  /// Passes a value that was read to a parameter of type P: a P by value, or a span.
  template <class P, class Value>
  static decltype(auto) argument_as(Value& value) {
    if constexpr (std::is_lvalue_reference_v<P>)
      return static_cast<P>(value);
    else
      return std::move(value);
  }
  /// Slow path: the element is not here, or the bytes are malformed.
  [[gnu::noinline]] static void unpack_and_deliver(const short_item& item) {
    reader in(item.bytes());
    static_cast<unpacked_message&>(unpacked(unpacked_message::type_record, in)).deliver();
  }
};

template <class T, auto M>
const work_type* short_work_type() {
  if constexpr (is_port<M> || !is_index<typename T::index_type>) {
    return nullptr;
  } else if constexpr (!std::is_member_pointer_v<decltype(M)> || traits_of<M>::suspends ||
                       !are_short_parameters<typename traits_of<M>::arguments>) {
    return nullptr;
  } else {
    static constexpr work_type functions{entry_spelling<T, M>::display_name.data(),
                                         &short_call<T, M>::run,
                                         &short_item::destroy,
                                         nullptr,
                                         nullptr,
                                         false,
                                         &short_call<T, M>::addressee,
                                         &short_call<T, M>::run_at};
    return &functions;
  }
}

}  // namespace imbrex::detail
