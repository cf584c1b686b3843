// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/checkpoint/driver/restoration.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/section_reduction.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/python/array_index.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/interrupts.hpp>
#include <imbrex/python/object_base.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

/// A key of an array as `repr` writes it, which `ast.literal_eval` reads.
using text_key = std::string;

/// The Python value of an index.
inline nb::object object_of(const array_index& i) { return index_object(i.values()); }
inline nb::object object_of(const text_key& key) {
  static module_attribute read("ast", "literal_eval");
  return checked(PyObject_CallFunction(read, "s", key.c_str()));
}

/// A Python chare in arrays with index type `Index`: an array_index or a text_key. Its entries stand for
/// entries of Python classes, whose names are known only at run time.
template <class Index>
class object final : public chare<object<Index>, Index>, public object_base {
 public:
  static constexpr std::string_view shown_as = "imbrex.Chare";
  /// A key is already text, as `repr` writes it.
  static std::string_view shown_key(const text_key& key) { return key; }

  object() = default;
  object(entry_name constructor, const parcel& arguments) { construct(constructor, arguments); }

  /// Runs a plain entry with short arguments and drops the result.
  void receive(entry_name which, std::span<const std::byte> arguments) {
    call_and_drop(which, decoder(arguments));
  }
  loaded_parcel plain(entry_name which, const parcel& arguments) {
    return call_plain(which, decoder(arguments));
  }
  coroutine_entry<loaded_parcel> start(entry_name which, const parcel& arguments) {
    const member_record& entry = member_of(which);
    return coroutine_entry<loaded_parcel>(call_coroutine(entry, decoder(arguments)), who(entry));
  }

  // Entries called for a reduction.
  contribution plain_for(entry_name which, const operation& by, const parcel& arguments) {
    return call_plain_for(which, by, decoder(arguments));
  }
  coroutine_entry<contribution> start_for(entry_name which, const operation& by, const parcel& arguments) {
    const member_record& entry = member_of(which);
    return coroutine_entry<contribution>(call_coroutine(entry, decoder(arguments)), who(entry), by);
  }

  // Entries, plain or not, whose arguments contain device arrays.
  coroutine_entry<loaded_parcel> start_loaded(entry_name which, loaded_parcel arguments) {
    return begin<loaded_parcel>(which, {}, decoder(arguments));
  }
  coroutine_entry<contribution> start_loaded_for(entry_name which, const operation& by,
                                                 loaded_parcel arguments) {
    return begin<contribution>(which, by, decoder(arguments));
  }
  void put_loaded(entry_name port, std::int64_t reference, loaded_parcel value) {
    put_value(port, reference, std::move(value));
  }

  void put_short(entry_name port, std::int64_t reference, std::span<const std::byte> value) {
    put_value(port, reference, {parcel{value}});
  }
  void put(entry_name port, std::int64_t reference, const parcel& value) {
    put_value(port, reference, {value});
  }

  void serialize(auto& ar) { serialize_base(ar); }
  bool merges() const { return can_merge(); }
  void merge(std::span<object* const> old) { merge_objects({old.begin(), old.end()}); }

  nb::object where() const override { return object_of(base::where()); }
  proxy self_proxy() const override;
  proxy peers() const override;
  int pe() const override { return base::pe(); }
  nb::object all_reduce(contribution value) override { return all_reduce_among(std::move(value)); }
  nb::object all_reduce_over(const proxy& over, contribution value) override {
    return all_reduce_among(std::move(value), section<object>(over.collection, over.number));
  }
  void migrate_to(int pe) override { base::migrate_to(pe); }
  void destroy_self() override { base::destroy(); }
  nb::object balance_point(const member_record& entry, encoder& arguments) override {
    return new_awaitable(new point(*this, entry.number, arguments.take_loaded()), of().balance_name);
  }

 private:
  using base = chare<object<Index>, Index>;

  /// A balance point. If the chare migrates, the awaiting entry ends, and `which` begins at the destination
  /// in its place, with the same caller or reduction.
  class point final : public awaited_thing {
   public:
    point(object& of, entry_name which, loaded_parcel arguments)
        : of_(of), which_(which), arguments_(std::move(arguments)) {}

