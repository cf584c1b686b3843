// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/local_array.hpp>

// Reports exceptions of entries to senders, or to the run.

namespace imbrex::detail {

/// Replies to a message with an exception. Without a reply address the run ends.
void fail_request(message& request, const std::string& who, carried_exception why);

/// Notifies the sender of a message, if it wants a reply, that the element has ended and was skipped.
void answer_none_found(const message& request);

/// "block(1, 2), entry run, on PE 3"
std::string describe_entry(const chare_header& element, const message_type& entry);
/// Describes an exception that left an entry. The entry counts as its thrower, unless `begun` knows another
/// one.
carried_exception thrown_by_entry(const chare_header& element, const message_type& entry,
                                  std::exception_ptr why, const scope* begun = nullptr);
/// Handles an exception that left an entry called by a message; `begun` is the entry's scope if it may have
/// suspended. Calls `fail_request` with a description. If memory for the report is lacking, the run ends
/// without it.
void fail_entry(message& request, const chare_header& element, std::exception_ptr why,
                const scope* begun = nullptr) noexcept;
/// Like `fail_entry`, for an entry whose result is not awaited.
void fail_unanswered(const chare_header& element, const message_type& entry, std::exception_ptr why) noexcept;

/// An exception that is passed on after its handler has been left, so that it has no other owner. A union
/// without a destructor, which avoids the cost when nothing was thrown: a kept exception must be taken.
union late_exception {
  late_exception() {}
  ~late_exception() {}
  late_exception(const late_exception&) = delete;
  late_exception& operator=(const late_exception&) = delete;

  /// Call in the handler.
  void keep() noexcept { ::new (&thrown_) std::exception_ptr(std::current_exception()); }
  std::exception_ptr take() noexcept {
    std::exception_ptr taken = std::move(thrown_);
    thrown_.~exception_ptr();
    return taken;
  }

 private:
  std::exception_ptr thrown_;
};

/// Ends all entries of an element; awaiters of their results get an error with the text `why`.
void end_entries(chare_header& element, const std::string& why);

}  // namespace imbrex::detail
