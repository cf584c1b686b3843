// SPDX-License-Identifier: Apache-2.0
// Reads device models from arbitrary text. Each must yield a model, or an error with a line and a remedy.

#include <imbrex/base/error.hpp>
#include <imbrex/device/model.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "mutator.hpp"

namespace {

/// A value that may be invalid.
std::string odd_value(std::mt19937& random) {
  static constexpr std::string_view values[] = {"0",
                                                "-1",
                                                "1e400",
                                                "nan",
                                                "\"1us\"",
                                                "\"0GB/s\"",
                                                "true",
                                                "[1, 2]",
                                                "{a = 1}",
                                                "\"\"",
                                                "0x7fffffffffffffff",
                                                "'5us'",
                                                "1979-05-27",
                                                "\"99999999s\"",
                                                "\"1e3us\""};
  return std::string(values[random() % std::size(values)]);
}

std::string a_valid_model() {
  static constexpr std::string_view keys[] = {
      "[device]\nmemory = 9\nconcurrent_kernels = 1\nthreads = 2\nmemory_bandwidth = \"1GB/s\"\nflops = 1e9\n"
      "kernel_start = \"1us\"\ngraph_kernel_start = \"1us\"\n",
      "[copy]\nengines_to_device = 1\nengines_from_device = 1\nto_device = \"1GB/s\"\nfrom_device = "
      "\"1GB/s\"\n"
      "latency = \"1us\"\n",
      "[host]\nlaunch = \"1us\"\ncall = \"1us\"\nquery = \"1us\"\nsynchronize = \"1us\"\ngraph_launch = "
      "\"1us\"\n"
      "graph_operation = \"1us\"\nhost_function = \"1us\"\ncopy_bandwidth = \"1GB/s\"\n",
      "[message]\nsend = \"1us\"\nreceive = \"1us\"\ncallback = \"1us\"\nlatency = \"1us\"\nbandwidth = "
      "\"1GB/s\"\n"};
  std::string text = "name = \"a\"\n";
  for (const std::string_view part : keys) text += part;
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const imbrex::device_model model = imbrex::parse_device_model(text, "fuzz.toml");
    if (model.device.memory == 0 || model.device.concurrent_kernels < 1 || !(model.device.flops > 0) ||
        model.copy.latency.count() <= 0 || model.copy.to_device == 0 || model.message.bandwidth == 0)
      std::abort();
  } catch (const imbrex::usage_error& e) {
    if (std::string_view(e.what()).find("fuzz.toml, line ") == std::string_view::npos) std::abort();
  }
  return 0;
}

// Starts from a valid file with one value replaced, since few random bytes are TOML.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 4 == 0) {
    std::mt19937 random(seed);
    std::string text = a_valid_model();
    if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    const std::size_t place = text.find(" = ", random() % text.size());
    if (place != std::string::npos) {
      const std::size_t end = text.find('\n', place);
      text.replace(place + 3, end - place - 3, odd_value(random));
    }
    size = text.copy(reinterpret_cast<char*>(data), max_size);
    if (seed % 8 == 0) return size;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
