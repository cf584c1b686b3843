// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_queues.hpp"

namespace jacobi3d {
namespace {

std::array<imbrex::stream*, sides> all(imbrex::stream& shared) {
  std::array<imbrex::stream*, sides> streams{};
  streams.fill(&shared);
  return streams;
}

}  // namespace

// In the order of `device_part`.
stream_queues::stream_queues(imbrex::stream_set& set, imbrex::event& turn)
    : turn_(turn),
      streams_{all(set.to_device()), all(set.unpack()), all(set.unpack()),     all(set.compute()),
               all(set.pack()),      all(set.pack()),   all(set.from_device())} {}

stream_queues::stream_queues(imbrex::stream& update, imbrex::stream& of_all,
                             const std::array<imbrex::stream*, sides>& of_sides, imbrex::event& turn)
    : turn_(turn), streams_{of_sides, of_sides, all(of_all), all(update), of_sides, all(of_all), of_sides} {}

void stream_queues::order(imbrex::stream& earlier, imbrex::stream& later) const {
  if (&earlier == &later) return;
  earlier.record(turn_);
  later.wait(turn_);
}

void stream_queues::order(device_part earlier, device_part later, int side) const {
  order(of(earlier, side), of(later, side));
}

void stream_queues::order(device_part earlier, device_part later) const {
  const imbrex::stream *ordered_earlier = nullptr, *ordered_later = nullptr;
  for (int side = 0; side < sides; ++side) {
    imbrex::stream* const from = streams_[std::size_t(earlier)][std::size_t(side)];
    imbrex::stream* const to = streams_[std::size_t(later)][std::size_t(side)];
    if (from == nullptr || to == nullptr || (from == ordered_earlier && to == ordered_later)) continue;
    order(*from, *to);
    ordered_earlier = from;
    ordered_later = to;
  }
}

}  // namespace jacobi3d
