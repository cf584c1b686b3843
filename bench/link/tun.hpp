// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace bench::link {

/// An open file descriptor, closed by the destructor.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor();

  int number() const { return number_; }

 private:
  int number_;
};

/// Creates a TUN device in a network namespace, given by its file (`/run/netns/...`). Each `read` of the
/// result, which never blocks, takes a packet sent through the device; each `write` delivers one to the
/// namespace. The device exists as long as the descriptor. It reports `bits_per_second` as its speed. Throws
/// `std::system_error` with the failed operation.
descriptor open_tun(const std::string& name_space, const std::string& device, double bits_per_second);

}  // namespace bench::link
