// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/piece_list.hpp>

#include <algorithm>
#include <bit>

namespace imbrex::mpi {

namespace {

constexpr std::int64_t bits = 64;

}  // namespace

piece_list::piece_list(const file_view& view, std::int64_t position, std::int64_t bytes, std::int64_t end) {
  view.visit(position, bytes, [&](const file_piece& piece) {
    const std::int64_t there = std::clamp<std::int64_t>(end - piece.offset, 0, piece.bytes);
    if (there > 0) add({piece.offset, there, bytes_});
    return there == piece.bytes;
  });
  sort();
}

piece_list::piece_list(const std::vector<file_piece>& sorted) {
  pieces_.reserve(sorted.size());
  for (const file_piece& each : sorted) add({each.offset, each.bytes, bytes_});
}

void piece_list::add(const placed_piece& piece) {
  pieces_.push_back(piece);
  bytes_ += piece.bytes;
  end_ = std::max(end_, piece.offset + piece.bytes);
  longest_ = std::max(longest_, piece.bytes);
}

void piece_list::sort() {
  const auto is_before = [](const placed_piece& a, const placed_piece& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.position < b.position;
  };
  if (!std::ranges::is_sorted(pieces_, is_before)) std::ranges::sort(pieces_, is_before);
}

std::vector<placed_piece> piece_list::within(const file_piece& range) const {
  std::vector<placed_piece> found;
  const std::int64_t end = range.offset + range.bytes;
  auto each = std::ranges::lower_bound(pieces_, range.offset - longest_, {}, &placed_piece::offset);
  for (; each != pieces_.end() && each->offset < end; ++each) {
    const std::int64_t first = std::max(each->offset, range.offset);
    const std::int64_t bytes = std::min(each->offset + each->bytes, end) - first;
    if (bytes > 0) found.push_back({first, bytes, each->position + first - each->offset});
  }
  return found;
}

std::int64_t bytes_of(const std::vector<placed_piece>& pieces) {
  std::int64_t bytes = 0;
  for (const placed_piece& each : pieces) bytes += each.bytes;
  return bytes;
}

domain_split::domain_split(const file_piece& range, int aggregators, std::int64_t unit, std::int64_t window)
    : range_(range), first_(range.offset - range.offset % unit), window_(window) {
  // Whole units, so that two aggregators do not share one.
  const std::int64_t units = (range.offset + range.bytes - first_ + unit - 1) / unit;
  part_ = (units + aggregators - 1) / aggregators * unit;
  rounds_ = (part_ + window - 1) / window;
}

file_piece domain_split::part(int aggregator) const {
  const std::int64_t end = range_.offset + range_.bytes;
  const std::int64_t place = first_ + aggregator * part_;
  const std::int64_t begin = std::clamp(place, range_.offset, end);
  return {begin, std::clamp(place + part_, range_.offset, end) - begin};
}

file_piece domain_split::window(int aggregator, std::int64_t round) const {
  const file_piece whole = part(aggregator);
  const std::int64_t begin = std::min(round * window_, whole.bytes);
  return {whole.offset + begin, std::min(window_, whole.bytes - begin)};
}

coverage::coverage(const file_piece& range)
    : range_(range), words_(static_cast<std::size_t>((range.bytes + bits - 1) / bits), 0) {}

void coverage::mark(std::int64_t offset, std::int64_t bytes) {
  std::int64_t at = offset - range_.offset;
  const std::int64_t end = at + bytes;
  while (at < end) {
    const std::int64_t shift = at % bits;
    const std::int64_t n = std::min(bits - shift, end - at);
    const std::uint64_t ones = n == bits ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    words_[static_cast<std::size_t>(at / bits)] |= ones << shift;
    at += n;
  }
}

std::vector<file_piece> coverage::runs(std::int64_t most_gap) const {
  std::vector<file_piece> found;
  const auto add = [&](std::int64_t at, std::int64_t bytes) {
    if (!found.empty()) {
      file_piece& last = found.back();
      if (at - (last.offset + last.bytes) <= most_gap) {
        last.bytes = at + bytes - last.offset;
        return;
      }
    }
    found.push_back({at, bytes});
  };
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::uint64_t word = words_[i];
    std::int64_t at = range_.offset + static_cast<std::int64_t>(i) * bits;
    while (word != 0) {
      const int zeros = std::countr_zero(word);
      at += zeros;
      word >>= zeros;
      const int ones = std::countr_one(word);
      add(at, ones);
      at += ones;
      word = ones == bits ? 0 : word >> ones;
    }
  }
  return found;
}

}  // namespace imbrex::mpi
