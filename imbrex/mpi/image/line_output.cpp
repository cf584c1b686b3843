// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/line_output.hpp>

#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>

namespace imbrex::mpi {

namespace {

std::mutex outputs_mutex;  // keeps lines together that are too long for one write

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_to_process(std::string_view lines) {
  const std::lock_guard hold(outputs_mutex);
  return write_all(STDOUT_FILENO, lines);
}

}  // namespace

void line_output::lock_all() { outputs_mutex.lock(); }
void line_output::unlock_all() { outputs_mutex.unlock(); }

line_output::line_output(std::string prefix, program_heap* heap)
    : prefix_(std::move(prefix)), descriptor_(STDOUT_FILENO) {
  if (heap != nullptr) buffer_.emplace(heap);
  program_heap* const before = choose_heap(heap);
  stream_ = ::fopencookie(this, "w", {nullptr, &write_cookie, nullptr, nullptr});
  choose_heap(before);
  if (stream_ == nullptr)
    throw error("no memory for the standard output of a copy of the program: start fewer ranks in a process");
  // Buffers by lines, as on a terminal, so that the output of a long run appears as it is written.
  std::setvbuf(stream_, buffer_ ? (**buffer_).data() : nullptr, _IOLBF, BUFSIZ);
}

line_output::~line_output() { std::fclose(stream_); }

std::string line_output::take_last_line() {
  std::fflush(stream_);
  return std::exchange(last_line_, {});
}

bool line_output::is_of_process() const noexcept { return descriptor_ == STDOUT_FILENO; }

bool line_output::write(const char* bytes, std::size_t size) {
  const outside_program kept;  // the last line is not in the program's memory
  const std::lock_guard hold(mutex_);
  const std::string_view text(bytes, size);
  return descriptor_ == STDOUT_FILENO ? write_lines(text) : write_all(descriptor_, text);
}

bool line_output::write_lines(std::string_view text) {
  const std::size_t end = text.rfind('\n') + 1;  // end of the last whole line
  if (end == 0) {
    last_line_ += text;
    return true;
  }
  bool is_written = false;
  if (prefix_.empty() && last_line_.empty()) {
    is_written = write_to_process(text.substr(0, end));
  } else {
    const std::string whole = std::exchange(last_line_, {}) + std::string(text.substr(0, end));
    std::string lines;
    for (std::size_t at = 0; at < whole.size();) {
      const std::size_t next = whole.find('\n', at) + 1;
      lines += prefix_;
      lines.append(whole, at, next - at);
      at = next;
    }
    is_written = write_to_process(lines);
  }
  last_line_ = text.substr(end);
  return is_written;
}

void line_output::end_line() {
  if (!last_line_.empty()) write_lines("\n");
}

void line_output::redirect(imbrex::descriptor to) {
  const std::lock_guard hold(mutex_);
  end_line();
  file_ = std::move(to);
  descriptor_ = file_.get();
}

void line_output::restore() {
  const std::lock_guard hold(mutex_);
  file_.close();
  descriptor_ = STDOUT_FILENO;
}

void line_output::flush() noexcept {
  std::fflush(stream_);
  const std::lock_guard hold(mutex_);
  end_line();
}

ssize_t line_output::write_cookie(void* self, const char* bytes, std::size_t size) {
  return static_cast<line_output*>(self)->write(bytes, size) ? static_cast<ssize_t>(size) : 0;
}

}  // namespace imbrex::mpi
