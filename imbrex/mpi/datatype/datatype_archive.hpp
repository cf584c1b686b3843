// SPDX-License-Identifier: Apache-2.0
#pragma once
// Datatypes of ranks that leave their process, as values.

#include <cstdint>

#include <imbrex/mpi/datatype/datatype.hpp>

namespace imbrex::mpi {

template <class To>
void datatype::write(To& to) const {
  auto& out = to.out();
  out(size_, elements_, external_size_, count_, stride_, handle_, alignment_, single_, only_, is_contiguous_,
      is_committed_, name, handles);
  out(bounds_.lower, bounds_.upper, bounds_.true_lower, bounds_.true_upper, bounds_.is_lower_set,
      bounds_.is_upper_set, bounds_.are_known, bounds_.are_true_known);
  out(contents.combiner, contents.is_large, contents.integers, contents.addresses, contents.counts,
      std::uint64_t{contents.types.size()});
  for (const datatype_ref& part : contents.types) to.type(part);
  out(std::uint64_t{blocks_.size()});
  for (const type_block& block : blocks_) {
    out(block.displacement, block.count);
    to.type(datatype_ref(block.type));
  }
  to.attributes(attributes);
}

template <class From>
datatype_ref datatype::read(From& from) {
  auto& in = from.in();
  datatype_ref result(new datatype());
  datatype& t = *result;
  in(t.size_, t.elements_, t.external_size_, t.count_, t.stride_, t.handle_, t.alignment_, t.single_, t.only_,
     t.is_contiguous_, t.is_committed_, t.name, t.handles);
  in(t.bounds_.lower, t.bounds_.upper, t.bounds_.true_lower, t.bounds_.true_upper, t.bounds_.is_lower_set,
     t.bounds_.is_upper_set, t.bounds_.are_known, t.bounds_.are_true_known);
  std::uint64_t number = 0;
  in(t.contents.combiner, t.contents.is_large, t.contents.integers, t.contents.addresses, t.contents.counts,
     number);
  for (; number > 0; --number) t.contents.types.push_back(from.type());
  in(number);
  loop::builder loops;
  for (; number > 0; --number) {
    type_block block;
    in(block.displacement, block.count);
    t.parts_.push_back(from.type());
    block.type = t.parts_.back().get();
    t.blocks_.push_back(block);
    loops.add(block.displacement, loop::repeat(0, block.count, block.type->extent(), block.type->loop_));
  }
  t.loop_ = loop::repeat(0, t.count_, t.stride_, loops.build());
  from.attributes(t.attributes);
  return result;
}

}  // namespace imbrex::mpi
