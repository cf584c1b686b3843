// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/chare_functions.hpp>

#include <new>

#include <imbrex/base/error.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

template struct header_functions_of<index<1>>;
template struct header_functions_of<index<2>>;
template struct header_functions_of<index<3>>;

void* chare_functions::allocate() const {
  if (alignment <= pool::granule) return pool::allocate(offset + size);
  return ::operator new(offset + size, std::align_val_t{alignment});
}

void chare_functions::release(void* memory) const noexcept {
  if (alignment <= pool::granule)
    pool::release(memory, offset + size);
  else
    ::operator delete(memory, std::align_val_t{alignment});
}

void chare_functions::release_unconstructed(chare_header& element) const noexcept {
  headers->destroy(element);
  release(&element);
}

namespace {

/// Rethrows the current exception with `before` prepended to its text.
[[noreturn]] void rethrow_with(const std::string& before) {
  try {
    throw;
  } catch (const foreign_error& e) {
    throw foreign_error(before + e.what(), e.form());
  } catch (...) {
    throw error(before + describe_current_exception());
  }
}

}  // namespace

void rethrow_travel_failure(const char* doing, const chare_header& element) {
  rethrow_with(std::string(doing) + " of " + element.home->element_name(element) +
               ", which migrates, threw ");
}

void rethrow_construction_failure(const std::string& name, int pe) {
  rethrow_with("the constructor of " + name + " on PE " + std::to_string(pe) + " threw ");
}

}  // namespace imbrex::detail
