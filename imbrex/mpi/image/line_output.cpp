// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/line_output.hpp>

#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::mpi {

namespace {

std::mutex mutex;  // what is too long for one write must not be parted by others

bool write_all(std::string_view text) {
  const std::lock_guard hold(mutex);
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

line_output::line_output(std::string prefix) : prefix_(std::move(prefix)) {
  stream_ = ::fopencookie(this, "w", {nullptr, &write_cookie, nullptr, &close_cookie});
  if (stream_ == nullptr)
    throw error("no memory for the standard output of a copy of the program: start fewer ranks in a process");
  // As on a terminal: who looks at the output of a long run sees it as it comes.
  std::setvbuf(stream_, nullptr, _IOLBF, BUFSIZ);
}

line_output::~line_output() {
  if (stream_ != nullptr) std::fclose(stream_);
}

bool line_output::write(const char* bytes, std::size_t size) {
  const std::string_view text(bytes, size);
  const std::size_t end = text.rfind('\n') + 1;  // of the last whole line
  if (end == 0) {
    last_line_ += text;
    return true;
  }
  bool is_written = false;
  if (prefix_.empty() && last_line_.empty()) {
    is_written = write_all(text.substr(0, end));
  } else {
    const std::string whole = std::exchange(last_line_, {}) + std::string(text.substr(0, end));
    std::string lines;
    for (std::size_t at = 0; at < whole.size();) {
      const std::size_t next = whole.find('\n', at) + 1;
      lines += prefix_;
      lines.append(whole, at, next - at);
      at = next;
    }
    is_written = write_all(lines);
  }
  last_line_ = text.substr(end);
  return is_written;
}

void line_output::flush() noexcept {
  if (stream_ != nullptr) std::fflush(stream_);
  if (!last_line_.empty()) write("\n", 1);
}

ssize_t line_output::write_cookie(void* self, const char* bytes, std::size_t size) {
  return static_cast<line_output*>(self)->write(bytes, size) ? static_cast<ssize_t>(size) : 0;
}

int line_output::close_cookie(void* self) {
  static_cast<line_output*>(self)->stream_ = nullptr;
  return 0;
}

}  // namespace imbrex::mpi
