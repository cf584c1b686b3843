// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/file_writer.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::trace {

namespace {

constexpr std::size_t records_a_chunk = 32'768;
static_assert(records_a_chunk * sizeof(record) <= largest_chunk);

}  // namespace

std::string file_of_process(const std::string& file, std::uint32_t process) {
  return process == 0 ? file : file + "." + std::to_string(process);
}

file_writer::file_writer(std::string path, const file_header& header)
    // Not blocking: so a pipe without a reader is an error, and does not block the run.
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666)) {
  if (!file_)
    throw error("cannot write the trace " + path_ + ": " + std::strerror(errno) +
                "; name a file in a folder that exists and may be written to");
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw error("cannot write the trace " + path_ + ": another run is writing it; name another file");
  if (::ftruncate(file_.get(), 0) != 0 && errno != EINVAL)  // the error for a device
    throw error("cannot write the trace " + path_ + ": " + std::strerror(errno));
  write_all(std::as_bytes(std::span(&header, 1)), {});
}

void file_writer::write(std::uint32_t track, std::span<const record> records) {
  while (!records.empty()) {
    const auto some = records.first(std::min(records.size(), records_a_chunk));
    write_chunk(chunk_kind::records, track, std::as_bytes(some));
    records = records.subspan(some.size());
  }
}

void file_writer::write(const clock_reading& reading) {
  write_chunk(chunk_kind::clock, 0, std::as_bytes(std::span(&reading, 1)));
}

void file_writer::write_name(name_table table, std::uint32_t id, std::uint64_t key, std::string_view text) {
  constexpr std::size_t longest = 65'536;  // limit of names given by users; longer ones would not be read
  text = text.substr(0, longest);
  name_header head;
  head.table = table;
  head.id = id;
  head.key = key;
  head.length = static_cast<std::uint32_t>(text.size());
  std::vector<std::byte> content(sizeof head + (text.size() + 7) / 8 * 8);
  std::memcpy(content.data(), &head, sizeof head);
  std::memcpy(content.data() + sizeof head, text.data(), text.size());
  write_chunk(chunk_kind::names, 0, content);
}

void file_writer::end() { write_chunk(chunk_kind::end, 0, {}); }

void file_writer::write_chunk(chunk_kind kind, std::uint32_t track, std::span<const std::byte> content) {
  chunk_header head;
  head.kind = kind;
  head.track = track;
  head.bytes = static_cast<std::uint32_t>(content.size());
  write_all(std::as_bytes(std::span(&head, 1)), content);
}

void file_writer::write_all(std::span<const std::byte> head, std::span<const std::byte> content) {
  while (!head.empty() || !content.empty()) {
    std::array<::iovec, 2> parts{::iovec{const_cast<std::byte*>(head.data()), head.size()},
                                 ::iovec{const_cast<std::byte*>(content.data()), content.size()}};
    const auto written = ::writev(file_.get(), parts.data(), static_cast<int>(parts.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw error("cannot go on writing the trace " + path_ + ": " + std::strerror(errno));
    auto n = static_cast<std::size_t>(written);
    bytes_ += n;
    const auto of_head = std::min(n, head.size());
    head = head.subspan(of_head);
    content = content.subspan(n - of_head);
  }
}

}  // namespace imbrex::trace
