// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/handle.hpp>

#include <cstdio>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

int class_of(handle_kind kind) {
  switch (kind) {
    case handle_kind::communicator: return MPI_ERR_COMM;
    case handle_kind::group: return MPI_ERR_GROUP;
    case handle_kind::datatype: return MPI_ERR_TYPE;
    case handle_kind::file: return MPI_ERR_FILE;
    case handle_kind::error_handler: return MPI_ERR_ARG;
    case handle_kind::operation: return MPI_ERR_OP;
    case handle_kind::info: return MPI_ERR_INFO;
    case handle_kind::window: return MPI_ERR_WIN;
    case handle_kind::keyval: return MPI_ERR_KEYVAL;
    case handle_kind::request: return MPI_ERR_REQUEST;
    case handle_kind::session: return MPI_ERR_SESSION;
  }
  return MPI_ERR_ARG;
}

}  // namespace

const char* name_of(handle_kind kind) {
  switch (kind) {
    case handle_kind::communicator: return "communicator";
    case handle_kind::group: return "group";
    case handle_kind::datatype: return "datatype";
    case handle_kind::file: return "file";
    case handle_kind::error_handler: return "error handler";
    case handle_kind::operation: return "operation";
    case handle_kind::info: return "info";
    case handle_kind::window: return "window";
    case handle_kind::keyval: return "keyval";
    case handle_kind::request: return "request";
    case handle_kind::session: return "session";
  }
  return nullptr;
}

std::string text_of_handle(int handle) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", unsigned(handle));
  return text;
}

void refuse_handle(int handle, handle_kind kind) {
  const handle_kind other = kind_of(handle);
  const auto named = [](handle_kind k) {
    const std::string name = name_of(k);
    return (std::string("aeiou").find(name[0]) == std::string::npos ? "a " : "an ") + name;
  };
  const std::string expected_name = named(kind);
  std::string text = text_of_handle(handle);
  if (other == kind && origin_of(handle) == handle_origin::nobody)
    text += " is the null handle of " + expected_name;
  else if (other == kind)
    text += std::string(" is the handle of no ") + name_of(kind) + " of this rank; was it freed?";
  else if (name_of(other) && origin_of(handle) != handle_origin::nobody)
    text += " is the handle of " + named(other) + " and not of " + expected_name;
  else
    text += " is not the handle of " + expected_name;
  throw error(class_of(kind), text);
}

}  // namespace imbrex::mpi
