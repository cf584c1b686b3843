// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/info.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

/// Copies at most `room` characters and appends a terminating zero.
void copy_text(const std::string& text, char* to, std::size_t room) {
  const std::size_t n = std::min(text.size(), room);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

mpi::info& changeable(MPI_Info handle) {
  if (handle == MPI_INFO_ENV)
    throw error(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed; make a copy by MPI_Info_dup");
  return objects().information(handle);
}

}  // namespace

IMBREX_MPI_DEFINE(int, Info_create, (MPI_Info * info)) {
  return call("MPI_Info_create", [&] { *info = objects().add(mpi::info()); });
}

IMBREX_MPI_DEFINE(int, Info_create_env, (int argc, char* argv[], MPI_Info* info)) {
  return call("MPI_Info_create_env", [&] {
    std::vector<std::string> command;
    for (int i = 0; argv && i < argc; ++i) command.emplace_back(argv[i]);
    *info = objects().add(process_info(command));
  });
}

IMBREX_MPI_DEFINE(int, Info_dup, (MPI_Info info, MPI_Info* newinfo)) {
  return call("MPI_Info_dup", [&] { *newinfo = objects().add(mpi::info(objects().information(info))); });
}

IMBREX_MPI_DEFINE(int, Info_free, (MPI_Info * info)) {
  return call("MPI_Info_free", [&] {
    objects().remove_info(*info);
    *info = MPI_INFO_NULL;
  });
}

IMBREX_MPI_DEFINE(int, Info_set, (MPI_Info info, const char* key, const char* value)) {
  return call("MPI_Info_set", [&] {
    if (!key) throw error(MPI_ERR_INFO_KEY, "the key of an info is a null pointer; give a text");
    if (!value)
      throw error(MPI_ERR_INFO_VALUE,
                  "the value of the key \"" + std::string(key) + "\" is a null pointer; give a text");
    changeable(info).set(key, value);
  });
}

IMBREX_MPI_DEFINE(int, Info_delete, (MPI_Info info, const char* key)) {
  return call("MPI_Info_delete", [&] { changeable(info).remove(key); });
}

IMBREX_MPI_DEFINE(int, Info_get, (MPI_Info info, const char* key, int valuelen, char* value, int* flag)) {
  return call("MPI_Info_get", [&] {
    if (valuelen < 0)
      throw error(MPI_ERR_ARG, "the room for the value is " + std::to_string(valuelen) +
                                   " characters; it must not be negative");
    const std::string* found = objects().information(info).find(key);
    *flag = found != nullptr;
    if (found) copy_text(*found, value, std::size_t(valuelen));
  });
}

IMBREX_MPI_DEFINE(int, Info_get_string,
                  (MPI_Info info, const char* key, int* buflen, char* value, int* flag)) {
  return call("MPI_Info_get_string", [&] {
    const std::string* found = objects().information(info).find(key);
    *flag = found != nullptr;
    if (!found) return;
    if (*buflen > 0) copy_text(*found, value, std::size_t(*buflen - 1));
    *buflen = int(found->size()) + 1;
  });
}

IMBREX_MPI_DEFINE(int, Info_get_valuelen, (MPI_Info info, const char* key, int* valuelen, int* flag)) {
  return call("MPI_Info_get_valuelen", [&] {
    const std::string* found = objects().information(info).find(key);
    *flag = found != nullptr;
    if (found) *valuelen = int(found->size());
  });
}

IMBREX_MPI_DEFINE(int, Info_get_nkeys, (MPI_Info info, int* nkeys)) {
  return call("MPI_Info_get_nkeys", [&] { *nkeys = int(objects().information(info).pairs().size()); });
}

IMBREX_MPI_DEFINE(int, Info_get_nthkey, (MPI_Info info, int n, char* key)) {
  return call("MPI_Info_get_nthkey", [&] {
    const auto& pairs = objects().information(info).pairs();
    if (n < 0 || std::size_t(n) >= pairs.size())
      throw error(MPI_ERR_ARG, "the number of a key is " + std::to_string(n) + "; the info has " +
                                   std::to_string(pairs.size()) + " keys from 0 on");
    copy_text(pairs[std::size_t(n)].first, key, MPI_MAX_INFO_KEY - 1);
  });
}

}  // namespace imbrex::mpi
