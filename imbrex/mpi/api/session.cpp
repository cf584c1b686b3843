// SPDX-License-Identifier: Apache-2.0
// Sessions (MPI 4.1, section 11.3). All sessions of a rank share its ranks of MPI_COMM_WORLD.
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include <imbrex/mpi/api/creation.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

constexpr std::array<const char*, 2> names_of_sets{"mpi://WORLD", "mpi://SELF"};

/// The ranks of a set of processes, whose names are equal in upper and lower case.
group members_of_set(const rank_data& data, const char* name) {
  if (name == nullptr)
    throw error(MPI_ERR_ARG, "the name of the process set is a null pointer; give mpi://WORLD or mpi://SELF");
  if (::strcasecmp(name, names_of_sets[0]) == 0) return data.world().members();
  if (::strcasecmp(name, names_of_sets[1]) == 0) return {data.self().number(), 1};
  throw error(MPI_ERR_ARG, "there is no process set '" + std::string(name) +
                               "'; there are mpi://WORLD and "
                               "mpi://SELF");
}

constexpr std::array<const char*, 4> names_of_levels{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                                     "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

/// The level of threads that a session gets: the highest one, or the lower one that it asks for.
const char* level_for(rank_data& data, MPI_Info wish) {
  std::size_t level = MPI_THREAD_FUNNELED;
  if (wish == MPI_INFO_NULL) return names_of_levels[level];
  if (const std::string* const text = data.objects().information(wish).find("thread_level")) {
    const auto at =
        std::ranges::find(names_of_levels, *text, [](const char* name) { return std::string(name); });
    if (at == names_of_levels.end())
      throw error(MPI_ERR_INFO_VALUE,
                  "the thread_level '" + *text + "' is no level of threads, such as MPI_THREAD_FUNNELED");
    level = std::min(level, static_cast<std::size_t>(at - names_of_levels.begin()));
  }
  return names_of_levels[level];
}

ref<error_handler> handler_of(rank_data& data, MPI_Errhandler handle, handle_kind kind) {
  const ref<error_handler> handler = data.objects().handler(handle);
  if (handler->what == error_handler::action::call && handler->of != kind)
    throw error(MPI_ERR_ARG, "the error handler " + text_of_handle(handle) + " is one of a " +
                                 name_of(handler->of) + "; make one for a " + name_of(kind));
  return handler;
}

/// Like `call_running`, with a session whose error handler gets the errors: body(data, session).
template <typename Body>
int call_in_session(const char* function, MPI_Session handle, Body&& body) {
  rank_data& data = rank_data::here();
  error_target* owner = data.objects().world;
  ref<session> in;  // keeps the session until errors are handled
  return run_call(data.objects(), function, owner, [&] {
    in = data.sessions.share(handle);
    owner = in.get();
    const call_frame frame(data.self(), {function, nullptr, nullptr});
    body(data, *in);
  });
}

/// Calls body(data) before and after MPI_Init, too. Errors go to the error handler with this handle.
template <typename Body>
int call_with_handler(const char* function, MPI_Errhandler handle, Body&& body) {
  rank_data& data = rank_data::here();
  error_target* owner = data.objects().world;
  std::optional<error_target> of_call;
  return run_call(data.objects(), function, owner, [&] {
    of_call.emplace(MPI_COMM_NULL, data.objects().handler(handle));
    owner = &*of_call;
    const call_frame frame(data.self(), {function, nullptr, nullptr});
    body(data);
  });
}

}  // namespace

IMBREX_MPI_DEFINE(int, Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session* result)) {
  return call_with_handler("MPI_Session_init", errhandler, [&](rank_data& data) {
    *result = MPI_SESSION_NULL;
    const ref<session> begun(new session(0, handler_of(data, errhandler, handle_kind::session)));
    begun->settings.set("thread_level", level_for(data, info));
    begun->set_handle(data.sessions.add(begun));
    ++data.life.open_sessions;
    data.now = rank_data::phase::running;
    *result = begun->handle();
  });
}
IMBREX_MPI_DEFINE(int, Session_finalize, (MPI_Session * handle)) {
  return call_in_session("MPI_Session_finalize", *handle, [&](rank_data& data, session&) {
    if (data.life.open_sessions == 1 && data.life.initialised != rank_data::phase::running) {
      data.buffered.detach(data.self());
      data.now = data.life.initialised;
    }
    --data.life.open_sessions;
    data.sessions.remove(*handle);
    *handle = MPI_SESSION_NULL;
  });
}

