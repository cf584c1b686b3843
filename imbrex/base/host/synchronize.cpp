// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/synchronize.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex {

void synchronize_folder(const std::string& folder) {
  const descriptor open_folder(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_folder) return;
  if (::fsync(open_folder.get()) != 0 && errno != EINVAL && errno != EROFS) throw error(std::strerror(errno));
}

}  // namespace imbrex
