// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/local_array.hpp>

// Messages of the runtime for one PE's part of an array.

namespace imbrex::detail {

/// Calls `deliver` with this PE's part of the array that a message is for; `deliver` takes the message.
/// The PE holds the message while the part does not exist.
template <class M, class Deliver>
void deliver_to_part(M& m, Deliver deliver) {
  auto& pe = processor::here();
  auto* const part = array_at(pe, m.collection);
  if (part == nullptr) return pe.hold(m);
  deliver(*part);
}

/// The PE that sent a request, and the address for its reply.
struct requester {
  int pe = 0;
  reply_address reply{};
};

/// The name of a request in reports.
template <std::size_t Size>
struct request_name {
  char characters[Size];

  consteval request_name(const char (&name)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) characters[i] = name[i];
  }
  constexpr operator std::string_view() const { return {characters, Size - 1}; }
};

template <class Function>
struct request_function;
template <class Of, class... P>
struct request_function<void (Of::*)(P...)> {
  using object = Of;
  using arguments = std::tuple<std::remove_cvref_t<P>...>;
  static constexpr bool takes_requester = false;
};
template <class Of, class... P>
struct request_function<void (Of::*)(const requester&, P...)> : request_function<void (Of::*)(P...)> {
  static constexpr bool takes_requester = true;
};

// A function without an object gets the part as its first argument.
template <class Of, class... P>
struct request_function<void (*)(Of&, P...)> : request_function<void (Of::*)(P...)> {};
template <class Of, class... P>
struct request_function<void (*)(Of&, const requester&, P...)>
    : request_function<void (Of::*)(const requester&, P...)> {};

/// Calls a function with a PE's part of an array, or a member function of the part or of one of its stations.
/// The message carries the arguments, without a `requester`.
template <auto Function, request_name Name>
struct request_to_part final : message {
  using traits = request_function<decltype(Function)>;

  typename traits::arguments arguments;

  request_to_part() = default;
  template <class... A>
  explicit request_to_part(std::in_place_t, A&&... a) : arguments(std::forward<A>(a)...) {}

  static inline message_type type_record = message_type(
      type_name<request_to_part>(), {}, {}, functions_of<request_to_part>(Name.characters), {Name});
  void serialize(auto& ar) {
    std::apply([&ar](auto&... each) { (ar(each), ...); }, arguments);
  }
  void deliver() {
    deliver_to_part(*this, [this](local_array& part) {
      const message_guard guard(*this);
      auto& object = part.as<typename traits::object>();
      std::apply(
          [&](auto&... each) {
            if constexpr (traits::takes_requester)
              call(object, requester{static_cast<int>(origin), reply}, std::move(each)...);
            else
              call(object, std::move(each)...);
          },
          arguments);
    });
  }

 private:
  template <class... A>
  static void call(typename traits::object& object, A&&... values) {
    if constexpr (std::is_member_function_pointer_v<decltype(Function)>)
      (object.*Function)(std::forward<A>(values)...);
    else
      Function(object, std::forward<A>(values)...);
  }
};

/// Sends a request to PE `to`, for its part of the same array.
template <class Request, class... A>
void send_request(const local_array& from, int to, A&&... arguments) {
  auto& m = make_message<Request>(std::in_place, std::forward<A>(arguments)...);
  m.collection = from.id();
  from.pe().dispatch(m, to);
}

}  // namespace imbrex::detail
