// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/mpi/file/view.hpp>

namespace imbrex::mpi {

/// A piece of a file, and where its bytes are among those of an access.
struct placed_piece {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t position = 0;
};

/// The pieces of a file that an access of one rank moves, by ascending offsets.
class piece_list {
 public:
  piece_list() = default;
  /// The pieces of `bytes` bytes of a view from `position` on, up to the file's `end`. A read stops at the
  /// first byte that is not there.
  piece_list(const file_view& view, std::int64_t position, std::int64_t bytes, std::int64_t end);
  /// Pieces of another rank, already in ascending order; their positions follow each other.
  explicit piece_list(const std::vector<file_piece>& sorted);

  bool empty() const { return pieces_.empty(); }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t first() const { return pieces_.front().offset; }
  /// The place behind the last byte.
  std::int64_t end() const { return end_; }
  const std::vector<placed_piece>& pieces() const { return pieces_; }
  /// The parts of the pieces within a range of the file, in ascending order.
  std::vector<placed_piece> within(const file_piece& range) const;

 private:
  void add(const placed_piece& piece);
  void sort();

  std::vector<placed_piece> pieces_;
  std::int64_t bytes_ = 0;
  std::int64_t end_ = 0;
  std::int64_t longest_ = 0;
};

/// The bytes of some pieces.
std::int64_t bytes_of(const std::vector<placed_piece>& pieces);

/// A division of a range of a file among aggregators, which move their parts in windows, one after the other.
class domain_split {
 public:
  /// Parts begin at multiples of `unit` bytes, apart from the first one. `window`: bytes of a window.
  domain_split(const file_piece& range, int aggregators, std::int64_t unit, std::int64_t window);

  std::int64_t rounds() const { return rounds_; }
  /// The part of an aggregator, and its window of a round; both may be empty.
  file_piece part(int aggregator) const;
  file_piece window(int aggregator, std::int64_t round) const;

 private:
  file_piece range_;
  std::int64_t first_;  ///< the range's begin, rounded down
  std::int64_t part_;   ///< bytes of a part
  std::int64_t window_;
  std::int64_t rounds_;
};

/// The bytes of a range that were marked.
class coverage {
 public:
  explicit coverage(const file_piece& range);
  /// The piece lies in the range.
  void mark(std::int64_t offset, std::int64_t bytes);
  /// The runs of marked bytes, ascending. Runs with at most `most_gap` bytes between them are one.
  std::vector<file_piece> runs(std::int64_t most_gap) const;

 private:
  file_piece range_;
  std::vector<std::uint64_t> words_;
};

}  // namespace imbrex::mpi
