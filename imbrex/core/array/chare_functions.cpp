// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/chare_functions.hpp>

#include <new>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/bound_port.hpp>
#include <imbrex/core/message/attachments.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

template struct header_functions_of<index<1>>;
template struct header_functions_of<index<2>>;
template struct header_functions_of<index<3>>;

namespace {

/// Calls `visit` with the ports of an element that refer to memory of their chare.
template <class Visitor>
void for_each_bound_port(chare_header& element, const chare_functions& of, const Visitor& visit) {
  if (of.first_port == nullptr) return;
  for (const attachment_type* port = of.first_port(); port != nullptr; port = port->next_port)
    if (port->bound != nullptr) visit(port->bound(of.object(element)));
}

}  // namespace

bool is_bound_elsewhere(const chare_header& element, const chare_functions& of) {
  bool is_elsewhere = false;
  for_each_bound_port(const_cast<chare_header&>(element), of, [&](const bound_port& port) {
    is_elsewhere = is_elsewhere || port.is_bound_elsewhere();
  });
  return is_elsewhere;
}

bool has_bound_elsewhere(chare_header& element, const chare_functions& of) {
  bool is_elsewhere = false;
  for_each_bound_port(element, of,
                      [&](bound_port& port) { is_elsewhere = !port.find_memory(element) || is_elsewhere; });
  return is_elsewhere;
}

void leave_bound_memory(chare_header& element, const chare_functions& of) {
  for_each_bound_port(element, of, [&](bound_port& port) { port.leave(element); });
}

void find_bound_memory(chare_header& element, const chare_functions& of) {
  for_each_bound_port(element, of, [&](bound_port& port) { port.arrive(element); });
}

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
