// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/array/chare_functions.hpp>
#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/owned_span.hpp>

namespace imbrex::detail {

/// Attachments that travel beside the bytes of an element.
class separate_parts : public part_carrier {
 public:
  virtual ~separate_parts() = default;
  virtual void collect(std::vector<attachment*>& parts) = 0;
};

/// An element that is migrating to another PE. Between threads the object itself is passed, unless its
/// attachments must change their place. Between processes it is unpacked at delivery: then its array is
/// known, and code of its class runs as an entry does.
struct migrant_base : message {
  chare_header* element = nullptr;  ///< null while the element is still packed
  message* restart = nullptr;
  owned_span<std::byte> packed;
  owner<separate_parts> beside;  ///< attachments that `packed` lacks; null: none

  migrant_base(const migrant_base&) = delete;
  migrant_base& operator=(const migrant_base&) = delete;

  /// Lists the attachments of unread values in the element's ports, which are sent as those of messages, and
  /// those of its members. Returns true if its `serialize` names host memory that attachments are copied to.
  bool collect(std::vector<attachment*>& parts);
  /// Lists the attachments that the element's `serialize` names, without unread values; returns as `collect`.
  bool collect_members(std::vector<attachment*>& parts);
  bool holds_attachments() {
    const bool may_hold = kind().attachments->next_port != nullptr || chares_.collect_unread != nullptr ||
                          (restart != nullptr && restart->has_attachments);
    return may_hold && finds_attachments();
  }
  /// True if the element can be made anew from its bytes, in the same process.
  bool can_be_packed() const { return element != nullptr && !is_object && !chares_.is_pickled; }
  /// Writes the element, and ends it here. Its attachments go to `parts`.
  void pack(owner<separate_parts> parts);

 protected:
  explicit migrant_base(const chare_functions& of) : chares_(of) {}
  ~migrant_base();

  void serialize_element(writer& out);
  void serialize_element(reader& in);
  /// Gives the element to this PE's part of its array, and destroys the message.
  void arrive_at(collection_base& part);

 private:
  void collect_unread(std::vector<attachment*>& parts);
  bool finds_attachments();
  void end_element() noexcept;
  void write_object(writer& out);
  void unpack(collection_base& part);
  void construct(chare_header& h) const;

  const chare_functions& chares_;
};

/// Completes the attachments of elements that arrive on a PE.
class arrival_desk {
 public:
  /// True if the element's attachments are still on their way. The desk then has the message, and delivers it
  /// again once they have arrived.
  virtual bool keeps(migrant_base& m) = 0;

 protected:
  ~arrival_desk() = default;
};
/// The desk of each PE; null if messages of the run have no attachments. It is kept by `processor::local`.
struct desk_of_arrivals {
  arrival_desk* desk = nullptr;
};

/// Sends an element that has left. The elements that leave for one PE at the end of the same item go in one
/// message. `m` goes alone if it has attachments or cannot be packed.
void send_migrant(processor& pe, migrant_base& m, int to);

}  // namespace imbrex::detail
