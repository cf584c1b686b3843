// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/leaks.hpp>

#include <map>

#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

std::string describe_leaks(rank_data& data) {
  std::map<std::string, int> counts;
  std::string names;
  if (data.self().messages.unexpected() > 0)
    counts["message"] = static_cast<int>(data.self().messages.unexpected());
  data.requests.for_each([&](int, const user_request&) { ++counts["request"]; });
  if (data.blocks_on_devices.size() > 0)
    counts["block of device memory"] = static_cast<int>(data.blocks_on_devices.size());
  data.windows.for_each([&](int, const window_object&) { ++counts["window"]; });
  data.sessions.for_each([&](int, const session&) { ++counts["session"]; });
  data.files.open.for_each([&](int, const file_object&) { ++counts["file"]; });
  data.for_each_communicator([&](int, const communicator& c) {
    ++counts["communicator"];
    names += (names.empty() ? "" : ", ") + describe_communicator(&c);
  });
  data.objects().for_each_left([&](handle_kind kind, int) { ++counts[name_of(kind)]; });
  std::string text;
  for (const auto& [what, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + what;
    if (what == "communicator") text += " (" + names + ")";
  }
  return text;
}

}  // namespace imbrex::mpi
