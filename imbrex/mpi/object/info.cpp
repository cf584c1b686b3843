// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/info.hpp>

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

void check_key(const std::string& key) {
  if (key.empty()) throw error(MPI_ERR_INFO_KEY, "the key of an info is empty; give a text");
  if (key.size() > MPI_MAX_INFO_KEY)
    throw error(MPI_ERR_INFO_KEY, "the key \"" + key + "\" has " + std::to_string(key.size()) +
                                      " characters; give one of at most " + std::to_string(MPI_MAX_INFO_KEY));
}

}  // namespace

void info::set(const std::string& key, const std::string& value) {
  check_key(key);
  if (value.empty())
    throw error(MPI_ERR_INFO_VALUE,
                "the value of the key \"" + key + "\" is empty; give a text, or delete the key");
  if (value.size() > MPI_MAX_INFO_VAL)
    throw error(MPI_ERR_INFO_VALUE, "the value of the key \"" + key + "\" has " +
                                        std::to_string(value.size()) + " characters; it may have " +
                                        std::to_string(MPI_MAX_INFO_VAL));
  const auto found = std::ranges::find(pairs_, key, &std::pair<std::string, std::string>::first);
  if (found == pairs_.end())
    pairs_.emplace_back(key, value);
  else
    found->second = value;
}

const std::string* info::find(const std::string& key) const {
  check_key(key);
  const auto found = std::ranges::find(pairs_, key, &std::pair<std::string, std::string>::first);
  return found == pairs_.end() ? nullptr : &found->second;
}

void info::remove(const std::string& key) {
  check_key(key);
  if (std::erase_if(pairs_, [&](const auto& pair) { return pair.first == key; }) == 0)
    throw error(MPI_ERR_INFO_NOKEY,
                "the info has no key \"" + key + "\"; MPI_Info_get_nthkey returns its keys");
}

info process_info(const std::vector<std::string>& command) {
  info result;
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty() && value.size() <= MPI_MAX_INFO_VAL) result.set(key, value);
  };
  if (!command.empty()) set("command", command.front());
  std::string rest;
  for (std::size_t i = 1; i < command.size(); ++i) rest += (i > 1 ? " " : "") + command[i];
  set("argv", rest);
  char directory[MPI_MAX_INFO_VAL + 1];
  if (getcwd(directory, sizeof directory) != nullptr) set("wdir", directory);
  utsname machine{};
  if (uname(&machine) == 0) {
    set("host", machine.nodename);
    set("arch", machine.machine);
  }
  return result;
}

}  // namespace imbrex::mpi
