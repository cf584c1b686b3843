// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <typeinfo>
#include <vector>

#include <imbrex/base/owner.hpp>

namespace imbrex::detail {

/// The objects that other rooms keep on one PE, at most one of each type. Its PE's thread only.
class local_objects {
 public:
  local_objects() = default;
  local_objects(const local_objects&) = delete;
  local_objects& operator=(const local_objects&) = delete;
  ~local_objects() { clear(); }

  /// The object of type T, or null. O(types).
  template <class T>
  T* find() const {
    return static_cast<T*>(find(typeid(T)));
  }
  /// The object of type T, which its first use makes. O(types).
  template <class T>
  T& get() {
    if (T* const earlier = find<T>()) return *earlier;
    auto object = make_owner<T>();
    list_.push_back({&typeid(T), object.get(), &destroy<T>, forget_function<T>()});
    return *object.release();
  }
  /// Calls the objects that have a function `forget(collection)`: the array has ended.
  void forget(std::uint64_t collection);
  /// Destroys the objects, the youngest first.
  void clear() noexcept;

 private:
  struct record {
    const std::type_info* type;
    void* object;
    void (*destroy)(void* object) noexcept;
    void (*forget)(void* object, std::uint64_t collection);  ///< null if the type has no such function
  };

  template <class T>
  static void destroy(void* object) noexcept {
    delete static_cast<T*>(object);
  }
  template <class T>
  static constexpr auto forget_function() -> void (*)(void*, std::uint64_t) {
    if constexpr (requires(T& object) { object.forget(std::uint64_t{}); })
      return [](void* object, std::uint64_t collection) { static_cast<T*>(object)->forget(collection); };
    else
      return nullptr;
  }
  void* find(const std::type_info& type) const;

  std::vector<record> list_;
};

}  // namespace imbrex::detail
