// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/internal/copy_plan.hpp>
#include <imbrex/mpi/image/program_image.hpp>

namespace imbrex::mpi {

namespace {

int note_library(dl_phdr_info* info, std::size_t, void* into) {
  sharing_library found{info->dlpi_name, UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    found.begin = std::min(found.begin, info->dlpi_addr + segment.p_vaddr);
    found.end = std::max(found.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (found.name.starts_with('/'))
    static_cast<std::vector<sharing_library>*>(into)->push_back(std::move(found));
  return 0;
}

bool binds_at_once(const elf_file& file) {
  return file.dynamic(DT_BIND_NOW) || (file.dynamic(DT_FLAGS).value_or(0) & DF_BIND_NOW) != 0 ||
         (file.dynamic(DT_FLAGS_1).value_or(0) & DF_1_NOW) != 0;
}

/// Bytes that a loaded library may change, except function addresses that the loader fills in on first calls.
std::uint64_t bytes_of_variables(const elf_file& file) {
  std::uint64_t bytes = 0;
  for (const Elf64_Phdr& s : file.segments())
    if (s.p_type == PT_LOAD && (s.p_flags & PF_W) != 0) bytes += s.p_memsz;
  if (const Elf64_Phdr* const constant = file.segment(PT_GNU_RELRO))
    bytes -= std::min(bytes, constant->p_memsz);
  constexpr std::size_t words_of_loader = 3;
  if (!binds_at_once(file))
    bytes -= std::min(bytes, (file.function_relocations().size() + words_of_loader) * sizeof(std::uint64_t));
  return bytes;
}

bool calls(const elf_file& file, bool (*is_meant)(std::string_view name)) {
  const auto is_call = [&](const Elf64_Rela& r) {
    const auto index = ELF64_R_SYM(r.r_info);
    if (index == 0) return false;
    const Elf64_Sym& symbol = file.symbol(index);
    return symbol.st_shndx == SHN_UNDEF && is_meant(file.name(symbol));
  };
  return std::ranges::any_of(file.function_relocations(), is_call) ||
         std::ranges::any_of(file.relocations(), is_call);
}

}  // namespace

std::vector<sharing_library> program_image::sharing_libraries(bool (*is_meant)(std::string_view name)) const {
  constexpr std::uint64_t bytes_of_compiler = 32;  // present in each library
  const auto own = reinterpret_cast<std::uintptr_t>(&note_library);
  std::vector<sharing_library> found;
  ::dl_iterate_phdr(&note_library, &found);
  std::erase_if(found, [&](const sharing_library& each) {
    const bool is_private = std::ranges::any_of(plan_->modules, [&](const module_plan& m) {
      return m.original >= each.begin && m.original < each.end;
    });
    if (is_private || (own >= each.begin && own < each.end)) return true;
    try {
      const elf_file file(each.name);
      return !calls(file, is_meant) || bytes_of_variables(file) <= bytes_of_compiler;
    } catch (const error&) {
      return true;  // the file no longer exists
    }
  });
  for (sharing_library& each : found) each.name.erase(0, each.name.rfind('/') + 1);
  return found;
}

}  // namespace imbrex::mpi
