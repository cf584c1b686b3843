// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

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

/// Writes the trace of one process by hand.
class trace_builder {
 public:
  explicit trace_builder(const std::string& file, const trace::file_header& head = {}) : out_(file, head) {}

  void entry(std::uint32_t id, std::string_view name) {
    out_.write_name(trace::name_table::entries, id, 0, name);
  }
  void mark(std::uint32_t id, std::string_view name) {
    out_.write_name(trace::name_table::marks, id, 0, name);
  }
  /// Writes records of a track, which follow its earlier ones.
  void write(std::uint32_t track, std::initializer_list<trace::record> records) {
    out_.write(track, std::span(records.begin(), records.size()));
  }
  /// Marks the end of the run.
  void end() { out_.end(); }

 private:
  trace::file_writer out_;
};

}  // namespace imbrex::test
