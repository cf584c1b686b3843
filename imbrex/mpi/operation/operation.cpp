// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/operation/operation.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

constexpr const char* names[] = {"MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD", "MPI_LAND",
                                 "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR",
                                 "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};

}  // namespace

operation::operation(int handle) : commutes_(handle != MPI_REPLACE && handle != MPI_NO_OP), handle_(handle) {
  make_permanent();
}

void operation::check(const datatype& type) const {
  if (handle_ == 0 || handle_ == MPI_REPLACE || handle_ == MPI_NO_OP || find_fold(handle_, type)) return;
  throw error(MPI_ERR_OP, std::string(names[handle_ - MPI_MAX]) + " does not take elements of " +
                              (type.name.empty() ? "a type that the program has made" : type.name) +
                              "; make an operation by MPI_Op_create");
}

void operation::apply(const void* first, void* accumulated, std::int64_t count, const datatype& type,
                      int handle) const {
  if (handle_ == MPI_NO_OP || count == 0) return;
  if (handle_ == MPI_REPLACE) {
    copy({const_cast<std::byte*>(static_cast<const std::byte*>(first)), count, &type},
         {static_cast<std::byte*>(accumulated), count, &type}, type.bytes(count));
    return;
  }
  if (handle_ != 0) {
    find_fold(handle_, type)(first, accumulated, count);
    return;
  }
  void* a = const_cast<void*>(first);
  const inside_program runs;
  if (large_function_) {
    MPI_Count n = count;
    large_function_(a, accumulated, &n, &handle);
    return;
  }
  while (count > 0) {
    int n = int(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
    count -= n;
    const std::int64_t step = n * type.extent();
    function_(a, accumulated, &n, &handle);
    a = static_cast<std::byte*>(a) + step;
    accumulated = static_cast<std::byte*>(accumulated) + step;
  }
}

operation* predefined_operation(int handle) {
  struct table {
    std::array<std::unique_ptr<operation>, MPI_NO_OP - MPI_MAX + 1> all;
    table() {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::make_unique<operation>(MPI_MAX + int(i));
    }
  };
  static const table predefined;
  const auto i = std::uint32_t(handle) - std::uint32_t(MPI_MAX);
  return i < predefined.all.size() ? predefined.all[i].get() : nullptr;
}

}  // namespace imbrex::mpi
