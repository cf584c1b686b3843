// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/write_part.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/synchronize.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/checkpoint/internal/zstd.hpp>
#include <imbrex/checkpoint/part_reader.hpp>

namespace imbrex::checkpoints {
namespace {

constexpr std::size_t most_at_once = std::size_t{16} << 20U;

void write_all(std::span<const std::byte> bytes, const descriptor& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), std::min(bytes.size(), most_at_once));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw error(std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

part_summary write_part(part_image& image, const std::string& file, compression how) {
  const auto bytes = image.complete();
  const std::string name = "\"" + printable(file) + "\"";
  descriptor open_file(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!open_file) throw error("cannot write " + name + ": " + std::strerror(errno));
  try {
    if (how == compression::zstd)
      detail::compress_part(bytes, [&](auto piece) { write_all(piece, open_file); });
    else
      write_all(bytes, open_file);
    if (::fsync(open_file.get()) != 0) throw error(std::strerror(errno));
    open_file.close();
    synchronize_folder(std::filesystem::path(file).parent_path().string());
    const part_reader read_back(file);
    read_back.verify();
    return read_back.summary();
  } catch (const error& why) {
    ::unlink(file.c_str());
    throw error("cannot write " + name + ": " + why.what());
  }
}

}  // namespace imbrex::checkpoints
