// SPDX-License-Identifier: Apache-2.0
// Creation and destruction of windows, their attributes, hints and error handlers.
#include <imbrex/mpi/api/window.hpp>

#include <cstring>

namespace imbrex::mpi {

namespace {

constexpr const char* known_hints[] = {"no_locks",  "accumulate_ordering", "accumulate_ops",
                                       "same_size", "same_disp_unit",      "alloc_shared_noncontig",
                                       "alloc_shm"};

/// Stores the supported hints; other hints are ignored.
void take_hints(info& hints, rank_data& data, MPI_Info info_handle) {
  if (info_handle == MPI_INFO_NULL) return;
  const info& all = data.objects().information(info_handle);
  for (const char* const key : known_hints)
    if (const std::string* const value = all.find(key)) hints.set(key, *value);
}

void check_size(MPI_Aint size, MPI_Aint unit) {
  if (size < 0)
    throw error(MPI_ERR_SIZE, "the size is " + std::to_string(size) + " bytes; it must not be negative");
  if (unit <= 0)
    throw error(MPI_ERR_DISP,
                "the unit of displacements is " + std::to_string(unit) + " bytes; it must be positive");
}

/// `baseptr` is where to store the address of the memory; may be null.
int make_window(const char* function, window_memory memory, MPI_Info info_handle, MPI_Comm comm,
                void* baseptr, MPI_Win* handle) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    check_size(memory.size, memory.unit);
    if (in.is_inter())
      throw error(MPI_ERR_COMM, describe_communicator(&in) +
                                    " is between two groups; a window is of one: give the communicator that "
                                    "MPI_Intercomm_merge makes");
    if (memory.flavour == MPI_WIN_FLAVOR_CREATE && memory.base == nullptr && memory.size > 0)
      throw error(MPI_ERR_BASE, "the memory of " + std::to_string(memory.size) +
                                    " bytes is a null pointer; give their address");
    require_host_memory(memory.base, "the memory of a window");
    info hints;
    hints.set("accumulate_ordering", "rar,raw,war,waw");
    hints.set("accumulate_ops", "same_op_no_op");
    take_hints(hints, data, info_handle);
    const std::string* const apart = hints.find("alloc_shared_noncontig");
    memory.is_contiguous = apart == nullptr || *apart != "true";
    const ref<window> result = window::make(data.self(), ref<communicator>(&in), data.new_context(), memory);
    result->hints = hints;
    result->set_handle(data.windows.add(ref<window_object>(result.get())));
    *handle = result->handle();
    if (baseptr != nullptr) *static_cast<void**>(baseptr) = result->memory.base();
  });
}

}  // namespace

std::string describe_window(const void* which) { return static_cast<const window*>(which)->description(); }

IMBREX_MPI_DEFINE(int, Win_create,
                  (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)) {
  return make_window("MPI_Win_create",
                     {MPI_WIN_FLAVOR_CREATE, static_cast<std::byte*>(base), size, disp_unit}, info, comm,
                     nullptr, win);
}
IMBREX_MPI_DEFINE(int, Win_create_c,
                  (void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* win)) {
  return make_window("MPI_Win_create_c",
                     {MPI_WIN_FLAVOR_CREATE, static_cast<std::byte*>(base), size, disp_unit}, info, comm,
                     nullptr, win);
}
IMBREX_MPI_DEFINE(int, Win_allocate,
                  (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win)) {
  return make_window("MPI_Win_allocate", {MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, disp_unit}, info, comm,
                     baseptr, win);
}
IMBREX_MPI_DEFINE(int, Win_allocate_c,
                  (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                   MPI_Win* win)) {
  return make_window("MPI_Win_allocate_c", {MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, disp_unit}, info, comm,
                     baseptr, win);
}
IMBREX_MPI_DEFINE(int, Win_allocate_shared,
                  (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win)) {
  return make_window("MPI_Win_allocate_shared", {MPI_WIN_FLAVOR_SHARED, nullptr, size, disp_unit}, info, comm,
                     baseptr, win);
}
IMBREX_MPI_DEFINE(int, Win_allocate_shared_c,
                  (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                   MPI_Win* win)) {
  return make_window("MPI_Win_allocate_shared_c", {MPI_WIN_FLAVOR_SHARED, nullptr, size, disp_unit}, info,
                     comm, baseptr, win);
}
IMBREX_MPI_DEFINE(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win)) {
  return make_window("MPI_Win_create_dynamic", {MPI_WIN_FLAVOR_DYNAMIC, nullptr, 0, 1}, info, comm, nullptr,
                     win);
}

IMBREX_MPI_DEFINE(int, Win_free, (MPI_Win * win)) {
  return call_on_window("MPI_Win_free", *win, [&](rank_data& data, window& of) {
    of.epochs.require_unused();
    of.attributes.clear(*win);  // delete functions may still use the window
    of.leave();
    data.windows.remove(*win);
    *win = MPI_WIN_NULL;
  });
}

IMBREX_MPI_DEFINE(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size)) {
  return call_on_window("MPI_Win_attach", win, [&](rank_data&, window& of) {
    require_host_memory(base, "the memory of a window");
    of.memory.attach(base, size);
  });
}
IMBREX_MPI_DEFINE(int, Win_detach, (MPI_Win win, const void* base)) {
  return call_on_window("MPI_Win_detach", win, [&](rank_data&, window& of) { of.memory.detach(base); });
}

