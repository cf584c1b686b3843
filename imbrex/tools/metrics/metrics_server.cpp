// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/metrics_server.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/metrics/http_reply.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t most_clients = 32;
constexpr int most_waiting = 512;
/// The time in which a client must send its request, and take the reply.
constexpr auto patience = 5s;
constexpr auto figures_stay = 1s;
constexpr auto pause_without_descriptors = 100ms;

struct free_addresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

[[noreturn]] void refuse(const metrics_address& where, const std::string& why) {
  throw error("--metrics " + printable(where.text()) + ": " + why);
}

descriptor listen_at(const metrics_address& where) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int status = ::getaddrinfo(where.host.c_str(), std::to_string(where.port).c_str(), &hints, &list);
  if (status != 0)
    refuse(where, std::string("there is no such host: ") + ::gai_strerror(status) +
                      "; name an address of this host, such as 127.0.0.1");
  const std::unique_ptr<addrinfo, free_addresses> all(list);
  int code = 0;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    descriptor socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (socket && ::bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0 &&
        ::listen(socket.get(), most_waiting) == 0)
      return socket;
    code = errno;
  }
  std::string remedy;
  if (code == EADDRINUSE) remedy = "; choose another port, or 0 for one that is free";
  if (code == EADDRNOTAVAIL) remedy = "; name an address of this host, such as 127.0.0.1";
  if (code == EACCES) remedy = "; choose a port from 1024 on";
  refuse(where, std::string("nobody can listen there: ") + std::strerror(code) + remedy);
}

std::uint16_t port_of(const descriptor& listening) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&place), &size);
  return ntohs(place.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(place).sin6_port
                                           : reinterpret_cast<const sockaddr_in&>(place).sin_port);
}

bool must_wait(ssize_t transferred) { return transferred < 0 && (errno == EAGAIN || errno == EINTR); }

}  // namespace

metrics_server::metrics_server(const metrics_address& where)
    : listening_(listen_at(where)), stop_(::eventfd(0, EFD_CLOEXEC)), port_(port_of(listening_)) {
  if (!stop_) refuse(where, std::string("no descriptor is free: ") + std::strerror(errno));
}

metrics_server::~metrics_server() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void metrics_server::start(std::string secret, figures_maker figures) {
  secret_ = std::move(secret);
  figures_ = std::move(figures);
  thread_ = background_thread("that answers --metrics", [this] { run(); });
}

void metrics_server::run() {
  while (turn()) continue;
}

/// Waits for an event and handles it. False at the end.
bool metrics_server::turn() {
  const auto began = steady_clock::now();
  const bool accepts = clients_.size() < most_clients && began >= accepts_from_;
  std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}, {accepts ? listening_.get() : -1, POLLIN, 0}};
  for (const client& one : clients_)
    waiting.push_back({one.connection.get(), static_cast<short>(one.reply.empty() ? POLLIN : POLLOUT), 0});
  const bool has_time = clients_.empty() && began >= accepts_from_;
  ::poll(waiting.data(), waiting.size(), has_time ? -1 : 100);
  if (waiting[0].revents != 0) return false;
  std::size_t at = 2;
  for (client& one : clients_)
    if (waiting[at++].revents != 0) one.reply.empty() ? receive(one) : send(one);
  const auto now = steady_clock::now();
  clients_.remove_if([&](const client& one) { return one.is_done || now > one.ends_at; });
  if (waiting[1].revents != 0) accept_some();
  return true;
}

void metrics_server::accept_some() {
  while (clients_.size() < most_clients) {
    descriptor connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection) {
      // Without a free descriptor the connection stays in the queue, so poll() would return at once.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        accepts_from_ = steady_clock::now() + pause_without_descriptors;
      return;
    }
    clients_.push_back({.connection = std::move(connection), .ends_at = steady_clock::now() + patience});
  }
}

void metrics_server::receive(client& from) {
  std::array<char, most_request_bytes> bytes;
  const ssize_t got =
      ::recv(from.connection.get(), bytes.data(), most_request_bytes - from.received.size(), 0);
  if (must_wait(got)) return;
  if (got <= 0) {
    from.is_done = true;
    return;
  }
  from.received.append(bytes.data(), static_cast<std::size_t>(got));
  auto reply = http_reply(from.received, secret_, [this] { return recent_figures(); });
  if (!reply) return;
  from.reply = *std::move(reply);
  from.ends_at = steady_clock::now() + patience;  // making the figures may have taken longer
  send(from);
}

void metrics_server::send(client& to) {
  const ssize_t sent = ::send(to.connection.get(), to.reply.data() + to.sent, to.reply.size() - to.sent,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
  if (must_wait(sent)) return;
  if (sent > 0) to.sent += static_cast<std::size_t>(sent);
  to.is_done = sent <= 0 || to.sent == to.reply.size();
}

std::string metrics_server::recent_figures() {
  const auto now = steady_clock::now();
  if (figures_text_.empty() || now - figures_time_ > figures_stay) {
    figures_text_ = figures_();
    figures_time_ = steady_clock::now();
  }
  return figures_text_;
}

}  // namespace imbrex::tools
