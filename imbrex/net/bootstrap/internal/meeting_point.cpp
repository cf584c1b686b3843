// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/internal/meeting_point.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/net/bootstrap/internal/sha256.hpp>

namespace imbrex {
namespace {

using namespace std::chrono_literals;
using time_point = meeting_point::time_point;

/// Limit of the time until a guest has proven its identity; after it the guest is dropped.
constexpr auto time_to_prove = 10s;
constexpr auto time_to_connect = 2s;  ///< also the time limit for the handshake after it
constexpr auto between_visits = 50ms;
constexpr std::size_t most_guests = 1024;  ///< guests at once, without those that have proven their identity

using magic_bytes = std::array<char, 8>;
constexpr magic_bytes magic{'I', 'M', 'B', 'R', 'E', 'X', 'J', '1'};

// The messages of the handshake, in this order.
struct hello {
  magic_bytes magic{};
  std::uint64_t rank = 0;
  digest256 job{};
  digest256 random{};
};
struct challenge {
  digest256 random{};
  digest256 proof{};  ///< proves that process 0 knows the secret
};
using answer = digest256;  ///< proves that the guest knows the secret
using welcome = magic_bytes;

digest256 draw() {
  digest256 drawn{};
  ssize_t got = 0;
  do got = ::getrandom(drawn.data(), drawn.size(), 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(drawn.size()))
    throw error(std::string("getrandom: ") + std::strerror(errno));
  return drawn;
}

template <class T>
std::string_view bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

digest256 proof_of(const char* who, const std::string& secret, const hello& greeting,
                   const digest256& random) {
  return hmac_sha256(secret, std::string(who).append(bytes_of(greeting)).append(bytes_of(random)));
}

bool is_ready(int socket, short events, time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{socket, events, 0};
    const int ready =
        ::poll(&waiting, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
    if (ready > 0) return true;
    if ((ready == 0 || errno == EINTR) && std::chrono::steady_clock::now() < deadline) continue;
    return false;
  }
}

bool send_all(int socket, std::string_view bytes, time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EINTR && (errno != EAGAIN || !is_ready(socket, POLLOUT, deadline))) return false;
  }
  return true;
}

template <class T>
bool receive_all(int socket, T& value, time_point deadline) {
  auto* to = reinterpret_cast<char*>(&value);
  for (std::size_t left = sizeof value; left > 0;) {
    const ssize_t got = ::recv(socket, to, left, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return false;
    if (got < 0 && errno == EAGAIN && !is_ready(socket, POLLIN, deadline)) return false;
    if (got <= 0) continue;
    to += got;
    left -= static_cast<std::size_t>(got);
  }
  return true;
}

/// An address in Linux's abstract namespace, which has no file and ends with its socket.
struct unix_address {
  unix_address(const std::string& job, int place) {
    const std::string name = "imbrex-" + job + "-" + std::to_string(place);
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t length;
};

/// True if the process at the other end of a Unix socket is this user's.
bool is_this_user(int socket) {
  ucred other{};
  socklen_t length = sizeof other;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == ::geteuid();
}

using addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// The addresses of a host. Null if there are none; `problem` is then the resolver's text.
addresses resolve(const std::string& host, int port, std::string& problem) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) {
    problem = ::gai_strerror(status);
    found = nullptr;
  }
  return {found, &::freeaddrinfo};
}

std::string name_of(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(address, length, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "an unknown process";
  return std::string(host.data()) + " port " + port.data();
}

constexpr const char* unproven = "did not prove that it knows the secret in IMBREX_SECRET_FILE";

void tell_of_stranger(const std::string& who, const char* what) {
  log(log_level::warning, who + " connected to process 0 of this job, but " + what + "; it was dropped");
}

}  // namespace

/// A connection to process 0 that has not yet proven its identity.
struct meeting_point::guest {
  descriptor socket;
  std::string name;
  bool on_host;
  time_point until;
  std::string input{};
  hello greeting{};
  challenge sent_challenge{};
};

/// Process 0's part of the handshakes.
struct meeting_point::reception {
  reception(const meeting_point& m, time_point d)
      : of(m), deadline(d), came(static_cast<std::size_t>(m.job_.size - 1)) {}

  void listen_on_host() {
    for (int place = 0; place < ports_tried; ++place) {
      descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const unix_address address(of.name_, place);
      if (!socket || ::bind(socket.get(), address.get(), address.length) != 0 ||
          ::listen(socket.get(), SOMAXCONN) != 0)
        continue;
      listeners.push_back({std::move(socket), true});
      return;
    }
    throw error(std::string("process 0 cannot listen for the others: ") + std::strerror(errno));
  }

