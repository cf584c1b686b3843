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

/// Device memory of a chare that goes to another device of the process.
class parts_of_chare final : public separate_parts {
 public:
  void take(attachment& part) override { parts_.push_back(std::move(part)); }
  void give(attachment& part, std::size_t size) override {
    if (next_ == parts_.size() || (parts_[next_].count() != 0 && parts_[next_].size() != size))
      throw serial_error("its serialize reads other memory of devices than it has written");
    part = std::move(parts_[next_++]);
  }
  void collect(std::vector<attachment*>& parts) override {
    for (attachment& part : parts_) parts.push_back(&part);
  }

 private:
  std::vector<attachment> parts_;
  std::size_t next_ = 0;
};

/// A chare that leaves for another device of the process when the work on its memory is done.
struct leaving_chare {
  transport& carrier;
  migrant_base* what;
  int to;

  static void complete(void* self, const std::exception_ptr& failure) {
    const std::unique_ptr<leaving_chare> it(static_cast<leaving_chare*>(self));
    message_guard<message> leaving(*it->what);
    if (failure) std::rethrow_exception(failure);
    it->what->pack(make_owner<parts_of_chare>());
    it->carrier.send(leaving.release(), it->to);
  }
  static void cancel(void* self) noexcept {
    const std::unique_ptr<leaving_chare> it(static_cast<leaving_chare*>(self));
    it->what->type->destroy(*it->what);
  }
};

/// Delivers a chare again, whose members are complete.
struct arriving_chare {
  static void complete(void* self, const std::exception_ptr& failure) {
    message_guard<message> arriving(*static_cast<migrant_base*>(self));
    if (failure) std::rethrow_exception(failure);
    message& m = arriving.release();
    m.type->run(m);
  }
  static void cancel(void* self) noexcept {
    auto& m = *static_cast<migrant_base*>(self);
    m.type->destroy(m);
  }
};

/// Calls the receiver when the stream is done, perhaps at once.
void continue_after(stream& last, const device_completions::receiver& who) {
  if (notify_here(last, who) == nullptr) who.complete(who.to, nullptr);
}

/// Makes the stream wait for all work on the memory of a chare. False if the chare has no memory of devices.
bool wait_for_work_of(migrant_base& chare, stream& last) {
  std::vector<attachment*> parts;
  const bool has_host_memory = chare.collect(parts);
  if (parts.empty() && !has_host_memory) return false;
  for (const attachment* const part : parts) last.wait(part->ready());
  static_cast<void>(wait_for_device(last));
  return true;
}

/// A message whose parts are being copied to the host, or are to be exported to its receiver.
struct staged_message {
  transport& carrier;
  message* what;
  int to;
  std::vector<attachment*> parts;
  std::vector<memory_key> keys;     ///< one for each exported part
  migrant_base* to_pack = nullptr;  ///< the chare that the message moves within the process

  static void complete(void* self, const std::exception_ptr& failure) {
    const std::unique_ptr<staged_message> it(static_cast<staged_message*>(self));
    message_guard leaving(*it->what);
    if (failure) std::rethrow_exception(failure);
    for (std::size_t i = 0; i < it->parts.size(); ++i)
      it->keys.empty() || it->parts[i]->bytes() == 0
          ? it->parts[i]->leave()
          : exported_part::export_memory(*it->parts[i], it->keys[i]);
    if (it->to_pack != nullptr) {
      it->to_pack->pack(nullptr);
      it->what->has_attachments = false;
    }
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

device_transport::device_transport(transport& carrier, processor& pe) : carrier_(carrier), pe_(pe) {
  pe.local<desk_of_arrivals>().desk = this;
}

bool device_transport::keeps(migrant_base& m) {
  std::vector<attachment*> parts;
  m.collect_members(parts);
  for (attachment* const part : parts)
    if (part->count() == 0) *part = {};
  std::erase_if(parts, [](const attachment* part) { return part->count() == 0 || !part->must_land(gpu()); });
  if (parts.empty()) return false;
  stream& last = transfers_here().in;
  for (attachment* const part : parts) {
    land_attachment(*part);
    last.wait(part->ready());
  }
  return notify_here(last, {&arriving_chare::complete, &arriving_chare::cancel, &m}) != nullptr;
}

void device_transport::send_from_devices(message& m, int to) {
  if (moves_chare(m) && pe_.run().holds(to)) return send_chare(static_cast<migrant_base&>(m), to);
  if (shares_memory(to)) return carrier_.send(m, to);
  stage(m, to);
}

void device_transport::send_chare(migrant_base& m, int to) {
  message_guard<message> leaving(m);
  const bool serializes = pe_.run().how().serialize_always || !shares_memory(to);
  const bool has_one_device = pe_.run().devices().have_one(pe_.pe(), to);
  if (m.can_be_packed() ? has_one_device && !serializes : shares_memory(to))
    return carrier_.send(leaving.release(), to);
  if (serializes) return stage(leaving.release(), to);
  // A PE without a device has only memory that the chare has received and not used.
  if (pe_.completions() == nullptr || !wait_for_work_of(m, transfers_here().out)) {
    m.pack(make_owner<parts_of_chare>());
    return carrier_.send(leaving.release(), to);
  }
  auto it = std::make_unique<leaving_chare>(leaving_chare{carrier_, &m, to});
  leaving.release();
  continue_after(transfers_here().out, {&leaving_chare::complete, &leaving_chare::cancel, it.release()});
}

void device_transport::stage(message& m, int to) {
  message_guard leaving(m);
  auto it = std::make_unique<staged_message>(staged_message{carrier_, &m, to, {}, {}});
  m.kind().collect_attachments(m, it->parts);
  for (attachment* const part : it->parts)
    if (part->far() != nullptr) land_attachment(*part);  // arrived here before its chare moved on
  std::erase_if(it->parts, [](const attachment* part) { return !part->is_on_device(); });
  const bool is_whole = moves_chare(m);
  if (is_whole && pe_.run().holds(to) && static_cast<migrant_base&>(m).can_be_packed())
    it->to_pack = static_cast<migrant_base*>(&m);
  const bool has_work = is_whole && pe_.completions() != nullptr &&
                        wait_for_work_of(static_cast<migrant_base&>(m), transfers_here().out);
  if (it->parts.empty() && !has_work) {
    leaving.release();
    return staged_message::complete(it.release(), nullptr);
  }
  stream& last = transfers_here().out;
  const bool goes_directly = !it->parts.empty() && it->to_pack == nullptr;
  if (goes_directly) it->keys = keys_for(pe_, to, it->parts);
  if (goes_directly && it->keys.empty()) {
    std::size_t bytes = 0;
    for (const attachment* const part : it->parts) bytes += part->bytes();
    pieces_to_pe& in_pieces = pieces_to_pe::of(to);
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
    if (is_whole && &out != &last) out.wait(shared_event(last));
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
