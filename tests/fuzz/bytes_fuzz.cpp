// SPDX-License-Identifier: Apache-2.0
// Reads types of the standard library, and files of them, from arbitrary bytes. The first byte selects the
// type. It also determines whether the rest is a whole file, the contents after a valid file header, or input
// of `from_bytes`. A value that is accepted must survive being written and read again.

#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/serial/adaptors.hpp>
#include <imbrex/serial/file.hpp>
#include <imbrex/serial/filesystem.hpp>
#include <imbrex/serial/forward_list.hpp>
#include <imbrex/serial/random.hpp>
#include <imbrex/serial/valarray.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <forward_list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <system_error>
#include <tuple>
#include <valarray>
#include <variant>
#include <vector>

namespace {

using nested =
    std::map<std::string, std::vector<std::optional<std::variant<int, std::string, std::vector<double>>>>>;
using adapted = std::tuple<std::stack<int>, std::queue<std::string>, std::priority_queue<std::int16_t>>;
using lists =
    std::tuple<std::forward_list<std::string>, std::valarray<float>, std::set<std::filesystem::path>>;
using owners = std::vector<std::unique_ptr<std::pair<bool, std::vector<bool>>>>;
using engines = std::tuple<std::minstd_rand, std::uniform_int_distribution<int>>;

enum class source : std::uint8_t { bytes, contents, file };

/// A file of this process, removed at its end.
class scratch_file {
 public:
  scratch_file() = default;
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(name_, ignored);
  }

  const std::string& name() const { return name_; }

 private:
  const std::string name_ =
      (std::filesystem::temp_directory_path() / ("imbrex_bytes_fuzz." + std::to_string(::getpid()))).string();
};

const std::string& file_name() {
  static const scratch_file file;
  return file.name();
}

void write_file(std::span<const std::byte> bytes) {
  const std::string contents(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (imbrex::replace_file(file_name(), contents)) std::abort();
}

template <class T>
T read_from(source from, std::span<const std::byte> bytes) {
  if (from == source::bytes) return imbrex::from_bytes<T>(bytes);
  if (from == source::file)
    write_file(bytes);
  else
    imbrex::detail::file_writer(file_name(), imbrex::schema_of<T>()).finish(bytes);
  return imbrex::from_file<T>(file_name());
}

template <class T>
void read_twice(source from, std::span<const std::byte> bytes) {
  std::optional<T> value;
  try {
    value.emplace(read_from<T>(from, bytes));
  } catch (const imbrex::serial_error&) {
    return;
  }
  const auto written = imbrex::to_bytes(*value);
  const T again =
      imbrex::from_bytes<T>(written);  // throws, and so fails, if the reader refuses the written bytes
  if (imbrex::to_bytes(again).size() != written.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  const int which = data[0] % 16;
  // Files are slow, so few inputs use them.
  const auto from = which == 0 ? source::file : which == 1 ? source::contents : source::bytes;
  switch (data[0] / 16 % 5) {
    case 0: read_twice<nested>(from, bytes); break;
    case 1: read_twice<adapted>(from, bytes); break;
    case 2: read_twice<lists>(from, bytes); break;
    case 3: read_twice<owners>(from, bytes); break;
    default: read_twice<engines>(from, bytes); break;
  }
  return 0;
}