  /// Listens at the addresses that the job names, if they are this host's own; else at all addresses.
  void listen_on_tcp() {
    for (int port = of.job_.port + 1; port <= of.job_.port + ports_tried; ++port) {
      std::string unknown;
      const addresses found = resolve(of.job_.address, port, unknown);
      bool is_taken = false;
      for (const addrinfo* address = found.get(); address != nullptr; address = address->ai_next) {
        if (listen_at(address->ai_family, address->ai_addr, address->ai_addrlen)) return;
        is_taken |= errno == EADDRINUSE;
      }
      sockaddr_in any{};
      any.sin_family = AF_INET;
      any.sin_port = htons(static_cast<std::uint16_t>(port));
      if (!is_taken && listen_at(AF_INET, reinterpret_cast<const sockaddr*>(&any), sizeof any)) return;
    }
    throw error("process 0 can listen for the others on none of the ports " +
                std::to_string(of.job_.port + 1) + " to " + std::to_string(of.job_.port + ports_tried) +
                " (" + std::strerror(errno) + "); choose others by MASTER_PORT");
  }

  bool listen_at(int family, const sockaddr* address, socklen_t length) {
    descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1;
    if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!socket || ::bind(socket.get(), address, length) != 0 || ::listen(socket.get(), SOMAXCONN) != 0)
      return false;
    listeners.push_back({std::move(socket), false});
    return true;
  }

  bool is_complete() const {
    return std::ranges::all_of(came, [](const descriptor& d) { return static_cast<bool>(d); });
  }

  /// Waits for events and handles them.
  void turn() {
    std::vector<pollfd> waiting;
    for (const auto& listener : listeners) waiting.push_back({listener.socket.get(), POLLIN, 0});
    for (const auto& guest : guests) waiting.push_back({guest.socket.get(), POLLIN, 0});
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    ::poll(waiting.data(), waiting.size(),
           static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000)));
    for (auto g = guests.begin(); g != guests.end();) g = hear(*g) ? std::next(g) : guests.erase(g);
    for (const auto& one : listeners) accept_all(one);
  }

  struct listener {
    descriptor socket;
    bool on_host;
  };

  void accept_all(const listener& at) {
    while (guests.size() < most_guests) {
      sockaddr_storage from{};
      socklen_t length = sizeof from;
      descriptor socket(::accept4(at.socket.get(), reinterpret_cast<sockaddr*>(&from), &length,
                                  SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) return;
      std::string name = at.on_host ? "another user of this host"
                                    : name_of(reinterpret_cast<const sockaddr*>(&from), length);
      if (at.on_host && !is_this_user(socket.get())) {
        tell_of_stranger(name, "does not belong to it");
        continue;
      }
      if (at.on_host) name = "a process of this user";
      guests.push_back(
          {std::move(socket), std::move(name), at.on_host, std::chrono::steady_clock::now() + time_to_prove});
    }
  }

  /// Reads from a guest. False if it is no guest any more: its identity is proven, or it was dropped.
  bool hear(guest& visitor) {
    const std::size_t greeted = sizeof(hello);
    const std::size_t proven = greeted + sizeof(answer);
    const std::size_t expected_size = visitor.input.size() < greeted ? greeted : proven;
    std::array<char, sizeof(hello) + sizeof(answer)> piece;
    const ssize_t got =
        ::recv(visitor.socket.get(), piece.data(), expected_size - visitor.input.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (std::chrono::steady_clock::now() < visitor.until) return true;
      return dropped(visitor, "did not identify itself");
    }
    if (got <= 0)
      return dropped(visitor, visitor.input.empty() ? nullptr
                              : visitor.input.size() < greeted
                                  ? "closed the connection before it had identified itself"
                                  : unproven);
    visitor.input.append(piece.data(), static_cast<std::size_t>(got));
    const std::size_t common = std::min(visitor.input.size(), magic.size());
    if (visitor.input.compare(0, common, magic.data(), common) != 0)
      return dropped(visitor, "spoke another protocol");
    if (visitor.input.size() == greeted) return challenge_guest(visitor);
    return visitor.input.size() < proven || take(visitor);
  }

  bool challenge_guest(guest& visitor) {
    std::memcpy(&visitor.greeting, visitor.input.data(), sizeof visitor.greeting);
    // The process belongs to another job, and searches for its own process 0.
    if (!are_equal(visitor.greeting.job, sha256(of.job_.identity))) return dropped(visitor, nullptr);
    visitor.sent_challenge.random = draw();
    visitor.sent_challenge.proof = proof_of("process 0", of.secret_for(visitor.on_host), visitor.greeting,
                                            visitor.sent_challenge.random);
    return send_all(visitor.socket.get(), bytes_of(visitor.sent_challenge),
                    std::chrono::steady_clock::now() + 1s);
  }

  bool take(guest& visitor) {
    answer response;
    std::memcpy(&response, visitor.input.data() + sizeof(hello), sizeof response);
    if (!are_equal(response, proof_of("guest", of.secret_for(visitor.on_host), visitor.greeting,
                                      visitor.sent_challenge.random)))
      return dropped(visitor, unproven);
    if (visitor.greeting.rank == 0 || visitor.greeting.rank >= static_cast<std::uint64_t>(of.job_.size) ||
        came[visitor.greeting.rank - 1])
      return dropped(visitor, "has the number of a process that has connected already");
    if (send_all(visitor.socket.get(), bytes_of(magic), std::chrono::steady_clock::now() + 1s))
      came[visitor.greeting.rank - 1] = std::move(visitor.socket);
    return false;
  }

  static bool dropped(const guest& visitor, const char* what) {
    if (what != nullptr) tell_of_stranger(visitor.name, what);
    return false;
  }

  const meeting_point& of;
  time_point deadline;
  std::vector<descriptor> came;
  std::vector<listener> listeners;
  std::list<guest> guests;
};

