// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/program_image.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ios>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_heap.hpp>
#include <imbrex/mpi/image/internal/copy_plan.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>
#include <imbrex/mpi/image/relocation.hpp>

namespace imbrex::mpi {

namespace {

/// A module as the system's loader has mapped it.
struct loaded_module {
  std::string name;  // empty for the program
  std::uintptr_t base = 0;
  std::span<const Elf64_Phdr> segments;
  const void* thread_block = nullptr;  // variables of this thread
  bool is_late = false;                // loaded for copies; the program does not need it at the start

  std::ptrdiff_t thread_block_offset() const {
    return static_cast<const std::byte*>(thread_block) -
           static_cast<const std::byte*>(__builtin_thread_pointer());
  }
  bool holds(std::uintptr_t address) const {
    return std::any_of(segments.begin(), segments.end(), [&](const Elf64_Phdr& s) {
      return s.p_type == PT_LOAD && address - base - s.p_vaddr < s.p_memsz;
    });
  }
};

int note_module(dl_phdr_info* info, std::size_t, void* into) {
  static_cast<std::vector<loaded_module>*>(into)->push_back(
      {info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}, info->dlpi_tls_data});
  return 0;
}

std::vector<loaded_module> loaded_modules() {
  std::vector<loaded_module> modules;
  ::dl_iterate_phdr(&note_module, &modules);
  return modules;
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

bool is_file_of(const elf_file& file, const loaded_module& module) {
  return file.segments().size() == module.segments.size() &&
         std::memcmp(file.segments().data(), module.segments.data(), module.segments.size_bytes()) == 0;
}

/// The path of the file mapped at an address; empty if there is none.
std::string path_at(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string access, offset, device, inode, path;
    fields >> std::hex >> begin >> dash >> end >> access >> offset >> device >> inode >> std::ws;
    if (address >= begin && address < end) return std::getline(fields, path) ? path : "";
  }
  return "";
}

/// The file of a module; it may have been replaced since the start.
elf_file file_of(const loaded_module& module, std::uintptr_t address_in_it) {
  if (module.name.empty())
    if (elf_file running("/proc/self/exe"); is_file_of(running, module)) return running;
  const std::string path = module.name.empty() ? path_at(address_in_it) : module.name;
  elf_file file(path);
  if (!is_file_of(file, module))
    throw error(path + " has been replaced since the program was started: start it again");
  return file;
}

/// True if a name denotes a library's file: "libfoo.so.1", "libfoo.so", "libfoo", "foo", or a path.
bool is_named(const std::string& file, const std::string& name) {
  const auto begins = [&](const std::string& with) {
    return file.rfind(with, 0) == 0 &&
           (file.size() == with.size() || file[with.size()] == '.' || file[with.size()] == '-');
  };
  return begins(file_name(name)) || begins("lib" + name);
}

/// Libraries that a process has only once.
bool is_of_process(const std::string& file) {
  for (const char* name : {"libc", "ld-linux", "ld-linux-x86-64", "ld-linux-aarch64", "libpthread", "libdl",
                           "libm", "libgcc_s", "libstdc++", "libc++", "libc++abi"})
    if (is_named(file, name)) return true;
  return false;
}

constexpr const char* openmp_libraries[] = {"libgomp", "libomp", "libiomp5"};

void refuse_what_cannot_be_copied(const elf_file& program) {
  if (program.segment(PT_INTERP) == nullptr)
    throw error("the program is static, so that it cannot use a shared library: link it without -static");
  if (program.header().e_type != ET_DYN)
    throw error(
        "the program is linked for a fixed address, so that it cannot have several ranks in a process: "
        "compile it with -fPIE and link it with -pie, or start a process for each rank");

  struct runtime {
    const char* symbol;
    const char* words;
  };
  static constexpr runtime runtimes[] = {
      {"__asan_init", "holds AddressSanitizer itself: link it with -shared-libasan"},
      {"__tsan_init", "holds ThreadSanitizer: start a process for each rank"},
      {"__msan_init", "holds MemorySanitizer: start a process for each rank"},
      {"malloc", "defines malloc itself: link its allocator as a shared library, which one process has once"},
  };
  for (const runtime& r : runtimes)
    if (program.defined(r.symbol) != nullptr) throw error("the program " + std::string(r.words));
}

/// Makes a plan from the modules that the system's loader has mapped.
class planner {
 public:
  planner(const program_start& program, std::span<const std::string> libraries, const fixed_places& fixed,
          copy_plan& plan)
      : plan_(plan), loaded_(loaded_modules()) {
    load(libraries);
    choose_modules(reinterpret_cast<std::uintptr_t>(program.main), libraries);
    plan_.main = place(reinterpret_cast<std::uintptr_t>(program.main));
    for (std::size_t i = 0; i < plan_.modules.size(); ++i) plan_thread_block(i);
    for (const loaded_module& m : loaded_) plan_thread_state(m);
    // Variables first: the meaning of libraries' words depends on which variables lie in a copy.
    for (const module_plan& m : plan_.modules) find_copied(m);
    for (const module_plan& m : plan_.modules) relocate(m);
    plan_.bytes = page_end(annex_end_);
    for (std::size_t i = 0; i < sources_.size(); ++i) take_snapshot(sources_[i]);
    plan_.area =
        std::make_unique<copy_area>(plan_.bytes, unwind_ranges(), slot_extension{fixed.copies, fixed.stack});
  }

