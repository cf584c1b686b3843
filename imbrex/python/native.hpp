// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chare classes of C++ for programs in Python: docs/python.md. A module is built by
// `imbrex_add_python_module(solver module.cpp)` and written with nanobind:
//
//     NB_MODULE(solver, m) {
//       imbrex::python::chare<block>(m, "Block", "A part of the grid.")
//           .constructor<int>("cells")
//           .entry<&block::run>("run", "rounds")
//           .mailbox<&block::halo>("halo");
//     }
//
// Python then has `solver.Block.array((4, 4), 256)`, whose proxies are those of `imbrex`.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/section_reduction.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/core/name/operations.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/foreign_proxy.hpp>
#include <imbrex/python/native_values.hpp>
#include <imbrex/serial/writer.hpp>

#ifndef IMBREX_VERSION
#error "build a module of chare classes for Python by imbrex_add_python_module of CMake"
#endif

namespace imbrex::python {

/// Calls `use` with the proxy of many chares of class T.
template <class T, class Use>
auto with_many_of(const proxy& p, const Use& use) {
  if (p.kind == proxy_kind::section) return use(section_in<T>(p));
  return use(array_in<T>(p));
}

/// Entry M of class T.
template <class T, auto M>
class native_entry_of final : public native_entry {
  using traits = extension::entry_traits<M>;
  using result = typename traits::result;
  using arguments = stored_arguments<typename traits::arguments>;

 public:
  native_entry_of(std::string name, const std::vector<std::string>& parameters)
      : signature_{std::move(name), arguments::parameters(parameters), result_type()} {}

  void send(const proxy& to, const call_values& call) const override {
    auto values = arguments::from(signature_, call);
    const auto send_to = [&](const auto& receivers) {
      std::apply([&](auto&... each) { imbrex::send<M>(receivers, std::move(each)...); }, values);
    };
    if (to.names_one()) return send_to(element_in<T>(to));
    with_many_of<T>(to, send_to);
  }

  nb::object call(const proxy& to, const call_values& call, PyObject* name) const override {
    auto values = arguments::from(signature_, call);
    const auto call_of = [&](const auto& receivers) {
      return std::apply([&](auto&... each) { return receivers.template call<M>(std::move(each)...); },
                        values);
    };
    if constexpr (std::is_void_v<result>) {
      if (to.names_one()) return awaitable_of(call_of(element_in<T>(to)), nullptr, name);
      return with_many_of<T>(to, [&](const auto& all) { return awaitable_of(call_of(all), nullptr, name); });
    } else {
      if (to.names_one()) return awaitable_of(call_of(element_in<T>(to)), to_python, name);
      return gathered(to, values, [](const auto&) { return nb::none(); }, name);
    }
  }

  nb::object reduce(const proxy& to, const operation& by, const call_values& call,
                    PyObject* name) const override {
    if constexpr (std::is_void_v<result>) {
      throw nb::type_error((signature_.text() + " has no result to reduce: await call(...)").c_str());
    } else {
      auto values = arguments::from(signature_, call);
      const auto with = [&](auto op) {
        return with_many_of<T>(to, [&](const auto& all) {
          return std::apply(
              [&](auto&... each) {
                return awaitable_of(all.template reduce<M>(op, std::move(each)...), to_python, name);
              },
              values);
        });
      };
      if (by.kind == operation_kind::gather) return gathered(to, values, list_to_python, name);
      if constexpr (std::is_same_v<combined, bool>) {
        if (by.kind == operation_kind::all) return with(imbrex::all);
        if (by.kind == operation_kind::any) return with(imbrex::any);
      } else if constexpr (std::is_arithmetic_v<combined>) {
        if (by.kind == operation_kind::sum) return with(imbrex::sum);
        if (by.kind == operation_kind::product) return with(imbrex::product);
        if (by.kind == operation_kind::min) return with(imbrex::min);
        if (by.kind == operation_kind::max) return with(imbrex::max);
        if constexpr (std::is_integral_v<combined>) {
          if (by.kind == operation_kind::bit_and) return with(imbrex::bit_and);
          if (by.kind == operation_kind::bit_or) return with(imbrex::bit_or);
          if (by.kind == operation_kind::bit_xor) return with(imbrex::bit_xor);
        }
      }
      throw nb::type_error(
          (signature_.text() +
           ": its results have no such operation in C++; take imbrex.gather and combine the list")
              .c_str());
    }
  }
  const native_signature& signature() const override { return signature_; }

