// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/array/migrant.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/packing.hpp>

namespace imbrex::detail {

namespace {

/// Elements that migrate to one PE. Their arrivals are reported together, too.
struct migrant_bundle final : message {
  std::vector<owner<message, message_deleter>> migrants;

  static inline message_type type_record = runtime_message_type<migrant_bundle>({"migration of elements"});

  void serialize(writer& out) {
    out(static_cast<std::uint64_t>(migrants.size()));
    for (const auto& each : migrants) {
      writer one;
      each->type->pack(*each, one);
      const auto bytes = one.take();
      out(static_cast<std::uint64_t>(bytes.size()));
      out.bytes(bytes.data(), bytes.size());
    }
  }
  void serialize(reader& in) {
    const std::size_t count = read_count(in, sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      reader one(in.view(read_count(in, 1)));
      const message_type& kind = kind_of_packed(one);
      migrants.emplace_back(static_cast<message*>(&unpacked(kind, one)));
    }
  }
  void deliver() {
    const message_guard guard(*this);
    const std::vector<std::uint64_t> arrays = arrive();
    for (const std::uint64_t array : arrays)
      if (auto* const part = array_at(processor::here(), array))
        static_cast<collection_base*>(part)->report_arrivals(static_cast<int>(origin));
  }

 private:
  /// Returns the arrays that have got elements.
  std::vector<std::uint64_t> arrive() {
    bundled_arrivals arrivals;
    for (auto& each : migrants) {
      message& m = *each.release();
      m.type->run(m);
    }
    return std::move(arrivals.arrays);
  }
};

/// The elements that have left a PE since its current item ended, by their new PEs.
struct leaving_migrants {
  std::map<int, std::vector<owner<message, message_deleter>>> to;
};

/// Sends the elements that have left, as the last of what follows an item.
struct departure_end : work {
  explicit departure_end(processor& of) : pe(of) { type = &kind; }

  processor& pe;

  static void send(work& item) {
    processor& pe = static_cast<departure_end&>(item).pe;
    pool::release(&item, sizeof(departure_end));
    for (auto& [to, migrants] : std::exchange(pe.local<leaving_migrants>().to, {})) {
      if (migrants.size() == 1) {
        pe.dispatch(*migrants.front().release(), to);
        continue;
      }
      auto& m = make_message<migrant_bundle>();
      m.migrants = std::move(migrants);
      pe.dispatch(m, to);
    }
  }
  static void destroy(work& item) noexcept {
    static_cast<departure_end&>(item).pe.local<leaving_migrants>().to.clear();
    pool::release(&item, sizeof(departure_end));
  }
  static constexpr work_type kind{"departure", &send, &destroy, nullptr, nullptr};
};

}  // namespace

void send_migrant(processor& pe, migrant_base& m, int to) {
  // Without more to do after the item it is the only one that leaves.
  if (m.has_attachments || m.is_object || pe.after().empty()) return pe.dispatch(m, to);
  auto& leaving = pe.local<leaving_migrants>().to;
  if (leaving.empty()) pe.after().push(*::new (pool::allocate(sizeof(departure_end))) departure_end(pe));
  leaving[to].emplace_back(&m);
}

}  // namespace imbrex::detail
