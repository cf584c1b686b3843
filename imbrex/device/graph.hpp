// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <imbrex/device/backend.hpp>

namespace imbrex {

/// A row of operations that `stream::end_capture` has returned, to be launched as one, as often as wanted. It
/// keeps the arguments of kernels and copies as they were, not what they point at: buffers and host functions
/// must outlive its last launch. Two launches of one graph never run at the same time.
class graph {
 public:
  graph(graph&&) noexcept = default;
  graph& operator=(graph&&) noexcept = default;

 private:
  friend class stream;
  graph(std::unique_ptr<graph_backend> backend, const void* device) noexcept
      : backend_(std::move(backend)), device_(device) {}

  std::unique_ptr<graph_backend> backend_;
  const void* device_;
};

}  // namespace imbrex
