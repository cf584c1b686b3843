// SPDX-License-Identifier: Apache-2.0
// Files: opening and closing, sizes, views, hints and error handlers.
#include <imbrex/mpi/api/file.hpp>

#include <algorithm>
#include <cstring>
#include <string>

#include <imbrex/mpi/api/creation.hpp>

namespace imbrex::mpi {

namespace {

/// Hints that files keep and report; others are ignored. The first ones choose how collective accesses go.
constexpr const char* known_hints[] = {"cb_nodes",        "cb_buffer_size",       "romio_cb_read",
                                       "romio_cb_write",  "collective_buffering", "access_style",
                                       "striping_factor", "striping_unit",        "file_perm"};

void take_hints(info& hints, rank_data& data, MPI_Info info_handle) {
  if (info_handle == MPI_INFO_NULL) return;
  const info& all = data.objects().information(info_handle);
  for (const char* const key : known_hints)
    if (const std::string* const value = all.find(key)) hints.set(key, *value);
}

/// The name without the type of its file system before it, as in "ufs:name".
std::string path_of(const char* filename) {
  if (filename == nullptr || *filename == '\0')
    throw error(MPI_ERR_BAD_FILE, "the name of the file is empty; give its path");
  const std::string name = filename;
  for (const char* const prefix : {"ufs:", "nfs:", "lustre:", "gpfs:", "xfs:"})
    if (name.starts_with(prefix)) return name.substr(std::strlen(prefix));
  return name;
}

void check_file_size(MPI_Offset size) {
  if (size < 0)
    throw error(MPI_ERR_ARG, "the size is " + std::to_string(size) + " bytes; it must not be negative");
}

/// The first rank changes the file for all.
template <typename Action>
void change(file& of, Action action) {
  std::optional<error> failure;
  if (of.in()->rank() == 0) failure = failure_of(action);
  of.agree(failure ? &*failure : nullptr);
}

/// Like `call_running`, with the error handler of MPI_FILE_NULL.
template <typename Body>
int call_without_file(const char* function, Body&& body) {
  rank_data& data = rank_data::here();
  error_target* const owner = &data.files.defaults;
  return run_call(data.objects(), function, owner, [&] {
    data.require_running(function);
    const call_frame frame(data.self(), {function, nullptr, nullptr});
    body(data);
  });
}

/// The error target that a handle names: a file, or the defaults of files for MPI_FILE_NULL.
error_target& target_of(rank_data& data, MPI_File handle) {
  if (handle == MPI_FILE_NULL) return data.files.defaults;
  return data.files.open.at(number_of(handle));
}

}  // namespace

std::string describe_file(const void* which) { return static_cast<const file*>(which)->description(); }

IMBREX_MPI_DEFINE(MPI_File, File_f2c, (MPI_Fint file)) { return file_of(file); }
IMBREX_MPI_DEFINE(MPI_Fint, File_c2f, (MPI_File file)) { return number_of(file); }

IMBREX_MPI_DEFINE(int, File_open,
                  (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh)) {
  return call_without_file("MPI_File_open", [&](rank_data& data) {
    communicator& in = *data.at(comm);
    if (in.is_inter())
      throw error(MPI_ERR_COMM, describe_communicator(&in) +
                                    " is between two groups; a file is of one: give the communicator that "
                                    "MPI_Intercomm_merge makes");
    const call_frame frame(data.self(), {"MPI_File_open", &describe_communicator, &in});
    const std::string path = path_of(filename);
    const ref<communicator> own = duplicate(data, in, purpose::file);
    const ref<file> result = file::open(data.self(), own, path, amode, data.files.defaults.handler());
    take_hints(result->hints, data, info);
    result->set_handle(data.files.open.add(ref<file_object>(result.get())));
    *fh = file_of(result->handle());
  });
}

IMBREX_MPI_DEFINE(int, File_close, (MPI_File * fh)) {
  return call_on_file("MPI_File_close", *fh, [&](rank_data& data, file& of) {
    data.files.open.remove(of.handle());
    *fh = MPI_FILE_NULL;
    of.close();
  });
}

IMBREX_MPI_DEFINE(int, File_delete, (const char* filename, MPI_Info /*info*/)) {
  return call_without_file("MPI_File_delete", [&](rank_data&) { system_file::remove(path_of(filename)); });
}

// ---- sizes

IMBREX_MPI_DEFINE(int, File_set_size, (MPI_File fh, MPI_Offset size)) {
  return call_on_file("MPI_File_set_size", fh, [&](rank_data&, file& of) {
    of.require_same(size, "the size");
    check_file_size(size);
    of.require_writable();
    change(of, [&] { of.data.set_size(size); });
  });
}
IMBREX_MPI_DEFINE(int, File_preallocate, (MPI_File fh, MPI_Offset size)) {
  return call_on_file("MPI_File_preallocate", fh, [&](rank_data&, file& of) {
    of.require_same(size, "the size");
    check_file_size(size);
    of.require_writable();
    change(of, [&] { of.data.reserve(size); });
  });
}
IMBREX_MPI_DEFINE(int, File_get_size, (MPI_File fh, MPI_Offset* size)) {
  return call_on_file("MPI_File_get_size", fh, [&](rank_data&, file& of) { *size = of.data.size(); });
}

// ---- properties

IMBREX_MPI_DEFINE(int, File_get_group, (MPI_File fh, MPI_Group* group)) {
  return call_on_file("MPI_File_get_group", fh,
                      [&](rank_data& data, file& of) { *group = data.objects().add(of.in()->members()); });
}
IMBREX_MPI_DEFINE(int, File_get_amode, (MPI_File fh, int* amode)) {
  return call_on_file("MPI_File_get_amode", fh, [&](rank_data&, file& of) { *amode = of.mode(); });
}
IMBREX_MPI_DEFINE(int, File_set_info, (MPI_File fh, MPI_Info info)) {
  return call_on_file("MPI_File_set_info", fh,
                      [&](rank_data& data, file& of) { take_hints(of.hints, data, info); });
}
IMBREX_MPI_DEFINE(int, File_get_info, (MPI_File fh, MPI_Info* info_used)) {
  return call_on_file("MPI_File_get_info", fh,
                      [&](rank_data& data, file& of) { *info_used = data.objects().add(of.hints); });
}

// ---- views

IMBREX_MPI_DEFINE(int, File_set_view,
                  (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                   const char* datarep, MPI_Info info)) {
  return call_on_file("MPI_File_set_view", fh, [&](rank_data& data, file& of) {
    file_view result;
    std::int64_t displacement = disp;
    if (disp == MPI_DISPLACEMENT_CURRENT && (of.mode() & MPI_MODE_SEQUENTIAL) != 0)
      displacement = of.view.offset_of(of.pointer.fetch_and_add(0) * of.view.etype_bytes());
    const std::optional<error> failure = failure_of([&] {
      if (datarep == nullptr)
        throw error(MPI_ERR_ARG, "the data representation is a null pointer; give \"native\"");
      for (const MPI_Datatype each : {etype, filetype})
        if (!data.objects().type(each)->is_committed())
          throw error(MPI_ERR_TYPE, "the datatype " + text_of_handle(each) +
                                        " is not committed; call MPI_Type_commit first");
      result = file_view(displacement, data.objects().type(etype), data.objects().type(filetype), datarep,
                         (of.mode() & MPI_MODE_RDONLY) != 0);
    });
    of.agree(failure ? &*failure : nullptr);
    of.view = result;
    of.position = 0;
    of.set_pointer(0);
    take_hints(of.hints, data, info);
  });
}
IMBREX_MPI_DEFINE(int, File_get_view,
                  (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype,
                   char* datarep)) {
  return call_on_file("MPI_File_get_view", fh, [&](rank_data& data, file& of) {
    *disp = of.view.displacement();
    *etype = data.objects().add(of.view.etype());
    *filetype = data.objects().add(of.view.filetype());
    std::strcpy(datarep, of.view.name_of_format());
  });
}
IMBREX_MPI_DEFINE(int, File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent)) {
  return call_on_file("MPI_File_get_type_extent", fh, [&](rank_data& data, file& of) {
    *extent = of.view.extent_of(*data.objects().type(datatype));
  });
}
IMBREX_MPI_DEFINE(int, Register_datarep,
                  (const char* datarep, MPI_Datarep_conversion_function* /*read_conversion_fn*/,
                   MPI_Datarep_conversion_function* /*write_conversion_fn*/,
                   MPI_Datarep_extent_function* /*dtype_file_extent_fn*/, void* /*extra_state*/)) {
  return call_without_file("MPI_Register_datarep", [&](rank_data&) {
    throw error(MPI_ERR_UNSUPPORTED_OPERATION,
                std::string("the data representation \"") + (datarep != nullptr ? datarep : "") +
                    "\" cannot be added; use \"external32\", or convert the data before they are written");
  });
}

// ---- error handlers

IMBREX_MPI_DEFINE(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler)) {
  return call_without_file("MPI_File_set_errhandler", [&](rank_data& data) {
    error_target& of = target_of(data, file);
    const ref<error_handler> found = data.objects().handler(errhandler);
    if (found->what == error_handler::action::call && found->of != handle_kind::file)
      throw error(MPI_ERR_ARG, text_of_handle(errhandler) +
                                   " takes no errors of files; make one by MPI_File_create_errhandler");
    of.set_handler(found);
  });
}
IMBREX_MPI_DEFINE(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler)) {
  return call_without_file("MPI_File_get_errhandler", [&](rank_data& data) {
    *errhandler = data.objects().add(target_of(data, file).handler());
  });
}
IMBREX_MPI_DEFINE(int, File_call_errhandler, (MPI_File fh, int errorcode)) {
  return call_without_file("MPI_File_call_errhandler", [&](rank_data& data) {
    data.objects().raise(error(errorcode, data.objects().codes.text_of(errorcode)),
                         "MPI_File_call_errhandler", &target_of(data, fh));
  });
}

}  // namespace imbrex::mpi
