// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/port_account.hpp>

#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {

void port_account::add(const tools::dataflow::message& m, std::uint32_t sender_pe,
                       std::uint32_t receiver_pe) {
  const double words = static_cast<double>(m.bytes) / word_bytes;
  const bool has_sender = m.sender != tools::dataflow::none;
  if (has_sender) pes[sender_pe].written += words;
  pe& receiver = pes[receiver_pe];
  receiver.read += words;
  if (!has_sender || sender_pe == receiver_pe) return;
  receiver.words += words;
  receiver.hidden.push_back(static_cast<float>(m.hidden));
  pair& between = pairs[{receiver_pe, sender_pe}];
  ++between.messages;
  between.bytes += m.bytes;
  bytes_ += static_cast<double>(m.bytes);
  references_.insert(m.reference);
  if (is_two_way_) return;
  is_two_way_ = !m.received || ways_.contains({receiver_pe, sender_pe, m.reference});
  if (is_two_way_)
    ways_ = {};
  else
    ways_.insert({sender_pe, receiver_pe, m.reference});
}

}  // namespace imbrex::overlap