 private:
  struct source {
    std::uint64_t at;
    std::uintptr_t address;  // address of the process' variable
    std::size_t size;
  };
  struct target {
    bool inner;
    std::uint64_t value;
  };

  bool is_loaded(const std::string& name) const {
    return std::any_of(loaded_.begin() + 1, loaded_.end(),
                       [&](const loaded_module& m) { return is_named(file_name(m.name), name); });
  }
  /// Loads libraries that the program would load later, so that each copy has its own.
  void load(std::span<const std::string> libraries) {
    const std::size_t at_start = loaded_.size();
    for (const std::string& name : libraries)
      if (!is_loaded(name)) ::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    loaded_ = loaded_modules();
    for (std::size_t i = at_start; i < loaded_.size(); ++i) loaded_[i].is_late = true;
    for (const loaded_module& m : loaded_) plan_.loaded.push_back(m.base);
  }

  void choose_modules(std::uintptr_t main, std::span<const std::string> libraries) {
    std::vector<const loaded_module*> chosen;
    const loaded_module& program = loaded_.front();
    if (!program.holds(main))
      throw error(
          "main does not lie in the program, so that copies cannot be made of it: start a process for each "
          "rank");
    std::vector<std::string> names(libraries.begin(), libraries.end());
    const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(&note_module);
    for (const std::string& name : names) {
      const auto at = std::find_if(loaded_.begin() + 1, loaded_.end(),
                                   [&](const loaded_module& m) { return is_named(file_name(m.name), name); });
      if (at == loaded_.end())
        throw error("the program does not use a library " + name +
                    ", of which each rank should have its own: leave it out of --privatise; if the program "
                    "loads it by dlopen, name its file with the folder");
      if (at->holds(here) || is_of_process(file_name(at->name)))
        throw error("ranks cannot have a library " + name +
                    " of their own each, as a process has it once: leave it out of --privatise");
    }
    names.emplace_back("libgfortran");
    // The loader lists a library behind its users; construction has the reverse order.
    for (auto m = loaded_.rbegin(); m + 1 != loaded_.rend(); ++m)
      if (std::any_of(names.begin(), names.end(),
                      [&](const std::string& name) { return is_named(file_name(m->name), name); }))
        chosen.push_back(&*m);
    chosen.push_back(&program);
    for (const loaded_module* m : chosen) {
      plan_.modules.push_back({file_of(*m, main), m->name, m->base, plan_.bytes});
      const elf_file& file = plan_.modules.back().file;
      if (file.dynamic(DT_TEXTREL) || (file.dynamic(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0)
        throw error(file.path() + " has code that depends on its position: compile it with -fPIC");
      if (const Elf64_Phdr* stack = file.segment(PT_GNU_STACK))
        plan_.executable_stack = plan_.executable_stack || (stack->p_flags & PF_X) != 0;
      plan_.bytes += file.span();
      chosen_.push_back(m);
    }
    plan_.modules.back().name = path_at(main);
    refuse_what_cannot_be_copied(program_file());
    plan_.gates_at = plan_.bytes;
    plan_.annex = annex_end_ = plan_.gates_at + plan_.gates.bytes();
  }

  const elf_file& program_file() const { return plan_.modules.back().file; }

  void plan_thread_block(std::size_t module) {
    const module_plan& m = plan_.modules[module];
    const Elf64_Phdr* segment = m.file.segment(PT_TLS);
    if (segment == nullptr || segment->p_memsz == 0) return;
    if (chosen_[module]->is_late)
      throw error(
          "thread_local variables of " + m.file.path() +
          " can be each rank's own only if the program is linked with it: link it, or leave it out of "
          "--privatise");
    if (chosen_[module]->thread_block == nullptr)
      throw error("thread_local variables of " + m.file.path() +
                  " are not there yet: link the program with that library");
    plan_.thread_blocks.push_back({chosen_[module]->thread_block_offset(), segment->p_memsz, true,
                                   m.at + segment->p_vaddr, segment->p_filesz});
  }

  /// OpenMP libraries keep settings, threads and active regions in thread_local variables. Each rank has its
  /// own values, although the library is the process'.
  void plan_thread_state(const loaded_module& library) {
    const std::string file = file_name(library.name);
    const auto is_one = [&file](const char* name) { return is_named(file, name); };
    if (library.thread_block == nullptr || is_private(library) ||
        std::none_of(std::begin(openmp_libraries), std::end(openmp_libraries), is_one))
      return;
    for (const Elf64_Phdr& s : library.segments)
      if (s.p_type == PT_TLS)
        plan_.thread_blocks.push_back(
            {library.thread_block_offset(), s.p_memsz, false, library.base + s.p_vaddr, s.p_filesz});
  }

  std::uint64_t place(std::uintptr_t address) const { return plan_.place_of(address).value(); }

  void find_copied(const module_plan& m) {
    for (const Elf64_Rela& r : m.file.relocations()) {
      if (kind_of(m, r) != relocation::copied) continue;
      const Elf64_Sym& symbol = m.file.symbol(ELF64_R_SYM(r.r_info));
      const std::string_view name = m.file.name(symbol);
      sources_.push_back({m.at + r.r_offset, m.original + r.r_offset, symbol.st_size});
      if (const auto variable = library_variable_of(name))
        plan_.variables[static_cast<std::size_t>(*variable)] = m.at + r.r_offset;
      else
        warn_of_copied(name);
    }
  }

  /// Warns of a library that keeps using its own instance of a variable.
  void warn_of_copied(std::string_view name) {
    for (const char* constant : {"_ZTV", "_ZTI", "_ZTS", "_ZTT"})
      if (name.starts_with(constant)) return;
    for (std::size_t i = 1; i < loaded_.size(); ++i) {
      const loaded_module& library = loaded_[i];
      if (is_of_process(file_name(library.name)) || is_private(library) ||
          library.holds(reinterpret_cast<std::uintptr_t>(&note_module)) || library.name.empty() ||
          library.name.front() != '/')
        continue;
      const elf_file file(library.name);
      const Elf64_Sym* symbol = file.defined(name);
      if (symbol == nullptr || is_constant(file, *symbol)) continue;
      plan_.warnings.push_back("each rank has its own variable " + std::string(name) + ", but not " +
                               file_name(library.name) +
                               ", whose variable it is: privatise that library too");
      return;
    }
  }

  static bool is_constant(const elf_file& file, const Elf64_Sym& symbol) {
    for (const Elf64_Phdr& s : file.segments()) {
      const bool inside = symbol.st_value >= s.p_vaddr && symbol.st_value < s.p_vaddr + s.p_memsz;
      if (inside && (s.p_type == PT_GNU_RELRO || (s.p_type == PT_LOAD && (s.p_flags & PF_W) == 0)))
        return true;
    }
    return false;
  }

  bool is_private(const loaded_module& library) const {
    return std::find(chosen_.begin(), chosen_.end(), &library) != chosen_.end();
  }

  static relocation kind_of(const module_plan& m, const Elf64_Rela& r) {
    return relocation_of(m.file.header().e_machine, ELF64_R_TYPE(r.r_info));
  }

  void relocate(const module_plan& m) {
    symbols_.clear();
    for (const std::uint64_t at : m.file.relative_words())
      plan_.inner.push_back({m.at + at, m.at + m.file.word(at)});
    for (const Elf64_Rela& r : m.file.relocations()) relocate(m, r);
    for (const Elf64_Rela& r : m.file.function_relocations()) relocate(m, r);
  }

  void relocate(const module_plan& m, const Elf64_Rela& r) {
    const std::uint64_t at = m.at + r.r_offset;
    switch (kind_of(m, r)) {
      case relocation::nothing:
      case relocation::copied: break;
      case relocation::relative:
        plan_.inner.push_back({at, m.at + static_cast<std::uint64_t>(r.r_addend)});
        break;
      case relocation::symbol:
      case relocation::function: {
        const target& t = target_of(m, ELF64_R_SYM(r.r_info));
        put(at, {t.inner, t.value + static_cast<std::uint64_t>(r.r_addend)});
        break;
      }
      case relocation::chosen: put(at, moved(original_word(m, r.r_offset))); break;
      case relocation::thread_pair:
        plan_.outer.push_back({at + 8, original_word(m, r.r_offset + 8)});
        [[fallthrough]];
      case relocation::thread_word: plan_.outer.push_back({at, original_word(m, r.r_offset)}); break;
      case relocation::unknown:
        throw error(m.file.path() + " has a relocation that is not known: " +
                    relocation_name(m.file.header().e_machine, ELF64_R_TYPE(r.r_info)));
    }
  }

  void put(std::uint64_t at, const target& t) {
    if (t.inner)
      plan_.inner.push_back({at, t.value});
    else
      plan_.outer.push_back({at, t.value});
  }

  static std::uint64_t original_word(const module_plan& m, std::uint64_t place) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(m.original + place), sizeof value);
    return value;
  }

