// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/attribute_set.hpp>

#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

std::size_t attribute_set::find(int key) const {
  std::size_t i = 0;
  while (i < entries_.size() && entries_[i].key != key) ++i;
  return i;
}

void attribute_set::call_remove(int object, entry e) {
  if (!e.type->remove) return;
  if (const int code = e.type->remove(object, e.key, e.value, e.type->extra); code != MPI_SUCCESS)
    throw error(code, "the delete function of the keyval " + text_of_handle(e.key) +
                          " has returned the error " + std::to_string(code));
}

void attribute_set::set(int object, int key, const ref<keyval>& type, void* value) {
  if (const std::size_t i = find(key); i < entries_.size()) call_remove(object, entries_[i]);
  // That function may have changed the set.
  if (const std::size_t i = find(key); i < entries_.size())
    entries_[i].value = value;
  else
    entries_.push_back({key, type, value});
}

bool attribute_set::get(int key, void** value) const {
  const std::size_t i = find(key);
  if (i == entries_.size()) return false;
  *value = entries_[i].value;
  return true;
}

void attribute_set::remove(int object, int key) {
  const std::size_t i = find(key);
  if (i == entries_.size())
    throw error(MPI_ERR_OTHER, "the object " + text_of_handle(object) + " has no attribute of the keyval " +
                                   text_of_handle(key));
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
    if (!e.type->copy) continue;
    void* value = nullptr;
    int flag = 0;
    if (const int code = e.type->copy(object, e.key, e.type->extra, e.value, &value, &flag);
        code != MPI_SUCCESS)
      throw error(code, "the copy function of the keyval " + text_of_handle(e.key) +
                            " has returned the error " + std::to_string(code));
    if (flag) to.entries_.push_back({e.key, e.type, value});
  }
}

}  // namespace imbrex::mpi