IMBREX_MPI_DEFINE(int, Session_get_info, (MPI_Session handle, MPI_Info* info_used)) {
  return call_in_session("MPI_Session_get_info", handle, [&](rank_data& data, session& in) {
    *info_used = data.objects().add(info(in.settings));
  });
}
IMBREX_MPI_DEFINE(int, Session_get_num_psets, (MPI_Session handle, MPI_Info /*info*/, int* npset_names)) {
  return call_in_session("MPI_Session_get_num_psets", handle,
                         [&](rank_data&, session&) { *npset_names = int(names_of_sets.size()); });
}
IMBREX_MPI_DEFINE(int, Session_get_nth_pset,
                  (MPI_Session handle, MPI_Info /*info*/, int n, int* pset_len, char* pset_name)) {
  return call_in_session("MPI_Session_get_nth_pset", handle, [&](rank_data&, session&) {
    if (n < 0 || n >= int(names_of_sets.size()))
      throw error(MPI_ERR_ARG, "the number of the process set is " + std::to_string(n) +
                                   "; there are sets 0 to " + std::to_string(names_of_sets.size() - 1));
    const std::string name = names_of_sets[static_cast<std::size_t>(n)];
    if (*pset_len > 0) {
      const std::size_t most = std::min(name.size(), static_cast<std::size_t>(*pset_len) - 1);
      std::memcpy(pset_name, name.data(), most);
      pset_name[most] = '\0';
    }
    *pset_len = static_cast<int>(name.size()) + 1;
  });
}
IMBREX_MPI_DEFINE(int, Session_get_pset_info, (MPI_Session handle, const char* pset_name, MPI_Info* result)) {
  return call_in_session("MPI_Session_get_pset_info", handle, [&](rank_data& data, session&) {
    *result = MPI_INFO_NULL;
    info of_set;
    of_set.set("mpi_size", std::to_string(members_of_set(data, pset_name).size()));
    *result = data.objects().add(std::move(of_set));
  });
}
IMBREX_MPI_DEFINE(int, Group_from_session_pset,
                  (MPI_Session handle, const char* pset_name, MPI_Group* newgroup)) {
  return call_in_session("MPI_Group_from_session_pset", handle, [&](rank_data& data, session&) {
    *newgroup = MPI_GROUP_NULL;
    *newgroup = data.objects().add(members_of_set(data, pset_name));
  });
}

IMBREX_MPI_DEFINE(int, Comm_create_from_group,
                  (MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                   MPI_Comm* newcomm)) {
  return call_with_handler("MPI_Comm_create_from_group", errhandler, [&](rank_data& data) {
    *newcomm = MPI_COMM_NULL;
    data.require_running("MPI_Comm_create_from_group");
    const mpi::group members = data.objects().members(group);
    if (members.size() == 0) return;
    if (stringtag == nullptr)
      throw error(MPI_ERR_ARG, "the tag is a null pointer; give a text that all members give");
    if (members.rank_of(data.self().number()) == mpi::group::none)
      throw error(MPI_ERR_GROUP, "this rank is no member of the group; only members call the function");
    const ref<communicator> result = make_part_alone(data, data.world(), members, tag_of(stringtag));
    result->hints = known_hints(data, info);
    result->set_handler(handler_of(data, errhandler, handle_kind::communicator));
    *newcomm = data.add(result);
  });
}

IMBREX_MPI_DEFINE(int, Session_create_errhandler,
                  (MPI_Session_errhandler_function * session_errhandler_fn, MPI_Errhandler* errhandler)) {
  return call("MPI_Session_create_errhandler", [&] {
    *errhandler = objects().add(new error_handler(
        handle_kind::session, reinterpret_cast<error_handler::function*>(session_errhandler_fn)));
  });
}
IMBREX_MPI_DEFINE(int, Session_set_errhandler, (MPI_Session handle, MPI_Errhandler errhandler)) {
  return call_in_session("MPI_Session_set_errhandler", handle, [&](rank_data& data, session& in) {
    in.set_handler(handler_of(data, errhandler, handle_kind::session));
  });
}
IMBREX_MPI_DEFINE(int, Session_get_errhandler, (MPI_Session handle, MPI_Errhandler* errhandler)) {
  return call_in_session("MPI_Session_get_errhandler", handle, [&](rank_data& data, session& in) {
    *errhandler = data.objects().add(in.handler());
  });
}
IMBREX_MPI_DEFINE(int, Session_call_errhandler, (MPI_Session handle, int errorcode)) {
  return call_in_session("MPI_Session_call_errhandler", handle, [&](rank_data& data, session& in) {
    data.objects().raise(error(errorcode, data.objects().codes.text_of(errorcode)),
                         "MPI_Session_call_errhandler", &in);
  });
}

}  // namespace imbrex::mpi
