// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/line_relay.hpp>

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace imbrex::tools {

std::string line_splitter::take(std::string_view bytes) {
  std::string lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t length = end == std::string_view::npos ? bytes.size() : end + 1;
    if (partial_.empty() && !in_long_line_) partial_ = prefix_;
    partial_.append(bytes.substr(0, length));
    bytes.remove_prefix(length);
    const bool ended = end != std::string_view::npos;
    if (ended || partial_.size() >= longest_line) {
      lines += partial_;
      partial_.clear();
      in_long_line_ = !ended;
    }
  }
  return lines;
}

std::string line_splitter::rest() {
  in_long_line_ = false;
  return std::exchange(partial_, {});
}

void output::add(std::string_view lines, const void* writer) {
  if (lines.empty() || broken()) return;
  if (open_line_ && writer != last_writer_) buffer_ += '\n';
  last_writer_ = writer;
  buffer_ += lines;
  open_line_ = lines.back() != '\n';
}

void output::write_some() {
  // A descriptor that is ready takes PIPE_BUF bytes without blocking. Other processes share it, so it must
  // not be made non-blocking.
  while (waiting() > 0) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0) break;
    const std::size_t length = std::min<std::size_t>(waiting(), PIPE_BUF);
    const ssize_t written = ::write(descriptor_, buffer_.data() + written_, length);
    if (written >= 0) {
      written_ += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      error_ = errno;
      written_ = buffer_.size();
    }
  }
  if (waiting() == 0 || written_ >= enough) {
    buffer_.erase(0, written_);
    written_ = 0;
  }
}

std::string error_filter::without_repeated(std::string_view lines, const void* writer, time_point now) {
  std::string kept;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, std::min(lines.find('\n'), lines.size() - 1) + 1);
    lines.remove_prefix(line.size());
    const bool is_error =
        line.size() <= longest_line && line.ends_with('\n') && line.find(": error: ") != line.npos;
    const auto known = is_error ? first_.find(line) : first_.end();
    if (known != first_.end() && known->second.writer != writer &&
        now - known->second.when <= longest_distance)
      continue;
    if (is_error && known == first_.end() && first_.size() < most_kept)
      first_.emplace(line, first{writer, now});
    kept += line;
  }
  return kept;
}

bool line_source::move_some() {
  if (!open()) return false;
  std::array<char, 65'536> piece;
  const ssize_t got = ::read(pipe_.get(), piece.data(), piece.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got <= 0) {
    close();
    return false;
  }
  std::string lines = splitter_.take({piece.data(), static_cast<std::size_t>(got)});
  to_->add(
      filter_ != nullptr ? filter_->without_repeated(lines, this, std::chrono::steady_clock::now()) : lines,
      this);
  return true;
}

void line_source::close() {
  to_->add(splitter_.rest(), this);
  pipe_.close();
}

}  // namespace imbrex::tools
