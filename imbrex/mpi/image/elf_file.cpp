// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/elf_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>

namespace imbrex::mpi {

elf_file::elf_file(std::string path) : path_(std::move(path)) {
  descriptor_ = imbrex::descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!descriptor_ || ::fstat(descriptor_.get(), &status) != 0)
    throw error(path_ + " cannot be read: " + std::strerror(errno));
  size_ = static_cast<std::size_t>(status.st_size);
  void* mapped = size_ < sizeof(Elf64_Ehdr)
                     ? MAP_FAILED
                     : ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_.get(), 0);
  if (mapped == MAP_FAILED) throw error(path_ + " is no program");
  file_ = static_cast<const std::byte*>(mapped);
  header_ = reinterpret_cast<const Elf64_Ehdr*>(file_);
  if (std::memcmp(header_->e_ident, ELFMAG, SELFMAG) != 0 || header_->e_ident[EI_CLASS] != ELFCLASS64 ||
      header_->e_phentsize != sizeof(Elf64_Phdr) ||
      header_->e_phoff + header_->e_phnum * sizeof(Elf64_Phdr) > size_)
    throw error(path_ + " is no program of 64 bits: compile it for this machine");
  segments_ = {reinterpret_cast<const Elf64_Phdr*>(file_ + header_->e_phoff), header_->e_phnum};
  for (const Elf64_Phdr& s : segments_) {
    if (s.p_type == PT_LOAD) span_ = page_end(s.p_vaddr + s.p_memsz);
    if (s.p_type == PT_DYNAMIC)
      dynamic_ = {reinterpret_cast<const Elf64_Dyn*>(file_ + s.p_offset), s.p_filesz / sizeof(Elf64_Dyn)};
  }
  read_versions();
}

elf_file::elf_file(elf_file&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::move(other.descriptor_)),
      file_(std::exchange(other.file_, nullptr)),
      size_(other.size_),
      header_(other.header_),
      segments_(other.segments_),
      dynamic_(other.dynamic_),
      span_(other.span_),
      versions_(std::move(other.versions_)) {}

elf_file::~elf_file() {
  if (file_ != nullptr) ::munmap(const_cast<std::byte*>(file_), size_);
}

const Elf64_Phdr* elf_file::segment(std::uint32_t type) const noexcept {
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == type) return &s;
  return nullptr;
}

const std::byte* elf_file::bytes(std::uint64_t place, std::size_t size) const {
  for (const Elf64_Phdr& s : segments_)
    if (s.p_type == PT_LOAD && place >= s.p_vaddr && place - s.p_vaddr + size <= s.p_filesz)
      return file_ + s.p_offset + (place - s.p_vaddr);
  throw error(path_ + " is damaged: it does not hold " + std::to_string(size) + " bytes at " +
              std::to_string(place));
}

std::optional<std::uint64_t> elf_file::dynamic(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == tag) return entry.d_un.d_val;
  }
  return std::nullopt;
}

template <class T>
std::span<const T> elf_file::table(std::int64_t place, std::int64_t size) const {
  const auto at = dynamic(place);
  const auto length = dynamic(size);
  if (!at || !length || *length == 0) return {};
  return {reinterpret_cast<const T*>(bytes(*at, *length)), *length / sizeof(T)};
}

std::span<const Elf64_Rela> elf_file::relocations() const { return table<Elf64_Rela>(DT_RELA, DT_RELASZ); }

std::span<const Elf64_Rela> elf_file::function_relocations() const {
  return table<Elf64_Rela>(DT_JMPREL, DT_PLTRELSZ);
}

std::vector<std::uint64_t> elf_file::relative_words() const {
  constexpr std::int64_t relr = 36, relr_size = 35;  // DT_RELR, DT_RELRSZ: older headers do not name them
  std::vector<std::uint64_t> places;
  std::uint64_t next = 0;
  for (const std::uint64_t entry : table<std::uint64_t>(relr, relr_size)) {
    if ((entry & 1) == 0) {  // a place; otherwise a bitmap of the next 63 words
      places.push_back(entry);
      next = entry + sizeof(std::uint64_t);
      continue;
    }
    for (unsigned bit = 1; bit < 64; ++bit)
      if ((entry >> bit & 1) != 0) places.push_back(next + (bit - 1) * sizeof(std::uint64_t));
    next += 63 * sizeof(std::uint64_t);
  }
  return places;
}

std::uint64_t elf_file::word(std::uint64_t place) const {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes(place, sizeof value), sizeof value);
  return value;
}

