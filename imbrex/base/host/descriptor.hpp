// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

namespace imbrex {

/// A file descriptor that is closed with its owner; -1 is none.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    other.close();
    return *this;
  }
  ~descriptor() { close(); }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

  void close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

/// Opens those of the three standard descriptors that are closed on /dev/null: whatever is opened next would
/// take their place, and be read and written by who means the standard ones.
void open_standard_descriptors() noexcept;

/// Lets this process, and what it starts, open as many descriptors as it may, but not so many that programs
/// that close all of them take long.
void allow_many_descriptors() noexcept;

/// Throws `error`, which gives the `reason`, if this process may not open so many descriptors more.
void require_descriptors(int number, const std::string& reason);

}  // namespace imbrex
