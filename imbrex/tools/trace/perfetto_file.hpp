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

/// The path of a file that is being written. Unless `keep` is called, the destructor removes a regular file.
/// Other files and links stay, such as /dev/stdout.
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

/// Writes a file in Perfetto's format; see protos/perfetto/trace/trace_packet.proto and track_event/ in its
/// sources. Names of events are written once, then referenced by number.
class perfetto_file {
 public:
  /// Creates or truncates the file. The destructor removes it unless `close` succeeded. All functions throw
  /// `error`, which names the file.
  explicit perfetto_file(const std::string& path);

  /// Define tracks of the viewer, each with a unique number `track`.
  void process(std::uint64_t track, std::int32_t pid, std::string_view name);
  void thread(std::uint64_t track, std::int32_t pid, std::int64_t tid, std::string_view name);
  void child(std::uint64_t track, std::uint64_t parent, std::string_view name);

  /// The additional fields of an event. An arrow joins an event of a flow to the flow's next event.
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

  /// Writes the remaining data.
  void close();

 private:
  struct closes {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  using open_file = std::unique_ptr<std::FILE, closes>;

  static open_file open(const std::string& path);
  void event(int type, std::uint64_t track, std::uint64_t time, std::string_view name, const details& more);
  void describe(const protobuf_message& track);
  void put_packet();
  void flush();

  open_file file_;
  unfinished_file name_;  // set only after the file is open: a file that cannot be opened must not be removed
  std::unordered_map<std::string, std::uint64_t> names_;
  protobuf_message packets_;
  protobuf_message packet_;
  protobuf_message event_;
  protobuf_message part_;
  bool first_ = true;
};

}  // namespace imbrex::tools