const Elf64_Sym& elf_file::symbol(std::size_t index) const {
  const std::uint64_t at = dynamic(DT_SYMTAB).value_or(0) + index * sizeof(Elf64_Sym);
  return *reinterpret_cast<const Elf64_Sym*>(bytes(at, sizeof(Elf64_Sym)));
}

const char* elf_file::text(std::uint64_t offset) const {
  return reinterpret_cast<const char*>(bytes(dynamic(DT_STRTAB).value_or(0) + offset, 1));
}

const char* elf_file::name(const Elf64_Sym& symbol) const { return text(symbol.st_name); }

std::optional<std::string> elf_file::loader() const {
  const Elf64_Phdr* const named = segment(PT_INTERP);
  if (named == nullptr) return std::nullopt;
  return reinterpret_cast<const char*>(bytes(named->p_vaddr, named->p_filesz));  // ends with a zero
}

std::vector<std::string_view> elf_file::needed() const {
  std::vector<std::string_view> names;
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.emplace_back(text(entry.d_un.d_val));
  }
  return names;
}

void elf_file::read_versions() {
  const auto note = [this](std::size_t number, const char* name) {
    number &= 0x7fff;  // the highest bit marks hidden versions
    if (versions_.size() <= number) versions_.resize(number + 1);
    versions_[number] = name;
  };
  std::uint64_t at = dynamic(DT_VERNEED).value_or(0);
  for (std::uint64_t n = dynamic(DT_VERNEEDNUM).value_or(0); n > 0; --n) {
    const auto& library = *reinterpret_cast<const Elf64_Verneed*>(bytes(at, sizeof(Elf64_Verneed)));
    std::uint64_t of = at + library.vn_aux;
    for (unsigned i = 0; i < library.vn_cnt; ++i) {
      const auto& version = *reinterpret_cast<const Elf64_Vernaux*>(bytes(of, sizeof(Elf64_Vernaux)));
      note(version.vna_other, text(version.vna_name));
      of += version.vna_next;
    }
    at += library.vn_next;
  }
  at = dynamic(DT_VERDEF).value_or(0);
  for (std::uint64_t n = dynamic(DT_VERDEFNUM).value_or(0); n > 0; --n) {
    const auto& version = *reinterpret_cast<const Elf64_Verdef*>(bytes(at, sizeof(Elf64_Verdef)));
    const auto& name =
        *reinterpret_cast<const Elf64_Verdaux*>(bytes(at + version.vd_aux, sizeof(Elf64_Verdaux)));
    if ((version.vd_flags & VER_FLG_BASE) == 0) note(version.vd_ndx, text(name.vda_name));
    at += version.vd_next;
  }
}

std::string_view elf_file::version(std::size_t symbol) const {
  const auto table = dynamic(DT_VERSYM);
  if (!table) return {};
  std::uint16_t number = 0;
  std::memcpy(&number, bytes(*table + symbol * sizeof number, sizeof number), sizeof number);
  number &= 0x7fff;
  return number < versions_.size() ? versions_[number] : std::string_view();
}

std::size_t elf_file::num_symbols() const {
  // Only the hash tables give the number of symbols. The newer one gives only the last defined symbol.
  if (const auto hash = dynamic(DT_HASH)) {
    std::uint32_t chains = 0;
    std::memcpy(&chains, bytes(*hash + sizeof chains, sizeof chains), sizeof chains);
    return chains;
  }
  const auto hash = dynamic(DT_GNU_HASH);
  if (!hash) return 0;
  const auto number = [&](std::uint64_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes(at, sizeof value), sizeof value);
    return value;
  };
  const std::uint32_t buckets = number(*hash), first = number(*hash + 4), words = number(*hash + 8);
  const std::uint64_t of_buckets = *hash + 16 + words * 8ULL, of_chains = of_buckets + buckets * 4ULL;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) last = std::max(last, number(of_buckets + i * 4ULL));
  if (last < first) return first;
  while ((number(of_chains + (last - first) * 4ULL) & 1) == 0) ++last;
  return last + 1;
}

const Elf64_Sym* elf_file::defined(std::string_view name) const {
  for (std::size_t i = 1, n = num_symbols(); i < n; ++i) {
    const Elf64_Sym& s = symbol(i);
    if (s.st_shndx != SHN_UNDEF && name == this->name(s)) return &s;
  }
  return nullptr;
}

}  // namespace imbrex::mpi