  /// The target in a copy for an address in the original.
  target moved(std::uintptr_t address) const {
    if (const auto place = plan_.place_of(address)) return {true, *place};
    return {false, address};
  }

  const target& target_of(const module_plan& m, std::size_t index) {
    const auto [at, is_new] = symbols_.try_emplace(index);
    if (is_new) at->second = find(m, index);
    return at->second;
  }

  /// The address that the system's loader resolves a symbol to, or its counterpart in a copy.
  target find(const module_plan& m, std::size_t index) {
    if (index == 0) return {false, 0};
    const Elf64_Sym& symbol = m.file.symbol(index);
    const bool is_defined = symbol.st_shndx != SHN_UNDEF;
    const bool is_own = &m == &plan_.modules.back() || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
                        (m.file.dynamic(DT_FLAGS).value_or(0) & DF_SYMBOLIC) != 0;
    if (is_defined && is_own && ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC)
      return {true, m.at + symbol.st_value};
    const std::string name = m.file.name(symbol);
    const std::string version(m.file.version(index));
    const void* found = defined_for(name, version);
    const auto address = reinterpret_cast<std::uintptr_t>(found);
    if (found == nullptr) {
      if (is_defined) return {true, m.at + symbol.st_value};
      if (ELF64_ST_BIND(symbol.st_info) == STB_WEAK && !plan_.gates.place_of(name)) return {false, 0};
    } else if (const auto place = plan_.place_of(address)) {
      return {true, *place};
    }
    if (const auto variable = library_variable_of(name); variable && is_of_each_copy(*variable))
      return {true, annexed(*variable, address)};
    if (const auto gate = plan_.gates.place_of(name)) return {true, plan_.gates_at + *gate};
    if (found == nullptr)
      throw error(m.file.path() + " needs " + name + ", which is not there: start the program again");
    return {false, address};
  }

