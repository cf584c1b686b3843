// SPDX-License-Identifier: Apache-2.0
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

/// The program's stdout, which it may have set.
std::FILE* output() { return calling_copy().standard_output(); }

int copy_vprintf(const char* format, std::va_list arguments) {
  return std::vfprintf(output(), format, arguments);
}
[[gnu::format(printf, 1, 2)]] int copy_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int written = std::vfprintf(output(), format, arguments);
  va_end(arguments);
  return written;
}
// Functions of programs compiled with _FORTIFY_SOURCE.
int copy_vprintf_checked(int, const char* format, std::va_list arguments) {
  return std::vfprintf(output(), format, arguments);
}
[[gnu::format(printf, 2, 3)]] int copy_printf_checked(int, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int written = std::vfprintf(output(), format, arguments);
  va_end(arguments);
  return written;
}
int copy_puts(const char* text) {
  std::FILE* const to = output();
  ::flockfile(to);  // keeps the line and its end together
  const int result = std::fputs(text, to) < 0 || std::putc('\n', to) < 0 ? EOF : 1;
  ::funlockfile(to);
  return result;
}
int copy_putchar(int c) { return std::putc(c, output()); }
int copy_putchar_unlocked(int c) { return ::putc_unlocked(c, output()); }

// Output that bypasses streams, for example of Fortran.
ssize_t copy_write(int descriptor, const void* bytes, std::size_t size) {
  if (descriptor != STDOUT_FILENO) return ::write(descriptor, bytes, size);
  return calling_copy().output.write(static_cast<const char*>(bytes), size) ? static_cast<ssize_t>(size) : -1;
}
ssize_t copy_writev(int descriptor, const iovec* parts, int num_parts) {
  if (descriptor != STDOUT_FILENO) return ::writev(descriptor, parts, num_parts);
  ssize_t written = 0;
  for (int i = 0; i < num_parts; ++i) {
    if (copy_write(descriptor, parts[i].iov_base, parts[i].iov_len) < 0) return written > 0 ? written : -1;
    written += static_cast<ssize_t>(parts[i].iov_len);
  }
  return written;
}

/// Only records the setting. The library's function would replace the buffer of its own std::cout; a copy's
/// stays, as the standard allows.
bool copy_sync_with_stdio(bool is_enabled) {
  return std::exchange(calling_copy().library->is_synchronised, is_enabled);
}

}  // namespace

void add_output(function_table& table) {
  table.insert({
      {"printf", function_address(&copy_printf)},
      {"vprintf", function_address(&copy_vprintf)},
      {"__printf_chk", function_address(&copy_printf_checked)},
      {"__vprintf_chk", function_address(&copy_vprintf_checked)},
      {"puts", function_address(&copy_puts)},
      {"putchar", function_address(&copy_putchar)},
      {"putchar_unlocked", function_address(&copy_putchar_unlocked)},
      {"write", function_address(&copy_write)},
      {"writev", function_address(&copy_writev)},
      {"_ZNSt8ios_base15sync_with_stdioEb", function_address(&copy_sync_with_stdio)},
  });
}

}  // namespace imbrex::mpi