 private:
  template <class Convert>
  static nb::object gathered(const proxy& to, auto& values, Convert convert, PyObject* name) {
    return with_many_of<T>(to, [&](const auto& all) {
      return std::apply(
          [&](auto&... each) {
            return awaitable_of(all.template reduce<M>(imbrex::gather, std::move(each)...), convert, name);
          },
          values);
    });
  }
  template <class V>
  struct combined_in {
    using type = V;
  };
  template <class E>
  struct combined_in<std::vector<E>> {
    using type = E;
  };
  /// The type whose operations combine results: vectors are combined element by element.
  using combined = typename combined_in<result>::type;

  static constexpr auto to_python = []<class V>(V value) { return conversion<V>::to(std::move(value)); };
  static constexpr auto list_to_python = []<class V>(std::vector<V> values) {
    nb::list all;
    for (std::size_t i = 0; i < values.size(); ++i) all.append(conversion<V>::to(V(std::move(values[i]))));
    return nb::object(all);
  };
  static std::string result_type() {
    if constexpr (std::is_void_v<result>)
      return "None";
    else
      return conversion<result>::type();
  }

  native_signature signature_;
};

/// Mailbox M of class T.
template <class T, auto M>
class native_port_of final : public native_port {
  using value_type = typename extension::entry_traits<M>::value_type;

 public:
  explicit native_port_of(std::string name) : name_(std::move(name)), type_(conversion<value_type>::type()) {}

  void send(const proxy& to, std::int64_t reference, PyObject* value) const override {
    const auto send_to = [&](const auto& receivers) {
      imbrex::send<M>(receivers, reference, value_in(value));
    };
    if (to.names_one()) return send_to(element_in<T>(to));
    with_many_of<T>(to, send_to);
  }
  const std::string& type_of_values() const override { return type_; }

 private:
  value_type value_in(PyObject* value) const {
    try {
      return conversion<value_type>::from(value);
    } catch (const unfit&) {
      throw_unfit_value(name_, type_, value);
    }
  }

  std::string name_;
  std::string type_;
};

/// Makes chares of class T from arguments of types A.
template <class T, class... A>
class native_constructor_of final : public native_constructor {
  using arguments = stored_arguments<std::tuple<A...>>;
  static constexpr bool is_of_groups = std::is_constructible_v<typename T::index_type, int>;

 public:
  native_constructor_of(std::string name, const std::vector<std::string>& parameters)
      : signature_{std::move(name), arguments::parameters(parameters), {}} {}

  std::uint64_t make_array(const proxy& shape, layout_kind how, std::string name,
                           const call_values& call) const override {
    const auto extents = shape_in<T>(shape);
    const auto make = [&](auto layout, const auto&... values) {
      layout.name = std::move(name);
      return imbrex::make_array<T>(layout, values...).collection();
    };
    if (how == layout_kind::sparse) return make(imbrex::sparse(extents));
    const auto values = arguments::from(signature_, call);
    return std::apply(
        [&](const auto&... each) {
          if (how == layout_kind::round_robin)
            return make(imbrex::dense(extents).placed(imbrex::round_robin), each...);
          if (how == layout_kind::in_blocks)
            return make(imbrex::dense(extents).placed(imbrex::in_blocks), each...);
          return make(imbrex::dense(extents), each...);
        },
        values);
  }
  proxy make_group(const call_values& call) const override {
    if constexpr (!is_of_groups) {
      refuse("group");
    } else {
      const auto all = std::apply([](const auto&... each) { return imbrex::make_group<T>(each...); },
                                  arguments::from(signature_, call));
      proxy p;
      p.kind = proxy_kind::group;
      p.collection = all.members().collection();
      p.shape[0] = all.size();
      return p;
    }
  }
  proxy make_chare(int pe, std::int8_t priority, const call_values& call) const override {
    if constexpr (!is_of_groups) {
      refuse("chare");
    } else {
      const creator with = imbrex::with_priority(priority);
      const auto chare = std::apply(
          [&](auto&&... each) {
            return pe < 0 ? with.make_chare<T>(std::move(each)...)
                          : with.make_chare_on<T>(pe, std::move(each)...);
          },
          arguments::from(signature_, call));
      proxy p;
      p.is_single = true;
      p.collection = chare.collection();
      p.number = chare.key_value();
      p.shape[0] = 1;
      return p;
    }
  }
  void insert(const proxy& element, const call_values& call) const override {
    const auto at = extension::from_linear(shape_in<T>(element), element.number);
    std::apply([&](auto&&... each) { array_in<T>(element).insert(at, std::move(each)...); },
               arguments::from(signature_, call));
  }
  const native_signature& signature() const override { return signature_; }

 private:
  [[noreturn]] void refuse(const char* what) const {
    throw nb::type_error((signature_.name + " has no " + what + ": the class has an index of " +
                          std::to_string(typename T::index_type().dimensions) + " dimensions; make an array")
                             .c_str());
  }

