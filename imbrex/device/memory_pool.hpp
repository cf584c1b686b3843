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

/// Keeps freed memory for reuse, so that calls of the driver, which may stop the whole device, are rare. Any
/// thread.
///
/// A freed block may still be used by earlier work in streams. So it is first put in quarantine. It is handed
/// out again only when all work submitted before its release to any stream of the device is done. For that
/// the pool records an event on each busy stream, once for all blocks in quarantine. It does so only if it
/// has no other block that fits. So a buffer may be destroyed once no more work that uses it is submitted.
/// The steady state has no cost. While a stream is captured the quarantine stays closed. A captured graph
/// does not keep its buffers alive.
///
/// If the driver has no more memory, the pool waits for the quarantine. It then returns unused blocks to the
/// driver, and fails only after that.
class memory_pool {
 public:
  struct statistics {
    std::size_t blocks_in_use = 0;
    std::size_t bytes_in_use = 0;
    std::size_t bytes_held = 0;  ///< bytes from the driver, in use or not
    std::size_t driver_calls = 0;
  };

  memory_pool(device_backend& of, memory_kind kind, stream_registry& streams);
  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;
  /// All blocks must have been given back, and the device must be idle.
  ~memory_pool();

  /// A block of at least `bytes` bytes, aligned to 256. Throws `device_out_of_memory`.
  void* take(std::size_t bytes);
  /// Frees a block that `take` has returned.
  void give_back(void* address) noexcept;
  /// Frees a block that no stream uses or will use: it can be handed out at once, without quarantine.
  void give_back_at_rest(void* address) noexcept;
  /// Holds the block that contains that address. Even if its owner frees it, it is not handed out until each
  /// `hold` has had its `let_go`. Returns the argument for `let_go`; null if the address is in no block of
  /// this pool, or in one that is not in use.
  void* hold(const void* inside);
  void let_go(void* what) noexcept;
  /// Returns all unused memory to the driver; waits for the quarantine.
  void trim();
  statistics counts() const;

 private:
  struct block {
    void* address = nullptr;
    std::size_t size = 0;
    int holds = 0;
    bool is_owned = false;  ///< false: in use only because it is held
  };
  using blocks = std::list<block>;  // freeing moves a node, and so cannot fail

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
  std::map<void*, blocks::iterator> place_of_;  ///< all blocks from the driver
  std::map<std::size_t, blocks> free_;          ///< by size; a size whose blocks are all in use stays
  blocks released_blocks_;                      // since the last ward was closed
  blocks at_rest_;                              // freed without quarantine, but not in `free_` yet
  std::vector<ward> wards_;                     // the quarantine
  statistics counts_;
};

}  // namespace imbrex::detail
