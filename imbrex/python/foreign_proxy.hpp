// SPDX-License-Identifier: Apache-2.0
#pragma once
// Proxies of chares of Python in entries of C++.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <imbrex/coro/task.hpp>
#include <imbrex/python/native_values.hpp>

namespace imbrex::python {

/// The full name of a class of Python as a template argument: "monitor.Screen", as in errors.
template <std::size_t N>
struct class_name {
  consteval class_name(const char (&text)[N]) { std::copy_n(text, N, characters.begin()); }
  constexpr std::string_view text() const { return {characters.data(), N - 1}; }
  std::array<char, N> characters{};
};

/// Names chares of a Python class in messages and in members of C++ chares: a proxy without its class's
/// record.
class foreign_proxy {
 public:
  foreign_proxy() = default;
  explicit foreign_proxy(const proxy& p) : constructor_(p.of->constructor().number), its_(p) {}

  /// The proxy in this process. Throws imbrex::error if this names nothing.
  proxy here() const;
  void serialize(auto& ar) {
    check_archive(extension::names_of(ar) != nullptr);
    ar(constructor_, its_.kind, its_.dimensions, its_.priority, its_.is_coalesced, its_.is_single,
       its_.collection, its_.number, its_.shape, its_.key);
  }

 private:
  /// Throws serial_error for a checkpoint.
  static void check_archive(bool is_durable);

  entry_name constructor_{};
  proxy its_{};
};

/// Calls of entries of Python chares, whose arguments and results are encoded. The class must have an entry
/// of that name. Throw imbrex::error, and the exception that the entry raises.
task<loaded_parcel> call_encoded(foreign_proxy to, std::string entry, loaded_parcel arguments);
void send_encoded(const foreign_proxy& to, const std::string& entry, loaded_parcel arguments);
void put_encoded(const foreign_proxy& to, const std::string& port, std::int64_t reference,
                 loaded_parcel value);

/// Encodes arguments of an entry. The caller holds the interpreter's lock.
loaded_parcel encoded_arguments(const foreign_proxy& to, const std::string& entry,
                                const nb::tuple& arguments);
loaded_parcel encoded_value(const foreign_proxy& to, const std::string& port, const nb::object& value);
/// Throws imbrex::error: an entry has returned a value that does not convert. The caller holds the lock.
[[noreturn]] void throw_unfit_result(const foreign_proxy& to, const std::string& entry,
                                     const std::string& type, PyObject* result);

/// A value of C++ for Python. The caller holds the interpreter's lock.
template <class V>
nb::object python_value(V value) {
  return conversion<V>::to(std::move(value));
}

/// Functions of the proxies of one chare and of arrays.
template <class_name Name>
class foreign_chares {
 public:
  /// Sends a message to an entry; the result is dropped.
  template <class... A>
  void send(const std::string& entry, A... arguments) const {
    loaded_parcel packed;
    {
      const nb::gil_scoped_acquire lock;
      packed = encoded_arguments(its_, entry, nb::make_tuple(python_value(std::move(arguments))...));
    }
    send_encoded(its_, entry, std::move(packed));
  }
  /// Sends a value to a mailbox.
  template <class V>
  void put(const std::string& mailbox, std::int64_t reference, V value) const {
    loaded_parcel packed;
    {
      const nb::gil_scoped_acquire lock;
      packed = encoded_value(its_, mailbox, python_value(std::move(value)));
    }
    put_encoded(its_, mailbox, reference, std::move(packed));
  }
  void serialize(auto& ar) { ar(its_); }

 protected:
  foreign_chares() = default;
  explicit foreign_chares(const proxy& p) : its_(p) {}
  foreign_proxy its_;
};

/// The proxy of one chare of the Python class `Name`: `imbrex::python::foreign_element<"monitor.Screen">`. It
/// can be an argument of entries, a value in mailboxes and a member of chares.
template <class_name Name>
class foreign_element final : public foreign_chares<Name> {
 public:
  foreign_element() = default;
  explicit foreign_element(const proxy& p) : foreign_chares<Name>(p) {}

  /// Calls an entry and converts its result to an R, which may be void. Throws the entry's exception, and
  /// imbrex::error if the class has no such entry, or the result is no R.
  template <class R = void, class... A>
  task<R> call(std::string entry, A... arguments) const {
    return call_of<R>(*this, std::move(entry), std::move(arguments)...);
  }

 private:
  template <class R, class... A>
  static task<R> call_of(foreign_element to, std::string entry, A... arguments) {
    loaded_parcel packed;
    {
      const nb::gil_scoped_acquire lock;
      packed = encoded_arguments(to.its_, entry, nb::make_tuple(python_value(std::move(arguments))...));
    }
    loaded_parcel result = co_await call_encoded(to.its_, entry, std::move(packed));
    if constexpr (!std::is_void_v<R>) co_return result_of<R>(to, entry, std::move(result));
  }
  template <class R>
  static R result_of(const foreign_element& to, const std::string& entry, loaded_parcel result) {
    const nb::gil_scoped_acquire lock;
    const nb::object value = value_of(std::move(result));
    try {
      return conversion<R>::from(value.ptr());
    } catch (const unfit&) {
      throw_unfit_result(to.its_, entry, conversion<R>::type(), value.ptr());
    }
  }
};

/// The proxy of an array, section or group of the Python class `Name`.
template <class_name Name>
class foreign_array final : public foreign_chares<Name> {
 public:
  foreign_array() = default;
  explicit foreign_array(const proxy& p) : foreign_chares<Name>(p) {}
};

/// Throws `unfit` unless `o` is a proxy of a chare of that Python class.
template <class_name Name>
const proxy& proxy_of_class_named(PyObject* o) {
  if (!is_proxy(o) || proxy_in(o).of->native != nullptr || proxy_in(o).of->name != Name.text()) throw unfit();
  return proxy_in(o);
}

template <class_name Name>
struct conversion<foreign_element<Name>> {
  static std::string type() { return "a proxy of one " + std::string(Name.text()); }
  static foreign_element<Name> from(PyObject* o) {
    const proxy& p = proxy_of_class_named<Name>(o);
    if (!p.names_one()) throw unfit();
    return foreign_element<Name>(p);
  }
};
template <class_name Name>
struct conversion<foreign_array<Name>> {
  static std::string type() { return "an array of " + std::string(Name.text()); }
  static foreign_array<Name> from(PyObject* o) {
    const proxy& p = proxy_of_class_named<Name>(o);
    if (p.names_one()) throw unfit();
    return foreign_array<Name>(p);
  }
};

}  // namespace imbrex::python
