// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// Bytes as a buffer.
user_buffer bytes_at(void* address, std::int64_t bytes);

/// Copies the packed bytes of one buffer to another, as many as both have.
void copy_data(const user_buffer& from, const user_buffer& to);

/// Memory for data between the rounds of a collective.
class scratch {
 public:
  explicit scratch(std::int64_t bytes);
  /// For as many elements as a buffer has; `data` describes it.
  explicit scratch(const user_buffer& like);

  user_buffer data;
  /// Some of its packed bytes.
  user_buffer part(std::int64_t offset, std::int64_t bytes) const {
    return bytes_at(memory_.get() + offset, bytes);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// The data that a rank has for each of many, or from each.
struct block_list {
  void* address = nullptr;
  std::int64_t count = 0;  ///< of each, where there are no `counts`
  datatype_ref type;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> offsets;  ///< bytes; where there are none, blocks follow each other
  std::vector<datatype_ref> types;    ///< of each, where they differ

  user_buffer operator[](int i) const;
};

}  // namespace imbrex::mpi
