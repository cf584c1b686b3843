// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/frame_connection.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex {

using namespace std::chrono_literals;

frame_connection::frame_connection(descriptor socket, std::string other)
    : socket_(std::move(socket)), other_(std::move(other)) {}

void frame_connection::fail(const std::string& why) const { throw error(other_ + " has gone (" + why + ")"); }

bool frame_connection::wait_for(short events, time_point deadline) const {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const auto most = std::chrono::milliseconds(std::numeric_limits<int>::max());
    pollfd waiting{socket_.get(), events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::clamp(left, 0ms, most).count()));
    if (ready > 0) return true;
    if (ready == 0 && std::chrono::steady_clock::now() >= deadline) return false;
    if (ready == 0) continue;
    if (errno != EINTR) fail(std::strerror(errno));
  }
}

bool frame_connection::send(std::string_view bytes, time_point deadline) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      fail(std::strerror(errno));
    }
  }
  return true;
}

std::optional<frame> frame_connection::receive(time_point deadline) {
  std::array<char, 65'536> piece;
  while (true) {
    if (auto complete = incoming_.next()) return complete;
    if (!wait_for(POLLIN, deadline)) return std::nullopt;
    const ssize_t received = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (received > 0)
      incoming_.append({piece.data(), static_cast<std::size_t>(received)});
    else if (received == 0)
      fail("it closed the connection");
    else if (errno != EAGAIN && errno != EINTR)
      fail(std::strerror(errno));
  }
}

}  // namespace imbrex
