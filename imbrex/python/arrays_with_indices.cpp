// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/object.hpp>

namespace imbrex::python {

namespace {

using type = object<array_index>;

proxy new_proxy_of(class_record& of, proxy_kind kind) {
  proxy p;
  p.of = &of;
  p.kind = kind;
  return p;
}

}  // namespace

const array_kind& arrays_with_indices() {
  static constexpr kind_of_index<array_index> kind;
  return kind;
}

proxy make_group(class_record& of, encoder& arguments) {
  const auto all = imbrex::make_group<type>(of.constructor().number, arguments.take(true));
  proxy p = new_proxy_of(of, proxy_kind::group);
  p.collection = all.members().collection();
  p.shape[0] = all.size();
  return p;
}

proxy make_chare(class_record& of, int pe, std::int8_t priority, encoder& arguments) {
  const creator with = imbrex::with_priority(priority);
  const entry_name constructor = of.constructor().number;
  const auto chare = pe < 0 ? with.make_chare<type>(constructor, arguments.take())
                            : with.make_chare_on<type>(pe, constructor, arguments.take());
  proxy p = new_proxy_of(of, proxy_kind::element);
  p.is_single = true;
  p.collection = chare.collection();
  p.number = chare.key_value();
  p.shape[0] = 1;
  return p;
}

nb::object restore_group(const proxy& g, PyObject* name) {
  return awaitable_of(
      imbrex::restore(group<type>(array<type>(g.collection, array_index(g.extents())))),
      [](bool is_restored) { return nb::object(nb::bool_(is_restored)); }, name);
}

nb::object local_chare(const proxy& g) {
  return nb::borrow(
      group<type>(array<type>(g.collection, array_index(g.extents()))).local()->object_base::self());
}

}  // namespace imbrex::python
