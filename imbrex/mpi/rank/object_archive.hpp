// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/datatype/datatype.hpp>
#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/keyval.hpp>
#include <imbrex/mpi/rank/shared_refs.hpp>

namespace imbrex::mpi {

/// Writes objects of MPI that belong to a rank which leaves its process, as values. Functions of the program
/// are written by their addresses, which the rank keeps.
class object_writer {
 public:
  explicit object_writer(writer& out) : out_(out) {}
  writer& out() { return out_; }

  void handler(const ref<error_handler>& object);
  void key(const ref<keyval>& object);
  void attributes(const attribute_set& of);
  void type(const datatype_ref& object);

 private:
  writer& out_;
  shared_writer<error_handler> handlers_;
  shared_writer<keyval> keys_;
  shared_writer<datatype> types_;
};

/// Reads what an `object_writer` has written, in the same order.
class object_reader {
 public:
  explicit object_reader(reader& in) : in_(in) {}
  reader& in() { return in_; }

  ref<error_handler> handler();
  ref<keyval> key();
  void attributes(attribute_set& of);
  datatype_ref type();

 private:
  reader& in_;
  shared_reader<error_handler> handlers_;
  shared_reader<keyval> keys_;
  shared_reader<datatype> types_;
};

}  // namespace imbrex::mpi
