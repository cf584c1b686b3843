// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

struct chare_header;

namespace detail {

/// A port that refers to memory of its chare, such as an end of a `persistent_channel`. The memory and the
/// reference travel with the chare if its `serialize` names them.
class bound_port {
 public:
  /// True if it is bound to memory that was not the chare's when it was bound. O(1).
  virtual bool is_bound_elsewhere() const = 0;
  /// Finds its memory among that of the chare. False if it is bound to other memory.
  virtual bool find_memory(chare_header& chare) = 0;
  /// The chare is about to leave its PE.
  virtual void leave(chare_header& chare) = 0;
  /// The chare has arrived on a PE, or was read from a checkpoint.
  virtual void arrive(chare_header& chare) = 0;

 protected:
  ~bound_port() = default;
};

}  // namespace detail
}  // namespace imbrex
