// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/shared_pointer.hpp>

#include <cstring>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

namespace {

constexpr std::int32_t is_request = 0;
constexpr std::int32_t is_reply = 1;

}  // namespace

shared_pointer::shared_pointer(rank& self, const ref<communicator>& in) : self_(self), in_(in) {
  self.accesses.add(in->context(purpose::persistent), *this);
}

shared_pointer::~shared_pointer() { self_.accesses.remove(in_->context(purpose::persistent)); }

void shared_pointer::send(int to, std::int32_t kind, std::int64_t number) {
  packet& p = packet::make(sizeof number);
  p.form = packet_form::access;
  p.size = sizeof number;
  p.head = {in_->context(purpose::persistent), in_->rank(), kind};
  std::memcpy(p.data(), &number, sizeof number);
  self_.messages.send(p, in_->members().world_rank(to));
}

std::int64_t shared_pointer::fetch_and_add(std::int64_t etypes) {
  if (in_->rank() == 0) return std::exchange(value, value + etypes);
  request reply;
  reply.peer = request::is_several;
  waits_ = &reply;
  send(0, is_request, etypes);
  if (!reply.is_done) self_.await(reply);
  return reply_;
}

void shared_pointer::take_access(packet& p) {
  std::int64_t number = 0;
  if (p.held < sizeof number || (p.head.tag == is_reply && waits_ == nullptr))
    throw imbrex::error("rank " + std::to_string(p.from) +
                        " has sent a wrong packet for a file's shared pointer");
  std::memcpy(&number, p.data(), sizeof number);
  const envelope head = p.head;
  packet::release(p);
  if (head.tag == is_request) {
    send(head.source, is_reply, std::exchange(value, value + number));
    return;
  }
  reply_ = number;
  self_.complete(*std::exchange(waits_, nullptr));
}

}  // namespace imbrex::mpi
