// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/proxy.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/sched/run_queue.hpp>

namespace imbrex::detail {

void throw_wrong_index(std::string_view chare_name, const std::string& index, const std::string& shape) {
  throw error("index " + index + " is outside the array of " + std::string(short_name(chare_name)) +
              ", whose shape is " + shape + ": indices begin at 0 and end before the shape");
}

void check_priority(int priority) {
  if (priority < first_priority || priority > last_priority)
    throw error("priority " + std::to_string(priority) + ": priorities of messages are from " +
                std::to_string(first_priority) + " (first) to " + std::to_string(last_priority) +
                " (last); 0 is what messages have without one");
}

void throw_not_here(std::string_view group_of, int pe) {
  const std::string name(short_name(group_of));
  throw error("local: the " + name + " of the group on PE " + std::to_string(pe) +
              " is not there yet, or no more. Messages may come before the group does: where make_group<" +
              name + "> was called, await created() of the group before others use it");
}

}  // namespace imbrex::detail
