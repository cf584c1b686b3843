// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include <imbrex/mpi/api/absent.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/error_handler.hpp>

namespace imbrex::mpi {

namespace {

template <typename Function>
int make_handler(handle_kind object, Function* function) {
  return objects().add(new error_handler(object, reinterpret_cast<error_handler::function*>(function)));
}

}  // namespace

int refuse_absent(const char* function, const char* remedy) {
  return call(function, [&] {
    throw error(MPI_ERR_UNSUPPORTED_OPERATION,
                std::string("the function is not there in this MPI; ") + remedy);
  });
}

IMBREX_MPI_DEFINE(int, Comm_create_errhandler,
                  (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler* errhandler)) {
  return call("MPI_Comm_create_errhandler",
              [&] { *errhandler = make_handler(handle_kind::communicator, comm_errhandler_fn); });
}
IMBREX_MPI_DEFINE(int, Errhandler_create,
                  (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler* errhandler)) {
  return call("MPI_Errhandler_create",
              [&] { *errhandler = make_handler(handle_kind::communicator, comm_errhandler_fn); });
}
IMBREX_MPI_DEFINE(int, Win_create_errhandler,
                  (MPI_Win_errhandler_function * win_errhandler_fn, MPI_Errhandler* errhandler)) {
  return call("MPI_Win_create_errhandler",
              [&] { *errhandler = make_handler(handle_kind::window, win_errhandler_fn); });
}
IMBREX_MPI_DEFINE(int, File_create_errhandler,
                  (MPI_File_errhandler_function * file_errhandler_fn, MPI_Errhandler* errhandler)) {
  return call("MPI_File_create_errhandler",
              [&] { *errhandler = make_handler(handle_kind::file, file_errhandler_fn); });
}

IMBREX_MPI_DEFINE(int, Errhandler_free, (MPI_Errhandler * errhandler)) {
  return call("MPI_Errhandler_free", [&] {
    objects().remove_handler(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}

IMBREX_MPI_DEFINE(int, Error_class, (int errorcode, int* errorclass)) {
  return call("MPI_Error_class", [&] { *errorclass = objects().codes.class_of(errorcode); });
}
IMBREX_MPI_DEFINE(int, Error_string, (int errorcode, char* string, int* resultlen)) {
  return call("MPI_Error_string", [&] {
    const std::string text = objects().codes.text_of(errorcode);
    std::memcpy(string, text.c_str(), text.size() + 1);
    *resultlen = int(text.size());
  });
}

IMBREX_MPI_DEFINE(int, Add_error_class, (int* errorclass)) {
  return call("MPI_Add_error_class", [&] { *errorclass = objects().codes.add_class(); });
}
IMBREX_MPI_DEFINE(int, Add_error_code, (int errorclass, int* errorcode)) {
  return call("MPI_Add_error_code", [&] { *errorcode = objects().codes.add_code(errorclass); });
}
IMBREX_MPI_DEFINE(int, Add_error_string, (int errorcode, const char* string)) {
  return call("MPI_Add_error_string", [&] { objects().codes.set_text(errorcode, string); });
}
IMBREX_MPIX_DEFINE(int, Delete_error_class, (int errorclass)) {
  return call("MPIX_Delete_error_class", [&] { objects().codes.remove_class(errorclass); });
}
IMBREX_MPIX_DEFINE(int, Delete_error_code, (int errorcode)) {
  return call("MPIX_Delete_error_code", [&] { objects().codes.remove_code(errorcode); });
}
IMBREX_MPIX_DEFINE(int, Delete_error_string, (int errorcode)) {
  return call("MPIX_Delete_error_string", [&] { objects().codes.remove_text(errorcode); });
}

}  // namespace imbrex::mpi
