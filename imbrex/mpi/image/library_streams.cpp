// SPDX-License-Identifier: Apache-2.0
// The standard output of a copy stays its own stream, whatever the program does with it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

bool is_output(std::FILE* stream) { return stream == calling_copy().output.stream(); }

/// Flags of open for a mode of fopen; -1 if the mode is invalid.
int flags_of(std::string_view mode) {
  const bool is_both = mode.find('+') != std::string_view::npos;
  const int exclusive = mode.find('x') != std::string_view::npos ? O_EXCL : 0;
  const int access = is_both ? O_RDWR : O_WRONLY;
  switch (mode.empty() ? '\0' : mode.front()) {
    case 'r': return is_both ? O_RDWR : O_RDONLY;
    case 'w': return access | O_CREAT | O_TRUNC | exclusive;
    case 'a': return access | O_CREAT | O_APPEND | exclusive;
    default: return -1;
  }
}

std::FILE* reopen_output(line_output& output, const char* path, const char* mode) {
  constexpr int access_of_new = 0666;
  std::FILE* const stream = output.stream();
  std::fflush(stream);
  if (path == nullptr) return stream;  // changes only the mode
  const int flags = flags_of(mode);
  errno = EINVAL;
  descriptor file(flags < 0 ? -1 : ::open(path, flags | O_CLOEXEC, access_of_new));
  const int reason = errno;
  const bool is_open = static_cast<bool>(file);
  output.redirect(std::move(file));
  std::clearerr(stream);
  std::setvbuf(stream, nullptr, ::isatty(output.descriptor()) != 0 ? _IOLBF : _IOFBF, BUFSIZ);
  errno = reason;
  return is_open ? stream : nullptr;
}

std::FILE* copy_freopen(const char* path, const char* mode, std::FILE* stream) {
  return is_output(stream) ? reopen_output(calling_copy().output, path, mode)
                           : std::freopen(path, mode, stream);
}

int copy_fclose(std::FILE* stream) {
  if (!is_output(stream)) return std::fclose(stream);
  const int result = std::fflush(stream);
  calling_copy().output.redirect({});
  return result;
}

int copy_fileno(std::FILE* stream) {
  if (!is_output(stream)) return ::fileno(stream);
  if (calling_copy().output.descriptor() >= 0) return STDOUT_FILENO;
  errno = EBADF;
  return -1;
}

// Ignores the program's buffer for the standard output, because that stream outlives the buffer.
int copy_setvbuf(std::FILE* stream, char* buffer, int mode, std::size_t size) {
  return std::setvbuf(stream, is_output(stream) ? nullptr : buffer, mode, size);
}
void copy_setbuffer(std::FILE* stream, char* buffer, std::size_t size) {
  copy_setvbuf(stream, buffer, buffer == nullptr ? _IONBF : _IOFBF, size);
}
void copy_setbuf(std::FILE* stream, char* buffer) { copy_setbuffer(stream, buffer, BUFSIZ); }

}  // namespace

void add_streams(function_table& table) {
  table.insert({
      {"freopen", address_outside<&copy_freopen>()},
      {"freopen64", address_outside<&copy_freopen>()},
      {"fclose", address_outside<&copy_fclose>()},
      {"fileno", address_outside<&copy_fileno>()},
      {"fileno_unlocked", address_outside<&copy_fileno>()},
      {"setvbuf", address_outside<&copy_setvbuf>()},
      {"setbuffer", address_outside<&copy_setbuffer>()},
      {"setbuf", address_outside<&copy_setbuf>()},
  });
}

}  // namespace imbrex::mpi
