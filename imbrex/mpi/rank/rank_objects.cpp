// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/rank_objects.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/rank/program.hpp>

namespace imbrex::mpi {

namespace {

std::vector<std::string> command_of_process() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> all;
  for (std::string each; std::getline(file, each, '\0');) all.push_back(each);
  return all;
}

}  // namespace

datatype_ref rank_objects::type(int handle) const {
  if (datatype* predefined = predefined_type(handle)) return datatype_ref(predefined);
  return datatype_ref(&types_.at(handle));
}

operation& rank_objects::op(int handle) const {
  if (operation* predefined = predefined_operation(handle)) return *predefined;
  return operations_.at(handle);
}

group rank_objects::members(int handle) const {
  return handle == MPI_GROUP_EMPTY ? group() : groups_.at(handle).members;
}

info& rank_objects::information(int handle) const {
  if (handle != MPI_INFO_ENV) return infos_.at(handle).pairs;
  if (environment_.pairs().empty()) {
    environment_ = process_info(command_of_process());
    environment_.set("maxprocs", std::to_string(world_size));
    environment_.set("thread_level", "MPI_THREAD_FUNNELED");
  }
  return environment_;
}

ref<error_handler> rank_objects::handler(int handle) const {
  if (error_handler* predefined = predefined_error_handler(handle)) return ref(predefined);
  return ref(&error_handlers_.at(handle));
}

rank_objects::keyval_table& rank_objects::keyvals(handle_kind object) {
  switch (object) {
    case handle_kind::datatype: return type_keyvals_;
    case handle_kind::window: return window_keyvals_;
    default: return communicator_keyvals_;
  }
}

ref<keyval> rank_objects::key(int handle, handle_kind object) const {
  if (keyval* found = keyvals(object).find(handle); found && (!found->is_freed || found->is_shared()))
    return ref(found);
  if (kind_of(handle) == handle_kind::keyval && origin_of(handle) == handle_origin::mpi)
    throw error(
        MPI_ERR_KEYVAL,
        text_of_handle(handle) +
            " is the keyval of an attribute that MPI itself sets; give one that the program has made");
  for (const handle_kind other : {handle_kind::communicator, handle_kind::datatype, handle_kind::window})
    if (keyvals(other).find(handle))
      throw error(MPI_ERR_KEYVAL, text_of_handle(handle) + " is a keyval of a " + name_of(other) +
                                      " and not of a " + name_of(object) + "; make one for that");
  refuse_handle(handle, handle_kind::keyval);
}

int rank_objects::add(const datatype_ref& type) {
  if (type->handle() != 0) return type->handle();
  ++type->handles;
  return types_.add(type);
}

int rank_objects::add(const group& members) {
  return members.size() == 0 ? MPI_GROUP_EMPTY : groups_.add(ref(new group_object(members)));
}

int rank_objects::add(info pairs) {
  ref new_object(new info_object);
  new_object->pairs = std::move(pairs);
  return infos_.add(new_object);
}

int rank_objects::add(const ref<error_handler>& handler) {
  for (const int handle : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT})
    if (predefined_error_handler(handle) == handler.get()) return handle;
  int known = MPI_ERRHANDLER_NULL;
  error_handlers_.for_each([&](int handle, const error_handler& its) {
    if (&its == handler.get()) known = handle;
  });
  if (known == MPI_ERRHANDLER_NULL) return error_handlers_.add(handler);
  ++handler->handles;
  return known;
}

void rank_objects::remove_type(int handle) {
  const datatype_ref t = type(handle);
  if (t->handle() != 0)
    throw error(MPI_ERR_TYPE, t->name + " belongs to MPI itself; free only types that the program has made");
  if (t->handles == 1) t->attributes.clear(handle);
  --t->handles;
  types_.remove(handle);
}

void rank_objects::remove_op(int handle) {
  if (predefined_operation(handle))
    throw error(MPI_ERR_OP, "the operation " + text_of_handle(handle) +
                                " belongs to MPI itself; free only operations that the program has made");
  operations_.remove(handle);
}

