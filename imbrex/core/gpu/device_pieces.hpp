// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/shared_device_buffer.hpp>
#include <imbrex/device/attachment.hpp>
#include <imbrex/device/shared_event.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// Arrays in devices' memory that are to be combined element by element. Either one array, or several terms
/// as a bracketed expression, evaluated from left to right. One thread at a time.
class device_terms {
 public:
  /// Empty terms.
  device_terms() noexcept = default;
  explicit device_terms(attachment&& one) noexcept : one_(std::move(one)) {}

  bool is_one() const noexcept { return several_.empty(); }
  const attachment& one() const noexcept { return one_; }
  attachment& one() noexcept { return one_; }
  std::span<const device_terms> several() const noexcept { return several_; }
  /// The number of elements of each array.
  std::size_t count() const noexcept { return is_one() ? one_.count() : several_.front().count(); }
  /// The size of an element in bytes.
  std::size_t size() const noexcept { return is_one() ? one_.size() : several_.front().size(); }

  /// Appends a term, making the current terms the first one.
  void append(device_terms&& next);

 private:
  attachment one_;
  std::vector<device_terms> several_;
};

/// True if an array of this size should be reduced by `device_pieces`. This needs one process with several
/// devices, and saved time on the links that exceeds the cost of the additional messages.
bool is_reduced_in_pieces(std::size_t bytes);

/// A reduction of long arrays. Each device combines one piece of all arrays, then each device fetches the
/// other pieces. So each link transfers twice an array's size, and all devices have equal work. A piece is
/// combined in the bracket order of the terms.
///
/// All PEs call `order_here` once; when all have done so, PEs that want the result call `whole_here`. Call
/// both on the thread of any PE. Shared state is under a lock, or written before all have called
/// `order_here`.
class device_pieces : public std::enable_shared_from_this<device_pieces> {
 public:
  /// Combines arrays of `count` elements on that device, in their order, with the array at `into`.
  using combiner = void (*)(stream& order, void* into, std::span<const void* const> added, std::size_t count,
                            const void* device);

  device_pieces(device_terms&& terms, combiner combine);

  /// Submits this PE's device's work, unless another PE has done so. Throws `device_out_of_memory`.
  void order_here();
  /// The result on this PE's device, shared by its PEs. Throws imbrex::error if the PE has no device, and
  /// `device_out_of_memory`.
  shared_memory whole_here();

 private:
  struct piece {
    imbrex::device* on;
    std::size_t first = 0;
    std::size_t count = 0;
    bool is_ordered = false;
    attachment whole{};  ///< result buffer on that device, with the piece at its offset
    std::byte* address = nullptr;
    shared_event ready{};
  };
  class work;

  piece* piece_here();
  attachment part_of(const void* from, imbrex::device& on, std::size_t count, const shared_event& filled);

  const device_terms terms_;
  const combiner combine_;
  std::mutex lock_;
  std::vector<piece> pieces_;
  std::vector<std::pair<const imbrex::device*, shared_memory>> wholes_;
};

}  // namespace imbrex::detail
