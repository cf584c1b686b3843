// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/attribute_set.hpp>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

int make_key(handle_kind object, keyval::copy_function* copy, keyval::delete_function* remove, void* extra) {
  auto* attribute_key = new keyval;
  attribute_key->copy = copy;
  attribute_key->remove = remove;
  attribute_key->extra = extra;
  return objects().add(attribute_key, object);
}

void free_key(handle_kind object, int* key) {
  objects().remove_key(*key, object);
  *key = MPI_KEYVAL_INVALID;
}

}  // namespace

extern "C" int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

IMBREX_MPI_DEFINE(int, Comm_create_keyval,
                  (MPI_Comm_copy_attr_function * comm_copy_attr_fn,
                   MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state)) {
  return call("MPI_Comm_create_keyval", [&] {
    *comm_keyval = make_key(handle_kind::communicator, comm_copy_attr_fn, comm_delete_attr_fn, extra_state);
  });
}
IMBREX_MPI_DEFINE(int, Comm_free_keyval, (int* comm_keyval)) {
  return call("MPI_Comm_free_keyval", [&] { free_key(handle_kind::communicator, comm_keyval); });
}
IMBREX_MPI_DEFINE(int, Keyval_create,
                  (MPI_Copy_function * copy_fn, MPI_Delete_function* delete_fn, int* keyval,
                   void* extra_state)) {
  return call("MPI_Keyval_create",
              [&] { *keyval = make_key(handle_kind::communicator, copy_fn, delete_fn, extra_state); });
}
IMBREX_MPI_DEFINE(int, Keyval_free, (int* keyval)) {
  return call("MPI_Keyval_free", [&] { free_key(handle_kind::communicator, keyval); });
}

namespace {

int set_attribute(const char* function, MPI_Comm comm, int key, void* value) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    in.attributes.set(comm, key, data.objects().key(key, handle_kind::communicator), value);
  });
}

int get_attribute(const char* function, MPI_Comm comm, int key, void* value, int* flag) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    if (int* const predefined = data.predefined_attribute(key)) {
      *static_cast<void**>(value) = predefined;
      *flag = 1;
      return;
    }
    (void)data.objects().key(key, handle_kind::communicator);
    *flag = in.attributes.get(key, static_cast<void**>(value)) ? 1 : 0;
  });
}

int remove_attribute(const char* function, MPI_Comm comm, int key) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    (void)data.objects().key(key, handle_kind::communicator);
    in.attributes.remove(comm, key);
  });
}

}  // namespace

IMBREX_MPI_DEFINE(int, Comm_set_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val)) {
  return set_attribute("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}
IMBREX_MPI_DEFINE(int, Attr_put, (MPI_Comm comm, int keyval, void* attribute_val)) {
  return set_attribute("MPI_Attr_put", comm, keyval, attribute_val);
}
IMBREX_MPI_DEFINE(int, Comm_get_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag)) {
  return get_attribute("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}
IMBREX_MPI_DEFINE(int, Attr_get, (MPI_Comm comm, int keyval, void* attribute_val, int* flag)) {
  return get_attribute("MPI_Attr_get", comm, keyval, attribute_val, flag);
}
IMBREX_MPI_DEFINE(int, Comm_delete_attr, (MPI_Comm comm, int comm_keyval)) {
  return remove_attribute("MPI_Comm_delete_attr", comm, comm_keyval);
}
IMBREX_MPI_DEFINE(int, Attr_delete, (MPI_Comm comm, int keyval)) {
  return remove_attribute("MPI_Attr_delete", comm, keyval);
}

IMBREX_MPI_DEFINE(int, Win_create_keyval,
                  (MPI_Win_copy_attr_function * win_copy_attr_fn,
                   MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval, void* extra_state)) {
  return call("MPI_Win_create_keyval", [&] {
    *win_keyval = make_key(handle_kind::window, win_copy_attr_fn, win_delete_attr_fn, extra_state);
  });
}
IMBREX_MPI_DEFINE(int, Win_free_keyval, (int* win_keyval)) {
  return call("MPI_Win_free_keyval", [&] { free_key(handle_kind::window, win_keyval); });
}

IMBREX_MPI_DEFINE(int, Type_create_keyval,
                  (MPI_Type_copy_attr_function * type_copy_attr_fn,
                   MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state)) {
  return call("MPI_Type_create_keyval", [&] {
    *type_keyval = make_key(handle_kind::datatype, type_copy_attr_fn, type_delete_attr_fn, extra_state);
  });
}
IMBREX_MPI_DEFINE(int, Type_free_keyval, (int* type_keyval)) {
  return call("MPI_Type_free_keyval", [&] { free_key(handle_kind::datatype, type_keyval); });
}

IMBREX_MPI_DEFINE(int, Type_set_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val)) {
  return call("MPI_Type_set_attr", [&] {
    objects().attributes_of_type(datatype).set(
        datatype, type_keyval, objects().key(type_keyval, handle_kind::datatype), attribute_val);
  });
}
IMBREX_MPI_DEFINE(int, Type_get_attr,
                  (MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag)) {
  return call("MPI_Type_get_attr", [&] {
    const attribute_set& all = objects().attributes_of_type(datatype);
    (void)objects().key(type_keyval, handle_kind::datatype);
    *flag = all.get(type_keyval, static_cast<void**>(attribute_val));
  });
}
IMBREX_MPI_DEFINE(int, Type_delete_attr, (MPI_Datatype datatype, int type_keyval)) {
  return call("MPI_Type_delete_attr", [&] {
    attribute_set& all = objects().attributes_of_type(datatype);
    (void)objects().key(type_keyval, handle_kind::datatype);
    all.remove(datatype, type_keyval);
  });
}

}  // namespace imbrex::mpi
