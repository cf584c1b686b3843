// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/object_archive.hpp>

#include <utility>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/datatype_archive.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/rank/rank_objects.hpp>

namespace imbrex::mpi {

namespace {

template <class Function>
std::uintptr_t address_of(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}
template <class Function>
Function* function_at(std::uintptr_t address) {
  return reinterpret_cast<Function*>(address);
}

/// The handle of a predefined error handler; 0 for others.
int predefined_handle(const error_handler* object) {
  for (const int handle : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT})
    if (predefined_error_handler(handle) == object) return handle;
  return 0;
}

}  // namespace

void object_writer::handler(const ref<error_handler>& object) {
  const int predefined = predefined_handle(object.get());
  out_(predefined);
  if (predefined != 0) return;
  handlers_.write(out_, object, [&] { out_(object->of, address_of(object->call), object->handles); });
}

ref<error_handler> object_reader::handler() {
  int predefined = 0;
  in_(predefined);
  if (predefined != 0) {
    error_handler* const found = predefined_error_handler(predefined);
    if (found == nullptr) throw serial_error("an error handler of MPI that is none");
    return ref(found);
  }
  return handlers_.read(in_, [&] {
    handle_kind of{};
    std::uintptr_t call = 0;
    int handles = 0;
    in_(of, call, handles);
    ref result(new error_handler(of, function_at<error_handler::function>(call)));
    result->handles = handles;
    return result;
  });
}

void object_writer::key(const ref<keyval>& object) {
  keys_.write(out_, object, [&] {
    out_(object->of, address_of(object->copy), address_of(object->remove),
         reinterpret_cast<std::uintptr_t>(object->extra), object->is_freed);
  });
}

ref<keyval> object_reader::key() {
  return keys_.read(in_, [&] {
    ref result(new keyval);
    std::uintptr_t copy = 0, remove = 0, extra = 0;
    in_(result->of, copy, remove, extra, result->is_freed);
    result->copy = function_at<keyval::copy_function>(copy);
    result->remove = function_at<keyval::delete_function>(remove);
    result->extra = reinterpret_cast<void*>(extra);
    return result;
  });
}

void object_writer::attributes(const attribute_set& of) {
  of.write(out_, [&](writer&, const ref<keyval>& type) { key(type); });
}

void object_reader::attributes(attribute_set& of) {
  of.read(in_, [&](reader&) { return key(); });
}

void object_writer::type(const datatype_ref& object) {
  const bool is_predefined = predefined_type(object->handle()) == object.get();
  out_(is_predefined ? object->handle() : 0);
  if (!is_predefined) types_.write(out_, object, [&] { object->write(*this); });
}

datatype_ref object_reader::type() {
  int predefined = 0;
  in_(predefined);
  if (predefined == 0) return types_.read(in_, [&] { return datatype::read(*this); });
  datatype* const found = predefined_type(predefined);
  if (found == nullptr) throw serial_error("a datatype of MPI that is none");
  return datatype_ref(found);
}

void rank_objects::write(object_writer& to) const {
  writer& out = to.out();
  types_.write(out, [&](writer&, const datatype_ref& type) { to.type(type); });
  operations_.write(out, [](writer& o, const ref<operation>& op) {
    o(op->commutes(), reinterpret_cast<std::uintptr_t>(op->function()),
      reinterpret_cast<std::uintptr_t>(op->large_function()));
  });
  groups_.write(out, [](writer& o, const ref<group_object>& each) { each->members.write(o); });
  infos_.write(out, [](writer& o, const ref<info_object>& each) { o(each->pairs); });
  error_handlers_.write(out, [&](writer&, const ref<error_handler>& each) { to.handler(each); });
  for (const keyval_table* table : {&communicator_keyvals_, &type_keyvals_, &window_keyvals_})
    table->write(out, [&](writer&, const ref<keyval>& each) { to.key(each); });
  out(freed_keyvals_, std::uint64_t{extras_.size()});
  for (const auto& [handle, extras] : extras_) {
    out(handle, extras.name);
    to.attributes(extras.attributes);
  }
  out(fortran_types_, codes);
}

void rank_objects::read(object_reader& from) {
  reader& in = from.in();
  types_.read(in, [&](reader&) { return from.type(); });
  operations_.read(in, [](reader& i) {
    bool commutes = false;
    std::uintptr_t function = 0, large = 0;
    i(commutes, function, large);
    return ref(large != 0 ? new operation(reinterpret_cast<MPI_User_function_c*>(large), commutes)
                          : new operation(reinterpret_cast<MPI_User_function*>(function), commutes));
  });
  groups_.read(in, [](reader& i) {
    group members;
    members.read(i);
    return ref(new group_object(std::move(members)));
  });
  infos_.read(in, [](reader& i) {
    ref result(new info_object);
    i(result->pairs);
    return result;
  });
  error_handlers_.read(in, [&](reader&) { return from.handler(); });
  for (keyval_table* table : {&communicator_keyvals_, &type_keyvals_, &window_keyvals_})
    table->read(in, [&](reader&) { return from.key(); });
  std::uint64_t number = 0;
  in(freed_keyvals_, number);
  for (; number > 0; --number) {
    int handle = 0;
    in(handle);
    type_extras& extras = extras_[handle];
    in(extras.name);
    from.attributes(extras.attributes);
  }
  in(fortran_types_, codes);
}

}  // namespace imbrex::mpi