meeting_point::meeting_point(const numbered_job& job, std::optional<std::string> secret)
    : job_(job), secret_(std::move(secret)) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t long_enough = 12;
  const digest256 digest = sha256(job.identity + " of user " + std::to_string(::geteuid()));
  for (std::size_t i = 0; i < long_enough; ++i) {
    name_ += digits[digest[i] >> 4U];
    name_ += digits[digest[i] & 15U];
  }
}

std::string meeting_point::secret_for(bool on_host) const { return on_host ? "" : secret_.value_or(""); }

std::vector<descriptor> meeting_point::receive(time_point deadline) const {
  reception here(*this, deadline);
  here.listen_on_host();
  if (secret_) here.listen_on_tcp();
  while (!here.is_complete()) {
    here.turn();
    if (std::chrono::steady_clock::now() < deadline || here.is_complete()) continue;
    std::string missing;
    for (std::size_t i = 0; i < here.came.size(); ++i)
      if (!here.came[i]) missing += (missing.empty() ? "" : ", ") + std::to_string(i + 1);
    throw error("of the " + std::to_string(job_.size) +
                " processes these have not come to process 0: " + missing);
  }
  return std::move(here.came);
}

descriptor meeting_point::visit(time_point deadline) const {
  std::string problem;
  while (true) {
    for (int place = 0; place < ports_tried; ++place) {
      descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const unix_address address(name_, place);
      if (!socket || ::connect(socket.get(), address.get(), address.length) != 0) continue;
      if (is_this_user(socket.get()) && greet(socket, true, deadline)) return socket;
    }
    for (int port = job_.port + 1; secret_ && port <= job_.port + ports_tried; ++port) {
      const addresses found = resolve(job_.address, port, problem);
      for (const addrinfo* info = found.get(); info != nullptr; info = info->ai_next) {
        descriptor connection(::socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const auto until = std::min(deadline, std::chrono::steady_clock::now() + time_to_connect);
        if (!connection || (::connect(connection.get(), info->ai_addr, info->ai_addrlen) != 0 &&
                            (errno != EINPROGRESS || !is_ready(connection.get(), POLLOUT, until))))
          continue;
        if (greet(connection, false, deadline)) return connection;
      }
    }
    if (std::chrono::steady_clock::now() + between_visits > deadline)
      throw error(
          "process 0 was not there" + (problem.empty() ? "" : " (" + job_.address + ": " + problem + ")") +
          (secret_ ? "; it should listen at " + job_.address + " on one of the ports " +
                         std::to_string(job_.port + 1) + " to " + std::to_string(job_.port + ports_tried) +
                         ", and have the same secret in IMBREX_SECRET_FILE"
                   : ""));
    std::this_thread::sleep_for(between_visits);
  }
}

bool meeting_point::greet(const descriptor& process_0, bool on_host, time_point deadline) const {
  const auto until = std::min(deadline, std::chrono::steady_clock::now() + time_to_connect);
  const hello greeting{magic, static_cast<std::uint64_t>(job_.rank), sha256(job_.identity), draw()};
  challenge c;
  welcome input;
  const std::string secret = secret_for(on_host);
  return send_all(process_0.get(), bytes_of(greeting), until) && receive_all(process_0.get(), c, until) &&
         are_equal(c.proof, proof_of("process 0", secret, greeting, c.random)) &&
         send_all(process_0.get(), bytes_of(proof_of("guest", secret, greeting, c.random)), until) &&
         receive_all(process_0.get(), input, until) && input == magic;
}

}  // namespace imbrex
