// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/layout.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/resident/internal/aligned_bytes.hpp>

namespace imbrex::resident::detail {
namespace {

constexpr std::uint32_t most_pes = 256, most_threads = 512;
/// Blocks of a PE that is a whole GPU, on an emulated device.
constexpr std::uint32_t emulated_blocks = 2;

/// Hands out consecutive pieces of memory.
class pieces {
 public:
  std::size_t take(std::size_t bytes) { return std::exchange(used_, used_ + aligned_bytes(bytes)); }
  std::size_t used() const { return used_; }

 private:
  std::size_t used_ = 0;
};

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw usage_error("a program inside a GPU cannot have " + otherwise);
}

void check(const settings& s) {
  const auto number = [](std::uint32_t n) { return std::to_string(n); };
  require(s.pes >= 1 && s.pes <= most_pes, number(s.pes) + " PEs: give 1 to 256");
  require(s.threads >= 1 && s.threads <= most_threads,
          number(s.threads) + " threads in a block: give 1 to 512");
  require(
      s.gpus >= 1 && s.gpus <= most_gpus && s.pes % s.gpus == 0,
      number(s.pes) + " PEs on " + number(s.gpus) + " GPUs: give the same number on each of at most 96 GPUs");
  require(s.mailbox >= 2 && std::has_single_bit(s.mailbox) && s.mailbox <= 1U << 20U,
          "mailboxes of " + number(s.mailbox) + " messages: give a power of two from 2 to 2^20");
  require(s.crossing >= 2 && std::has_single_bit(s.crossing) && s.crossing <= 1U << 16U,
          number(s.crossing) + " messages in flight from another GPU: give a power of two from 2 to 65536");
  require(s.outbox >= 1 && s.outbox <= 1U << 20U,
          "outboxes of " + number(s.outbox) + " messages: give 1 to 2^20");
  require(s.early >= 1 && s.early <= 1U << 20U, number(s.early) + " early messages: give 1 to 2^20");
  require(s.parcels >= 1 && s.parcels <= 1U << 16U, number(s.parcels) + " parcels: give 1 to 65536");
  require(s.parcel_bytes >= 128 && s.parcel_bytes % 16 == 0,
          "parcels of " + number(s.parcel_bytes) + " bytes: give a multiple of 16, from 128 on");
  require(s.host_slots >= 2 && std::has_single_bit(s.host_slots) && s.host_slots <= 1U << 16U,
          "rings of " + number(s.host_slots) + " messages to the host: give a power of two from 2 to 65536");
  require(
      s.host_bytes >= 192 && s.host_bytes <= 1U << 24U && s.host_bytes % 16 == 0,
      "messages of " + number(s.host_bytes) + " bytes to the host: give a multiple of 16 from 192 to 2^24");
  require(s.patience > nanoseconds(0), "no patience: give a time above 0");
}

array_layout array_of(const array_kind& kind, const settings& s) {
  array_layout a;
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < kind.shape.size(); ++d) {
    require(kind.shape[d] >= 1,
            "an array of " + kind.name + " with an extent of " + std::to_string(kind.shape[d]));
    a.shape[d] = static_cast<std::uint32_t>(kind.shape[d]);
    count *= a.shape[d];
    require(count <= most_elements, "an array of " + std::to_string(count) + " elements of " + kind.name +
                                        ": the most are " + std::to_string(most_elements));
  }
  a.element_bytes = kind.element_bytes;
  a.count = static_cast<std::uint32_t>(count);
  a.pes = s.pes;
  a.placed = s.placed;
  a.share = (a.count + s.pes - 1) / s.pes;
  a.active_pes = s.placed == placement::blocks ? (a.count + a.share - 1) / a.share : std::min(a.count, s.pes);
  const bool in_blocks = s.placed == placement::blocks;
  a.to_pe = divisor(in_blocks ? a.share : s.pes);
  a.kept_bits = in_blocks ? 0 : std::numeric_limits<std::uint32_t>::max();
  a.times = in_blocks ? std::numeric_limits<std::uint32_t>::max() : s.pes;
  a.numbered = kind.numbered;
  a.reductions = kind.reductions;
  return a;
}

