// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <string>

namespace imbrex {

struct work;
struct scope;

/// What one suspended coroutine waits for. Awaiters derive from it, so that a deadlock report can say who
/// waits for what. It is linked into its entry's scope from suspension to resumption, or until the frame that
/// holds it is destroyed.
class suspension {
 public:
  suspension() = default;
  suspension(const suspension&) = delete;
  suspension& operator=(const suspension&) = delete;

  /// What is waited for, such as "halo with reference 3".
  virtual std::string description() const = 0;

  inline void begin(scope& entry);
  void end() {
    if (link_ == nullptr) return;
    *link_ = next_;
    if (next_ != nullptr) next_->link_ = link_;
    link_ = nullptr;
  }
  const suspension* next() const { return next_; }
  /// The entry that waits; from `begin` on.
  scope& entry() const { return *entry_; }

 protected:
  ~suspension() { end(); }

 private:
  suspension* next_ = nullptr;
  suspension** link_ = nullptr;
  scope* entry_ = nullptr;
};

/// One entry method that has begun and not ended: its root coroutine, all tasks it awaits, and the message
/// that it came from, whose arguments live as long as the scope does. One PE.
struct scope {
  scope* next = nullptr;  ///< among those of the same chare
  scope* previous = nullptr;
  void* chare = nullptr;  ///< whose entry it is; null for the main task
  work* request = nullptr;
  std::coroutine_handle<> root;
  suspension* waits = nullptr;
};

inline void suspension::begin(scope& entry) {
  entry_ = &entry;
  next_ = entry.waits;
  link_ = &entry.waits;
  if (next_ != nullptr) next_->link_ = &next_;
  entry.waits = this;
}

}  // namespace imbrex
