// SPDX-License-Identifier: Apache-2.0
// The interface for tools (MPI 4.1, chapter 15): no control variables, and performance variables that count
// what the calling rank holds.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>

/// A performance variable that a session has opened.
struct MPIR_T_pvar_handle_s {
  int variable = 0;
};
struct MPIR_T_pvar_session_s {
  std::vector<std::unique_ptr<MPIR_T_pvar_handle_s>> handles;

  bool holds(const MPIR_T_pvar_handle_s* handle) const {
    return std::ranges::any_of(handles, [&](const auto& each) { return each.get() == handle; });
  }
};

namespace imbrex::mpi {

namespace {

using pvar_value = unsigned long long;

struct performance_variable {
  const char* name;
  const char* description;
  pvar_value (*read)(rank_data& of);
};

constexpr std::array<performance_variable, 3> variables{{
    {"unexpected_messages", "messages that have arrived and that no receive has matched",
     [](rank_data& of) -> pvar_value { return of.self().messages.unexpected(); }},
    {"requests", "requests that the program has not freed",
     [](rank_data& of) {
       pvar_value count = 0;
       of.requests.for_each([&](int, const user_request&) { ++count; });
       return count;
     }},
    {"communicators", "communicators that the program has made and not freed",
     [](rank_data& of) {
       pvar_value count = 0;
       of.for_each_communicator([&](int, const communicator&) { ++count; });
       return count;
     }},
}};

std::atomic<int> uses = 0;  ///< calls of MPI_T_init_thread without one of MPI_T_finalize

/// Gives a text to a caller with room for `*length` characters, and its length with the end.
void give_text(std::string_view text, char* to, int* length) {
  if (length == nullptr) return;
  if (to != nullptr && *length > 0) {
    const std::size_t most = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(to, text.data(), most);
    to[most] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

/// The code of a function that finds nothing: there are no variables of that kind.
int no_index() { return uses == 0 ? MPI_T_ERR_NOT_INITIALIZED : MPI_T_ERR_INVALID_INDEX; }
int no_name() { return uses == 0 ? MPI_T_ERR_NOT_INITIALIZED : MPI_T_ERR_INVALID_NAME; }
int no_handle() { return uses == 0 ? MPI_T_ERR_NOT_INITIALIZED : MPI_T_ERR_INVALID_HANDLE; }
int none(int* count) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  *count = 0;
  return MPI_SUCCESS;
}

/// The code for a session and a handle of it, or for all of its handles.
int code_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (session == MPI_T_PVAR_SESSION_NULL) return MPI_T_ERR_INVALID_SESSION;
  return handle == MPI_T_PVAR_ALL_HANDLES || session->holds(handle) ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

/// The code of a function that changes a variable, as no program may.
int refuse_change(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code) {
  const int found = code_of(session, handle);
  if (found != MPI_SUCCESS) return found;
  return handle == MPI_T_PVAR_ALL_HANDLES ? MPI_SUCCESS : code;  // all that can be changed, which is none
}

}  // namespace

IMBREX_MPI_DEFINE(int, T_init_thread, (int required, int* provided)) {
  ++uses;
  if (provided != nullptr) *provided = std::min(required, int{MPI_THREAD_FUNNELED});
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_finalize, (void)) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  --uses;
  return MPI_SUCCESS;
}

// ---- control variables, categories and enumerations: there are none

IMBREX_MPI_DEFINE(int, T_cvar_get_num, (int* num_cvar)) { return none(num_cvar); }
IMBREX_MPI_DEFINE(int, T_cvar_get_index, (const char* /*name*/, int* /*cvar_index*/)) { return no_name(); }
IMBREX_MPI_DEFINE(int, T_cvar_get_info,
                  (int /*cvar_index*/, char* /*name*/, int* /*name_len*/, int* /*verbosity*/,
                   MPI_Datatype* /*datatype*/, MPI_T_enum* /*enumtype*/, char* /*desc*/, int* /*desc_len*/,
                   int* /*bind*/, int* /*scope*/)) {
  return no_index();
}
IMBREX_MPI_DEFINE(int, T_cvar_handle_alloc,
                  (int /*cvar_index*/, void* /*obj_handle*/, MPI_T_cvar_handle* /*handle*/, int* /*count*/)) {
  return no_index();
}
IMBREX_MPI_DEFINE(int, T_cvar_handle_free, (MPI_T_cvar_handle* /*handle*/)) { return no_handle(); }
IMBREX_MPI_DEFINE(int, T_cvar_read, (MPI_T_cvar_handle /*handle*/, void* /*buf*/)) { return no_handle(); }
IMBREX_MPI_DEFINE(int, T_cvar_write, (MPI_T_cvar_handle /*handle*/, const void* /*buf*/)) {
  return no_handle();
}
IMBREX_MPI_DEFINE(int, T_category_get_num, (int* num_cat)) { return none(num_cat); }
IMBREX_MPI_DEFINE(int, T_category_changed, (int* update_number)) { return none(update_number); }
IMBREX_MPI_DEFINE(int, T_category_get_index, (const char* /*name*/, int* /*cat_index*/)) { return no_name(); }
IMBREX_MPI_DEFINE(int, T_category_get_info,
                  (int /*cat_index*/, char* /*name*/, int* /*name_len*/, char* /*desc*/, int* /*desc_len*/,
                   int* /*num_cvars*/, int* /*num_pvars*/, int* /*num_categories*/)) {
  return no_index();
}
IMBREX_MPI_DEFINE(int, T_category_get_categories, (int /*cat_index*/, int /*len*/, int /*indices*/[])) {
  return no_index();
}
IMBREX_MPI_DEFINE(int, T_category_get_cvars, (int /*cat_index*/, int /*len*/, int /*indices*/[])) {
  return no_index();
}
IMBREX_MPI_DEFINE(int, T_category_get_pvars, (int /*cat_index*/, int /*len*/, int /*indices*/[])) {
  return no_index();
}
IMBREX_MPI_DEFINE(int, T_enum_get_info,
                  (MPI_T_enum /*enumtype*/, int* /*num*/, char* /*name*/, int* /*name_len*/)) {
  return no_handle();
}
IMBREX_MPI_DEFINE(int, T_enum_get_item,
                  (MPI_T_enum /*enumtype*/, int /*indx*/, int* /*value*/, char* /*name*/,
                   int* /*name_len*/)) {
  return no_handle();
}

// ---- performance variables

IMBREX_MPI_DEFINE(int, T_pvar_get_num, (int* num_pvar)) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  *num_pvar = static_cast<int>(variables.size());
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_pvar_get_index, (const char* name, int var_class, int* pvar_index)) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  const auto found = std::ranges::find(variables, std::string_view(name),
                                       [](const auto& each) { return std::string_view(each.name); });
  if (var_class != MPI_T_PVAR_CLASS_LEVEL || found == variables.end()) return MPI_T_ERR_INVALID_NAME;
  *pvar_index = static_cast<int>(found - variables.begin());
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_pvar_get_info,
                  (int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                   MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind,
                   int* readonly, int* continuous, int* atomic)) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (pvar_index < 0 || pvar_index >= static_cast<int>(variables.size())) return MPI_T_ERR_INVALID_INDEX;
  const performance_variable& found = variables[static_cast<std::size_t>(pvar_index)];
  const auto give = [](auto* to, auto value) {
    if (to != nullptr) *to = value;
  };
  give_text(found.name, name, name_len);
  give_text(found.description, desc, desc_len);
  give(verbosity, int{MPI_T_VERBOSITY_USER_BASIC});
  give(var_class, int{MPI_T_PVAR_CLASS_LEVEL});
  give(datatype, MPI_UNSIGNED_LONG_LONG);
  give(enumtype, MPI_T_ENUM_NULL);
  give(bind, int{MPI_T_BIND_NO_OBJECT});
  give(readonly, 1);
  give(continuous, 1);
  give(atomic, 0);
  return MPI_SUCCESS;
}

