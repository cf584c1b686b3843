// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/serial/class_schema.hpp>
#include <imbrex/serial/reader.hpp>

namespace imbrex::tools {

/// Numbers of one type, from many records, for a data set of other programs.
struct data_column {
  std::string name;                    ///< "value/cells", or "value/cells_ends" for the ends of lists
  std::string type;                    ///< as NumPy spells it: "<f8"
  std::vector<std::uint64_t> shape{};  ///< dimensions of one value; empty for a number
  std::vector<std::byte> values{};
};

/// The values of one type, in columns. A list has the values of all its elements in one column, and in a
/// column of its own the number of elements up to the end of each list.
class value_columns {
 public:
  virtual ~value_columns() = default;

  /// Reads one value. Throws serial_error.
  virtual void read(reader& in) = 0;
  /// Moves the columns to `all`.
  virtual void take(const std::string& name, std::vector<data_column>& all) = 0;
  /// Bytes of a value that is written as it lies in memory; 0 for others.
  virtual std::size_t size() const = 0;
  virtual std::size_t alignment() const = 0;
};

/// The columns for values of a type, by its schema. Null if the schema does not tell how they are written.
std::unique_ptr<value_columns> columns_of(const class_schema& schema);

}  // namespace imbrex::tools