IMBREX_MPI_DEFINE(int, Win_shared_query,
                  (MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr)) {
  return call_on_window("MPI_Win_shared_query", win, [&](rank_data&, window& of) {
    const window_memory found = of.memory.shared_memory(rank);
    *size = found.size;
    *disp_unit = static_cast<int>(found.unit);
    *static_cast<void**>(baseptr) = found.base;
  });
}
IMBREX_MPI_DEFINE(int, Win_shared_query_c,
                  (MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr)) {
  return call_on_window("MPI_Win_shared_query_c", win, [&](rank_data&, window& of) {
    const window_memory found = of.memory.shared_memory(rank);
    *size = found.size;
    *disp_unit = found.unit;
    *static_cast<void**>(baseptr) = found.base;
  });
}

IMBREX_MPI_DEFINE(int, Win_get_group, (MPI_Win win, MPI_Group* group)) {
  return call_on_window("MPI_Win_get_group", win,
                        [&](rank_data& data, window& of) { *group = data.objects().add(of.in().members()); });
}

IMBREX_MPI_DEFINE(int, Win_set_name, (MPI_Win win, const char* win_name)) {
  return call_on_window("MPI_Win_set_name", win, [&](rank_data&, window& of) {
    if (win_name == nullptr)
      throw error(MPI_ERR_ARG, "the name is a null pointer; give a text, \"\" to have none");
    of.name.assign(win_name, strnlen(win_name, MPI_MAX_OBJECT_NAME - 1));
  });
}
IMBREX_MPI_DEFINE(int, Win_get_name, (MPI_Win win, char* win_name, int* resultlen)) {
  return call_on_window("MPI_Win_get_name", win, [&](rank_data&, window& of) {
    std::memcpy(win_name, of.name.c_str(), of.name.size() + 1);
    *resultlen = static_cast<int>(of.name.size());
  });
}

IMBREX_MPI_DEFINE(int, Win_set_info, (MPI_Win win, MPI_Info info)) {
  return call_on_window("MPI_Win_set_info", win,
                        [&](rank_data& data, window& of) { take_hints(of.hints, data, info); });
}
IMBREX_MPI_DEFINE(int, Win_get_info, (MPI_Win win, MPI_Info* info_used)) {
  return call_on_window("MPI_Win_get_info", win,
                        [&](rank_data& data, window& of) { *info_used = data.objects().add(of.hints); });
}

// ---- error handlers

IMBREX_MPI_DEFINE(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler)) {
  return call_on_window("MPI_Win_set_errhandler", win, [&](rank_data& data, window& of) {
    const ref<error_handler> found = data.objects().handler(errhandler);
    if (found->what == error_handler::action::call && found->of != handle_kind::window)
      throw error(MPI_ERR_ARG, text_of_handle(errhandler) +
                                   " takes no errors of windows; make one by MPI_Win_create_errhandler");
    of.set_handler(found);
  });
}
IMBREX_MPI_DEFINE(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler* errhandler)) {
  return call_on_window("MPI_Win_get_errhandler", win,
                        [&](rank_data& data, window& of) { *errhandler = data.objects().add(of.handler()); });
}
IMBREX_MPI_DEFINE(int, Win_call_errhandler, (MPI_Win win, int errorcode)) {
  return call_on_window("MPI_Win_call_errhandler", win, [&](rank_data& data, window& of) {
    data.objects().raise(error(errorcode, data.objects().codes.text_of(errorcode)), "MPI_Win_call_errhandler",
                         &of);
  });
}

// ---- attributes

IMBREX_MPI_DEFINE(int, Win_set_attr, (MPI_Win win, int win_keyval, void* attribute_val)) {
  return call_on_window("MPI_Win_set_attr", win, [&](rank_data& data, window& of) {
    of.attributes.set(win, win_keyval, data.objects().key(win_keyval, handle_kind::window), attribute_val);
  });
}
IMBREX_MPI_DEFINE(int, Win_get_attr, (MPI_Win win, int win_keyval, void* attribute_val, int* flag)) {
  return call_on_window("MPI_Win_get_attr", win, [&](rank_data& data, window& of) {
    auto& value = *static_cast<void**>(attribute_val);
    *flag = 1;
    switch (win_keyval) {
      case MPI_WIN_BASE: value = of.memory.base(); return;
      case MPI_WIN_SIZE: value = of.memory.size(); return;
      case MPI_WIN_DISP_UNIT: value = of.memory.unit(); return;
      case MPI_WIN_CREATE_FLAVOR: value = of.memory.flavour_place(); return;
      case MPI_WIN_MODEL: value = of.memory.model(); return;
      default: break;
    }
    (void)data.objects().key(win_keyval, handle_kind::window);
    *flag = of.attributes.get(win_keyval, &value) ? 1 : 0;
  });
}
IMBREX_MPI_DEFINE(int, Win_delete_attr, (MPI_Win win, int win_keyval)) {
  return call_on_window("MPI_Win_delete_attr", win, [&](rank_data& data, window& of) {
    (void)data.objects().key(win_keyval, handle_kind::window);
    of.attributes.remove(win, win_keyval);
  });
}

}  // namespace imbrex::mpi
