// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/piece_size.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace imbrex::detail {

namespace {

constexpr std::array<std::size_t, 13> numbers_of_pieces{1,  2,  3,  4,  6,  8,          12,
                                                        16, 24, 32, 40, 48, most_pieces};

nanoseconds time_of(const piece_step& step, std::size_t bytes) {
  return step.start + device_model::transfer_time(bytes, step.rate);
}

std::uint64_t slower(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

std::array<piece_step, 4> piece_steps(const device_model& model) {
  const auto of_pe = model.host.launch + model.host.call + model.step.completion + 2 * model.step.channel;
  return {piece_step{model.copy.latency, slower(model.copy.from_device, model.link.host)},
          {nanoseconds(0), model.link.card},
          {model.copy.latency, slower(model.copy.to_device, model.link.host)},
          {of_pe, 0}};
}

std::size_t piece_bytes(std::size_t bytes, std::size_t pieces) {
  constexpr std::size_t line = 256;  // best alignment for copies of devices
  return ((bytes + pieces - 1) / pieces + line - 1) / line * line;
}

nanoseconds time_in_pieces(std::size_t bytes, std::size_t pieces, std::span<const piece_step> steps) {
  const std::size_t piece = piece_bytes(bytes, pieces);
  nanoseconds all{0}, slowest{0};
  for (const piece_step& step : steps) {
    const nanoseconds time = time_of(step, std::min(piece, bytes));
    all += time;
    slowest = std::max(slowest, time);
  }
  return all + static_cast<nanoseconds::rep>(pieces - 1) * slowest;
}

std::size_t best_pieces(std::size_t bytes, std::span<const piece_step> steps) {
  return std::ranges::min(numbers_of_pieces, {},
                          [&](std::size_t pieces) { return time_in_pieces(bytes, pieces, steps); });
}

piece_trials::candidates& piece_trials::of_size(std::size_t bytes) {
  candidates& of = sizes_[std::bit_width(bytes)];
  if (of.empty())
    for (std::size_t pieces = 1;
         pieces <= most_pieces && (pieces == 1 || std::bit_floor(bytes) / pieces >= shortest_piece);
         pieces *= 2)
      of.push_back({pieces});
  return of;
}

std::size_t piece_trials::pieces(std::size_t bytes) {
  candidates& of = of_size(bytes);
  candidate& least_tried = *std::ranges::min_element(of, {}, &candidate::begun);
  if (least_tried.begun < enough) {
    ++least_tried.begun;
    return least_tried.pieces;
  }
  const auto time = [](const candidate& c) {
    return c.times.empty() ? std::numeric_limits<double>::infinity() : c.times[c.times.size() / 2];
  };
  return std::ranges::min_element(of, {}, time)->pieces;
}

void piece_trials::took(std::size_t bytes, std::size_t pieces, nanoseconds time) {
  for (candidate& c : of_size(bytes)) {
    if (c.pieces != pieces || c.times.size() == enough) continue;
    const double figure = static_cast<double>(time.count()) / static_cast<double>(bytes);
    c.times.insert(std::ranges::upper_bound(c.times, figure), figure);
  }
}

}  // namespace imbrex::detail
