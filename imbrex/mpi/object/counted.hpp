// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace imbrex::mpi {

template <typename T>
class ref;

/// The base of reference-counted objects, shared by handles and requests of one rank.
class counted {
 public:
  counted() = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

  /// For a predefined object: all ranks of the process share it, so references are not counted.
  void make_permanent() { references_ = -1; }
  bool is_permanent() const { return references_ < 0; }
  /// Whether there is more than one reference.
  bool is_shared() const { return references_ > 1; }

 private:
  template <typename T>
  friend class ref;
  mutable int references_ = 0;  ///< only the owning rank changes it
};

/// A reference to a `counted` object; the last one destroys it.
template <typename T>
class ref {
 public:
  ref() = default;
  explicit ref(T* object) : object_(object) { acquire(); }
  ref(const ref& other) : object_(other.object_) { acquire(); }
  ref(ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ref& operator=(ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ref() {
    if (object_ && !object_->is_permanent() && --object_->references_ == 0) delete object_;
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_; }

 private:
  void acquire() {
    if (object_ && !object_->is_permanent()) ++object_->references_;
  }
  T* object_ = nullptr;
};

}  // namespace imbrex::mpi
