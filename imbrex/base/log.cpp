// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/log.hpp>

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>

#include <imbrex/base/printable.hpp>

namespace imbrex {
namespace {

std::atomic<log_level> threshold{log_level::warning};

std::string_view prefix(log_level level) {
  switch (level) {
    case log_level::error: return "imbrex: error: ";
    case log_level::warning: return "imbrex: warning: ";
    case log_level::info: return "imbrex: ";
    case log_level::debug: return "imbrex: debug: ";
  }
  return "imbrex: ";
}

iovec piece(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};  // writev() reads only; its type serves readv() too
}

void write_lines(std::string_view first_words, std::string_view text) noexcept {
  const int error_before = errno;
  std::string shown;
  if (!is_printable(text)) {
    try {
      shown = printable_lines(text);
      text = shown;
    } catch (...) {  // an unescaped line is better than none
    }
  }
  std::array<iovec, 3> pieces{piece(first_words), piece(text), piece("\n")};
  std::size_t first = 0;
  while (first < pieces.size()) {
    ssize_t written = ::writev(STDERR_FILENO, &pieces[first], static_cast<int>(pieces.size() - first));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    // A full pipe may take only a part; the rest follows.
    auto left = static_cast<std::size_t>(written);
    while (first < pieces.size() && left >= pieces[first].iov_len) left -= pieces[first++].iov_len;
    if (first == pieces.size()) break;
    pieces[first].iov_base = static_cast<char*>(pieces[first].iov_base) + left;
    pieces[first].iov_len -= left;
  }
  errno = error_before;
}

}  // namespace

void set_log_level(log_level level) noexcept { threshold.store(level, std::memory_order_relaxed); }

log_level current_log_level() noexcept { return threshold.load(std::memory_order_relaxed); }

void log(log_level level, std::string_view text) noexcept {
  if (level <= current_log_level()) write_lines(prefix(level), text);
}

void detail::log_answer(std::string_view text) noexcept { write_lines(prefix(log_level::info), text); }

}  // namespace imbrex
