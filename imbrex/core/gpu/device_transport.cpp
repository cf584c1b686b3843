// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_transport.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/message_in_pieces.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/attachment.hpp>

namespace imbrex::detail {

namespace {

/// Device memory exported to a process of this host. That process sends a reply when it has read the memory.
class exported_part final : public reply_target {
 public:
  static void export_memory(attachment& part, const memory_key& key) {
    auto& pe = processor::here();
    std::unique_ptr<exported_part> it(new exported_part(pe));
    const reply_address at = it->address_;
    it->kept_ = part.export_memory({key, {static_cast<std::uint32_t>(pe.pe()), at.slot, at.generation}});
    it.release();
  }
  ~exported_part() = default;

  void accept(std::uint32_t, void*) override { end(); }
  void fail(std::uint32_t, carried_exception) override { end(); }
  void abandon() noexcept override { delete this; }

 private:
  explicit exported_part(processor& pe) : pe_(pe), address_(pe.replies().open(*this)) {}
  void end() {
    pe_.replies().close(address_);
    delete this;
  }

  processor& pe_;
  const reply_address address_;
  attachment kept_;
};

/// A message whose parts are being copied to the host, or are to be exported to its receiver.
struct staged_message {
  transport& carrier;
  message* what;
  int to;
  std::vector<attachment*> parts;
  std::vector<memory_key> keys;  ///< one for each exported part

  static void complete(void* self, const std::exception_ptr& failure) {
    const std::unique_ptr<staged_message> it(static_cast<staged_message*>(self));
    message_guard leaving(*it->what);
    if (failure) std::rethrow_exception(failure);
    for (std::size_t i = 0; i < it->parts.size(); ++i)
      it->keys.empty() || it->parts[i]->bytes() == 0
          ? it->parts[i]->leave()
          : exported_part::export_memory(*it->parts[i], it->keys[i]);
    it->carrier.send(leaving.release(), it->to);
  }
  static void cancel(void* self) noexcept {
    const std::unique_ptr<staged_message> it(static_cast<staged_message*>(self));
    it->what->type->destroy(*it->what);
  }
};

/// True for a migrating chare. It is serialised only at delivery, so its unread device parts are unknown
/// before; it is sent whole.
bool moves_chare(const message& m) {
  const attachment_type* const how = m.kind().attachments;
  return how != nullptr && how->moves_chares();
}

/// True for a part that the network sends separately from the message's bytes, and for an empty part.
bool is_sent_by_network(const attachment* part) {
  return part->bytes() == 0 || part->bytes() >= endpoint::shortest_exported_block;
}

/// Keys by which the other PE opens the parts; empty if it cannot, or must not.
std::vector<memory_key> keys_for(const processor& pe, int to, const std::vector<attachment*>& parts) {
  std::vector<memory_key> keys;
  if (may_share_memory(pe, to))
    for (const attachment* const part : parts)
      if (const auto key = part->bytes() == 0 ? std::optional<memory_key>(memory_key{}) : part->key())
        keys.push_back(*key);
  if (keys.size() == parts.size()) return keys;
  require_no_sharing(pe, to, *parts.front()->on());
  return {};
}

}  // namespace

std::size_t device_bytes(message& m) {
  if (!m.has_attachments) return 0;
  std::vector<attachment*> parts;
  m.kind().collect_attachments(m, parts);
  std::size_t bytes = 0;
  for (const attachment* const part : parts)
    if (!part->goes_with_message()) bytes += part->bytes();
  return bytes;
}

bool device_transport::shares_memory(int to) const {
  return pe_.run().holds(to) && !pe_.run().devices().are_apart(pe_.pe(), to);
}

void device_transport::send(work& item, int to) {
  if (item.has_attachments) [[unlikely]]
    return send_from_devices(static_cast<message&>(item), to);
  carrier_.send(item, to);
}

void device_transport::send_from_devices(message& m, int to) {
  message_guard leaving(m);
  if (shares_memory(to)) return carrier_.send(leaving.release(), to);
  auto it = std::make_unique<staged_message>(staged_message{carrier_, &m, to, {}, {}});
  m.kind().collect_attachments(m, it->parts);
  for (attachment* const part : it->parts)
    if (part->far() != nullptr) land_attachment(*part);  // arrived here before its chare moved on
  std::erase_if(it->parts, [](const attachment* part) { return !part->is_on_device(); });
  if (it->parts.empty()) return carrier_.send(leaving.release(), to);
  stream& last = transfers_here().out;
  it->keys = keys_for(pe_, to, it->parts);
  if (it->keys.empty()) {
    std::size_t bytes = 0;
    for (const attachment* const part : it->parts) bytes += part->bytes();
    pieces_to_pe& in_pieces = pieces_to_pe::of(to);
    const bool is_whole = moves_chare(m);
    if (!is_whole && may_send_memory(pe_, to) && std::ranges::all_of(it->parts, is_sent_by_network))
      return in_pieces.send(leaving.release(), it->parts, bytes, 0);
    if (!may_send_memory(pe_, to)) require_no_sending(pe_, to, *it->parts.front()->on());
    if (const std::size_t pieces = is_whole ? 0 : in_pieces.pieces_for(bytes); pieces != 0)
      return in_pieces.send(leaving.release(), it->parts, bytes, pieces);
  }
  for (attachment* const part : it->parts) {
    if (!it->keys.empty()) {
      last.wait(part->ready());
      continue;
    }
    stream& out = stream_out_of(*part->on());
    part->begin_to_leave(out);
    if (&out != &last) last.wait(shared_event(out));
  }
  const bool waits =
      notify_here(last, {&staged_message::complete, &staged_message::cancel, it.get()}) != nullptr;
  leaving.release();
  staged_message* const started = it.release();
  if (!waits) staged_message::complete(started, nullptr);
}

}  // namespace imbrex::detail
