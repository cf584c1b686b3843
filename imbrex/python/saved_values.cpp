// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/saved_values.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/python/names_of_pickle.hpp>
#include <imbrex/python/numpy.hpp>
#include <imbrex/python/proxy.hpp>
#include <imbrex/python/values.hpp>
#include <imbrex/serial/reader.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::python {

namespace {

/// True if pickled bytes refer to a function that makes proxies.
bool have_proxies(std::string_view pickled) { return pickled.find("proxy_again") != pickled.npos; }

void convert(decoder& in, encoder& out);

void convert_all(std::size_t count, decoder& in, encoder& out) {
  for (; count > 0; --count) convert(in, out);
}

void convert_pickled(decoder& in, encoder& out, const std::byte* first) {
  decoder head = in;
  const auto size = head.number<std::uint64_t>();
  if (have_proxies({reinterpret_cast<const char*>(head.raw(size)), size})) {
    const nb::object value = decode_pickled(in);
    return encode_by_pickle(out, value.ptr());
  }
  in = head;
  for (auto buffers = in.number<std::uint32_t>(); buffers > 0; --buffers) {
    const auto inside = in.number<std::uint64_t>();
    inside == 0 ? out.add(in.next_block()) : static_cast<void>(in.raw(inside - 1));
  }
  out.raw(first, static_cast<std::size_t>(in.position() - first));
}

/// Copies the next value. Its proxies get the form of the encoder.
void convert(decoder& in, encoder& out) {
  const std::byte* const first = in.position();
  const auto copy_since_first = [&] { out.raw(first, static_cast<std::size_t>(in.position() - first)); };
  decoder whole = in;
  switch (in.number<tag>()) {
    case tag::arguments: {
      const std::size_t by_place = in.number<std::uint8_t>(), by_name = in.number<std::uint8_t>();
      copy_since_first();
      return convert_all(by_place + 2 * by_name, in, out);
    }
    case tag::tuple: {
      const auto size = in.number<std::uint32_t>();
      copy_since_first();
      return convert_all(size, in, out);
    }
    case tag::array_beside:
      numpy::pass_head(in);
      out.add(in.next_block());
      return copy_since_first();
    case tag::pickled: return convert_pickled(in, out, first);
    case tag::proxy: return encode(out, decode(whole).ptr()), in = whole, void();
    default: return decode(whole), in = whole, copy_since_first();
  }
}

parcel converted(const parcel& p, extension::name_reader* from, extension::name_writer* to) {
  decoder in(p, from);
  encoder out(to);
  while (!in.is_at_end()) convert(in, out);
  return out.take(p.is_shared);
}

}  // namespace

std::string reason_not_to_save(PyObject* state, const nb::python_error& raised,
                               extension::name_writer& names) {
  const names_of_pickle use(&names);
  static module_attribute reason("imbrex._saving", "reason");
  PyObject* const arguments[] = {state, raised.value().ptr()};
  return nb::cast<std::string>(checked(PyObject_Vectorcall(reason, arguments, 2, nullptr)));
}

void archive_durably(extension::name_writer& names, loaded_parcel& p, writer& out) {
  if (!p.arrays.empty())
    throw error(
        "an array of a device waits in a mailbox or channel, or at a balance point, and is not saved: let it "
        "be received before the balance point");
  out(converted(p.values, nullptr, &names));
}

void archive_durably(extension::name_reader& names, loaded_parcel& p, reader& in) {
  parcel saved;
  in(saved);
  p = {converted(saved, &names, nullptr), {}};
}

void define_saved_values(nb::module_& m) {
  m.def("_form_of_proxy", [](const nb::object& o) {
    if (names_of_pickle::to_write() == nullptr)
      throw error("a checkpoint saves proxies, and nothing else calls this");
    const auto bytes = saved_form(proxy_in(o.ptr()), *names_of_pickle::to_write());
    return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  m.def("_proxy_of_form", [](const nb::bytes& form) {
    if (names_of_pickle::to_read() == nullptr)
      throw error("a proxy of a checkpoint is read by imbrex.restored alone");
    return new_proxy(proxy_of_saved({static_cast<const std::byte*>(form.data()), form.size()},
                                    *names_of_pickle::to_read()));
  });
}

}  // namespace imbrex::python
