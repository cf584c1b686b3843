// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/fixed_addresses.hpp>

#include <sys/personality.h>

#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::mpi {

namespace {

/// FNV-1a.
struct digest {
  std::uint64_t value = 0xcbf29ce484222325;
  void add(std::string_view bytes) {
    for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
};

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
  if (now < 0 || (static_cast<unsigned>(now) & ADDR_NO_RANDOMIZE) == 0)
    throw usage_error(
        "--migratable: this process has random addresses, and ranks could not go to others; start the "
        "program by "
        "imbrex run --migratable");
  ::personality(static_cast<unsigned>(now) & ~static_cast<unsigned>(ADDR_NO_RANDOMIZE));
  ::tzset();  // the C library keeps the time zone in the heap that is chosen when it is first needed
}

std::uint64_t digest_of_addresses(int ranks, std::size_t stack) {
  digest all;
  all.add("ranks " + std::to_string(ranks) + ", stack " + std::to_string(stack));
  std::ifstream program("/proc/self/exe", std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16U);
  while (program.read(block.data(), static_cast<std::streamsize>(block.size())) || program.gcount() > 0)
    all.add({block.data(), static_cast<std::size_t>(program.gcount())});
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" r-xp ") == std::string::npos) continue;
    // Libraries of the network are loaded later, and ranks have no addresses of them.
    for (const std::string_view of_program : {"libimbrex_mpi", "libc.so", "libc-", "libstdc++", "libm.so",
                                              "libm-", "libgcc_s", "ld-linux", "[vdso]"})
      if (line.find(of_program) != std::string::npos) all.add(line);
  }
  return all.value;
}

// The lowest byte of a guard is zero, so that no string copies it.
__attribute__((no_stack_protector)) equal_stack_guards::equal_stack_guards(std::uint64_t of_program)
    : before_(exchange_guard(of_program << 8U)) {}
__attribute__((no_stack_protector)) equal_stack_guards::~equal_stack_guards() { exchange_guard(before_); }

}  // namespace imbrex::mpi
