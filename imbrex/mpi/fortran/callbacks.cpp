// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/fortran/callbacks.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/api/window.hpp>
#include <imbrex/mpi/fortran/arguments.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi::fortran {

void put_text(std::string_view value, char* to, std::size_t length) {
  const std::size_t kept = std::min(value.size(), length);
  std::copy_n(value.data(), kept, to);
  std::fill(to + kept, to + length, ' ');
}

// ---- attributes

namespace {

/// Calls body(attributes, objects) for a communicator, datatype or window.
template <typename Body>
int with_attributes(const char* function, handle_kind object, int handle, Body body) {
  if (object == handle_kind::communicator)
    return call_on(function, handle,
                   [&](rank_data& data, communicator& in) { body(in.attributes, data.objects()); });
  if (object == handle_kind::window)
    return call_on_window(function, handle,
                          [&](rank_data& data, window& of) { body(of.attributes, data.objects()); });
  return call(function, [&] { body(objects().attributes_of_type(handle), objects()); });
}

/// Fortran's keys of predefined attributes are C's plus one; calls with C's keys return pointers.
int key_of_c(int key) { return key - 1; }

MPI_Aint value_of(int key, void* found) {
  if (key == MPI_WIN_BASE) return reinterpret_cast<MPI_Aint>(found);
  return key == MPI_WIN_SIZE ? *static_cast<MPI_Aint*>(found) : *static_cast<int*>(found);
}

}  // namespace

int create_keyval(const char* function, handle_kind object, keyval::language of, procedure copy,
                  procedure remove, int* key, MPI_Aint extra) {
  return call(function, [&] {
    auto* attribute_key = new keyval;
    attribute_key->of = of;
    attribute_key->copy = reinterpret_cast<keyval::copy_function*>(copy);
    attribute_key->remove = reinterpret_cast<keyval::delete_function*>(remove);
    attribute_key->extra = reinterpret_cast<void*>(extra);
    *key = objects().add(attribute_key, object);
  });
}

int set_attribute(const char* function, handle_kind object, int handle, int key, MPI_Aint value) {
  return with_attributes(function, object, handle, [&](attribute_set& of, rank_objects& known) {
    of.set_integer(handle, key, known.key(key, object), value);
  });
}

int get_attribute(const char* function, handle_kind object, int handle, int key, MPI_Aint* value, int* flag) {
  if (kind_of(key) == handle_kind::keyval && origin_of(key) == handle_origin::mpi) {
    const int c_key = key_of_c(key);
    void* found = nullptr;
    const int code = object == handle_kind::window ? MPI_Win_get_attr(handle, c_key, &found, flag)
                                                   : MPI_Comm_get_attr(handle, c_key, &found, flag);
    if (code == MPI_SUCCESS && *flag != 0) *value = value_of(c_key, found);
    return code;
  }
  return with_attributes(function, object, handle, [&](attribute_set& of, rank_objects& known) {
    (void)known.key(key, object);
    *flag = of.get_integer(key, value) ? 1 : 0;
  });
}

int get_old_attribute(MPI_Comm comm, int key, int* value, int* flag) {
  MPI_Aint found = 0;
  const int code = get_attribute("MPI_Attr_get", handle_kind::communicator, comm, key, &found, flag);
  if (code == MPI_SUCCESS && *flag != 0) *value = static_cast<int>(found);
  return code;
}

