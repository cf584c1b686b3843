// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::mpi {

/// A linked 64-bit program or shared library as in its file, before a loader has changed it. Places are the
/// linker's: byte offsets from the module's load address. Any thread, once made.
class elf_file {
 public:
  /// Opens and maps a file. Throws error if the file cannot be read or is no such program or library.
  explicit elf_file(std::string path);
  elf_file(elf_file&& other) noexcept;
  ~elf_file();

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_.get(); }
  const Elf64_Ehdr& header() const noexcept { return *header_; }
  std::span<const Elf64_Phdr> segments() const noexcept { return segments_; }
  /// The first segment of a type, such as PT_TLS; null if there is none.
  const Elf64_Phdr* segment(std::uint32_t type) const noexcept;

  /// Bytes of memory from the module's begin to its end, in whole pages.
  std::size_t span() const noexcept { return span_; }
  /// An entry of the dynamic section, such as DT_INIT.
  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;
  /// The loader that starts the program; nullopt for a library or a static program.
  std::optional<std::string> loader() const;
  /// Names of the libraries that the module needs.
  std::vector<std::string_view> needed() const;

  /// Both tables of relocations; a loader may defer those of the second.
  std::span<const Elf64_Rela> relocations() const;
  std::span<const Elf64_Rela> function_relocations() const;
  /// Places of the DT_RELR words, to which the load address is added.
  std::vector<std::uint64_t> relative_words() const;
  /// The word that the file holds at a place.
  std::uint64_t word(std::uint64_t place) const;

  const Elf64_Sym& symbol(std::size_t index) const;
  const char* name(const Elf64_Sym& symbol) const;
  /// The version of a defined or needed symbol; empty if none.
  std::string_view version(std::size_t symbol) const;
  /// The symbol that the dynamic table defines by this name; null if none. Linear in the table.
  const Elf64_Sym* defined(std::string_view name) const;

 private:
  /// The file's bytes mapped at a place. Throws error if the file has fewer than `size` there.
  const std::byte* bytes(std::uint64_t place, std::size_t size) const;
  template <class T>
  std::span<const T> table(std::int64_t place, std::int64_t size) const;
  const char* text(std::uint64_t offset) const;
  void read_versions();
  std::size_t num_symbols() const;

  std::string path_;
  imbrex::descriptor descriptor_;
  const std::byte* file_ = nullptr;
  std::size_t size_ = 0;
  const Elf64_Ehdr* header_ = nullptr;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Dyn> dynamic_;
  std::size_t span_ = 0;
  std::vector<std::string_view> versions_;  // by version number
};

}  // namespace imbrex::mpi
