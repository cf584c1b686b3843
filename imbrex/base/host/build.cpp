// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/build.hpp>

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace imbrex {
namespace {

using bytes = std::span<const std::byte>;

std::uint64_t hash(bytes of, std::uint64_t start) {
  for (const std::byte b : of) start = (start ^ std::to_integer<std::uint64_t>(b)) * 1099511628211U;
  return start;
}

bytes segment(const dl_phdr_info& module, const ElfW(Phdr) & of) {
  return {reinterpret_cast<const std::byte*>(module.dlpi_addr + of.p_vaddr), of.p_memsz};
}

std::span<const ElfW(Phdr)> segments(const dl_phdr_info& module) {
  return {module.dlpi_phdr, module.dlpi_phnum};
}

bool holds(const dl_phdr_info& module, const void* address) {
  for (const auto& s : segments(module)) {
    const bytes in = segment(module, s);
    if (s.p_type == PT_LOAD && address >= in.data() && address < in.data() + in.size()) return true;
  }
  return false;
}

/// The linker's build id in notes, which are names and contents, each padded to whole words.
std::optional<bytes> build_id(bytes notes) {
  const auto whole = [](std::size_t n) { return (n + 3) / 4 * 4; };
  ElfW(Nhdr) head{};
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    notes = notes.subspan(sizeof head);
    const std::size_t name = whole(head.n_namesz);
    if (notes.size() < name || notes.size() - name < head.n_descsz) break;
    const std::string_view whose(reinterpret_cast<const char*>(notes.data()), head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && whose == std::string_view("GNU", 4))
      return notes.subspan(name, head.n_descsz);
    if (notes.size() - name < whole(head.n_descsz)) break;
    notes = notes.subspan(name + whole(head.n_descsz));
  }
  return std::nullopt;
}

std::uint64_t build_of_module(const dl_phdr_info& module) {
  constexpr std::uint64_t seed = 14695981039346656037U;
  for (const auto& s : segments(module))
    if (s.p_type == PT_NOTE)
      if (const auto id = build_id(segment(module, s))) return hash(*id, seed);
  std::uint64_t all = seed;
  for (const auto& s : segments(module))
    if (s.p_type == PT_LOAD && (s.p_flags & PF_W) == 0) all = hash(segment(module, s), all);
  return all;
}

struct search {
  const void* function;
  std::uint64_t found = 0;
};

}  // namespace

std::uint64_t build_of(const void* function) {
  search of{function};
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        auto& target = *static_cast<search*>(data);
        if (!holds(*module, target.function)) return 0;
        target.found = build_of_module(*module);
        return 1;
      },
      &of);
  return of.found;
}

}  // namespace imbrex
