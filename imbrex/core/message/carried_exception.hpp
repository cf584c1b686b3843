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

/// An exception on its way to another PE. Within a process it is the exception itself; through bytes, types
/// of the standard library and `foreign_error` arrive as themselves with their text, all others as
/// `remote_error`. Whoever sends one has left its handler and keeps no reference: then what was done with it
/// here comes before what is done there.
class carried_exception {
 public:
  carried_exception() = default;
  /// `thrower` says who threw it; empty if its text says enough.
  explicit carried_exception(std::exception_ptr thrown, const std::string& thrower = {})
      : thrown_(std::move(thrown)),
        thrower_(thrower.empty() ? nullptr : std::make_shared<const std::string>(thrower)) {}

  explicit operator bool() const { return thrown_ != nullptr; }
  const std::exception_ptr& get() const { return thrown_; }
  /// Gives it away.
  std::exception_ptr take() { return std::exchange(thrown_, nullptr); }
  /// Who threw it; empty if nobody said so.
  std::string thrower() const { return thrower_ ? *thrower_ : std::string(); }
  /// One line for people: its text, and who threw it unless that is `known` to the reader.
  std::string description(const std::string& known = {}) const;

  void serialize(writer& out);
  void serialize(reader& in);

 private:
  std::string type_name() const;
  std::string what() const;
  /// The bytes of a foreign_error; null if it is none.
  const std::vector<std::byte>* foreign_form() const;
  static std::exception_ptr make(const std::string& type, const std::string& text);

  std::exception_ptr thrown_;
  std::shared_ptr<const std::string> thrower_;
};

/// What is being handled, in a line.
std::string describe_current_exception();

}  // namespace detail
}  // namespace imbrex