  /// The first definition of a name with a version or with none. dlvsym misses those without, such as those
  /// of allocators that precede the C library.
  const void* defined_for(const std::string& name, const std::string& version) const {
    const void* const first = ::dlsym(RTLD_DEFAULT, name.c_str());
    if (version.empty()) return first;
    const void* const exact = ::dlvsym(RTLD_DEFAULT, name.c_str(), version.c_str());
    if (first == nullptr || first == exact) return exact;
    const auto holder = [this](const void* address) {
      return std::find_if(loaded_.begin(), loaded_.end(), [address](const loaded_module& m) {
        return m.holds(reinterpret_cast<std::uintptr_t>(address));
      });
    };
    const auto library = holder(first);
    if (library >= (exact == nullptr ? loaded_.end() : holder(exact))) return exact;
    const elf_file file(library->name.empty() ? program_file().path() : library->name);
    const Elf64_Sym* const symbol = file.defined(name);
    const bool is_unversioned =
        symbol != nullptr && file.version(static_cast<std::size_t>(symbol - &file.symbol(0))).empty();
    return is_unversioned ? first : exact;
  }

  /// Offset of a copy's own instance of a variable that the program does not contain.
  std::uint64_t annexed(library_variable variable, std::uintptr_t address) {
    auto& at = plan_.variables[static_cast<std::size_t>(variable)];
    if (!at) {
      constexpr std::uint64_t aligned = 16;
      annex_end_ = (annex_end_ + aligned - 1) / aligned * aligned;
      at = annex_end_;
      annex_end_ += size_of(variable);
      sources_.push_back({*at, address, size_of(variable)});
    }
    return *at;
  }

