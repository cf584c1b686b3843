// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/net/bootstrap/frame.hpp>

namespace imbrex {

/// A connection that carries frames over a socket to and from `other`, a name for messages. Failures throw
/// `error`: the other "has gone".
class frame_connection {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  frame_connection(descriptor socket, std::string other);

  int descriptor_number() const { return socket_.get(); }
  const std::string& other() const { return other_; }

  /// False if the bytes cannot be sent before `deadline`.
  bool send(std::string_view bytes, time_point deadline) const;
  /// The next frame; nothing if none arrives before `deadline`.
  std::optional<frame> receive(time_point deadline);

 private:
  /// Whether the socket is ready for `events` before `deadline`.
  bool wait_for(short events, time_point deadline) const;
  [[noreturn]] void fail(const std::string& why) const;

  descriptor socket_;
  std::string other_;
  frame_reader incoming_;
};

}  // namespace imbrex
