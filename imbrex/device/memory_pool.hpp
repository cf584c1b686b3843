// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <imbrex/base/quick_lock.hpp>
#include <imbrex/device/backend.hpp>
#include <imbrex/device/stream_registry.hpp>

namespace imbrex::detail {

/// Keeps memory that was freed for whoever asks next, so that the driver, which may stop the whole device, is
/// rarely called. Any thread.
///
/// A block that is given back may still be used by what streams have before them. So it first waits in
/// quarantine, and is handed out again only when everything that was submitted to any stream of the device
/// before it was given back is done. For that the pool records an event on each busy stream, once for all
/// blocks in quarantine, and only when it has no other block that fits. So a buffer may be destroyed as soon
/// as nothing more is submitted that uses it, and the steady state pays nothing. While a stream is captured
/// the quarantine stays closed; a graph that was captured does not keep its buffers alive.
///
/// When the driver has no more memory the pool waits for the quarantine, then gives unused blocks back to the
/// driver, and only then refuses.
class memory_pool {
 public:
  struct statistics {
    std::size_t blocks_in_use = 0;
    std::size_t bytes_in_use = 0;
    std::size_t bytes_held = 0;  ///< of the driver's memory, in use or not
    std::size_t driver_calls = 0;
  };

  memory_pool(device_backend& of, memory_kind kind, stream_registry& streams);
  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;
  /// Every block must have been given back, and the device be at rest.
  ~memory_pool();

  /// At least so many bytes, aligned to 256. Throws `device_out_of_memory`.
  void* take(std::size_t bytes);
  /// An address that `take` has returned.
  void give_back(void* address) noexcept;
  /// The same of memory that no stream uses any more, or is to: it is there for the next at once.
  void give_back_at_rest(void* address) noexcept;
  /// Keeps the block with that address in it from being handed out again, also when its owner gives it back,
  /// until as many calls of `let_go` as of this. Returns what these take; null if it is no block of this
  /// pool, or not in use.
  void* hold(const void* inside);
  void let_go(void* what) noexcept;
  /// Gives what is not in use back to the driver; waits for the quarantine.
  void trim();
  statistics counts() const;

 private:
  struct block {
    void* address = nullptr;
    std::size_t size = 0;
    int holds = 0;
    bool is_owned = false;  ///< else it is in use only because it is held
  };
  using blocks = std::list<block>;  // giving back moves a node, and so cannot fail

  struct ward {
    std::unique_ptr<device_moment> until;
    blocks waiting;
  };

  void* reuse(std::size_t bytes);
  blocks::iterator owned_block(void* address) noexcept;
  void retire(blocks::iterator used, blocks& to) noexcept;
  void close_ward();
  void open_wards(bool wait);
  void put_by(blocks& from);
  void release_unused() noexcept;

  device_backend& of_;
  const memory_kind kind_;
  stream_registry& streams_;
  mutable quick_lock lock_;
  blocks in_use_;
  std::map<void*, blocks::iterator> place_of_;
  std::map<std::size_t, blocks> free_;
  blocks given_back_;        // since the last ward was closed
  blocks at_rest_;           // given back and free, but not on its shelf yet
  std::vector<ward> wards_;  // the quarantine
  statistics counts_;
};

}  // namespace imbrex::detail