extern "C" {

void mpi_dup_fn_(const int* /*comm*/, const int* /*key*/, const int* /*extra*/, const int* value, int* copy,
                 int* flag, int* ierror) {
  *copy = *value;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}
void mpi_null_copy_fn_(const int* /*comm*/, const int* /*key*/, const int* /*extra*/, const int* /*value*/,
                       int* /*copy*/, int* flag, int* ierror) {
  *flag = 0;
  *ierror = MPI_SUCCESS;
}
void mpi_null_delete_fn_(const int* /*comm*/, const int* /*key*/, const int* /*value*/, const int* /*extra*/,
                         int* ierror) {
  *ierror = MPI_SUCCESS;
}
void mpi_comm_dup_fn_(const int* /*object*/, const int* /*key*/, const MPI_Aint* /*extra*/,
                      const MPI_Aint* value, MPI_Aint* copy, int* flag, int* ierror) {
  *copy = *value;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}
void mpi_comm_null_copy_fn_(const int* /*object*/, const int* /*key*/, const MPI_Aint* /*extra*/,
                            const MPI_Aint* /*value*/, MPI_Aint* /*copy*/, int* flag, int* ierror) {
  *flag = 0;
  *ierror = MPI_SUCCESS;
}
void mpi_comm_null_delete_fn_(const int* /*object*/, const int* /*key*/, const MPI_Aint* /*value*/,
                              const MPI_Aint* /*extra*/, int* ierror) {
  *ierror = MPI_SUCCESS;
}
void mpi_conversion_fn_null_() {}

/// Defines the callbacks of all kinds of objects, in all spellings of Fortran compilers.
#define IMBREX_FORTRAN_FUNCTION(target, name, NAME)                                                      \
  decltype(target) mpi_##name##__ IMBREX_FORTRAN_ALIAS(target), mpi_##name IMBREX_FORTRAN_ALIAS(target), \
      MPI_##NAME IMBREX_FORTRAN_ALIAS(target);
#define IMBREX_FORTRAN_FUNCTION_OF(target, name, NAME)         \
  decltype(target) mpi_##name##_ IMBREX_FORTRAN_ALIAS(target); \
  IMBREX_FORTRAN_FUNCTION(target, name, NAME)
}
#undef MPI_DUP_FN
#undef MPI_NULL_COPY_FN
#undef MPI_NULL_DELETE_FN
#undef MPI_COMM_DUP_FN
#undef MPI_COMM_NULL_COPY_FN
#undef MPI_COMM_NULL_DELETE_FN
#undef MPI_TYPE_DUP_FN
#undef MPI_TYPE_NULL_COPY_FN
#undef MPI_TYPE_NULL_DELETE_FN
#undef MPI_WIN_DUP_FN
#undef MPI_WIN_NULL_COPY_FN
#undef MPI_WIN_NULL_DELETE_FN
#undef MPI_CONVERSION_FN_NULL
extern "C" {
IMBREX_FORTRAN_FUNCTION(mpi_dup_fn_, dup_fn, DUP_FN)
IMBREX_FORTRAN_FUNCTION(mpi_null_copy_fn_, null_copy_fn, NULL_COPY_FN)
IMBREX_FORTRAN_FUNCTION(mpi_null_delete_fn_, null_delete_fn, NULL_DELETE_FN)
IMBREX_FORTRAN_FUNCTION(mpi_comm_dup_fn_, comm_dup_fn, COMM_DUP_FN)
IMBREX_FORTRAN_FUNCTION(mpi_comm_null_copy_fn_, comm_null_copy_fn, COMM_NULL_COPY_FN)
IMBREX_FORTRAN_FUNCTION(mpi_comm_null_delete_fn_, comm_null_delete_fn, COMM_NULL_DELETE_FN)
IMBREX_FORTRAN_FUNCTION_OF(mpi_comm_dup_fn_, type_dup_fn, TYPE_DUP_FN)
IMBREX_FORTRAN_FUNCTION_OF(mpi_comm_null_copy_fn_, type_null_copy_fn, TYPE_NULL_COPY_FN)
IMBREX_FORTRAN_FUNCTION_OF(mpi_comm_null_delete_fn_, type_null_delete_fn, TYPE_NULL_DELETE_FN)
IMBREX_FORTRAN_FUNCTION_OF(mpi_comm_dup_fn_, win_dup_fn, WIN_DUP_FN)
IMBREX_FORTRAN_FUNCTION_OF(mpi_comm_null_copy_fn_, win_null_copy_fn, WIN_NULL_COPY_FN)
IMBREX_FORTRAN_FUNCTION_OF(mpi_comm_null_delete_fn_, win_null_delete_fn, WIN_NULL_DELETE_FN)
IMBREX_FORTRAN_FUNCTION(mpi_conversion_fn_null_, conversion_fn_null, CONVERSION_FN_NULL)
}