IMBREX_MPI_DEFINE(int, T_pvar_session_create, (MPI_T_pvar_session * session)) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  *session = std::make_unique<MPIR_T_pvar_session_s>().release();
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_pvar_session_free, (MPI_T_pvar_session * session)) {
  if (uses == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (*session == MPI_T_PVAR_SESSION_NULL) return MPI_T_ERR_INVALID_SESSION;
  const std::unique_ptr<MPIR_T_pvar_session_s> ended(std::exchange(*session, MPI_T_PVAR_SESSION_NULL));
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_pvar_handle_alloc,
                  (MPI_T_pvar_session session, int pvar_index, void* /*obj_handle*/,
                   MPI_T_pvar_handle* handle, int* count)) {
  if (const int code = code_of(session, MPI_T_PVAR_ALL_HANDLES); code != MPI_SUCCESS) return code;
  if (pvar_index < 0 || pvar_index >= static_cast<int>(variables.size())) return MPI_T_ERR_INVALID_INDEX;
  session->handles.push_back(std::make_unique<MPIR_T_pvar_handle_s>(pvar_index));
  *handle = session->handles.back().get();
  *count = 1;
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle* handle)) {
  if (const int code = code_of(session, *handle); code != MPI_SUCCESS) return code;
  if (*handle == MPI_T_PVAR_HANDLE_NULL) return MPI_T_ERR_INVALID_HANDLE;
  std::erase_if(session->handles, [&](const auto& each) { return each.get() == *handle; });
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf)) {
  if (const int code = code_of(session, handle); code != MPI_SUCCESS) return code;
  if (handle == MPI_T_PVAR_HANDLE_NULL) return MPI_T_ERR_INVALID_HANDLE;
  const pvar_value value = variables[static_cast<std::size_t>(handle->variable)].read(rank_data::here());
  std::memcpy(buf, &value, sizeof value);
  return MPI_SUCCESS;
}

// The variables are read-only and continuous.
IMBREX_MPI_DEFINE(int, T_pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void*)) {
  return refuse_change(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC);
}
IMBREX_MPI_DEFINE(int, T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  return refuse_change(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}
IMBREX_MPI_DEFINE(int, T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  return refuse_change(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}
IMBREX_MPI_DEFINE(int, T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  return refuse_change(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}
IMBREX_MPI_DEFINE(int, T_pvar_write, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void*)) {
  return refuse_change(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

}  // namespace imbrex::mpi
