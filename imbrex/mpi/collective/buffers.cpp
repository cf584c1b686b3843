// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/collective/buffers.hpp>

#include <algorithm>

#include <imbrex/mpi/datatype/predefined.hpp>

namespace imbrex::mpi {

namespace {

void* moved(const void* address, std::int64_t bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(bytes));
}

}  // namespace

user_buffer bytes_at(void* address, std::int64_t bytes) {
  return {address, bytes, datatype_ref(predefined_type(MPI_BYTE))};
}

void copy_data(const user_buffer& from, const user_buffer& to) {
  copy(from.typed(), to.typed(), std::min(from.bytes(), to.bytes()));
}

scratch::scratch(std::int64_t bytes)
    : memory_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {
  data = bytes_at(memory_.get(), bytes);
}

scratch::scratch(const user_buffer& like) {
  const datatype& type = *like.type;
  const std::int64_t bytes =
      like.count == 0 ? 0 : (like.count - 1) * std::max<std::int64_t>(type.extent(), 0) + type.true_extent();
  memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  data = {moved(memory_.get(), -type.true_lower_bound()), like.count, like.type};
}

user_buffer block_list::operator[](int i) const {
  const auto at = static_cast<std::size_t>(i);
  const datatype_ref& its = types.empty() ? type : types[at];
  const std::int64_t n = counts.empty() ? count : counts[at];
  const std::int64_t offset = offsets.empty() ? i * count * its->extent() : offsets[at];
  return {moved(address, offset), n, its};
}

}  // namespace imbrex::mpi
