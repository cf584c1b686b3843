// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/options.hpp>

#include <array>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::detail {

std::string parse_trace(const parsed_option& input) {
  if (input.value.empty())
    throw usage_error("--trace needs the name of the file to write, such as --trace run.trace");
  return std::string(input.value);
}

std::uint64_t parse_trace_buffer(const parsed_option& input) {
  const auto bytes = parse_size(input.value);
  if (!bytes || *bytes < min_trace_buffer || *bytes > max_trace_buffer)
    throw usage_error(
        printable(input.name) + " " + printable(input.value) +
        ": the value must be a size from 4kB to 100GB with its unit, B, kB, MB or GB, such as 8MB");
  return *bytes;
}

bool parse_trace_full(const parsed_option& input) {
  constexpr std::array<std::string_view, 2> words{"drop", "wait"};
  return parse_word(input, words) == 1;
}

void check_trace_buffer(std::uint64_t bytes) {
  if (bytes < min_trace_buffer || bytes > max_trace_buffer)
    throw usage_error("trace_buffer.bytes = " + std::to_string(bytes) + ": the bytes must be from " +
                      std::to_string(min_trace_buffer) + " to " + std::to_string(max_trace_buffer));
}

void check_trace_named(std::string_view file, const parsed_option& input) {
  if (file.empty())
    throw usage_error(printable(input.name) + " is for recording, which needs --trace; add --trace FILE, " +
                      "or leave it out");
}

}  // namespace imbrex::detail
