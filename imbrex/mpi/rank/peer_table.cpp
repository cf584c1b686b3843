// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/peer_table.hpp>

#include <algorithm>

#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

namespace {

/// Whether a was sent after b. Sequence numbers wrap around, so they count from the expected one.
struct is_later {
  std::uint32_t from;
  bool operator()(const packet* a, const packet* b) const { return a->sequence - from > b->sequence - from; }
};

}  // namespace

void peer::keep_early(packet& p) {
  if (early == nullptr) early = std::make_unique<std::vector<packet*>>();
  early->push_back(&p);
  std::ranges::push_heap(*early, is_later{expected});
}

packet* peer::take_early_expected() {
  if (early->front()->sequence != expected) return nullptr;
  packet* const first = take_first();
  ++expected;
  return first;
}

packet* peer::take_first() {
  std::ranges::pop_heap(*early, is_later{expected});
  packet* const first = early->back();
  early->pop_back();
  return first;
}

peer_table::~peer_table() {
  for (auto& b : blocks_)
    if (b != nullptr)
      for (peer& each : *b)
        while (each.has_early()) packet::release(*each.take_first());
}

}  // namespace imbrex::mpi
