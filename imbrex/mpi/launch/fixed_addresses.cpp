// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/fixed_addresses.hpp>

#include <sys/personality.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include <imbrex/base/error.hpp>

namespace imbrex::mpi {

namespace {

/// A random number of the job, which the launcher has chosen.
std::string_view number_of_job() {
  const char* const number = std::getenv("IMBREX_MIGRATABLE");
  return number == nullptr ? "" : number;
}

#ifdef __x86_64__
[[gnu::always_inline]] inline std::uint64_t exchange_guard(std::uint64_t next) {
  std::uint64_t before = 0;
  asm volatile("mov %%fs:0x28, %0\n\tmov %1, %%fs:0x28" : "=&r"(before) : "r"(next) : "memory");
  return before;
}
#else
std::uint64_t exchange_guard(std::uint64_t) { return 0; }
#endif

}  // namespace

void require_fixed_addresses() {
#ifndef __x86_64__
  throw usage_error("--migratable: ranks go to other processes on x86-64 alone; leave the option out");
#endif
  const int now = ::personality(0xffffffff);
  if (number_of_job().empty() || now < 0 || (static_cast<unsigned>(now) & ADDR_NO_RANDOMIZE) == 0)
    throw usage_error(
        "--migratable: this process has random addresses, and ranks could not go to others; start the "
        "program by "
        "imbrex run --migratable");
  ::personality(static_cast<unsigned>(now) & ~static_cast<unsigned>(ADDR_NO_RANDOMIZE));
  ::tzset();  // the C library keeps the time zone in the heap that is chosen when it is first needed
}

std::uint64_t digest_of_addresses() {
  std::ifstream maps("/proc/self/maps");
  std::uint64_t digest = 0xcbf29ce484222325;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" r-xp ") == std::string::npos) continue;
    // Libraries of the network are loaded later, and ranks have no addresses of them.
    for (const std::string_view of_program : {"libimbrex_mpi", "libc.so", "libc-", "libstdc++", "libm.so",
                                              "libm-", "libgcc_s", "ld-linux", "[vdso]"})
      if (line.find(of_program) != std::string::npos)
        for (const char c : line) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return digest;
}

// The lowest byte of a guard is zero, so that no string copies it.
__attribute__((no_stack_protector)) equal_stack_guards::equal_stack_guards() {
  std::uint64_t number = 0;
  const std::string_view words = number_of_job();
  std::from_chars(words.data(), words.data() + words.size(), number, 16);
  ::unsetenv("IMBREX_MIGRATABLE");
  before_ = exchange_guard(number << 8U);
}
__attribute__((no_stack_protector)) equal_stack_guards::~equal_stack_guards() { exchange_guard(before_); }

}  // namespace imbrex::mpi
