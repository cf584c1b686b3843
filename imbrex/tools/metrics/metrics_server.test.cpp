// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/metrics_server.hpp>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::tools {
namespace {

const std::string request = "GET /metrics HTTP/1.1\r\nAuthorization: Bearer topsecret\r\n\r\n";

/// A connection to a server here; each operation ends after ten seconds.
descriptor connect_to(std::uint16_t port) {
  descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval most{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  return socket;
}

void write_to(const descriptor& connection, const std::string& bytes) {
  EXPECT_GE(::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
}

/// All that comes until the other side closes the connection.
std::string read_from(const descriptor& connection) {
  std::string all;
  char bytes[4096];
  for (ssize_t got; (got = ::recv(connection.get(), bytes, sizeof bytes, 0)) > 0;)
    all.append(bytes, static_cast<std::size_t>(got));
  return all;
}

std::string ask(std::uint16_t port, const std::string& bytes) {
  const descriptor connection = connect_to(port);
  write_to(connection, bytes);
  return read_from(connection);
}

class metrics_server_here : public ::testing::Test {
 protected:
  metrics_server_here() {
    server_.start("topsecret", [this] {
      ++calls_;
      return std::string("figure 1\n");
    });
  }

  std::atomic<int> calls_ = 0;
  metrics_server server_{{"127.0.0.1", 0}};
};

TEST_F(metrics_server_here, answers_who_has_the_secret) {
  EXPECT_GT(server_.port(), 0);
  const std::string reply = ask(server_.port(), request);
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK")) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\nfigure 1\n")) << reply;
  EXPECT_TRUE(ask(server_.port(), "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(ask(server_.port(), "\x16\x03 no HTTP").starts_with("HTTP/1.1 400"));
  EXPECT_EQ(calls_, 1);
}

TEST_F(metrics_server_here, takes_a_request_in_pieces) {
  const descriptor connection = connect_to(server_.port());
  for (const char byte : request) write_to(connection, std::string(1, byte));
  EXPECT_TRUE(read_from(connection).starts_with("HTTP/1.1 200 OK"));
}

TEST_F(metrics_server_here, stands_strangers) {
  for (int i = 0; i < 500; ++i) connect_to(server_.port());  // strangers that leave at once
  std::vector<descriptor> staying;
  for (int i = 0; i < 20; ++i) staying.push_back(connect_to(server_.port()));  // strangers that stay silent
  for (int i = 0; i < 20; ++i) {
    const descriptor talker = connect_to(server_.port());  // a stranger that says too much
    write_to(talker, std::string(100'000, 'A'));
  }
  EXPECT_TRUE(ask(server_.port(), request).starts_with("HTTP/1.1 200 OK"));
}

TEST_F(metrics_server_here, says_where_it_cannot_listen) {
  const auto complaint = [](const std::string& host, std::uint16_t port) {
    return testing::error_of<error>([&] { metrics_server other({host, port}); });
  };
  const std::string place = "127.0.0.1:" + std::to_string(server_.port());
  EXPECT_EQ(
      complaint("127.0.0.1", server_.port()),
      "--metrics " + place +
          ": nobody can listen there: Address already in use; choose another port, or 0 for one that is "
          "free");
  EXPECT_TRUE(
      complaint("no such host", 1234).starts_with("--metrics no such host:1234: there is no such host: "));
  EXPECT_TRUE(complaint("192.0.2.1", 1234).ends_with("name an address of this host, such as 127.0.0.1"));
}

TEST(metrics_server, may_end_before_it_starts) { const metrics_server never({"127.0.0.1", 0}); }

}  // namespace
}  // namespace imbrex::tools