  native_signature signature_;
};

/// The arrays of class T.
template <class T>
class native_class_of final : public native_class {
 public:
  int dimensions() const override { return typename T::index_type().dimensions; }
  std::string_view type() const override { return type_name<T>(); }
  std::optional<proxy> restored(class_record& of, const std::string& name) const override {
    if constexpr (is_durable) {
      const auto found = imbrex::restored<T>(name);
      if (!found) return std::nullopt;
      const nb::object all = conversion<array<T>>::to(*found);
      return proxy_in(all.ptr());
    } else {
      throw error(of.name + " cannot be restored: the class needs a default constructor and serialize");
    }
  }
  proxy section(const proxy& of, const std::vector<proxy>& members) const override {
    const array<T> all = array_in<T>(of);
    std::vector<typename T::index_type> indices;
    for (const proxy& m : members) indices.push_back(extension::from_linear(all.shape(), m.number));
    proxy p = of;
    p.kind = proxy_kind::section;
    p.number = all.section(std::move(indices)).id();
    return p;
  }
  void destroy(const proxy& element) const override { element_in<T>(element).destroy(); }
  nb::object destroy_all(const proxy& all) const override {
    return awaitable_of(array_in<T>(all).destroy(), nullptr, record_of<T>->destroy_name);
  }
  nb::object created(const proxy& all) const override {
    return awaitable_of(array_in<T>(all).created(), nullptr, record_of<T>->created_name);
  }
  nb::object rebalance(const proxy& all, PyObject* name) const override {
    return rebalanced(array_in<T>(all).collection(), name);
  }

 private:
  static constexpr bool is_durable =
      std::is_default_constructible_v<T> && requires(T& t, writer& out) { t.serialize(out); };
};

/// Declares a chare class of C++ to Python: the members of it that Python names. Returned by `chare`; used in
/// the initialisation of a module. All names live as long as the process.
template <class T>
class class_declaration {
 public:
  /// For `chare`.
  explicit class_declaration(class_record& of) : of_(of) {}

  /// Arguments of these types construct the chares. `names`: the parameters' names, which Python may use.
  template <class... A, class... Names>
  class_declaration& constructor(const Names&... names) {
    static_assert(sizeof...(Names) == 0 || sizeof...(Names) == sizeof...(A),
                  "imbrex: give the name of each parameter of the constructor, or none");
    static_assert(std::is_constructible_v<T, const A&...>,
                  "imbrex: the chare class has no constructor that takes these types");
    set_native_constructor(of_, *new native_constructor_of<T, A...>(of_.name, {std::string(names)...}));
    return *this;
  }
  /// The entry M, with its name in Python and the names of its parameters, if Python may use them.
  template <auto M, class... Names>
  class_declaration& entry(const std::string& name, const Names&... names) {
    static_assert(!extension::is_port<M>, "imbrex: this member is a port: declare it by mailbox");
    constexpr std::size_t parameters = std::tuple_size_v<typename extension::entry_traits<M>::arguments>;
    static_assert(sizeof...(Names) == 0 || sizeof...(Names) == parameters,
                  "imbrex: give the name of each parameter of the entry, or none");
    add_native_entry(of_, name, *new native_entry_of<T, M>(native_name(of_, name), {std::string(names)...}));
    return *this;
  }
  /// The mailbox M, to which Python sends by `proxy.name.send([reference,] value)`.
  template <auto M>
  class_declaration& mailbox(const std::string& name) {
    static_assert(extension::is_port<M>, "imbrex: this member is no port: declare it by entry");
    add_native_port(of_, name, *new native_port_of<T, M>(native_name(of_, name)));
    return *this;
  }

 private:
  class_record& of_;
};

/// Defines the chare class T in a module of Python. `text` is its help. Throws imbrex::error if the module
/// was built with other versions of imbrex or nanobind than the package, and during a run.
template <class T>
class_declaration<T> chare(const nb::module_& module, const std::string& name, const std::string& text = {}) {
  static_assert(extension::chare_class<T>, "imbrex: a chare class derives from imbrex::chare");
  static_assert(enable_index<typename T::index_type>,
                "imbrex: Python has chares of C++ in arrays with one to six dimensions, and not with keys");
  static const native_class_of<T> arrays;
  class_record& c =
      define_native_class(module, name, text, arrays, {NB_VERSION_MAJOR, NB_VERSION_MINOR, IMBREX_VERSION});
  record_of<T> = &c;
  class_declaration<T> declaration(c);
  if constexpr (std::is_default_constructible_v<T>) declaration.template constructor<>();
  return declaration;
}

}  // namespace imbrex::python
