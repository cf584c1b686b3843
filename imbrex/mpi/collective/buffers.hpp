// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// A buffer of contiguous bytes.
user_buffer bytes_at(void* address, std::int64_t bytes);

/// Copies packed bytes between buffers, as many as both have.
void copy_data(const user_buffer& from, const user_buffer& to);

/// Memory for data between the rounds of a collective.
class scratch {
 public:
  explicit scratch(std::int64_t bytes);
  /// Memory for as many elements of the same type as `like` has; `data` describes it.
  explicit scratch(const user_buffer& like);

  user_buffer data;
  /// A range of the packed bytes.
  user_buffer part(std::int64_t offset, std::int64_t bytes) const {
    return bytes_at(memory_.get() + offset, bytes);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// One block of data per peer, to send or to receive.
struct block_list {
  void* address = nullptr;
  std::int64_t count = 0;  ///< per block, unless `counts` is given
  datatype_ref type;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> offsets;  ///< in bytes; if empty, blocks are consecutive
  std::vector<datatype_ref> types;    ///< one per block if they differ; else empty

  user_buffer operator[](int i) const;
};

}  // namespace imbrex::mpi
