// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <imbrex/tools/trace/protobuf_writer.hpp>

namespace imbrex::tools {

/// The path of a file that is being written: unless this is whole in the end it is removed. What is no
/// regular file stays, and so does a link, which may be /dev/stdout.
class unfinished_file {
 public:
  explicit unfinished_file(std::string path) : path_(std::move(path)) {}
  ~unfinished_file();
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;

  const std::string& path() const { return path_; }
  void keep() { is_whole_ = true; }

 private:
  std::string path_;
  bool is_whole_ = false;
};

/// Writes a file in Perfetto's format: protos/perfetto/trace/trace_packet.proto and track_event/ in its
/// sources. Names of events are written once, and then called by number.
class perfetto_file {
 public:
  /// Creates the file, or empties it; it is removed in the end unless it is closed. Throws `error`, which
  /// names the file, as all here.
  explicit perfetto_file(const std::string& path);

  /// What a thing on the screen belongs to, by a number that is its own.
  void process(std::uint64_t track, std::int32_t pid, std::string_view name);
  void thread(std::uint64_t track, std::int32_t pid, std::int64_t tid, std::string_view name);
  void child(std::uint64_t track, std::uint64_t parent, std::string_view name);

  /// What an event says beyond its name. An event of a flow is joined to the next one of it by an arrow.
  struct details {
    std::string_view category{};
    std::uint64_t flow = 0;
    std::uint64_t ends_flow = 0;
    std::string_view element{};
    bool has_number = false;
    std::uint64_t number = 0;
  };
  void begin(std::uint64_t track, std::uint64_t time, std::string_view name, const details& more);
  void end(std::uint64_t track, std::uint64_t time);
  void instant(std::uint64_t track, std::uint64_t time, std::string_view name, const details& more);

  /// Writes what is left.
  void close();

 private:
  struct closes {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  using open_file = std::unique_ptr<std::FILE, closes>;

  static open_file opened(const std::string& path);
  void event(int type, std::uint64_t track, std::uint64_t time, std::string_view name, const details& more);
  void describe(const protobuf_message& track);
  void put_packet();
  void flush();

  open_file file_;
  unfinished_file name_;  // from when it is open: what cannot be opened is not ours to remove
  std::unordered_map<std::string, std::uint64_t> names_;
  protobuf_message packets_;
  protobuf_message packet_;
  protobuf_message event_;
  protobuf_message part_;
  bool first_ = true;
};

}  // namespace imbrex::tools
