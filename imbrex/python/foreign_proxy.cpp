// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/foreign_proxy.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/python/arguments.hpp>
#include <imbrex/python/failure.hpp>
#include <imbrex/python/object.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::python {

namespace {

const member_record& member_named(const proxy& p, const std::string& name) {
  for (const auto& m : p.of->members)
    if (m->name == name && m->kind != member_kind::constructor) return *m;
  throw error(p.of->name + " of Python has no entry or port " + name);
}
const member_record& entry_named(const proxy& p, const std::string& name) {
  const member_record& m = member_named(p, name);
  if (!m.is_entry()) throw error(m.whole_name() + " is a port of Python, and no entry: use put");
  return m;
}

}  // namespace

proxy foreign_proxy::here() const {
  if (constructor_.number == 0)
    throw error("a proxy of a chare of Python is used, but names none: take one from an argument");
  proxy p = its_;
  p.of = member_of(constructor_).of;
  return p;
}

void foreign_proxy::check_archive(bool is_durable) {
  if (is_durable)
    throw serial_error(
        "a proxy of a chare of Python in a chare of C++ cannot be saved in a checkpoint: leave it out, and "
        "pass it "
        "again after the restart");
}

task<loaded_parcel> call_encoded(foreign_proxy to, std::string entry, loaded_parcel arguments) {
  const proxy p = to.here();
  const member_record& m = entry_named(p, entry);
  loaded_parcel result;
  if (p.dimensions == 0)
    result = co_await element<object<text_key>>(p.collection, p.key, p.priority)
                 .call<&object<text_key>::start_loaded>(m.number, std::move(arguments));
  else
    result = co_await element<object<array_index>>(p.collection, p.number, p.priority)
                 .call<&object<array_index>::start_loaded>(m.number, std::move(arguments));
  co_return std::move(result);
}

void send_encoded(const foreign_proxy& to, const std::string& entry, loaded_parcel arguments) {
  const proxy p = to.here();
  const member_record& m = entry_named(p, entry);
  kind_of(p).send_loaded(p, m, std::move(arguments));
}

void put_encoded(const foreign_proxy& to, const std::string& port, std::int64_t reference,
                 loaded_parcel value) {
  const proxy p = to.here();
  const member_record& m = member_named(p, port);
  if (!m.is_port() || m.is_channel())
    throw error(m.whole_name() + " of Python is no mailbox: call an entry by send or call");
  kind_of(p).put_loaded(p, m.number, reference, std::move(value));
}

loaded_parcel encoded_arguments(const foreign_proxy& to, const std::string& entry,
                                const nb::tuple& arguments) {
  const proxy p = to.here();
  encoder out;
  try {
    encode_arguments(out, entry_named(p, entry), arguments.ptr(), nullptr);
    return out.take_loaded(!p.names_one());
  } catch (...) {
    std::rethrow_exception(travelling_exception(""));
  }
}

loaded_parcel encoded_value(const foreign_proxy& to, const std::string& port, const nb::object& value) {
  const proxy p = to.here();
  encoder out;
  try {
    encode_value(out, member_named(p, port), value.ptr());
    return out.take_loaded(!p.names_one());
  } catch (...) {
    std::rethrow_exception(travelling_exception(""));
  }
}

void throw_unfit_result(const foreign_proxy& to, const std::string& entry, const std::string& type,
                        PyObject* result) {
  throw error(entry_named(to.here(), entry).whole_name() + " of Python returned " + shown_value(result) +
              ", which does not convert to " + type);
}

}  // namespace imbrex::python
