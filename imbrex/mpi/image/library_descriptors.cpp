// SPDX-License-Identifier: Apache-2.0
// Descriptor 1 of a copy is its standard output; a replacement that the copy opens there is its own. A copy
// cannot close the runtime's descriptors. None of this holds in child processes of a copy.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>
#include <imbrex/mpi/image/internal/process_descriptors.hpp>

namespace imbrex::mpi {

namespace {

/// The process' descriptor for a descriptor of the calling copy.
int real(int number) { return number == STDOUT_FILENO ? calling_copy().output.descriptor() : number; }

template <auto Function, class Result, class... More>
Result call_with_real(int number, More... more) {
  return Function(real(number), more...);
}
/// Replacement for a function whose first argument is a descriptor.
template <auto Function, class Result, class... More>
const void* by_descriptor(Result (*)(int, More...)) {
  return function_address(&call_with_real<Function, Result, More...>);
}

constexpr const char* duplicate = "a duplicate";

int copy_dup(int number) { return note_descriptor(::dup(real(number)), duplicate); }

// fcntl and ioctl take one more argument, or none.
int copy_fcntl(int number, int command, std::uintptr_t more) {
  const int result = ::fcntl(real(number), command, more);
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? note_descriptor(result, duplicate) : result;
}
int copy_ioctl(int number, unsigned long command, std::uintptr_t more) {
  return ::ioctl(real(number), command, more);
}

bool is_output_of_process(int descriptor) {
  struct stat one{};
  struct stat other{};
  return ::fstat(descriptor, &one) == 0 && ::fstat(STDOUT_FILENO, &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int replace_output(line_output& output, int from) {
  if (from == output.descriptor() && from >= 0) return STDOUT_FILENO;
  descriptor file(::fcntl(from, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!file) return -1;
  // Most programs save their standard output and restore it: lines are written whole again then.
  if (is_output_of_process(from))
    output.restore();
  else
    output.redirect(std::move(file));
  return STDOUT_FILENO;
}

/// Fails with EBADF, as for a closed descriptor: a program that closes all descriptors ignores that.
bool refuses(int descriptor) {
  if (is_child() || !process_descriptors::holds(descriptor)) return false;
  errno = EBADF;
  return true;
}

/// After a dup in a child, which has descriptors of its own: a program that it executes inherits its standard
/// output.
int replace_in_child(int result) {
  line_output& output = calling_copy().output;
  if (result == STDOUT_FILENO && output.descriptor() != STDOUT_FILENO) output.restore();
  return result;
}

int copy_dup2(int from, int to) {
  if (is_child()) return replace_in_child(::dup2(real(from), to));
  if (to == STDOUT_FILENO) return replace_output(calling_copy().output, real(from));
  return from != to && refuses(to) ? -1 : note_descriptor(::dup2(real(from), to), duplicate);
}
int copy_dup3(int from, int to, int flags) {
  if (is_child()) return replace_in_child(::dup3(real(from), to, flags));
  if (to != STDOUT_FILENO)
    return refuses(to) ? -1 : note_descriptor(::dup3(real(from), to, flags), duplicate);
  errno = EINVAL;
  return from == to ? -1 : replace_output(calling_copy().output, real(from));
}

int copy_close(int number) {
  if (is_child()) return ::close(number);
  if (number != STDOUT_FILENO) {
    if (refuses(number)) return -1;
    calling_copy().departure.resources.forget_descriptor(number);
    return ::close(number);
  }
  line_output& output = calling_copy().output;
  if (output.descriptor() < 0) return ::close(-1);
  output.redirect({});
  return 0;
}

int copy_close_range(unsigned first, unsigned last, int flags) {
  if (is_child() || first > last) return ::close_range(first, last, flags);
  const bool only_marks = (static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) != 0;
  if (first > STDOUT_FILENO || last < STDOUT_FILENO)
    return process_descriptors::close_others(&::close_range, first, last, flags);
  if (!only_marks) copy_close(STDOUT_FILENO);
  if (first < STDOUT_FILENO && ::close_range(first, STDOUT_FILENO - 1, flags) != 0) return -1;
  return last == STDOUT_FILENO
             ? 0
             : process_descriptors::close_others(&::close_range, STDOUT_FILENO + 1, last, flags);
}

void copy_closefrom(int first) { copy_close_range(static_cast<unsigned>(std::max(first, 0)), UINT_MAX, 0); }

}  // namespace

void add_descriptors(function_table& table) {
  table.insert({
      {"dup", address_outside<&copy_dup>()},
      {"dup2", address_outside<&copy_dup2>()},
      {"dup3", address_outside<&copy_dup3>()},
      {"close", address_outside<&copy_close>()},
      {"closefrom", address_outside<&copy_closefrom>()},
      {"close_range", address_outside<&copy_close_range>()},
      {"fcntl", address_outside<&copy_fcntl>()},
      {"fcntl64", address_outside<&copy_fcntl>()},
      {"ioctl", function_address(&copy_ioctl)},
      {"isatty", by_descriptor<&::isatty>(&::isatty)},
      {"fstat", by_descriptor<&::fstat>(&::fstat)},
      {"fstat64", by_descriptor<&::fstat64>(&::fstat64)},
      {"lseek", by_descriptor<&::lseek>(&::lseek)},
      {"lseek64", by_descriptor<&::lseek64>(&::lseek64)},
      {"ftruncate", by_descriptor<&::ftruncate>(&::ftruncate)},
      {"ftruncate64", by_descriptor<&::ftruncate64>(&::ftruncate64)},
      {"fsync", by_descriptor<&::fsync>(&::fsync)},
      {"fdatasync", by_descriptor<&::fdatasync>(&::fdatasync)},
      {"tcgetattr", by_descriptor<&::tcgetattr>(&::tcgetattr)},
  });
}

}  // namespace imbrex::mpi