// ---- generalised requests

namespace {

/// State of a generalised request; lives until the request is freed.
struct fortran_request {
  procedure query, release, cancel;
  MPI_Aint extra;
};

int query_request(void* state, MPI_Status* status) {
  auto& of = *static_cast<fortran_request*>(state);
  int code = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, MPI_Status*, int*)>(of.query)(&of.extra, status, &code);
  return code;
}

int release_request(void* state) {
  const std::unique_ptr<fortran_request> of(static_cast<fortran_request*>(state));
  int code = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, int*)>(of->release)(&of->extra, &code);
  return code;
}

int cancel_request(void* state, int complete) {
  auto& of = *static_cast<fortran_request*>(state);
  int code = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, int*, int*)>(of.cancel)(&of.extra, &complete, &code);
  return code;
}

}  // namespace

int start_request(procedure query, procedure release, procedure cancel, MPI_Aint extra,
                  MPI_Request* request) {
  auto state = std::make_unique<fortran_request>(fortran_request{query, release, cancel, extra});
  const int code =
      MPI_Grequest_start(&query_request, &release_request, &cancel_request, state.get(), request);
  if (code == MPI_SUCCESS) (void)state.release();
  return code;
}

// ---- others

int get_info(MPI_Info info, const char* key, int most, char* value, std::size_t length, int* flag) {
  std::vector<char> room(static_cast<std::size_t>(std::max(most, 0)) + 1);
  const int code = MPI_Info_get(info, key, most, room.data(), flag);
  if (code == MPI_SUCCESS && *flag != 0) put_text(room.data(), value, length);
  return code;
}

int get_info_string(MPI_Info info, const char* key, int* room, char* value, std::size_t length, int* flag) {
  const bool has_buffer = *room > 0;
  int with_end = has_buffer ? *room + 1 : 0;
  std::vector<char> text(static_cast<std::size_t>(with_end) + 1);
  const int code = MPI_Info_get_string(info, key, &with_end, text.data(), flag);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  *room = with_end - 1;
  if (has_buffer) put_text(text.data(), value, length);
  return code;
}

int get_old_address(void* location, int* address) {
  MPI_Aint found = 0;
  if (const int code = MPI_Get_address(location, &found); code != MPI_SUCCESS) return code;
  *address = static_cast<int>(found);
  return *address == found ? MPI_SUCCESS : MPI_ERR_ARG;
}

int detach_buffer(int* size) {
  void* address = nullptr;
  return MPI_Buffer_detach(&address, size);
}

extern "C" void pmpi_f_sync_reg_(void* /*buf*/) {}
IMBREX_FORTRAN_NAMES(mpi, MPI, f_sync_reg, F_SYNC_REG)
extern "C" void pmpir_f_sync_reg_f08ts_(const void* /*buf*/) {}
extern "C" decltype(pmpir_f_sync_reg_f08ts_) mpi_f_sync_reg_f08ts_
    IMBREX_FORTRAN_ALIAS(pmpir_f_sync_reg_f08ts_);

extern "C" void pmpi_status_f2f08_(const MPI_Fint* f_status, MPI_F08_status* f08_status, int* ierror) {
  *ierror = MPI_Status_f2f08(f_status, f08_status);
}
IMBREX_FORTRAN_NAMES(mpi, MPI, status_f2f08, STATUS_F2F08)
extern "C" void pmpi_status_f082f_(const MPI_F08_status* f08_status, MPI_Fint* f_status, int* ierror) {
  *ierror = MPI_Status_f082f(f08_status, f_status);
}
IMBREX_FORTRAN_NAMES(mpi, MPI, status_f082f, STATUS_F082F)

}  // namespace imbrex::mpi::fortran
