// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <imbrex/base/clock.hpp>

namespace imbrex::emulated {

struct task;
struct completion;

/// A kind of call of a device, by its cost for the calling thread.
enum class host_call : std::uint8_t { free, launch, call, query, synchronize, transfer, graph };

/// Receives the calls of emulated devices in simulated time, for a record of their order and their
/// dependencies.
class operation_listener {
 public:
  /// A call that is not free is about to be charged. `operations`: of the graph, for `host_call::graph`.
  virtual void called(host_call what, std::uint32_t operations) = 0;
  /// The cost of the call has been charged.
  virtual void charged() = 0;
  /// An operation is submitted; null predecessors count as done. Returns its number, from 1.
  virtual std::uint32_t submitted(const task& what, int device, std::span<const completion* const> after) = 0;
  /// An event marks the end of that operation; 0 if the stream was empty. Returns the number of the mark,
  /// from 1.
  virtual std::uint32_t marked(std::uint32_t operation) = 0;
  /// The next call asks whether the end with this mark is there.
  virtual void asks(std::uint32_t mark) = 0;
  /// The thread is about to be charged for a copy from host memory to host memory; `charged` follows.
  virtual void copies(std::uint64_t bytes) = 0;
  /// The thread waits for a device, or for a value that others write.
  virtual void blocked() = 0;

 protected:
  ~operation_listener() = default;
};

}  // namespace imbrex::emulated
