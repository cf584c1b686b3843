// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/shared_device_buffer.hpp>
#include <imbrex/device/device_part.hpp>
#include <imbrex/device/shared_event.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// Arrays in the memory of devices that are to be combined element by element: one, or several in brackets,
/// one after the other from the left. One thread at a time.
class device_terms {
 public:
  /// Of nothing.
  device_terms() noexcept = default;
  explicit device_terms(device_part&& one) noexcept : one_(std::move(one)) {}

  bool is_one() const noexcept { return several_.empty(); }
  const device_part& one() const noexcept { return one_; }
  device_part& one() noexcept { return one_; }
  std::span<const device_terms> several() const noexcept { return several_; }
  /// How many elements each has.
  std::size_t count() const noexcept { return is_one() ? one_.count() : several_.front().count(); }
  /// The size of an element.
  std::size_t size() const noexcept { return is_one() ? one_.size() : several_.front().size(); }

  /// What is here, combined with those.
  void append(device_terms&& next);

 private:
  device_part one_;
  std::vector<device_terms> several_;
};

/// True if so many bytes are to be reduced by `device_pieces`: in one process that has several devices, if
/// that spares more time of the links than what all PEs have to tell each other for it.
bool is_reduced_in_pieces(std::size_t bytes);

/// A long reduction: each device combines one piece of all arrays, and then all fetch the pieces of others.
/// So every link carries twice what an array has, and no device has more to do than others. A piece is
/// combined in the brackets of the terms, as all would be.
///
/// All PEs call `order_here`, each once; when all have, those that want the result call `whole_here`. The
/// thread of any PE: what is shared is under a lock, and written before all have called the first.
class device_pieces : public std::enable_shared_from_this<device_pieces> {
 public:
  /// Combines arrays of so many elements on that device, in their order, with what lies at `into`.
  using combiner = void (*)(stream& order, void* into, std::span<const void* const> added, std::size_t count,
                            const void* device);

  device_pieces(device_terms&& terms, combiner combine);

  /// Orders what this PE's device does for the result, unless another PE has. Throws `device_out_of_memory`.
  void order_here();
  /// The result on this PE's device, which shares it. Throws imbrex::error if the PE has none, and
  /// `device_out_of_memory`.
  shared_memory whole_here();

 private:
  struct piece {
    imbrex::device* on;
    std::size_t first = 0;
    std::size_t count = 0;
    bool is_ordered = false;
    device_part whole{};  ///< on that device, with the piece at its place
    std::byte* address = nullptr;
    shared_event ready{};
  };
  class work;

  piece* piece_here();
  device_part part_of(const void* from, imbrex::device& on, std::size_t count, const shared_event& filled);

  const device_terms terms_;
  const combiner combine_;
  std::mutex lock_;
  std::vector<piece> pieces_;
  std::vector<std::pair<const imbrex::device*, shared_memory>> wholes_;
};

}  // namespace imbrex::detail
