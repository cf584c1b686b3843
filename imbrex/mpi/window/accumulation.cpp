// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/window/accumulation.hpp>

#include <algorithm>
#include <cstring>
#include <string>

#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

/// Calls visit(basic type, address, count) in typemap order until it returns false.
template <typename Visit>
bool visit_basic_types(const datatype& type, std::uintptr_t at, std::int64_t count, Visit& visit) {
  if (type.elements() == 0) return true;
  if (predefined_type(type.handle()) == &type) return visit(type, at, count);
  for (; count > 0; --count, at += std::uintptr_t(type.extent()))
    for (std::int64_t i = 0; i < type.repetitions(); ++i)
      for (const type_block& b : type.blocks())
        if (!visit_basic_types(*b.type, at + std::uintptr_t(i * type.stride() + b.displacement), b.count,
                               visit))
          return false;
  return true;
}

/// Finds the only basic type without expanding repetitions; false if there are several.
bool find_basic_type(const datatype& type, const datatype*& found) {
  if (type.elements() == 0) return true;
  if (predefined_type(type.handle()) == &type) {
    if (found == nullptr) found = &type;
    return found == &type;
  }
  return std::ranges::all_of(type.blocks(),
                             [&found](const type_block& b) { return find_basic_type(*b.type, found); });
}

constexpr std::size_t strictest_alignment = 16;

class folder {
 public:
  folder(int operation, const std::byte* packed, std::int64_t bytes)
      : operation_(operation), packed_(packed), left_(bytes) {}

  bool operator()(const datatype& basic, std::uintptr_t at, std::int64_t count) {
    auto* const memory = reinterpret_cast<std::byte*>(at);
    count = std::min(count, left_ / basic.size());
    const std::int64_t bytes = count * basic.size();
    if (operation_ == MPI_REPLACE)
      unpack({memory, count, &basic}, 0, packed_, bytes);
    else if (basic.single() == element::none)
      fold_structures(basic, memory, count);
    else
      fold_elements(basic, memory, count);
    packed_ += bytes;
    left_ -= bytes;
    return left_ > 0;
  }

 private:
  /// Folds pairs of a value and an index, such as MPI_DOUBLE_INT; packed pairs have no padding between the
  /// two.
  void fold_structures(const datatype& basic, std::byte* memory, std::int64_t count) const {
    alignas(strictest_alignment) std::byte value[2 * strictest_alignment]{};
    fold* const how = find_fold(operation_, basic);
    for (std::int64_t i = 0; i < count; ++i) {
      unpack({value, 1, &basic}, 0, packed_ + i * basic.size(), basic.size());
      how(value, memory + i * basic.extent(), 1);
    }
  }
  void fold_elements(const datatype& basic, std::byte* memory, std::int64_t count) const {
    fold* const how = find_fold(operation_, basic);
    if (reinterpret_cast<std::uintptr_t>(packed_) % std::uintptr_t(basic.alignment()) == 0)
      return how(packed_, memory, count);
    alignas(strictest_alignment) std::byte piece[1024];
    const auto each = std::int64_t(sizeof piece) / basic.size();
    for (std::int64_t done = 0; done < count; done += each) {
      const std::int64_t n = std::min(each, count - done);
      std::memcpy(piece, packed_ + done * basic.size(), std::size_t(n * basic.size()));
      how(piece, memory + done * basic.size(), n);
    }
  }

  int operation_;
  const std::byte* packed_;
  std::int64_t left_;
};

std::string text_of(const datatype& type) {
  return type.name.empty() ? std::string("a type that the program has made") : type.name;
}

}  // namespace

const datatype* basic_type_of(const datatype& type) {
  const datatype* found = nullptr;
  return find_basic_type(type, found) ? found : nullptr;
}

void check_accumulation(const operation& op, const typed_buffer& from, const typed_buffer& to) {
  if (op.handle() == 0)
    throw error(MPI_ERR_OP,
                "an accumulate takes the operations of MPI itself, and not one that MPI_Op_create has made; "
                "give one such as MPI_SUM");
  if (op.handle() == MPI_REPLACE || op.handle() == MPI_NO_OP) return;
  if (from.bytes() == 0 || to.bytes() == 0) return;
  const datatype& origin = *from.type;
  const datatype& target = *to.type;
  const datatype* const of_origin = basic_type_of(origin);
  const datatype* const of_target = basic_type_of(target);
  if (of_target == nullptr || of_origin == nullptr)
    throw error(MPI_ERR_TYPE, text_of(of_target == nullptr ? target : origin) +
                                  " has elements of several types; an accumulate takes types whose elements "
                                  "are all of one type of MPI itself");
  if (of_origin != of_target)
    throw error(MPI_ERR_TYPE, "the origin has elements of " + text_of(*of_origin) + ", and the target of " +
                                  text_of(*of_target) + "; give both the same");
  op.check(*of_target);
}

void accumulate(int operation_handle, const std::byte* packed, std::int64_t bytes, const typed_buffer& to) {
  if (operation_handle == MPI_NO_OP || bytes <= 0) return;
  folder all(operation_handle, packed, bytes);
  visit_basic_types(*to.type, reinterpret_cast<std::uintptr_t>(to.memory), to.count, all);
}

}  // namespace imbrex::mpi
