// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

/// What a program adds to its trace (`--trace FILE`). Without one all this does nothing, and costs a branch.
namespace imbrex::trace {

/// Records from now on, on all PEs: each from its next item. For a window of iterations start the program with
/// `--trace-paused` and call this in one place, `stop` in another. Throws imbrex::error outside a run.
void start();
/// Records no more, until `start`.
void stop();

/// A moment that the user names. Call it with few different names: each is kept as long as the run.
void mark(std::string_view name, std::int64_t value = 0);

/// A part of the run that the user names, from here to the end of the block, with a number such as an iteration's.
/// It may hold a co_await; parts of different chares may overlap.
class phase {
 public:
  explicit phase(std::string_view name, std::int64_t value = 0);
  ~phase();
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;

 private:
  std::uint32_t name_ = 0;
  bool is_recorded_ = false;
  std::uint64_t which_ = 0;
  std::int64_t value_ = 0;
};

}  // namespace imbrex::trace