    bool begin() override {
      extension::count_balance_point(of_);
      return !extension::is_leaving(of_);
    }
    bool suspend(const waiter& who, scope& entry) override {
      try {
        using reduced = entry_body<coroutine_entry<contribution>>;
        if (!extension::is_entry_of(entry, of_)) refuse_balance_point(of_);
        if (entry.kind != &reduced::kind)
          return of_.base::template balance_point<&object::start_loaded>(which_, std::move(arguments_))
              .suspend(who, entry);
        const auto& body = static_cast<const typename reduced::body&>(*static_cast<coroutine*>(entry.body));
        return of_
            .base::template balance_point<&object::start_loaded_for>(which_, body.by, std::move(arguments_))
            .suspend(who, entry);
      } catch (...) {
        refusal_ = std::current_exception();
        return false;
      }
    }
    nb::object result() override {
      if (refusal_) std::rethrow_exception(std::exchange(refusal_, nullptr));
      return nb::none();
    }

   private:
    object& of_;
    const entry_name which_;
    loaded_parcel arguments_;
    std::exception_ptr refusal_;
  };

  template <class Result>
  coroutine_entry<Result> begin(entry_name which, const operation& by, decoder arguments) {
    const member_record& entry = member_of(which);
    nb::object what = call_coroutine(entry, arguments);
    const bool is_over = entry.kind == member_kind::plain || (what.is_none() && interrupts::have_ended_run());
    if (is_over) return coroutine_entry<Result>(ended_coroutine{std::move(what)}, who(entry), by);
    return coroutine_entry<Result>(std::move(what), who(entry), by);
  }
  template <class... Section>
  nb::object all_reduce_among(contribution value, const Section&... over);
};

/// Converters of reduction results to Python values.
inline constexpr auto object_of_contribution = [](const contribution& c) { return value_of(c); };
inline constexpr auto list_of_contributions = [](const std::vector<contribution>& all) {
  nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(all.size())));
  for (std::size_t i = 0; i < all.size(); ++i)
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), value_of(all[i]).release().ptr());
  return list;
};

template <class Index>
proxy object<Index>::self_proxy() const {
  const auto e = base::self();
  proxy p;
  p.of = &of();
  p.collection = e.collection();
  if constexpr (std::is_same_v<Index, text_key>) {
    p.dimensions = 0;
    p.key = e.key_value();
  } else {
    const extension::local_elements<object> part(*this);
    p.number = e.key_value();
    p.is_single = part.is_of_singles();
    const array_index shape = p.is_single ? array_index(1) : part.shape();
    p.dimensions = static_cast<std::uint8_t>(shape.dimensions);
    std::copy(shape.values().begin(), shape.values().end(), p.shape.begin());
  }
  return p;
}

template <class Index>
proxy object<Index>::peers() const {
  const auto all = base::peers();
  proxy p = self_proxy();
  p.kind = extension::local_elements<object>(*this).is_group() ? proxy_kind::group : proxy_kind::array;
  p.number = 0;
  p.key.clear();
  static_cast<void>(all);  // `peers` has thrown for a single chare
  return p;
}

template <class Index>
template <class... Section>
nb::object object<Index>::all_reduce_among(contribution value, const Section&... over) {
  if (value.by == operation_kind::gather)
    return awaitable_of(base::all_reduce(over..., std::move(value), imbrex::gather), list_of_contributions,
                        of().all_reduce_name);
  return awaitable_of(base::all_reduce(over..., std::move(value), combination{}), object_of_contribution,
                      of().all_reduce_name);
}

/// The arrays of `object<Index>`.
template <class Index>
class kind_of_index final : public array_kind {
 public:
  using type = object<Index>;

