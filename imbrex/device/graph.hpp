// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <imbrex/device/backend.hpp>
#include <imbrex/device/device.hpp>

namespace imbrex {

/// Captured operations, returned by `stream::end_capture`, which are launched as one, any number of times.
/// The graph keeps the arguments of kernels and copies, but not the objects that they refer to. Buffers and
/// host functions must outlive its last launch. Two launches of one graph never run at the same time.
class graph {
 public:
  /// Takes over the graph; `other` may then only be destroyed or assigned.
  graph(graph&& other) noexcept
      : of_(std::exchange(other.of_, nullptr)), backend_(std::move(other.backend_)) {}
  graph& operator=(graph&& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(backend_, other.backend_);
    return *this;
  }
  ~graph() {
    if (of_ != nullptr) of_->add_graphs(-1);
  }

 private:
  friend class stream;
  graph(device& of, std::unique_ptr<graph_backend> backend) noexcept
      : of_(&of), backend_(std::move(backend)) {
    of.add_graphs(1);
  }

  device* of_;
  std::unique_ptr<graph_backend> backend_;
};

}  // namespace imbrex
