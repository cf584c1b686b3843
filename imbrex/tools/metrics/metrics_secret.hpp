// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::tools {

/// A random secret in a file that only this user may read. Its end removes the file.
class metrics_secret {
 public:
  /// The file is in XDG_RUNTIME_DIR, else in the folder for temporary files, and has the port in its name, so
  /// that a scraper finds that of the next run, too. Throws `error` if it cannot be made.
  explicit metrics_secret(std::uint16_t port);
  ~metrics_secret();
  metrics_secret(const metrics_secret&) = delete;
  metrics_secret& operator=(const metrics_secret&) = delete;

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }

 private:
  std::string text_;
  std::string file_;
};

}  // namespace imbrex::tools
