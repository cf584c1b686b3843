// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/whole_file.hpp>

namespace imbrex::detail {

namespace {

/// Header of a file, before the type and the value. The version number is wrong on a machine of the other
/// byte order.
struct header {
  char magic[8] = {'I', 'm', 'b', 'r', 'e', 'x', 'V', '\n'};
  std::uint64_t version = 3;
  std::uint64_t size = 0;      ///< bytes of the rest of the file
  std::uint64_t of_type = 0;   ///< number of bytes after the header that name the type
  std::uint64_t checksum = 0;  ///< checksum of the rest of the file
};

std::span<const std::byte> bytes_of(const header& h) { return std::as_bytes(std::span(&h, 1)); }

[[noreturn]] void refuse_file(const std::string& file, const std::string& why) {
  throw serial_error("\"" + file + "\" " + why);
}

[[noreturn]] void refuse_type(const std::string& file, const std::string& why) {
  refuse_file(file, "does not hold the wanted type: " + why);
}

[[noreturn]] void throw_unwritten(const std::string& file, const error& why) {
  throw error("cannot write \"" + file + "\": " + why.what());
}

}  // namespace

class file_writer::state {
 public:
  state(const std::string& file, const class_schema& type) : name_(file), file_(file) {
    XXH3_64bits_reset(&sum_);
    file_.write(bytes_of(header_));
    const auto named = to_bytes(type);
    header_.of_type = named.size();
    take(named);
  }

  void take(std::span<const std::byte> bytes) {
    XXH3_64bits_update(&sum_, bytes.data(), bytes.size());
    header_.size += bytes.size();
    file_.write(bytes);
  }
  void finish(std::span<const std::byte> last) {
    take(last);
    header_.checksum = XXH3_64bits_digest(&sum_);
    file_.write_first(bytes_of(header_));
    file_.put_in_place();
  }
  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  whole_file file_;
  header header_;
  XXH3_state_t sum_;
};

file_writer::file_writer(const std::string& file, const class_schema& type)
    : state_([&] {
        try {
          return std::make_unique<state>(file, type);
        } catch (const error& why) {
          throw_unwritten(file, why);
        }
      }()) {}

file_writer::~file_writer() = default;

void file_writer::take(std::span<const std::byte> bytes) {
  try {
    state_->take(bytes);
  } catch (const error& why) {
    throw_unwritten(state_->name(), why);
  }
}

void file_writer::finish(std::span<const std::byte> last) {
  try {
    state_->finish(last);
  } catch (const error& why) {
    throw_unwritten(state_->name(), why);
  }
}

namespace {

struct file_memory {
  std::unique_ptr<std::byte[]> memory;
  std::span<const std::byte> bytes;
};

[[noreturn]] void throw_unread_file(const std::string& file, const std::string& why) {
  throw error("cannot read \"" + file + "\": " + why);
}

file_memory read_whole(const std::string& file) {
  const descriptor handle(
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a named pipe would block
  struct ::stat found{};
  if (!handle || ::fstat(handle.get(), &found) != 0) throw_unread_file(file, std::strerror(errno));
  if (S_ISDIR(found.st_mode)) throw_unread_file(file, std::strerror(EISDIR));
  if (!S_ISREG(found.st_mode)) throw_unread_file(file, "it is no regular file");
  const auto size = static_cast<std::size_t>(found.st_size);
  auto memory = std::make_unique_for_overwrite<std::byte[]>(size);
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(handle.get(), memory.get() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unread_file(file, std::strerror(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  const std::span<const std::byte> bytes(memory.get(), filled);
  return {std::move(memory), bytes};
}

}  // namespace

file_contents::file_contents(const std::string& file) : name_(file) {
  auto read = read_whole(file);
  header before;
  const header right;
  if (read.bytes.size() >= sizeof before) std::memcpy(&before, read.bytes.data(), sizeof before);
  if (read.bytes.size() < sizeof before || std::memcmp(before.magic, right.magic, sizeof before.magic) != 0)
    refuse_file(file, "is no file of imbrex::to_file");
  if (before.version != right.version)
    refuse_file(file,
                "has version " + std::to_string(before.version) + ", not " + std::to_string(right.version) +
                    ": it is of another Imbrex, or of a machine of the other byte order; write it anew");
  const auto rest = read.bytes.subspan(sizeof before);
  if (rest.size() != before.size || before.of_type > rest.size())
    refuse_file(file, "is not whole: it has " + std::to_string(rest.size()) + " bytes of " +
                          std::to_string(before.size));
  if (XXH3_64bits(rest.data(), rest.size()) != before.checksum)
    refuse_file(file, "is damaged: its checksum is another");
  try {
    type_ = from_bytes<class_schema>(rest.first(before.of_type));
  } catch (const serial_error& what) {
    refuse_file(file, std::string("does not name its type: ") + what.what());
  }
  memory_ = std::move(read.memory);
  value_ = rest.subspan(before.of_type);
}

void file_contents::check(const class_schema& read) const {
  if (const auto why = difference(type_, read); !why.empty()) throw serial_error(why);
}

void file_contents::refuse(const class_schema& present, const serial_error& what) const {
  const auto why = difference(type_, present);
  refuse_type(name_, why.empty() ? what.what() : why);
}

}  // namespace imbrex::detail
