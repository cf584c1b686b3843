// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/record_writer.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <imbrex/balance/internal/record_format.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/serial/bytes.hpp>

namespace imbrex::balance {
namespace {

using detail::record_block;
using detail::record_block_header;
using detail::record_header;

[[noreturn]] void refuse_output(const std::string& file, const std::string& why) {
  throw usage_error("cannot write the record " + printable(file) + ": " + why);
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// Opens the file for writing, and empties it.
descriptor open_output(const std::string& file) {
  // Not blocking: a pipe without a reader is an error.
  descriptor output(::open(file.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!output)
    refuse_output(file, std::strerror(errno) +
                            std::string("; name a file in a folder that exists and may be written to"));
  struct ::stat found{};
  if (::fstat(output.get(), &found) != 0) refuse_output(file, std::strerror(errno));
  if (!S_ISREG(found.st_mode)) refuse_output(file, "it is no regular file; name another");
  if (::flock(output.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse_output(file, "another run is writing it; name another file");
  if (::ftruncate(output.get(), 0) != 0) refuse_output(file, std::strerror(errno));
  return output;
}

}  // namespace

record_writer::record_writer(std::string file) : file_(std::move(file)), descriptor_(open_output(file_)) {
  const record_header header;
  try {
    write_at(0, bytes_of(header));
  } catch (const error& why) {
    throw usage_error(why.what());
  }
  whole_ = header.whole;
}

void record_writer::write(const recorded_run& run) {
  write_block(static_cast<std::uint64_t>(record_block::run), to_bytes(run));
}

void record_writer::write(std::span<const object_name> names, const recorded_period& period) {
  if (!std::exchange(has_objects_, true) || !std::ranges::equal(names, names_)) {
    names_.assign(names.begin(), names.end());
    write_block(static_cast<std::uint64_t>(record_block::objects),
                to_bytes(recorded_objects{names_, period.problem.dimensions, period.problem.coordinates}));
  }
  write_block(static_cast<std::uint64_t>(record_block::period), to_bytes(period));
}

void record_writer::write_block(std::uint64_t kind, std::span<const std::byte> content) {
  const record_block_header block{static_cast<record_block>(kind), content.size(),
                                  detail::checksum_of(content)};
  write_at(whole_, bytes_of(block));
  write_at(whole_ + sizeof block, content);
  record_header header;
  header.whole = whole_ + sizeof block + content.size();
  write_at(0, bytes_of(header));
  whole_ = header.whole;
}

void record_writer::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written =
        ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw error("cannot write the record " + printable(file_) + ": " + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

}  // namespace imbrex::balance
