// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/datatype/datatype.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

/// Converts a number to int; MPI_UNDEFINED if it does not fit.
int as_int(std::int64_t n) { return n > INT_MAX || n < INT_MIN ? MPI_UNDEFINED : int(n); }

void check_room(std::int64_t room, std::size_t needed, const char* what) {
  if (room < std::int64_t(needed))
    throw error(MPI_ERR_ARG, "there is room for " + std::to_string(room) + " " + what + " of " +
                                 std::to_string(needed) + "; MPI_Type_get_envelope returns their numbers");
}

const type_contents& contents_of(const datatype& type) {
  if (type.contents.combiner == MPI_COMBINER_NAMED)
    throw error(MPI_ERR_TYPE, type.name +
                                  " belongs to MPI itself and has no contents; MPI_Type_get_envelope returns "
                                  "which types have some");
  return type.contents;
}

/// For functions without MPI_Count: contents of types that no MPI_Count function has made.
const type_contents& small_contents_of(const datatype& type) {
  const type_contents& c = type.contents;
  if (c.is_large)
    throw error(MPI_ERR_TYPE, "a function with MPI_Count made the type; query it by such a function, too");
  return c;
}

/// Returns handles of a type's component types; types of the program get new handles.
void hand_out_types(const type_contents& c, MPI_Datatype* handles) {
  for (const datatype_ref& t : c.types) *handles++ = objects().add(t);
}

}  // namespace

IMBREX_MPI_DEFINE(int, Type_commit, (MPI_Datatype * datatype)) {
  return call("MPI_Type_commit", [&] { objects().type(*datatype)->commit(); });
}

IMBREX_MPI_DEFINE(int, Type_free, (MPI_Datatype * datatype)) {
  return call("MPI_Type_free", [&] {
    objects().remove_type(*datatype);
    *datatype = MPI_DATATYPE_NULL;
  });
}

IMBREX_MPI_DEFINE(int, Type_size, (MPI_Datatype datatype, int* size)) {
  return call("MPI_Type_size", [&] { *size = as_int(objects().type(datatype)->size()); });
}
IMBREX_MPI_DEFINE(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size)) {
  return call("MPI_Type_size_x", [&] { *size = objects().type(datatype)->size(); });
}
IMBREX_MPI_DEFINE(int, Type_size_c, (MPI_Datatype datatype, MPI_Count* size)) {
  return call("MPI_Type_size_c", [&] { *size = objects().type(datatype)->size(); });
}

IMBREX_MPI_DEFINE(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent)) {
  return call("MPI_Type_get_extent", [&] {
    const datatype_ref t = objects().type(datatype);
    *lb = t->lower_bound(), *extent = t->extent();
  });
}
IMBREX_MPI_DEFINE(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)) {
  return call("MPI_Type_get_extent_x", [&] {
    const datatype_ref t = objects().type(datatype);
    *lb = t->lower_bound(), *extent = t->extent();
  });
}
IMBREX_MPI_DEFINE(int, Type_get_extent_c, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)) {
  return call("MPI_Type_get_extent_c", [&] {
    const datatype_ref t = objects().type(datatype);
    *lb = t->lower_bound(), *extent = t->extent();
  });
}
IMBREX_MPI_DEFINE(int, Type_get_true_extent,
                  (MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent)) {
  return call("MPI_Type_get_true_extent", [&] {
    const datatype_ref t = objects().type(datatype);
    *true_lb = t->true_lower_bound(), *true_extent = t->true_extent();
  });
}
IMBREX_MPI_DEFINE(int, Type_get_true_extent_x,
                  (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)) {
  return call("MPI_Type_get_true_extent_x", [&] {
    const datatype_ref t = objects().type(datatype);
    *true_lb = t->true_lower_bound(), *true_extent = t->true_extent();
  });
}
IMBREX_MPI_DEFINE(int, Type_get_true_extent_c,
                  (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)) {
  return call("MPI_Type_get_true_extent_c", [&] {
    const datatype_ref t = objects().type(datatype);
    *true_lb = t->true_lower_bound(), *true_extent = t->true_extent();
  });
}
IMBREX_MPI_DEFINE(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent)) {
  return call("MPI_Type_extent", [&] { *extent = objects().type(datatype)->extent(); });
}
IMBREX_MPI_DEFINE(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* displacement)) {
  return call("MPI_Type_lb", [&] { *displacement = objects().type(datatype)->lower_bound(); });
}
IMBREX_MPI_DEFINE(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* displacement)) {
  return call("MPI_Type_ub", [&] { *displacement = objects().type(datatype)->upper_bound(); });
}

