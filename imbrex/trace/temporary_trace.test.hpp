// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <imbrex/trace/file_writer.hpp>

namespace imbrex::test {

/// A folder for the files of one trace, removed at the end.
class temporary_trace {
 public:
  temporary_trace() {
    std::string name = (std::filesystem::temp_directory_path() / "imbrex-trace-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  temporary_trace(const temporary_trace&) = delete;
  temporary_trace& operator=(const temporary_trace&) = delete;
  ~temporary_trace() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  std::string file(const std::string& name = "run.trace") const { return folder_ + "/" + name; }
  /// Read the bytes of a file, and write a file of given bytes.
  static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void make_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

 private:
  std::string folder_;
};

/// A valid record.
inline trace::record a_record(std::uint64_t time, trace::record_kind kind, std::uint64_t a = 0,
                              std::uint64_t b = 0, std::uint32_t group = 0, std::uint16_t entry = 0,
                              std::uint8_t detail = 0) {
  return {time, kind, detail, entry, group, a, b};
}

}  // namespace imbrex::test
