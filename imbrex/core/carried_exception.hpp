// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace imbrex {

class reader;
class writer;

namespace detail {

/// An exception on its way to another PE. Within a process it is the exception itself; through bytes, types
/// of the standard library arrive as themselves with their text, all others as `remote_error`. Whoever sends one
/// has left its handler and keeps no reference: then what was done with it here comes before what is done there.
class carried_exception {
 public:
  carried_exception() = default;
  explicit carried_exception(std::exception_ptr thrown) : thrown_(std::move(thrown)) {}

  explicit operator bool() const { return thrown_ != nullptr; }
  const std::exception_ptr& get() const { return thrown_; }
  /// Gives it away.
  std::exception_ptr take() { return std::exchange(thrown_, nullptr); }

  void serialize(writer& out);
  void serialize(reader& in);

 private:
  std::string type_name() const;
  std::string what() const;
  static std::exception_ptr make(const std::string& type, const std::string& text);

  std::exception_ptr thrown_;
};

}  // namespace detail
}  // namespace imbrex
