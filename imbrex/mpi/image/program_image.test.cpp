// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/program_image.hpp>

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/elf_file.hpp>
#include <imbrex/testing/error_of.hpp>

#include <gtest/gtest.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

namespace {

using imbrex::mpi::elf_file;
using imbrex::mpi::require_copyable;
using imbrex::testing::error_of;

/// A copy of this program's file with a changed header.
class changed_program {
 public:
  template <class Change>
  explicit changed_program(Change change)
      : path_(testing::TempDir() + "changed_program." + std::to_string(::getpid())) {
    std::ifstream in("/proc/self/exe", std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    change(reinterpret_cast<Elf64_Ehdr&>(bytes.front()),
           reinterpret_cast<Elf64_Phdr*>(&bytes[reinterpret_cast<Elf64_Ehdr&>(bytes.front()).e_phoff]));
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~changed_program() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string refusal(const std::string& file) {
  return error_of<imbrex::error>([&] { require_copyable(file); });
}

TEST(program_image, takes_what_is_independent_of_its_position) {
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
  EXPECT_EQ(refusal("/proc/self/exe"),
            "the program holds AddressSanitizer itself: link it with -shared-libasan");
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
  EXPECT_EQ(refusal("/proc/self/exe"), "the program holds ThreadSanitizer: start a process for each rank");
#else
  EXPECT_EQ(refusal("/proc/self/exe"), "");
#endif
}

TEST(program_image, refuses_a_program_for_one_place) {
  const changed_program fixed([](Elf64_Ehdr& header, Elf64_Phdr*) { header.e_type = ET_EXEC; });
  EXPECT_EQ(refusal(fixed.path()),
            "the program is linked for a fixed address, so that it cannot have several ranks in a process: "
            "compile it with -fPIE and link it with -pie, or start a process for each rank");
}

TEST(program_image, refuses_a_static_program) {
  const changed_program without_loader([](Elf64_Ehdr& header, Elf64_Phdr* segments) {
    for (int i = 0; i < header.e_phnum; ++i)
      if (segments[i].p_type == PT_INTERP) segments[i].p_type = PT_NULL;
  });
  EXPECT_EQ(refusal(without_loader.path()),
            "the program is static, so that it cannot use a shared library: link it without -static");
}

TEST(program_image, refuses_what_is_no_program) {
  const changed_program nothing([](Elf64_Ehdr& header, Elf64_Phdr*) { header.e_ident[0] = 0; });
  EXPECT_EQ(refusal(nothing.path()),
            nothing.path() + " is no program of 64 bits: compile it for this machine");
  EXPECT_EQ(refusal("/no/such/file"), "/no/such/file cannot be read: No such file or directory");
}

TEST(elf_file, knows_symbols_versions_and_libraries) {
  const elf_file program("/proc/self/exe");
  const auto needed = program.needed();
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
  EXPECT_EQ(program.defined("no_such_function"), nullptr);
  EXPECT_NE(program.defined("_dl_find_object"), nullptr);
  bool has_version = false;
  for (const Elf64_Rela& r : program.relocations()) {
    const std::size_t symbol = ELF64_R_SYM(r.r_info);
    if (symbol != 0 && std::strcmp(program.name(program.symbol(symbol)), "__cxa_finalize") == 0)
      has_version = program.version(symbol).starts_with("GLIBC_2.");
  }
  EXPECT_TRUE(has_version);
}

}  // namespace
