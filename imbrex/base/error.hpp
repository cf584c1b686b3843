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

/// The user asked the program for something impossible: a bad option value, more chares than cells.
class usage_error : public error {
 public:
  using error::error;

  /// What a program that fails this way returns to its caller, as shells and other tools do.
  static constexpr int exit_status = 2;
};

/// Stands for an exception whose own type could not travel to where it was awaited; `what()` is the
/// original's text.
class remote_error : public error {
 public:
  remote_error(std::string type_name, const std::string& text)
      : error(text), type_name_(std::move(type_name)) {}

  /// The spelled type of the original exception, such as "std::out_of_range".
  const std::string& type_name() const noexcept { return type_name_; }

 private:
  std::string type_name_;
};

/// An exception of another language, which its front end has put into words. It travels to other processes
/// with the bytes of which the front end makes the exception again.
class foreign_error : public error {
 public:
  foreign_error(const std::string& text, std::vector<std::byte> form)
      : error(text), form_(std::make_shared<const std::vector<std::byte>>(std::move(form))) {}

  const std::vector<std::byte>& form() const noexcept { return *form_; }

 private:
  std::shared_ptr<const std::vector<std::byte>> form_;
};

/// The spelled type of an exception, such as "std::out_of_range"; of a `remote_error`, the original's.
/// Empty for a null pointer.
std::string exception_type(const std::exception_ptr& thrown);

/// Describes an exception in one line for users: "std::out_of_range: text", or "an exception of type int". Of
/// an imbrex::error, and of a foreign_error, it is the text alone. If memory ran out, it says how much the
/// process held and how much the machine has.
std::string describe(const std::exception_ptr& thrown);

}  // namespace imbrex