  /// Takes a library's value; pointers in it to the program, or to such values, become the copy's.
  void take_snapshot(const source& s) {
    snapshot taken{s.at, std::vector<std::byte>(s.size)};
    std::memcpy(taken.value.data(), reinterpret_cast<const void*>(s.address), s.size);
    for (std::size_t i = 0; s.address % 8 == 0 && i + 8 <= s.size; i += 8) {
      std::uintptr_t word = 0;
      std::memcpy(&word, taken.value.data() + i, sizeof word);
      if (const auto place = plan_.place_of(word)) plan_.inner.push_back({s.at + i, *place});
      for (const source& other : sources_)
        if (word - other.address < other.size)
          plan_.inner.push_back({s.at + i, other.at + (word - other.address)});
    }
    plan_.snapshots.push_back(std::move(taken));
  }

  std::vector<unwind_range> unwind_ranges() const {
    std::vector<unwind_range> ranges;
    for (const module_plan& m : plan_.modules)
      if (const Elf64_Phdr* table = m.file.segment(PT_GNU_EH_FRAME))
        ranges.push_back({m.at, m.at + m.file.span(), m.at + table->p_vaddr});
    return ranges;
  }

  copy_plan& plan_;
  std::vector<loaded_module> loaded_;
  std::vector<const loaded_module*> chosen_;  // parallel to the plan's modules
  std::vector<source> sources_;
  std::uint64_t annex_end_ = 0;
  std::unordered_map<std::size_t, target> symbols_;  // symbols of the module that is being relocated
};

}  // namespace

void require_copyable(const std::string& file) { refuse_what_cannot_be_copied(elf_file(file)); }

std::optional<std::uint64_t> copy_plan::place_of(std::uintptr_t address) const {
  for (const module_plan& m : modules)  // a symbol may mark the end
    if (address - m.original <= m.file.span()) return m.at + (address - m.original);
  return std::nullopt;
}

program_image::program_image(const program_start& program, std::span<const std::string> libraries,
                             const fixed_places& fixed) {
  // Copies take over the streams as they are now; the library constructs them on first use.
  static const std::ios_base::Init streams;
  watch_children();
  auto plan = std::make_shared<copy_plan>();
  planner(program, libraries, fixed, *plan);
  if (fixed.copies > 0) use_heaps_of_copies(*plan->area);
  plan_ = std::move(plan);
}

program_image::~program_image() = default;

std::size_t program_image::bytes() const noexcept { return plan_->bytes; }

bool program_image::needs_executable_stack() const noexcept { return plan_->executable_stack; }

const std::vector<std::string>& program_image::warnings() const noexcept { return plan_->warnings; }

}  // namespace imbrex::mpi