  void send(const proxy& to, const member_record& entry, encoder& arguments) const override {
    const bool is_plain = entry.kind == member_kind::plain;
    if (arguments.is_loaded()) [[unlikely]]
      return send_loaded(to, entry, arguments.take_loaded(!to.names_one()));
    if (to.names_one()) {
      if (!is_plain) return imbrex::send<&type::start>(element_of(to), entry.number, arguments.take());
      if (arguments.has_blocks())
        return imbrex::send<&type::plain>(element_of(to), entry.number, arguments.take());
      return imbrex::send<&type::receive>(element_of(to), entry.number, arguments.head());
    }
    with_many(to, [&](const auto& all) {
      if (is_plain)
        imbrex::send<&type::plain>(all, entry.number, arguments.take(true));
      else
        imbrex::send<&type::start>(all, entry.number, arguments.take(true));
    });
  }

  nb::object call(const proxy& to, const member_record& entry, encoder& arguments,
                  PyObject* name) const override {
    constexpr auto to_python = [](loaded_parcel p) { return value_of(std::move(p)); };
    if (arguments.is_loaded()) [[unlikely]]
      return awaitable_of(
          element_of(to).template call<&type::start_loaded>(entry.number, arguments.take_loaded()), to_python,
          name);
    if (entry.kind == member_kind::plain)
      return awaitable_of(element_of(to).template call<&type::plain>(entry.number, arguments.take()),
                          to_python, name);
    return awaitable_of(element_of(to).template call<&type::start>(entry.number, arguments.take()), to_python,
                        name);
  }

  nb::object reduce(const proxy& to, const member_record& entry, operation by, encoder& arguments,
                    PyObject* name) const override {
    nb::object result;
    const bool is_plain = entry.kind == member_kind::plain;
    const bool gathers = by.kind == operation_kind::gather;
    with_many(to, [&](const auto& all) {
      if (arguments.is_loaded()) [[unlikely]] {
        result = reduce_loaded(all, entry, by, arguments.take_loaded(true), name);
        return;
      }
      const parcel argument_parcel = arguments.take(true);
      if (is_plain && gathers)
        result = awaitable_of(
            all.template reduce<&type::plain_for>(imbrex::gather, entry.number, by, argument_parcel),
            list_of_contributions, name);
      else if (is_plain)
        result = awaitable_of(
            all.template reduce<&type::plain_for>(combination{}, entry.number, by, argument_parcel),
            object_of_contribution, name);
      else if (gathers)
        result = awaitable_of(
            all.template reduce<&type::start_for>(imbrex::gather, entry.number, by, argument_parcel),
            list_of_contributions, name);
      else
        result = awaitable_of(
            all.template reduce<&type::start_for>(combination{}, entry.number, by, argument_parcel),
            object_of_contribution, name);
    });
    return result;
  }

  void put(const proxy& to, entry_name port, std::int64_t reference, encoder& value) const override {
    if (value.is_loaded()) [[unlikely]]
      return put_loaded(to, port, reference, value.take_loaded(!to.names_one()));
    if (!to.names_one())
      return with_many(
          to, [&](const auto& all) { imbrex::send<&type::put>(all, port, reference, value.take(true)); });
    if (value.has_blocks()) return imbrex::send<&type::put>(element_of(to), port, reference, value.take());
    imbrex::send<&type::put_short>(element_of(to), port, reference, value.head());
  }

  void send_loaded(const proxy& to, const member_record& entry, loaded_parcel arguments) const override {
    send_parcel<&type::start_loaded>(to, std::move(arguments), entry.number);
  }
  void put_loaded(const proxy& to, entry_name port, std::int64_t reference,
                  loaded_parcel value) const override {
    send_parcel<&type::put_loaded>(to, std::move(value), port, reference);
  }

  proxy make_array(class_record& of, const proxy& shape, layout_kind how, std::string name,
                   encoder& arguments) const override {
    proxy p = shape;
    p.of = &of;
    p.kind = proxy_kind::array;
    const entry_name constructor = of.constructor().number;
    const auto make = [&](auto layout, auto&&... of_elements) {
      layout.name = std::move(name);
      p.collection = imbrex::make_array<type>(layout, constructor, of_elements...).collection();
    };
    if constexpr (std::is_same_v<Index, text_key>) {
      make(imbrex::keyed<text_key>());
    } else {
      const Index extents = shape_of(shape);
      if (how == layout_kind::sparse)
        make(imbrex::sparse(extents));
      else if (how == layout_kind::round_robin)
        make(imbrex::dense(extents).placed(imbrex::round_robin), arguments.take(true));
      else if (how == layout_kind::in_blocks)
        make(imbrex::dense(extents).placed(imbrex::in_blocks), arguments.take(true));
      else
        make(imbrex::dense(extents), arguments.take(true));
    }
    return p;
  }

