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

/// Opens closed standard descriptors on /dev/null. Else the files opened next would take their place, and be
/// used as the standard ones.
void open_standard_descriptors() noexcept;

/// Raises the limit of descriptors of this process and its children to its maximum, but at most 65,536. With
/// more, programs that close all of them would take long.
void allow_many_descriptors() noexcept;

/// Throws `error`, with the `reason`, if this process may not open `number` more descriptors.
void require_descriptors(int number, const std::string& reason);

}  // namespace imbrex
