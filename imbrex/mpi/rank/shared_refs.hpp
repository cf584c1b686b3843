// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::mpi {

/// Writes references to objects that several others may share: each object once, where it comes first.
template <class T>
class shared_writer {
 public:
  /// write_new() writes the object.
  void write(writer& out, const ref<T>& object, auto&& write_new) {
    const auto [at, is_new] = numbers_.try_emplace(object.get(), static_cast<std::uint32_t>(numbers_.size()));
    out(at->second);
    if (is_new) write_new();
  }

 private:
  std::unordered_map<const T*, std::uint32_t> numbers_;
};

/// Reads what a `shared_writer` has written.
template <class T>
class shared_reader {
 public:
  /// read_new() reads an object and returns it.
  ref<T> read(reader& in, auto&& read_new) {
    std::uint32_t number = 0;
    in(number);
    if (number < objects_.size()) return objects_[number];
    if (number > objects_.size()) throw serial_error("an object of MPI with a number that is too large");
    objects_.emplace_back();
    ref<T> object = read_new();
    objects_[number] = object;
    return object;
  }

 private:
  std::vector<ref<T>> objects_;
};

}  // namespace imbrex::mpi
