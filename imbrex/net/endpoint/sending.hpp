// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/net/endpoint/batch.hpp>
#include <imbrex/net/endpoint/network_endpoint.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::endpoints {

template <class Worker>
void network_endpoint<Worker>::send(detail::work& item, int to) {
  if (guard_.is_closed()) return item.type->destroy(item);
  writer& out = out_.out();
  if (out.size() != 0) [[unlikely]]
    return out_.apart([&] { send(item, to); });
  peer* const other = peers_.at(where_.endpoint_of_pe[static_cast<std::size_t>(to)]);
  if (other == nullptr) return item.type->destroy(item);
  const bool coalesced = item.coalesced;
  out_.pack(item);
  if (out.exported_block().bytes.empty()) {
    item.type->destroy(item);
    out_.address(to, *other);
    const std::size_t most = other->kept != 0 ? longest_written : coalesced ? longest_that_waits : 0;
    const bool may_wait = out.written().size() <= most;
    if (may_wait) {
      batch::append(other->waiting, out.written());
      out.clear();
      count_sent();
      return out_.note_batched(*other);
    }
    out_.transmit(item_message, *other, nullptr);
  } else {
    send_with_block(item, to, *other);
  }
  count_sent();
  out_.move_much();
}

template <class Worker>
std::byte* network_endpoint<Worker>::room_for(int to, std::size_t most, bool may_wait) {
  if (guard_.is_closed() || out_.out().size() != 0) [[unlikely]]
    return nullptr;
  peer* const other = peers_.find(where_.endpoint_of_pe[static_cast<std::size_t>(to)]);
  if (other == nullptr || !other->is_of_one_pe) [[unlikely]]
    return nullptr;
  return out_.reserve(*other, most, may_wait);
}

template <class Worker>
void network_endpoint<Worker>::send_written(std::size_t bytes, bool may_wait) {
  peer& other = out_.reserved_for();
  if (may_wait || other.kept != 0) {
    batch::filled(other.waiting, bytes);
    count_sent();
    return out_.note_batched(other);
  }
  out_.commit(bytes);
  count_sent();
  out_.move_much();
}

template <class Worker>
void network_endpoint<Worker>::send_with_block(detail::work& item, int to, peer& other) {
  if (neighbours_.send(item, to, other)) return;
  writer& out = out_.out();
  if (out.written().size() + sizeof(std::uint64_t) + sizeof to + sizeof(run_token) <=
      out_.worker().can().longest_header) {
    out(std::uint64_t{out.exported_block().position});
    out_.address(to, other);
    return out_.transmit(item_with_block, other, &item);
  }
  out.clear();
  {
    const writer::copying all(out);
    out_.pack(item);
  }
  item.type->destroy(item);
  out_.address(to, other);
  out_.transmit(item_message, other, nullptr);
}

template <class Worker>
void network_endpoint<Worker>::notify(int process, std::span<const std::byte> bytes) {
  if (guard_.is_closed()) return;
  writer& out = out_.out();
  if (out.size() != 0) [[unlikely]]
    return out_.apart([&] { notify(process, bytes); });
  peer* const other = peers_.at(where_.first_endpoint[static_cast<std::size_t>(process)]);
  if (other == nullptr) return;
  out(process_);
  out.bytes(bytes.data(), bytes.size());
  out_.transmit(control_message_item, *other, nullptr);
}

}  // namespace imbrex::endpoints
