// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/constructors.hpp>

#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

void check_count(std::int64_t count, const char* what, int error_class) {
  if (count < 0)
    throw error(error_class,
                std::string(what) + " is " + std::to_string(count) + "; it must not be negative");
}

template <typename... Arguments>
datatype_ref make(Arguments&&... arguments) {
  return datatype_ref(new datatype(std::forward<Arguments>(arguments)...));
}

}  // namespace

datatype_ref contiguous_type(std::int64_t count, const datatype_ref& type) {
  check_count(count, "the count", MPI_ERR_COUNT);
  return make(std::vector<type_block>{{0, count, type.get()}});
}

datatype_ref vector_type(std::int64_t count, std::int64_t length, std::int64_t stride,
                         const datatype_ref& type) {
  check_count(count, "the count", MPI_ERR_COUNT);
  check_count(length, "the block's length", MPI_ERR_ARG);
  return make(count, length, stride, type);
}

datatype_ref indexed_type(count_span lengths, count_span displacements, const datatype_ref& type) {
  std::vector<type_block> blocks;
  blocks.reserve(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    check_count(lengths[i], "a block's length", MPI_ERR_ARG);
    blocks.push_back({displacements[i], lengths[i], type.get()});
  }
  return make(std::move(blocks));
}

datatype_ref indexed_block_type(std::int64_t length, count_span displacements, const datatype_ref& type) {
  check_count(length, "the block's length", MPI_ERR_ARG);
  std::vector<type_block> blocks;
  blocks.reserve(displacements.size());
  for (const std::int64_t displacement : displacements) blocks.push_back({displacement, length, type.get()});
  return make(std::move(blocks));
}

datatype_ref struct_type(count_span lengths, count_span displacements, std::span<const datatype_ref> types) {
  std::vector<type_block> blocks;
  blocks.reserve(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    check_count(lengths[i], "a block's length", MPI_ERR_ARG);
    blocks.push_back({displacements[i], lengths[i], types[i].get()});
  }
  return make(std::move(blocks), true);
}

datatype_ref resized_type(std::int64_t lower_bound, std::int64_t extent, const datatype_ref& type) {
  return make(type, lower_bound, extent);
}

datatype_ref copied_type(const datatype_ref& type) {
  datatype_ref copy = contiguous_type(1, type);
  if (type->is_committed()) copy->commit();
  return copy;
}

}  // namespace imbrex::mpi
