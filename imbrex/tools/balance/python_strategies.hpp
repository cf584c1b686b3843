// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::tools::balance {

/// True if the word names a file of Python.
inline bool is_python_file(std::string_view word) { return word.ends_with(".py"); }

/// The strategies of a Python file (`@imbrex.strategy`). While this object lives, a process of python3 runs
/// them, and `find_strategy` finds them.
class python_strategies {
 public:
  /// Throws usage_error if there is no python3, or if it cannot serve the file's strategies.
  explicit python_strategies(std::string file);
  ~python_strategies();
  python_strategies(const python_strategies&) = delete;
  python_strategies& operator=(const python_strategies&) = delete;

  /// The names in the order of the file; at least one.
  std::vector<std::string> names() const;

 private:
  void start();
  void stop() noexcept;
  void read_names();
  std::vector<int> solve(std::uint64_t number, const imbrex::balance::problem& p);

  void write(const void* data, std::size_t bytes);
  template <class T>
  void write_all(const T& values) {
    write(values.data(), values.size() * sizeof *values.data());
  }
  void read(void* data, std::size_t bytes);
  std::int64_t read_number();
  std::string read_text();
  /// Reports that python3 has ended.
  [[noreturn]] void fail();

  const std::string file_;
  descriptor connection_;
  pid_t process_ = -1;
  bool has_begun_ = false;  ///< the file has been read
  std::deque<imbrex::balance::strategy> strategies_;
};

}  // namespace imbrex::tools::balance
