// SPDX-License-Identifier: Apache-2.0
// Each copy has its own objects with constructors and destructors, streams, exceptions and thread_local
// variables.
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "driver.h"

namespace {

int failures = 0;
#define CHECK(condition)                                                                 \
  if (!(condition)) {                                                                    \
    std::fprintf(stderr, "copy %d, line %d: %s\n", copy_number(), __LINE__, #condition); \
    ++failures;                                                                          \
  }

struct logged {
  std::string text{"a text that is too long for the object itself"};
  ~logged() { std::cout << "end of " << text.substr(0, 6) << " in copy " << copy_number() << '\n'; }
} object;

inline int& counter() {
  static int value = 7;
  return value;
}
template <class T>
struct of_type {
  static inline T value{};
};

struct shape {
  virtual ~shape() = default;
  virtual int sides() const { return 0; }
};
struct triangle : shape {
  int sides() const override { return 3; }
};
std::unique_ptr<shape> some_shape(std::make_unique<triangle>());
std::map<std::string, std::function<int(int)>> table{{"square", [](int n) { return n * n; }}};

thread_local int local = 5;
thread_local int* local_pointer = &counter();
struct thread_object {
  std::string text = "thread";
  ~thread_object() { std::cout << "thread_local of copy " << copy_number() << " ends as " << text << '\n'; }
};
thread_local thread_object local_object;

// Yields inside catch blocks, with other exceptions of this copy and of others in between.
void catch_across_yields(int me) {
  try {
    throw std::runtime_error("of copy " + std::to_string(me));
  } catch (const std::exception& outer) {
    for (int i = 0; i < 4; ++i) {
      copy_yield();
      try {
        if ((i + me) % 2 == 0) throw me;
      } catch (int inner) {
        copy_yield();
        CHECK(inner == me);
      }
      CHECK(std::uncaught_exceptions() == 0);
    }
    CHECK(outer.what() == "of copy " + std::to_string(me));
    try {
      throw;
    } catch (const std::runtime_error& again) {
      CHECK(again.what() == "of copy " + std::to_string(me));
    } catch (...) {
      CHECK(!"the exception of another copy");
    }
  }
}

// Yields in a destructor while an exception unwinds the stack.
struct yields_at_its_end {
  ~yields_at_its_end() {
    copy_yield();
    CHECK(std::uncaught_exceptions() == 1);
  }
};
void throw_across_yields(int me) {
  try {
    const yields_at_its_end scope;
    throw std::out_of_range(std::to_string(me));
  } catch (const std::out_of_range& e) {
    CHECK(e.what() == std::to_string(me));
  }
  CHECK(std::uncaught_exceptions() == 0);
}

// A handler of operator new is the copy's that has set it.
struct no_memory final : std::bad_alloc {};
void throw_own() { throw no_memory(); }
void use_up_memory(bool has_handler) {
  std::set_new_handler(has_handler ? &throw_own : nullptr);
  copy_yield();
  CHECK(std::get_new_handler() == (has_handler ? &throw_own : nullptr));
  volatile std::size_t all = static_cast<std::size_t>(-1) / 4;
  try {
    ::operator delete(::operator new(all));
    CHECK(!"so much memory");
  } catch (const no_memory&) {
    CHECK(has_handler);
  } catch (const std::bad_alloc&) {
    CHECK(!has_handler);
  }
}

}  // namespace

int main() {
  std::ios_base::sync_with_stdio(false);
  const int me = copy_number();
  counter() += me;
  of_type<long>::value = me;
  local += me;
  *local_pointer += 1000;
  local_object.text += std::to_string(me);
  object.text.replace(0, 6, "text " + std::to_string(me % 10));
  if (me % 2 == 1) std::cout << std::hex;
  for (int i = 0; i < 3; ++i) {
    copy_yield();
    CHECK(counter() == 1007 + me && of_type<long>::value == me && local == 5 + me);
    CHECK(local_object.text == "thread" + std::to_string(me));
    const shape* s = some_shape.get();
    CHECK(dynamic_cast<const triangle*>(s) != nullptr && s->sides() == 3 && typeid(*s) == typeid(triangle));
    CHECK(table.at("square")(me) == me * me);
    catch_across_yields(me);
    throw_across_yields(me);
  }
  use_up_memory(me % 2 == 0);
  std::cout << "copy " << std::dec << me;
  if (me % 2 == 1) std::cout << std::hex;
  copy_yield();
  std::cout << ": 255 is " << 255 << ", failures " << failures << std::endl;
  if (me == 2) std::exit(failures);
  return failures;
}
