// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <new>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/datatype.hpp>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/error_codes.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/group.hpp>
#include <imbrex/mpi/object/info.hpp>
#include <imbrex/mpi/object/object_table.hpp>
#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

class object_reader;
class object_writer;

/// MPI objects that a rank's program has made, except those that communicate. Lookups by handle are O(1). A
/// wrong handle throws mpi::error, whose text names the handle's real kind.
class rank_objects {
 public:
  /// For a rank in MPI_COMM_WORLD. `fail` ends the run with a message and does not return.
  rank_objects(int world_rank, void (*fail)(const std::string& message))
      : world_rank_(world_rank), fail_(fail) {}

  int world_rank() const { return world_rank_; }
  int world_size = 1;

  /// A call of a function of MPI. Such calls nest: a function that MPI has called may call others.
  class running_call {
   public:
    explicit running_call(rank_objects& of) : of_(of) { ++of_.calls_; }
    ~running_call() { --of_.calls_; }
    running_call(const running_call&) = delete;
    running_call& operator=(const running_call&) = delete;

   private:
    rank_objects& of_;
  };
  int calls() const { return calls_; }

  /// Lookups also find MPI's predefined objects.
  datatype_ref type(int handle) const;
  operation& op(int handle) const;
  group members(int handle) const;
  info& information(int handle) const;  ///< also MPI_INFO_ENV
  ref<error_handler> handler(int handle) const;
  ref<keyval> key(int handle, handle_kind object) const;

  int add(const datatype_ref& type);
  int add(operation* new_object) { return operations_.add(ref(new_object)); }
  int add(const group& members);
  int add(info pairs);
  int add(error_handler* new_object) { return error_handlers_.add(ref(new_object)); }
  /// Handle of the error handler that an object has: predefined, known to the program, or new. The program
  /// frees a known one as often as it has got it.
  int add(const ref<error_handler>& handler);
  int add(keyval* new_object, handle_kind object) { return keyvals(object).add(ref(new_object)); }

  void remove_type(int handle);
  void remove_op(int handle);
  void remove_group(int handle);
  void remove_info(int handle);
  void remove_handler(int handle);
  void remove_key(int handle, handle_kind object);

  /// Name and attributes of a datatype. Each rank has its own for predefined types, although all ranks share
  /// these types.
  std::string& name_of_type(int handle);
  attribute_set& attributes_of_type(int handle);

  /// Handle of the type MPI_COMBINER_F90_... for a precision and a range; calls `make` on first use.
  int fortran_type(int combiner, int precision, int range, datatype_ref (*make)(int, int, int));

  error_codes codes;
  /// Default target of errors that belong to no communicator, window or file: MPI_COMM_WORLD; null before
  /// MPI_Init.
  error_target* world = nullptr;

  /// Passes an error thrown in `function` to the target's error handler; returns the error code for the
  /// caller. Does not return for MPI_ERRORS_ARE_FATAL.
  int raise(const error& thrown, const char* function, error_target* target);
  int raise(const error& thrown, const char* function) { return raise(thrown, function, world); }

  /// Calls visit(kind, handle) for each object that was not freed.
  void for_each_left(auto&& visit) const {
    const auto show = [&](handle_kind kind) {
      return [&visit, kind](int handle, const auto&) { visit(kind, handle); };
    };
    types_.for_each([&](int handle, const datatype& t) {
      if (t.handle() == 0) visit(handle_kind::datatype, handle);
    });
    operations_.for_each(show(handle_kind::operation));
    groups_.for_each(show(handle_kind::group));
    infos_.for_each(show(handle_kind::info));
    error_handlers_.for_each(show(handle_kind::error_handler));
  }

  /// For ranks that leave their process.
  void write(object_writer& to) const;
  void read(object_reader& from);

 private:
  using keyval_table = object_table<keyval, handle_kind::keyval>;
  keyval_table& keyvals(handle_kind object);
  const keyval_table& keyvals(handle_kind object) const {
    return const_cast<rank_objects*>(this)->keyvals(object);
  }

  struct type_extras {
    std::string name;
    attribute_set attributes;
  };
  type_extras& extras_of(const datatype& predefined);

  int world_rank_;
  int calls_ = 0;
  void (*fail_)(const std::string&);
  object_table<datatype, handle_kind::datatype> types_{predefined_structures};
  object_table<operation, handle_kind::operation> operations_;
  object_table<group_object, handle_kind::group> groups_;
  object_table<info_object, handle_kind::info> infos_;
  mutable info environment_;  ///< made on first use
  object_table<error_handler, handle_kind::error_handler> error_handlers_;
  keyval_table communicator_keyvals_{first_keyval(handle_kind::communicator)};
  keyval_table type_keyvals_{first_keyval(handle_kind::datatype)};
  keyval_table window_keyvals_{first_keyval(handle_kind::window)};
  std::vector<std::pair<handle_kind, int>> freed_keyvals_;
  std::unordered_map<int, type_extras> extras_;
  std::map<std::tuple<int, int, int>, int> fortran_types_;
};

/// Reports that MPI was called where no rank runs, and ends the process.
[[noreturn]] void refuse_call();

/// Objects of the rank that runs on this thread; `objects()` ends the process with a message if there is
/// none. Code that switches ranks sets it.
inline thread_local rank_objects* objects_here = nullptr;
inline rank_objects& objects() {
  if (objects_here == nullptr) [[unlikely]]
    refuse_call();
  return *objects_here;
}
inline void set_objects(rank_objects* of_rank) { objects_here = of_rank; }

/// Runs the body of an MPI function and returns its error code. Errors thrown in `body` go to the error
/// handler of `owner`, which `body` may set.
template <typename Body>
int run_call(rank_objects& objects, const char* function, error_target* const& owner, Body&& body) {
  const outside_program runtime;
  const rank_objects::running_call call(objects);
  try {
    body();
    return MPI_SUCCESS;
  } catch (const error& thrown) {
    return objects.raise(thrown, function, owner);
  } catch (const std::bad_alloc&) {
    return objects.raise(error(MPI_ERR_NO_MEM, "out of memory; send, receive or keep less at once"), function,
                         owner);
  }
}

}  // namespace imbrex::mpi
