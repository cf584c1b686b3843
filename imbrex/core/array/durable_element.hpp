// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements as bytes that outlive their run.

#include <utility>

#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/serial/class_schema.hpp>

namespace imbrex::detail {

/// Writes an element as bytes that any run of the program can read: its key, its state, and the message that
/// calls again the entry that waits at a balance point. `restart` is null if none waits. The element stays as
/// it is. Throws imbrex::error with the element and the class of the member if it cannot be saved.
void write_saved(chare_header& e, message* restart, name_writer& names, writer& out);

/// An element that was read, and how it goes on.
struct saved_element {
  chare_header* element = nullptr;
  owner<message, message_deleter> restart;  ///< calls the entry again; null if none waited
  bool was_awaited = false;                 ///< somebody waited for the result of that entry
};
/// Makes an element from bytes of `write_saved`, on this PE, and adds it to the part. The bytes may be of any
/// origin. Throws serial_error and imbrex::error with a description; then no element was added.
saved_element read_saved(collection_base& part, name_reader& names, reader& in);

/// Gives a chare of a group, which each run makes anew, the state of one that was saved. Throws as
/// `read_saved`; then the chare has part of that state.
void refill(chare_header& e, name_reader& names, reader& in);

/// A chare of a group that was saved, apart from the group.
class saved_copy {
 public:
  /// Throws as `read_saved`.
  saved_copy(collection_base& part, name_reader& names, reader& in);
  saved_copy(saved_copy&& other) noexcept
      : part_(other.part_), element_(std::exchange(other.element_, nullptr)) {}
  saved_copy& operator=(saved_copy&&) = delete;
  ~saved_copy();

  chare_header& header() const { return *element_; }

 private:
  collection_base* part_;
  chare_header* element_ = nullptr;
};

/// Describes the class of a part's elements, by an element that the default constructor makes. The state of
/// elements, such as unread messages, thus does not change it. Throws as the constructor does.
class_schema schema_of_blank(collection_base& part, class_schema (*describe)(chare_header& element));

/// Throws imbrex::error with a description if something is on its way to elements of the part, or a
/// collective of it has begun and not ended. For a moment in which no PE has anything to do.
void check_at_rest(const collection_base& part);

}  // namespace imbrex::detail