template <class T>
T* offset(std::size_t bytes) {
  return reinterpret_cast<T*>(bytes);  // NOLINT: an offset in place of an address, until `at`
}

}  // namespace

layout::layout(const settings& s, std::vector<array_kind> arrays, unsigned blocks, unsigned neighbours)
    : settings_(s), arrays_(std::move(arrays)) {
  check(s);
  require(blocks != 0 || s.pes == s.gpus, std::to_string(s.pes) + " PEs on " + std::to_string(s.gpus) +
                                              " GPUs: its classes say that a PE is a whole GPU, so there "
                                              "is one on each");
  require(s.pes / s.gpus % neighbours == 0,
          std::to_string(s.pes / s.gpus) + " PEs on a GPU: its classes say that " +
              std::to_string(neighbours) + " of them are a cluster, so give a multiple of that");
  machine& m = offsets_;
  m.cluster.pes = neighbours;
  m.pes = s.pes;
  m.gpus = s.gpus;
  m.pes_here = s.pes / s.gpus;
  m.links.to_gpu = divisor(m.pes_here);
  m.shape.threads = s.threads;
  m.shape.blocks = blocks == 0 ? emulated_blocks : blocks;
  m.sizes.mailbox = s.mailbox;
  m.links.crossings.size = s.crossing;
  m.sizes.outbox = s.outbox;
  m.sizes.kept = s.early;
  m.sizes.parcels = s.parcels;
  m.sizes.parcel_bytes = s.parcel_bytes;
  m.first_ticket = s.first_ticket;
  const bool is_linked = s.gpus > 1;

  pieces all;
  m.end = offset<ending>(all.take(sizeof(ending)));
  m.progress.watched = offset<memory::wide>(all.take(m.pes_here * sizeof(memory::wide)));
  m.unaccepted.counts = offset<std::uint32_t>(all.take(m.pes * sizeof(std::uint32_t)));
  m.unaccepted.first = offset<item>(all.take(m.pes * sizeof(item)));
  report_bytes_ = all.used();
  m.progress.finished = offset<memory::word>(all.take(m.counts() * sizeof(memory::word)));
  m.progress.seen = offset<std::uint32_t>(all.take(m.counts() * sizeof(std::uint32_t)));
  if (neighbours > 1) m.cluster.tails = offset<memory::word>(all.take(m.pes_here * sizeof(memory::word)));
  std::uint32_t reductions = 0;
  for (std::size_t n = 0; n < arrays_.size(); ++n) {
    array_layout& a = m.arrays[n] = array_of(arrays_[n], s);
    a.accepted = offset<std::uint32_t>(all.take(std::size_t{a.count} * a.numbered * sizeof(std::uint32_t)));
    a.rounds = offset<std::uint32_t>(all.take(std::size_t{a.count} * a.reductions * sizeof(std::uint32_t)));
    if (a.reductions != 0) m.parts.values_each = std::max(m.parts.values_each, a.local_count(0));
    reductions += a.reductions;
  }
  if (is_linked) {
    m.links.words = offset<link_words>(all.take(sizeof(link_words)));
    m.links.reports = offset<gpu_report>(all.take(s.gpus * sizeof(gpu_report)));
    m.links.crossings.run = offset<memory::word>(all.take(m.pes_here * sizeof(memory::word)));
    m.links.crossings.tails = offset<memory::word>(all.take(s.pes * sizeof(memory::word)));
    m.links.crossings.taken = offset<system_memory::word>(all.take(s.pes * sizeof(system_memory::word)));
    m.links.crossings.slots = offset<system_memory::wide>(
        all.take(std::size_t{m.pes_here} * s.gpus * s.crossing * sizeof(system_memory::wide)));
    m.links.gathered =
        offset<system_memory::wide>(all.take(std::size_t{2} * s.gpus * sizeof(system_memory::wide)));
  }

  pieces pe;
  pe.take(pe_layout::slots + s.mailbox * sizeof(memory::wide));
  const auto piece = [](pieces& of, std::size_t bytes) { return static_cast<std::uint32_t>(of.take(bytes)); };
  m.parts.next = piece(pe, s.parcels * sizeof(memory::plain));
  const std::size_t rounds = std::size_t{reductions} * reduction_window;
  m.parts.rounds = piece(pe, rounds * sizeof(reduction_round));
  const std::size_t values = rounds * m.parts.values_each * sizeof(std::uint64_t);
  require(values <= std::numeric_limits<std::uint32_t>::max() / 2,
          "reductions of too many elements of a PE: " + std::to_string(m.parts.values_each));
  m.parts.values = piece(pe, values);
  m.parts.ends = piece(pe, is_linked ? s.gpus * sizeof(crossing_end) : 0);
  m.parts.bytes = static_cast<std::uint32_t>(pe.used());
  m.pe_memory = offset<std::byte>(all.take(pe.used() * (m.pes_here + 1)));  // one more for the host's parcels
  image_bytes_ = all.used();

  pieces bulk;
  const std::size_t parcels = std::size_t{s.parcels} * s.parcel_bytes;
  require(parcels <= std::numeric_limits<std::uint32_t>::max() / 2,
          std::to_string(s.parcels) + " parcels of " + std::to_string(s.parcel_bytes) +
              " bytes: 2 GiB are the most");
  bulk.take(parcels);
  m.parts.outbox = piece(bulk, s.outbox * sizeof(kept_item<>));
  m.parts.kept = piece(bulk, s.early * sizeof(item));
  const auto tells = [](const array_kind& kind) { return kind.entries_of_host != 0; };
  m.parts.state = piece(bulk, blocks == 0 ? sizeof(pe_state) + sizeof(std::uint32_t) : 0);
  m.parts.pending_to_host =
      piece(bulk, std::ranges::any_of(arrays_, tells) ? s.outbox * sizeof(host_item) : 0);
  m.parts.bulk_bytes = static_cast<std::uint32_t>(bulk.used());
  m.pe_bulk = offset<std::byte>(all.take(bulk.used() * (m.pes_here + 1)));
  for (std::size_t n = 0; n < arrays_.size(); ++n)
    m.arrays[n].elements =
        offset<std::byte>(all.take(std::size_t{m.arrays[n].count} * m.arrays[n].element_bytes));
  bytes_ = all.used();
}

