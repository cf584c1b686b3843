// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kinds of messages that a front end defines: how they are registered, packed and sent.
//
// A kind is a class derived from `message_to<Index>`, with a static record and three functions:
//
//     struct halt : extension::message_to<index<1>> {
//       std::int32_t after = 0;
//       static inline extension::message_kind type_record = extension::register_kind<halt>();
//       void serialize(auto& ar) { ar(key, after); }  // to and from bytes, between processes
//       void deliver();                               // on the addressee's PE; consumes the message
//     };
//
// A message is made by `make_message`, and leaves by `send_to_element` (chare.hpp). All processes of a job
// register the same kinds, before main.

#include <string_view>
#include <utility>

#include <imbrex/core/array/location.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/owned_span.hpp>
#include <imbrex/core/message/wire.hpp>

namespace imbrex::extension {

/// The record of a kind. It must be static, since it registers itself.
using message_kind = detail::message_type;
/// The text of a kind in reports and traces.
using message_purpose = detail::message_purpose;

/// The base of messages to elements of arrays with this type of index: `collection` is the number of the
/// array (`local_elements::collection`), `key` that of the element.
template <class Index>
using message_to = detail::element_message<detail::key_type<Index>>;

/// The base of messages to a PE, which no element gets.
using message_to_pe = detail::message;

/// Makes the record of kind M. `immediate`: a message from another process is delivered while its PE polls
/// the network. Then `deliver` may only match, copy and queue, and neither sends nor waits.
template <class M>
message_kind register_kind(const message_purpose& purpose = {}, bool immediate = false) {
  return detail::runtime_message_type<M>(purpose, immediate);
}

/// True if the items of this type are messages, and the spelling of their kind, with all its types, does not
/// contain `text`.
bool is_message_without(const detail::work_type* type, std::string_view text);

/// `make_message<M>(arguments...)`: a message in memory of this PE. Whoever has it sends or destroys it.
using detail::make_message;
/// `message_guard guard(m)`: destroys the message at the end of the block, unless `release` was called.
using detail::message_guard;

// Bytes of kinds that pack themselves, whose records do not come from `register_kind`.

/// `pack_header(m, out)` and `unpack_header(m, in)`: the fields of every message but the key. Throws
/// serial_error.
using detail::pack_header;
using detail::unpack_header;
/// `process_key(key, archive)`: writes or reads the key of an element.
using detail::process_key;
/// `pack_number(n, out)`, `unpack_number(in)`: a number of 64 bits, in 1 to 10 bytes. `unpack_short_number`
/// reads one of at most 32 bits. Throws serial_error.
using detail::pack_number;
using detail::unpack_number;
using detail::unpack_short_number;

/// The elements of a span in a message: a vector that was moved in or is shared, or a copy.
template <class E>
using owned_span = detail::owned_span<E>;

}  // namespace imbrex::extension