IMBREX_MPI_DEFINE(int, Type_get_envelope,
                  (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                   int* combiner)) {
  return call("MPI_Type_get_envelope", [&] {
    const datatype_ref t = objects().type(datatype);
    const type_contents& c = small_contents_of(*t);
    *num_integers = int(c.integers.size());
    *num_addresses = int(c.addresses.size());
    *num_datatypes = int(c.types.size());
    *combiner = c.combiner;
  });
}
IMBREX_MPI_DEFINE(int, Type_get_envelope_c,
                  (MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                   MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner)) {
  return call("MPI_Type_get_envelope_c", [&] {
    const datatype_ref t = objects().type(datatype);
    const type_contents& c = t->contents;
    *num_integers = MPI_Count(c.integers.size());
    *num_addresses = MPI_Count(c.addresses.size());
    *num_large_counts = MPI_Count(c.counts.size());
    *num_datatypes = MPI_Count(c.types.size());
    *combiner = c.combiner;
  });
}

IMBREX_MPI_DEFINE(int, Type_get_contents,
                  (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                   int array_of_integers[], MPI_Aint array_of_addresses[],
                   MPI_Datatype array_of_datatypes[])) {
  return call("MPI_Type_get_contents", [&] {
    const datatype_ref t = objects().type(datatype);
    contents_of(*t);
    const type_contents& c = small_contents_of(*t);
    check_room(max_integers, c.integers.size(), "integers");
    check_room(max_addresses, c.addresses.size(), "addresses");
    check_room(max_datatypes, c.types.size(), "datatypes");
    std::copy(c.integers.begin(), c.integers.end(), array_of_integers);
    std::copy(c.addresses.begin(), c.addresses.end(), array_of_addresses);
    hand_out_types(c, array_of_datatypes);
  });
}
IMBREX_MPI_DEFINE(int, Type_get_contents_c,
                  (MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                   MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                   MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                   MPI_Datatype array_of_datatypes[])) {
  return call("MPI_Type_get_contents_c", [&] {
    const datatype_ref t = objects().type(datatype);
    const type_contents& c = contents_of(*t);
    check_room(max_integers, c.integers.size(), "integers");
    check_room(max_addresses, c.addresses.size(), "addresses");
    check_room(max_large_counts, c.counts.size(), "large counts");
    check_room(max_datatypes, c.types.size(), "datatypes");
    std::copy(c.integers.begin(), c.integers.end(), array_of_integers);
    std::copy(c.addresses.begin(), c.addresses.end(), array_of_addresses);
    std::copy(c.counts.begin(), c.counts.end(), array_of_large_counts);
    hand_out_types(c, array_of_datatypes);
  });
}

IMBREX_MPI_DEFINE(int, Type_get_name, (MPI_Datatype datatype, char* type_name, int* resultlen)) {
  return call("MPI_Type_get_name", [&] {
    const std::string& name = objects().name_of_type(datatype);
    std::memcpy(type_name, name.c_str(), name.size() + 1);
    *resultlen = int(name.size());
  });
}
IMBREX_MPI_DEFINE(int, Type_set_name, (MPI_Datatype datatype, const char* type_name)) {
  return call("MPI_Type_set_name", [&] {
    if (type_name == nullptr)
      throw error(MPI_ERR_ARG, "the name is a null pointer; give a text, \"\" to have none");
    objects().name_of_type(datatype).assign(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1));
  });
}

IMBREX_MPI_DEFINE(int, Type_match_size, (int typeclass, int size, MPI_Datatype* datatype)) {
  return call("MPI_Type_match_size", [&] { *datatype = match_size(typeclass, size); });
}

IMBREX_MPI_DEFINE(int, Get_address, (const void* location, MPI_Aint* address)) {
  return call("MPI_Get_address", [&] { *address = reinterpret_cast<MPI_Aint>(location); });
}
IMBREX_MPI_DEFINE(int, Address, (void* location, MPI_Aint* address)) {
  return call("MPI_Address", [&] { *address = reinterpret_cast<MPI_Aint>(location); });
}
IMBREX_MPI_DEFINE(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp)) {
  return MPI_Aint(std::uintptr_t(base) + std::uintptr_t(disp));
}
IMBREX_MPI_DEFINE(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2)) {
  return MPI_Aint(std::uintptr_t(addr1) - std::uintptr_t(addr2));
}

}  // namespace imbrex::mpi
