// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/device_port.hpp>

#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/device_array.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

[[noreturn]] void refuse_object(const member_record& channel, const char* does, PyObject* o) {
  throw nb::type_error((channel.whole_name() + " is a channel of device arrays, which " + does + " a " +
                        Py_TYPE(o)->tp_name +
                        ": give an imbrex.DeviceArray or an array of a library on the PE's device")
                           .c_str());
}

/// Keeps an object while another PE reads its memory. The object is leaked on purpose unless `end` is called.
class exported_object {
 public:
  explicit exported_object(nb::object what) : what_(std::move(what)) {}
  exported_object(exported_object&& other) noexcept = default;
  exported_object& operator=(exported_object&&) = delete;
  ~exported_object() { static_cast<void>(what_.release()); }
  void end() { what_.reset(); }

 private:
  nb::object what_;
};

task<> until_read(std::optional<device_loan<std::byte>> loan, exported_object what) {
  if (loan) co_await loan->done();
  what.end();
}

/// View of the destination `into`. Throws if no array can be received into the object.
device_view target_of(const port& at, const nb::object& into) {
  auto to = any_view_of(into.ptr(), extension::transfers_here().in);
  if (!to) refuse_object(at.of(), "receives no array into", into.ptr());
  if (to->is_read_only) throw error(at.of().whole_name() + " receives into an array that can only be read");
  return std::move(*to);
}

task<nb::object> receive_from(std::shared_ptr<port> at, nb::object into) {
  if (!into.is_none()) target_of(*at, into);  // checked before the receive, so that an error loses no array
  auto next = at->receive_next();
  loaded_parcel got = co_await next;
  if (into.is_none()) co_return value_of(std::move(got));
  decoder in(got);
  static_cast<void>(in.number<tag>());
  const array_form form = decode_form(in);
  detail::attachment array = in.next_array();
  stream& order = extension::transfers_here().in;
  const device_view to = target_of(*at, into);
  if (to.form != form)
    throw error(at->of().whole_name() + " has got an array " + form.text() + ", and receives it into one " +
                to.form.text() + "; both ends must agree");
  if (form.bytes() == 0) co_return std::move(into);
  extension::receive_at(array, to.address, gpu().info().id, form.bytes(), order);
  fill_after(into.ptr(), order);
  keep_until_done(into, order);  // also if the coroutine is cancelled
  co_await order.done();
  co_return std::move(into);
}

}  // namespace

nb::object export_array(port& from, PyObject* array) {
  const proxy& to = from.other();
  stream& filled = extension::transfers_here().out;
  const auto shown = any_view_of(array, filled);
  if (!shown) refuse_object(from.of(), "does not send", array);
  encoder out;
  encode_form(out, shown->form);
  std::optional<device_loan<std::byte>> loan;
  if (shown->form.bytes() == 0) {
    out.add(detail::attachment());
  } else {
    loan.emplace(zero_copy(shown->span(), filled));
    out.add(loan->part());
  }
  kind_of(to).put(to, from.port_there().number, from.next_to_send(), out);
  static kept_object kept;
  PyObject* const name = kept.get([] { return PyUnicode_InternFromString("DeviceChannel.send()"); });
  return awaitable_of(until_read(std::move(loan), exported_object(shown->owner)), nullptr, name);
}

nb::object receive_array(const std::shared_ptr<port>& at, PyObject* into) {
  return awaitable_of(
      receive_from(at, nb::borrow(into)), [](nb::object array) { return array; }, at->of().awaited_name);
}

}  // namespace imbrex::python
