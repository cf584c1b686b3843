// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <thread>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/tools/metrics/metrics_address.hpp>

namespace imbrex::tools {

/// Answers requests for figures by HTTP on a thread of its own, those with the secret. It holds a bounded
/// number of connections, each for a bounded time; others wait in the system or are refused there.
class metrics_server {
 public:
  using figures_maker = std::function<std::string()>;

  /// A socket that listens. Throws `error` if that is not possible there.
  explicit metrics_server(const metrics_address& where);
  ~metrics_server();
  metrics_server(const metrics_server&) = delete;
  metrics_server& operator=(const metrics_server&) = delete;

  /// The port that it listens on.
  std::uint16_t port() const { return port_; }
  /// Begins to answer. `figures` is called on the server's thread, at most once a second; an `error` that it
  /// throws goes to who has asked.
  void start(std::string secret, figures_maker figures);

 private:
  using time_point = std::chrono::steady_clock::time_point;
  struct client {
    descriptor connection;
    time_point ends_at;
    std::string received{};
    std::string reply{};
    std::size_t sent = 0;
    bool is_done = false;
  };

  void run();
  bool turn();
  void accept_some();
  void receive(client& from);
  void send(client& to);
  std::string recent_figures();

  descriptor listening_;
  descriptor stop_;
  std::uint16_t port_ = 0;
  std::string secret_;
  figures_maker figures_;
  // Only the server's thread uses what follows.
  std::list<client> clients_;
  std::string figures_text_;
  time_point figures_time_{};
  time_point accepts_from_{};
  std::thread thread_;
};

}  // namespace imbrex::tools
