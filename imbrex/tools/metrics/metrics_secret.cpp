// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/metrics/metrics_secret.hpp>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools {
namespace {

std::string random_text() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw error(std::string("the system gives no random bytes: ") + std::strerror(errno));
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += {digits[byte / 16], digits[byte % 16]};
  }
  return text;
}

std::string folder_of_user() {
  const char* const own = std::getenv("XDG_RUNTIME_DIR");
  std::error_code problem;
  if (own != nullptr && std::filesystem::is_directory(own, problem)) return own;
  return std::filesystem::temp_directory_path(problem).string();
}

}  // namespace

metrics_secret::metrics_secret(std::uint16_t port)
    : text_(random_text()),
      file_(folder_of_user() + "/imbrex-metrics-" + std::to_string(::getuid()) + "-" + std::to_string(port)) {
  constexpr mode_t only_for_its_user = 0600;
  ::unlink(file_.c_str());  // a killed run left its own; a file of another user stays, and is not opened
  const descriptor file(
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, only_for_its_user));
  if (!file || ::write(file.get(), text_.data(), text_.size()) != static_cast<ssize_t>(text_.size())) {
    const std::string why = std::strerror(errno);
    if (file) ::unlink(file_.c_str());
    throw error("the file " + file_ + " for the secret cannot be made: " + why +
                "; name another folder in XDG_RUNTIME_DIR");
  }
}

metrics_secret::~metrics_secret() { ::unlink(file_.c_str()); }

}  // namespace imbrex::tools