void rank_objects::remove_group(int handle) {
  if (handle != MPI_GROUP_EMPTY) groups_.remove(handle);
}

void rank_objects::remove_info(int handle) {
  if (handle == MPI_INFO_ENV)
    throw error(MPI_ERR_INFO, "MPI_INFO_ENV belongs to MPI itself; free only what the program has made");
  infos_.remove(handle);
}

void rank_objects::remove_handler(int handle) {
  if (predefined_error_handler(handle)) return;
  error_handler& its = error_handlers_.at(handle);
  if (--its.handles > 0) return;
  its.handles = 1;  // a later `add` counts from 1 again
  error_handlers_.remove(handle);
}

void rank_objects::remove_key(int handle, handle_kind object) {
  if (!std::exchange(key(handle, object)->is_freed, true)) freed_keyvals_.emplace_back(object, handle);
  // Freed keyvals that attributes still used then and use no longer go as well.
  std::erase_if(freed_keyvals_, [&](const auto& freed) {
    keyval_table& table = keyvals(freed.first);
    const bool is_used = table.at(freed.second).is_shared();
    if (!is_used) table.remove(freed.second);
    return !is_used;
  });
}

rank_objects::type_extras& rank_objects::extras_of(const datatype& predefined) {
  const auto [found, is_new] = extras_.try_emplace(predefined.handle());
  if (is_new) found->second.name = predefined.name;
  return found->second;
}

std::string& rank_objects::name_of_type(int handle) {
  const datatype_ref t = type(handle);
  return t->is_permanent() ? extras_of(*t).name : t->name;
}

attribute_set& rank_objects::attributes_of_type(int handle) {
  const datatype_ref t = type(handle);
  return t->is_permanent() ? extras_of(*t).attributes : t->attributes;
}

int rank_objects::fortran_type(int combiner, int precision, int range, datatype_ref (*make)(int, int, int)) {
  int& handle = fortran_types_[{combiner, precision, range}];
  if (handle == 0) {
    const datatype_ref new_object = make(combiner, precision, range);
    handle = types_.add(new_object);
    new_object->set_handle(handle);
  }
  return handle;
}

int rank_objects::raise(const error& thrown, const char* function, error_target* target) {
  codes.note(thrown);
  bool must_end = target == nullptr;
  const int code = target ? target->raise(thrown, must_end) : thrown.code();
  if (must_end) {
    const std::string where = target ? target->description() : "";
    fail_("rank " + std::to_string(world_rank_) + ": " + function + (where.empty() ? "" : " in " + where) +
          ": " + thrown.what());
    std::abort();
  }
  return code;
}

namespace {

/// Whether this library takes over the program: the program is linked with it, or it is preloaded.
bool takes_over_program() {
  Dl_info start{}, own{};
  return ::dladdr(::dlsym(RTLD_DEFAULT, "__libc_start_main"), &start) != 0 &&
         ::dladdr(reinterpret_cast<void*>(&takes_over_program), &own) != 0 &&
         start.dli_fbase == own.dli_fbase;
}

}  // namespace

void refuse_call() {
  const char* text = "";
  switch (phase_of_process()) {
    case process_phase::before:
      text = takes_over_program()
                 ? "before main, by a constructor of a library, where no rank runs yet: call MPI in main and "
                   "what follows it"
                 : "in a program that has no rank, for it has loaded the library of MPI later than its own "
                   "start: start it by imbrex run --preload";
      break;
    case process_phase::running:
      text = "on a thread that no rank runs on: call MPI only from the thread that main runs on";
      break;
    case process_phase::after:
      text =
          "after main has returned, by a destructor or a function of atexit, where no rank runs any more: "
          "call MPI no later than at the end of main";
      break;
    case process_phase::child:
      text = "in a child process of a rank, which is no rank itself: let its parent call MPI";
      break;
  }
  std::fprintf(stderr, "imbrex: a function of MPI was called %s\n", text);
  std::_Exit(1);
}

}  // namespace imbrex::mpi
