// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/http_reply.hpp>

#include <algorithm>
#include <cctype>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {
namespace {

std::string reply(const char* status, const std::string& body, const char* more = "") {
  return std::string("HTTP/1.1 ") + status +
         "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
         "Connection: close\r\n" +
         more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string bad_request() {
  return reply("400 Bad Request", "this is no request of HTTP; write GET /metrics, without TLS\n");
}

/// The next line, without its end; removes both from the text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == line.npos ? line.size() : end + 1);
  return word;
}

bool are_equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

/// Takes as long for each wrong secret of the right length.
bool are_equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool has_secret(std::string_view head, std::string_view secret) {
  while (!head.empty()) {
    std::string_view line = next_line(head);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !are_equal_words(line.substr(0, colon), "authorization")) continue;
    line.remove_prefix(colon + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with(' ')) line.remove_suffix(1);
    return are_equal_words(next_word(line), "bearer") && are_equal_secrets(line, secret);
  }
  return false;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

std::optional<std::string> http_reply(std::string_view received, std::string_view secret,
                                      const std::function<std::string()>& figures) {
  if (received.empty()) return std::nullopt;
  if (!is_upper(received.front())) return bad_request();
  const bool is_whole = received.find("\r\n\r\n") != received.npos || received.find("\n\n") != received.npos;
  if (!is_whole && received.size() >= most_request_bytes)
    return reply("431 Request Header Fields Too Large",
                 "the head of the request has more than " + std::to_string(most_request_bytes) + " bytes\n");
  if (!is_whole) return std::nullopt;
  std::string_view line = next_line(received);
  const std::string_view method = next_word(line);
  std::string_view target = next_word(line);
  if (!std::ranges::all_of(method, is_upper) || !target.starts_with('/') || !line.starts_with("HTTP/1."))
    return bad_request();
  if (!has_secret(received, secret))
    return reply(
        "401 Unauthorized",
        "send the secret of the run, \"Authorization: Bearer SECRET\"; imbrex run has named its file\n",
        "WWW-Authenticate: Bearer\r\n");
  if (method != "GET") return reply("405 Method Not Allowed", "there is only GET\n", "Allow: GET\r\n");
  target = target.substr(0, target.find('?'));
  if (target != "/metrics") return reply("404 Not Found", "there is only /metrics\n");
  try {
    return reply("200 OK", figures());
  } catch (const error& e) {
    return reply("503 Service Unavailable", std::string(e.what()) + "\n");
  }
}

}  // namespace imbrex::tools
