// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/core/array/chare_functions.hpp>
#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/owned_span.hpp>

namespace imbrex::detail {

/// An element that is migrating to another PE. Between threads the object itself is passed. Between processes
/// it is unpacked at delivery: then its array is known, and code of its class runs as an entry does.
struct migrant_base : message {
  chare_header* element = nullptr;  ///< null while the element is still packed
  message* restart = nullptr;
  owned_span<std::byte> packed;

  migrant_base(const migrant_base&) = delete;
  migrant_base& operator=(const migrant_base&) = delete;

  /// Lists the attachments of unread values in the element's ports, which are sent as those of messages.
  void collect(std::vector<attachment*>& parts);
  bool holds_attachments() {
    const bool may_hold = kind().attachments->next_port != nullptr || chares_.collect_unread != nullptr ||
                          (restart != nullptr && restart->has_attachments);
    return may_hold && finds_attachments();
  }

 protected:
  explicit migrant_base(const chare_functions& of) : chares_(of) {}
  ~migrant_base();

  void serialize_element(writer& out);
  void serialize_element(reader& in);
  /// Gives the element to this PE's part of its array, and destroys the message.
  void arrive_at(collection_base& part);

 private:
  bool finds_attachments();
  void unpack(collection_base& part);
  void construct(chare_header& h) const;

  const chare_functions& chares_;
};

}  // namespace imbrex::detail