machine layout::at(std::byte* memory) const {
  machine m = offsets_;
  m.shift(reinterpret_cast<std::uintptr_t>(memory));
  return m;
}

void layout::write(std::byte* image) const {
  std::memset(image, 0, image_bytes_);
  const machine m = at(image);
  const std::uint32_t ticket = settings_.first_ticket;
  for (std::uint32_t pe = 0; pe < m.pes_here; ++pe) {
    m.mailbox_of(pe).prepare(ticket);
    memory::store(m.progress.finished[pe], ticket);
    auto* const rounds = reinterpret_cast<reduction_round*>(m.memory_of(pe) + m.parts.rounds);
    const std::size_t count = (m.parts.values - m.parts.rounds) / sizeof(reduction_round);
    for (std::size_t n = 0; n < count; ++n)
      rounds[n].round = static_cast<std::uint32_t>(n % reduction_window);
  }
  if (m.gpus == 1) return;
  system_memory::store(m.links.words->wave, 1);
  for (std::uint32_t pe = 0; pe < m.pes_here; ++pe)
    for (std::uint32_t g = 0; g < m.gpus; ++g) {
      crossing<memory, system_memory> way{
          nullptr, nullptr, m.links.crossings.slots + (std::size_t{pe} * m.gpus + g) * m.links.crossings.size,
          m.links.crossings.size};
      way.prepare_slots(ticket);
      reinterpret_cast<crossing_end*>(m.memory_of(pe) + m.parts.ends)[g].head = ticket;
    }
  for (std::uint32_t to = 0; to < m.pes; ++to)
    crossing<memory, system_memory>{m.links.crossings.tails + to, m.links.crossings.taken + to, nullptr,
                                    m.links.crossings.size}
        .prepare_counts(ticket);
}

void layout::write(std::byte* image, std::uint32_t place, const item& first) const {
  mailbox<memory> box = at(image).mailbox_of(place);
  box.try_fill(box.draw(), first);
}

}  // namespace imbrex::resident::detail
