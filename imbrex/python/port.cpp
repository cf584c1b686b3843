// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/port.hpp>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/port.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

void port::put(std::int64_t reference, loaded_parcel value) {
  values_.put(extension::make_port_node(reference, std::move(value)));
  if (of_.is_channel()) values_.pass_on();
}

void port::connect(const proxy& to, const member_record& port_there) {
  other_ = to;
  port_there_ = &port_there;
}

const proxy& port::other() const {
  if (!other_)
    throw error("the channel " + of_.whole_name() + " is not connected: connect it first, as in self." +
                of_.name + ".connect(self.peers[i].left)");
  return *other_;
}

port::packed_end port::packed_other() const {
  if (!other_) return {};
  encoder out;
  encode_proxy(out, *other_);
  return {true, out.take(), port_there_->number};
}

void port::unpack_other(const packed_end& other) {
  if (!other.is_connected) return;
  connect(proxy_in(value_of(other.chare).ptr()), member_of(other.port));
}

}  // namespace imbrex::python
