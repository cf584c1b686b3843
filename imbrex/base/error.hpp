// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace imbrex {

/// The base of every exception that Imbrex itself throws. Its text names the value that was wrong and the
/// remedy.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user requested something impossible: a bad option value, more chares than cells.
class usage_error : public error {
 public:
  using error::error;

  /// Exit status of a program that fails with this error, as shells and other tools use it.
  static constexpr int exit_status = 2;
};

/// Replaces an exception whose own type could not be sent to the waiting code; `what()` is the original's
/// text.
class remote_error : public error {
 public:
  /// `type_name`: C++ name of the type that was thrown in the other process.
  remote_error(std::string type_name, const std::string& text)
      : error(text), type_name_(std::move(type_name)) {}

  /// The spelled type of the original exception, such as "std::out_of_range".
  const std::string& type_name() const noexcept { return type_name_; }

 private:
  std::string type_name_;
};

/// An exception of another language, described by its front end. It is sent to other processes with the bytes
/// from which the front end restores the exception.
class foreign_error : public error {
 public:
  /// `form`: bytes from which the front end makes its own exception again.
  foreign_error(const std::string& text, std::vector<std::byte> form);

  /// Bytes of the exception, as the front end that threw it has written them.
  const std::vector<std::byte>& form() const noexcept { return *form_; }

 private:
  std::shared_ptr<const std::vector<std::byte>> form_;
};

/// The spelled type of an exception, such as "std::out_of_range"; for a `remote_error`, the original's. Empty
/// for a null pointer.
std::string exception_type(const std::exception_ptr& thrown);

/// Describes an exception in one line for users: "std::out_of_range: text", or "an exception of type int".
/// For an imbrex::error or a foreign_error, the text alone. If memory ran out, the text has the memory of the
/// process and of the machine.
std::string describe(const std::exception_ptr& thrown);

}  // namespace imbrex
