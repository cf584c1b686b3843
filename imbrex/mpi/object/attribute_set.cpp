// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/attribute_set.hpp>

#include <string>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

template <typename To, typename From>
To* function_cast(From* function) {
  return reinterpret_cast<To*>(reinterpret_cast<void (*)()>(function));
}

template <typename Integer>
int remove_by_fortran(const keyval& type, int object, int key, std::intptr_t value) {
  using function = void(int* object, int* key, Integer* value, Integer* extra, int* code);
  auto extra = static_cast<Integer>(reinterpret_cast<std::intptr_t>(type.extra));
  auto held = static_cast<Integer>(value);
  int code = MPI_SUCCESS;
  function_cast<function>(type.remove)(&object, &key, &held, &extra, &code);
  return code;
}

template <typename Integer>
int copy_by_fortran(const keyval& type, int object, int key, std::intptr_t value, std::intptr_t& copy,
                    int& flag) {
  using function =
      void(int* object, int* key, Integer* extra, Integer* value, Integer* copy, int* flag, int* code);
  auto extra = static_cast<Integer>(reinterpret_cast<std::intptr_t>(type.extra));
  auto held = static_cast<Integer>(value);
  Integer result = 0;
  int code = MPI_SUCCESS;
  function_cast<function>(type.copy)(&object, &key, &extra, &held, &result, &flag, &code);
  copy = result;
  return code;
}

}  // namespace

std::size_t attribute_set::find(int key) const {
  std::size_t i = 0;
  while (i < entries_.size() && entries_[i].key != key) ++i;
  return i;
}

attribute_set::attribute attribute_set::of_integer(std::intptr_t value) {
  attribute result;
  result.integer = std::make_shared<std::intptr_t>(value);
  result.value = result.integer.get();
  return result;
}

void attribute_set::call_remove(int object, entry e) {
  if (!e.type->remove) return;
  const inside_program runs;
  int code = MPI_SUCCESS;
  switch (e.type->of) {
    case keyval::language::c: code = e.type->remove(object, e.key, e.held.value, e.type->extra); break;
    case keyval::language::fortran:
      code = remove_by_fortran<std::intptr_t>(*e.type, object, e.key, e.held.number());
      break;
    case keyval::language::fortran_default:
      code = remove_by_fortran<MPI_Fint>(*e.type, object, e.key, e.held.number());
      break;
  }
  if (code != MPI_SUCCESS)
    throw error(code, "the delete function of the keyval " + text_of_handle(e.key) +
                          " has returned the error " + std::to_string(code));
}

bool attribute_set::call_copy(int object, const entry& e, attribute& copy) {
  if (!e.type->copy) return false;
  const inside_program runs;
  int flag = 0;
  int code = MPI_SUCCESS;
  std::intptr_t number = 0;
  switch (e.type->of) {
    case keyval::language::c:
      code = e.type->copy(object, e.key, e.type->extra, e.held.value, &copy.value, &flag);
      if (e.held.integer && copy.value == e.held.value) copy = of_integer(*e.held.integer);
      break;
    case keyval::language::fortran:
      code = copy_by_fortran<std::intptr_t>(*e.type, object, e.key, e.held.number(), number, flag);
      copy = of_integer(number);
      break;
    case keyval::language::fortran_default:
      code = copy_by_fortran<MPI_Fint>(*e.type, object, e.key, e.held.number(), number, flag);
      copy = of_integer(number);
      break;
  }
  if (code != MPI_SUCCESS)
    throw error(code, "the copy function of the keyval " + text_of_handle(e.key) +
                          " has returned the error " + std::to_string(code));
  return flag != 0;
}

void attribute_set::put(int object, int key, const ref<keyval>& type, attribute value) {
  if (const std::size_t i = find(key); i < entries_.size()) call_remove(object, entries_[i]);
  // The callback may have changed the set.
  if (const std::size_t i = find(key); i < entries_.size())
    entries_[i].held = std::move(value);
  else
    entries_.push_back({key, type, std::move(value)});
}

void attribute_set::set(int object, int key, const ref<keyval>& type, void* value) {
  put(object, key, type, {value, nullptr});
}

void attribute_set::set_integer(int object, int key, const ref<keyval>& type, std::intptr_t value) {
  put(object, key, type, of_integer(value));
}

bool attribute_set::get_integer(int key, std::intptr_t* value) const {
  const std::size_t i = find(key);
  if (i == entries_.size()) return false;
  *value = entries_[i].held.number();
  return true;
}

bool attribute_set::get(int key, void** value) const {
  const std::size_t i = find(key);
  if (i == entries_.size()) return false;
  *value = entries_[i].held.value;
  return true;
}

void attribute_set::remove(int object, int key) {
  const std::size_t i = find(key);
  if (i == entries_.size())
    throw error(MPI_ERR_OTHER, "the object " + text_of_handle(object) + " has no attribute of the keyval " +
                                   text_of_handle(key) + "; set one first");
  call_remove(object, entries_[i]);
  if (const std::size_t now = find(key); now < entries_.size())
    entries_.erase(entries_.begin() + std::ptrdiff_t(now));
}

void attribute_set::clear(int object) {
  while (!entries_.empty()) remove(object, entries_.back().key);
}

void attribute_set::copy(int object, attribute_set& to) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const entry e = entries_[i];
    attribute result;
    if (call_copy(object, e, result)) to.entries_.push_back({e.key, e.type, std::move(result)});
  }
}

}  // namespace imbrex::mpi
