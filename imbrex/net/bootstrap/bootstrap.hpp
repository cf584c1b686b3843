// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace imbrex {

/// How the processes of one job find each other, once, at the start.
class bootstrap {
 public:
  bootstrap() = default;
  bootstrap(const bootstrap&) = delete;
  bootstrap& operator=(const bootstrap&) = delete;
  virtual ~bootstrap() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Gives each process's text to all, in the order of ranks. Collective, may be called several times. Throws
  /// imbrex::error if the others have not all come within 30 s.
  virtual std::vector<std::string> all_gather(const std::string& mine) = 0;
};

}  // namespace imbrex
