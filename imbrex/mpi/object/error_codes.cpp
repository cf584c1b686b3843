// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/error_codes.hpp>

#include <algorithm>
#include <cstddef>

#include <imbrex/mpi/include/mpi.h>

namespace imbrex::mpi {

namespace {

constexpr int first = MPI_ERR_LASTCODE + 1;

}  // namespace

const error_codes::code* error_codes::find(int number) const {
  if (number < first || std::size_t(number - first) >= codes_.size()) return nullptr;
  const code& c = codes_[std::size_t(number - first)];
  return c.is_there ? &c : nullptr;
}

error_codes::code& error_codes::own(int number) {
  if (const code* c = find(number)) return const_cast<code&>(*c);
  throw error(MPI_ERR_ARG,
              std::to_string(number) +
                  " is no error code that MPI_Add_error_class or MPI_Add_error_code has returned");
}

int error_codes::add_class() {
  const int number = first + int(codes_.size());
  codes_.push_back({number, true, {}});
  return number;
}

int error_codes::add_code(int error_class) {
  const code* c = find(error_class);
  if (c ? c->error_class != error_class : !text_of_class(error_class))
    throw error(MPI_ERR_ARG, std::to_string(error_class) +
                                 " is no error class; give one of MPI itself or of MPI_Add_error_class");
  codes_.push_back({error_class, true, {}});
  return first + int(codes_.size()) - 1;
}

void error_codes::set_text(int code, const std::string& text) {
  if (text.size() >= MPI_MAX_ERROR_STRING)
    throw error(MPI_ERR_ARG, "the text of an error code has " + std::to_string(text.size()) +
                                 " characters; give one of at most " +
                                 std::to_string(MPI_MAX_ERROR_STRING - 1));
  own(code).text = text;
}

void error_codes::remove_class(int error_class) {
  code& c = own(error_class);
  if (c.error_class != error_class)
    throw error(MPI_ERR_ARG, std::to_string(error_class) +
                                 " is an error code and no class; delete it by MPIX_Delete_error_code");
  const auto users = std::ranges::count_if(
      codes_, [&](const code& o) { return o.is_there && o.error_class == error_class; });
  if (users > 1)
    throw error(MPI_ERR_OTHER, "the error class " + std::to_string(error_class) + " has " +
                                   std::to_string(users - 1) + " codes, which must be deleted before");
  c.is_there = false;
}

void error_codes::remove_code(int number) {
  code& c = own(number);
  if (c.error_class == number)
    throw error(MPI_ERR_ARG,
                std::to_string(number) + " is an error class; delete it by MPIX_Delete_error_class");
  c.is_there = false;
}

void error_codes::remove_text(int code) { own(code).text.clear(); }

int error_codes::class_of(int code) const {
  if (text_of_class(code)) return code;
  if (const auto* c = find(code)) return c->error_class;
  return MPI_ERR_UNKNOWN;
}

std::string error_codes::text_of(int code) const {
  std::string text;
  if (const char* standard = text_of_class(code)) {
    text = standard;
    if (code == last_code_ && code != MPI_SUCCESS) text += ": " + last_text_;
  } else if (const auto* c = find(code)) {
    text = c->text;
  } else {
    text = "unknown error code " + std::to_string(code);
  }
  if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
  return text;
}

int error_codes::last_used() const {
  for (std::size_t i = codes_.size(); i > 0; --i)
    if (codes_[i - 1].is_there) return first + int(i) - 1;
  return MPI_ERR_LASTCODE;
}

}  // namespace imbrex::mpi
