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

parcel port::packed_other(extension::name_writer* names) const {
  encoder out(names);
  encode_proxy(out, *other_);
  return out.take();
}

void port::connect_again(const parcel& chare, extension::name_reader* names, entry_name there) {
  connect(proxy_in(value_of(chare, names).ptr()), member_of(there));
}

}  // namespace imbrex::python