  std::optional<proxy> restored(class_record& of, const std::string& name) const override {
    const auto found = checkpoints::detail::restored_array<type>(name, of.name);
    if (!found) return std::nullopt;
    proxy p;
    p.of = &of;
    p.kind = proxy_kind::array;
    p.collection = found->collection();
    if constexpr (std::is_same_v<Index, text_key>) {
      p.dimensions = 0;
    } else {
      const array_index& shape = found->shape();
      p.dimensions = static_cast<std::uint8_t>(shape.dimensions);
      std::ranges::copy(shape.values(), p.shape.begin());
    }
    return p;
  }

  void insert(const proxy& e, encoder& arguments) const override {
    const entry_name constructor = e.of->constructor().number;
    array_of(e).insert(index_of(e), constructor, arguments.take());
  }

  proxy section(const proxy& of, const std::vector<proxy>& members) const override {
    std::vector<Index> all;
    all.reserve(members.size());
    for (const proxy& m : members) all.push_back(index_of(m));
    const auto new_section = array_of(of).section(std::move(all));
    proxy p = of;
    p.kind = proxy_kind::section;
    p.number = new_section.id();
    return p;
  }

  void destroy(const proxy& e) const override { element_of(e).destroy(); }
  nb::object destroy_all(const proxy& a) const override {
    return awaitable_of(array_of(a).destroy(), nullptr, a.of->destroy_name);
  }
  nb::object created(const proxy& a) const override {
    return awaitable_of(array_of(a).created(), nullptr, a.of->created_name);
  }
  nb::object rebalance(const proxy& a, PyObject* name) const override {
    return awaitable_of(
        imbrex::rebalance(array_of(a)), [](rebalance_result r) { return nb::cast(std::move(r)); }, name);
  }

 private:
  template <auto Entry, class... Before>
  static void send_parcel(const proxy& to, loaded_parcel arguments, const Before&... before) {
    if (to.names_one()) return imbrex::send<Entry>(element_of(to), before..., std::move(arguments));
    with_many(to, [&](const auto& all) { imbrex::send<Entry>(all, before..., std::move(arguments)); });
  }
  template <class Many>
  static nb::object reduce_loaded(const Many& all, const member_record& entry, const operation& by,
                                  const loaded_parcel& argument_parcel, PyObject* name) {
    if (by.kind == operation_kind::gather)
      return awaitable_of(
          all.template reduce<&type::start_loaded_for>(imbrex::gather, entry.number, by, argument_parcel),
          list_of_contributions, name);
    return awaitable_of(
        all.template reduce<&type::start_loaded_for>(combination{}, entry.number, by, argument_parcel),
        object_of_contribution, name);
  }
  static Index shape_of(const proxy& p) {
    if constexpr (std::is_same_v<Index, text_key>)
      return {};
    else
      return array_index(p.extents());
  }
  static Index index_of(const proxy& element) {
    if constexpr (std::is_same_v<Index, text_key>)
      return element.key;
    else
      return index_at(element.extents(), element.number);
  }
  static element<type> element_of(const proxy& p) {
    if constexpr (std::is_same_v<Index, text_key>) {
      return {p.collection, p.key, p.priority};
    } else {
      const element<type> e(p.collection, p.number, p.priority);
      return p.is_coalesced ? e.coalesced() : e;
    }
  }
  static array<type> array_of(const proxy& p) {
    return array<type>(p.collection, shape_of(p)).with_priority(p.priority);
  }
  template <class Use>
  static void with_many(const proxy& p, const Use& use) {
    if (p.kind == proxy_kind::section)
      use(imbrex::section<type>(p.collection, p.number, p.priority));
    else
      use(array_of(p));
  }
};

}  // namespace imbrex::python
