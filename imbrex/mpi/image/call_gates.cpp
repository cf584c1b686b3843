// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/call_gates.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>

namespace imbrex::mpi {

namespace {

constexpr std::size_t gate_bytes = 32;

// Fixed offset from the thread pointer on all threads, so that code can contain the offset.
[[gnu::tls_model("initial-exec")]] thread_local const std::byte* calling = nullptr;

std::ptrdiff_t place_of_caller() {
  return reinterpret_cast<const std::byte*>(&calling) -
         static_cast<const std::byte*>(__builtin_thread_pointer());
}

template <class Value>
void put(std::byte* at, Value value) {
  std::memcpy(at, &value, sizeof value);
}

#ifdef __aarch64__
/// Writes: adr x16, gate; mrs x17, tpidr_el0; str x16, [x17, place]; ldr x16, function; br x16; the function.
void write_gate(std::byte* at, const void* function) {
  constexpr std::ptrdiff_t most = 4095 * 8;
  constexpr std::size_t function_at = 24;
  const std::ptrdiff_t place = place_of_caller();
  if (place < 0 || place > most || place % 8 != 0)
    throw error(
        "libraries have too many thread_local variables for copies of the program: start a process "
        "for each rank");
  constexpr std::uint32_t begin[] = {0x10000010, 0xd53bd051};
  std::memcpy(at, begin, sizeof begin);
  put(at + 8, 0xf9000230 | static_cast<std::uint32_t>(place / 8) << 10U);
  put(at + 12, std::uint32_t{0x58000070});  // loads the word 12 bytes after this instruction
  put(at + 16, std::uint32_t{0xd61f0200});
  put(at + function_at, function);
}
#elif defined(__x86_64__)
/// Writes: lea gate(%rip), %r11; mov %r11, %fs:place; movabs $function, %r11; jmp *%r11.
void write_gate(std::byte* at, const void* function) {
  constexpr unsigned char lea[] = {0x4c, 0x8d, 0x1d, 0xf9, 0xff, 0xff, 0xff};
  constexpr unsigned char store[] = {0x64, 0x4c, 0x89, 0x1c, 0x25};
  constexpr unsigned char load[] = {0x49, 0xbb};
  constexpr unsigned char jump[] = {0x41, 0xff, 0xe3};
  const auto add = [&at](const auto& bytes) {
    std::memcpy(at, &bytes, sizeof bytes);
    at += sizeof bytes;
  };
  add(lea);
  add(store);
  add(static_cast<std::int32_t>(place_of_caller()));
  add(load);
  add(function);
  add(jump);
}
#else
void write_gate(std::byte*, const void*) {
  throw error("copies of a program are made on x86-64 and aarch64 alone: start a process for each rank");
}
#endif

[[noreturn]] void refuse(const char* what) {
  throw error("the calls of copies of the program cannot be " + std::string(what) + ": " +
              std::strerror(errno) +
              (errno == ENOMEM ? "; raise vm.max_map_count by sysctl, or start more processes with fewer "
                                 "ranks each"
                               : ""));
}

}  // namespace

call_gates::call_gates(const function_table& functions)
    : bytes_(page_end(functions.size() * gate_bytes)), code_(::memfd_create("imbrex-gates", MFD_CLOEXEC)) {
  std::vector<std::byte> code(bytes_);
  for (const auto& [name, function] : functions) {
    const std::uint64_t place = places_.size() * gate_bytes;
    places_.emplace(name, place);
    write_gate(&code[place], function);
  }
  if (code_.get() < 0 || ::write(code_.get(), code.data(), bytes_) != static_cast<ssize_t>(bytes_))
    refuse("written");
}

std::optional<std::uint64_t> call_gates::place_of(std::string_view function) const {
  const auto at = places_.find(function);
  return at == places_.end() ? std::nullopt : std::optional(at->second);
}

void call_gates::map(std::byte* begin) const {
  if (::mmap(begin, bytes_, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, code_.get(), 0) == MAP_FAILED)
    refuse("mapped");
}

const std::byte* call_gates::caller() noexcept { return calling; }
void call_gates::set_caller(const std::byte* address) noexcept { calling = address; }

}  // namespace imbrex::mpi
