// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/http_reply.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {
namespace {

const std::string figures = "imbrex_pe_sleeps 1\n";
const std::string proof = "Authorization: Bearer topsecret\r\n";

std::optional<std::string> reply_to(const std::string& request) {
  return http_reply(request, "topsecret", [] { return figures; });
}

std::string status_for(const std::string& request) {
  const auto reply = reply_to(request);
  return reply ? reply->substr(9, 3) : "none";
}

TEST(http_reply, gives_the_figures_to_who_has_the_secret) {
  const auto reply = reply_to("GET /metrics HTTP/1.1\r\nHost: a\r\n" + proof + "\r\n");
  EXPECT_EQ(reply,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nConnection: "
            "close\r\nContent-Length: 19\r\n\r\nimbrex_pe_sleeps 1\n");
  for (const std::string same : {"authorization:  bearer topsecret ", "AUTHORIZATION:Bearer topsecret"})
    EXPECT_EQ(status_for("GET /metrics?a=b HTTP/1.0\n" + same + "\n\n"), "200") << same;
}

TEST(http_reply, says_nothing_to_others) {
  for (const std::string wrong :
       {"", "Authorization: Bearer\r\n", "Authorization: Bearer topsecres\r\n",
        "Authorization: Bearer topsecretX\r\n", "Authorization: Basic topsecret\r\n", "Bearer: topsecret\r\n",
        "Authorization topsecret\r\n"}) {
    EXPECT_EQ(status_for("GET /metrics HTTP/1.1\r\n" + wrong + "\r\n"), "401") << wrong;
    EXPECT_EQ(status_for("POST /other HTTP/1.1\r\n" + wrong + "\r\n"), "401") << wrong;
  }
  bool is_called = false;
  http_reply("GET /metrics HTTP/1.1\r\n\r\n", "topsecret", [&] { return is_called = true, figures; });
  EXPECT_FALSE(is_called);
}

TEST(http_reply, refuses_other_requests) {
  EXPECT_EQ(status_for("GET / HTTP/1.1\r\n" + proof + "\r\n"), "404");
  EXPECT_EQ(status_for("POST /metrics HTTP/1.1\r\n" + proof + "\r\n"), "405");
}

TEST(http_reply, refuses_garbage_as_soon_as_it_is_known) {
  for (const std::string& garbage :
       {std::string("\x16\x03\x01\x02", 4), std::string("\0\0", 2), std::string("hello"),
        std::string("GET\r\n\r\n"), std::string("GET /metrics\r\n\r\n"),
        std::string("GET metrics HTTP/1.1\r\n\r\n"), std::string("G\xc3\xa4 /metrics HTTP/1.1\r\n\r\n"),
        std::string("GET /metrics SMTP\r\n\r\n")})
    EXPECT_EQ(status_for(garbage), "400") << garbage;
  EXPECT_EQ(status_for(std::string(most_request_bytes, 'A')), "431");
}

TEST(http_reply, waits_for_the_whole_head) {
  const std::string whole = "GET /metrics HTTP/1.1\r\n" + proof + "\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(reply_to(whole.substr(0, size)));
  EXPECT_TRUE(reply_to(whole));
}

TEST(http_reply, says_why_there_are_no_figures) {
  const auto reply = http_reply("GET /metrics HTTP/1.1\r\n" + proof + "\r\n", "topsecret",
                                []() -> std::string { throw error("the run has ended"); });
  EXPECT_TRUE(reply->starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(reply->ends_with("\r\n\r\nthe run has ended\n"));
}

}  // namespace
}  // namespace imbrex::tools
