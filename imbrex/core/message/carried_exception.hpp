// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace imbrex {

class reader;
class writer;

namespace detail {

/// An exception that is sent to another PE. Within a process the exception object itself is passed. Between
/// processes, exceptions of the standard library and `foreign_error` arrive with their type and text, all
/// others as `remote_error`. The sender must have left the handler and must keep no reference. Then
/// everything done with the exception here happens before everything done with it there.
class carried_exception {
 public:
  carried_exception() = default;
  /// `thrower` names the thrower; empty if the exception's text is enough.
  explicit carried_exception(std::exception_ptr thrown) : thrown_(std::move(thrown)) {}
  carried_exception(std::exception_ptr thrown, const std::string& thrower);

  explicit operator bool() const { return thrown_ != nullptr; }
  const std::exception_ptr& get() const { return thrown_; }
  /// Returns the exception and leaves this empty.
  std::exception_ptr take() { return std::exchange(thrown_, nullptr); }
  /// The name of the thrower; empty if none was given.
  std::string thrower() const;
  /// One line for people: the text, and the thrower unless the reader knows it (`known`).
  std::string description(const std::string& known = {}) const;

  void serialize(writer& out);
  void serialize(reader& in);

 private:
  std::string type_name() const;
  std::string what() const;
  /// The bytes of a `foreign_error`; null for other exceptions.
  const std::vector<std::byte>* foreign_form() const;
  static std::exception_ptr make(const std::string& type, const std::string& text);

  std::exception_ptr thrown_;
  std::shared_ptr<const std::string> thrower_;
};

/// Describes the exception being handled in one line.
std::string describe_current_exception();

}  // namespace detail
}  // namespace imbrex
