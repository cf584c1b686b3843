// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/export.hpp>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/process/program_start.hpp>

namespace imbrex::tools {
namespace {

/// Reads lines of JSON, each followed by the bytes of a data set, and answers with an error or nothing.
constexpr const char* script = R"(
import json, sys
def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()
    sys.exit(1)
try:
    import h5py, numpy
except ImportError as missing:
    say(f"{missing}; install it, for example by: pip install h5py")
data = sys.stdin.buffer
try:
    with h5py.File(sys.argv[1], "w") as file:
        while line := data.readline():
            part = json.loads(line)
            group = file.require_group(part["group"])
            if "attributes" in part:
                group.attrs.update(part["attributes"])
                continue
            values = numpy.frombuffer(data.read(part["bytes"]), dtype=part["type"])
            group.create_dataset(part["name"], data=values.reshape([-1, *part["shape"]]))
except Exception as wrong:
    say(str(wrong))
)";

data_column bytes_of_all(std::string name, std::vector<std::byte> bytes) {
  return {std::move(name), "|u1", {}, std::move(bytes)};
}

/// A column of bytes, and one of the ends of each value.
void add_bytes(const std::string& name, const checkpoint_contents& contents, const whole_section& section,
               std::span<const std::byte> (checkpoint_contents::*part)(const record_place&) const,
               std::vector<data_column>& all) {
  std::vector<std::byte> values, ends;
  for (const record_place& at : section.records) {
    const auto bytes = (contents.*part)(at);
    values.insert(values.end(), bytes.begin(), bytes.end());
    const std::uint64_t end = values.size();
    const auto end_bytes = std::as_bytes(std::span(&end, 1));
    ends.insert(ends.end(), end_bytes.begin(), end_bytes.end());
  }
  all.push_back(bytes_of_all(name, std::move(values)));
  all.push_back({name + "_ends", "<u8", {}, std::move(ends)});
}

inherited_state state_of_this_command() {
  inherited_state state{};
  ::sigprocmask(SIG_SETMASK, nullptr, &state.mask);
  ::getrlimit(RLIMIT_NOFILE, &state.open_files);
  state.broken_pipe = SIG_DFL;
  return state;
}

/// A process of python3 that runs the script.
class python_writer {
 public:
  explicit python_writer(const std::string& file) : file_(file) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      fail_to_start("python3", errno);
    connection_ = descriptor(ends[0]);
    const descriptor end_of_python(ends[1]);
    process_ = start_program({"python3", "-c", script, file}, state_of_this_command(), "python3", [&] {
      ::dup2(end_of_python.get(), STDIN_FILENO);
      ::dup2(end_of_python.get(), STDOUT_FILENO);
    });
  }
  python_writer(const python_writer&) = delete;
  python_writer& operator=(const python_writer&) = delete;
  ~python_writer() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void write_line(const nlohmann::json& line) {
    const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    write(std::as_bytes(std::span(text)));
  }
  /// Waits until the file is written.
  void finish() {
    ::shutdown(connection_.get(), SHUT_WR);
    const std::string text = read_answer();
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    if (status != 0 || !text.empty()) refuse(text.empty() ? "python3 has failed" : text);
  }

 private:
  std::string read_answer() {
    std::string text;
    std::array<char, 4096> room{};
    while (true) {
      const ssize_t got = ::read(connection_.get(), room.data(), room.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(room.data(), static_cast<std::size_t>(got));
    }
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw error("--output " + printable(file_) + " cannot be written: " + printable(why));
  }
  [[noreturn]] void fail() {
    const std::string text = read_answer();
    refuse(text.empty() ? "python3 has ended" : text);
  }

  const std::string file_;
  descriptor connection_;
  pid_t process_ = -1;
};

std::string group_of(const whole_section& section) {
  std::string name = section.info.name.empty() ? "unnamed" : section.info.name;
  for (char& c : name)
    if (c == '/') c = '_';
  return std::string(checkpoints::name_of(section.info.kind)) + "/" + name;
}

}  // namespace

std::vector<data_column> columns_of_section(const checkpoint_contents& contents,
                                            const whole_section& section) {
  std::vector<data_column> all;
  add_bytes("key", contents, section, &checkpoint_contents::key, all);
  auto columns = columns_of(section.info.schema);
  try {
    for (const record_place& at : section.records) {
      if (!columns) break;
      reader in(contents.record(at));
      columns->read(in);
      in.finish();
    }
  } catch (const serial_error&) {
    columns.reset();
  }
  if (columns)
    columns->take("value", all);
  else
    add_bytes("record", contents, section, &checkpoint_contents::record, all);
  return all;
}

void export_to_hdf5(const checkpoint_contents& contents, const std::string& file) {
  python_writer python(file);
  for (const whole_section& section : contents.sections()) {
    const std::string group = group_of(section);
    nlohmann::json attributes{{"class", section.info.schema.name}, {"schema", to_text(section.info.schema)}};
    for (const auto& [name, value] : section.info.attributes) attributes[name] = value;
    python.write_line({{"group", group}, {"attributes", attributes}});
    for (const data_column& column : columns_of_section(contents, section)) {
      python.write_line({{"group", group},
                         {"name", column.name},
                         {"type", column.type},
                         {"shape", column.shape},
                         {"bytes", column.values.size()}});
      python.write(column.values);
    }
  }
  python.finish();
}

}  // namespace imbrex::tools
