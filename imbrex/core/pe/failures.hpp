// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/local_array.hpp>

// Who is told of what entries throw.

namespace imbrex::detail {

/// Answers the sender of a message with an exception; without an addressee the run ends.
void fail_request(message& request, const std::string& who, carried_exception why);

/// Tells the sender of a message, if it wants an answer, that the element has ended and so was passed over.
void answer_none_found(const message& request);

/// "block(1, 2), entry run, on PE 3"
std::string describe_entry(const chare_header& element, const message_type& entry);
/// An exception left that entry: it threw it, unless it was given it by who did.
carried_exception thrown_by_entry(const chare_header& element, const message_type& entry,
                                  std::exception_ptr why, const scope* begun = nullptr);
/// An exception left the entry of an element that a message calls, which may have `begun` to wait:
/// `fail_request` with its description. It may be for want of memory: then there may be none to tell of it,
/// and the run ends by itself.
void fail_entry(message& request, const chare_header& element, std::exception_ptr why,
                const scope* begun = nullptr) noexcept;
/// The same of an entry whose result nobody awaits.
void fail_unanswered(const chare_header& element, const message_type& entry, std::exception_ptr why) noexcept;

/// An exception that is handed on once its handler is left, so that it has no other owner. It has no
/// destructor that would be passed where nothing was thrown: what was kept is taken.
union late_exception {
  late_exception() {}
  ~late_exception() {}
  late_exception(const late_exception&) = delete;
  late_exception& operator=(const late_exception&) = delete;

  /// In the handler.
  void keep() noexcept { ::new (&thrown_) std::exception_ptr(std::current_exception()); }
  std::exception_ptr take() noexcept {
    std::exception_ptr taken = std::move(thrown_);
    thrown_.~exception_ptr();
    return taken;
  }

 private:
  std::exception_ptr thrown_;
};

/// Ends all entries of an element; whoever awaits their results gets an error with that text.
void end_entries(chare_header& element, const std::string& why);

}  // namespace imbrex::detail
