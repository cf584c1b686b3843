// SPDX-License-Identifier: Apache-2.0
// Functions that create, query and free communicators.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/api/creation.hpp>
#include <imbrex/mpi/api/define.hpp>

namespace imbrex::mpi {

namespace {

/// Returns a new communicator's handle; MPI_COMM_NULL for ranks that are not members.
void give(rank_data& data, const ref<communicator>& result, MPI_Comm* to) {
  *to = result ? data.add(result) : MPI_COMM_NULL;
}

void require_one_group(const communicator& in) {
  if (in.is_inter())
    throw error(
        MPI_ERR_COMM,
        "the communicator is between two groups; give one of one group, as MPI_Intercomm_merge makes");
}
void require_two_groups(const communicator& in) {
  if (!in.is_inter())
    throw error(MPI_ERR_COMM, "the communicator has one group; give one that MPI_Intercomm_create has made");
}

/// Copies attributes to a new communicator by their copy functions.
void copy_attributes(const communicator& from, communicator& to) {
  from.attributes.copy(from.handle(), to.attributes);
}

int duplicate_now(const char* function, MPI_Comm comm, const MPI_Info* hints, MPI_Comm* newcomm) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    const ref<communicator> result = same_members(in);
    result->hints = hints != nullptr ? known_hints(data, *hints) : in.hints;
    result->topology = in.topology;
    copy_attributes(in, *result);
    data.self().await(begin_numbering(data, in, result, purpose::duplication)->awaited());
    give(data, result, newcomm);
  });
}

/// The handle is valid at once, the communicator when the request is complete.
int begin_duplicate(const char* function, MPI_Comm comm, const MPI_Info* hints, MPI_Comm* newcomm,
                    MPI_Request* request) {
  return call_on(function, comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    const ref<communicator> result = same_members(in);
    result->hints = hints != nullptr ? known_hints(data, *hints) : in.hints;
    result->topology = in.topology;
    copy_attributes(in, *result);
    *request = data.requests.add(begin_numbering(data, in, result, purpose::duplication));
    give(data, result, newcomm);
  });
}

void free_communicator(rank_data& data, communicator& in, MPI_Comm* handle) {
  if (data.is_predefined(in))
    throw error(
        MPI_ERR_COMM,
        in.description() + " belongs to MPI itself; free only communicators that the program has made");
  in.attributes.clear(*handle);
  data.remove(*handle);
  *handle = MPI_COMM_NULL;
}

int color_of_hardware(rank_data& data, int split_type, MPI_Info hints) {
  const int process = extension::run_handle::here().process();
  switch (split_type) {
    case MPI_UNDEFINED: return MPI_UNDEFINED;
    case MPI_COMM_TYPE_SHARED: return process;
    case MPI_COMM_TYPE_HW_GUIDED: {
      // The only part of a machine that is known here is memory shared by ranks.
      const std::string* const type =
          hints == MPI_INFO_NULL ? nullptr : data.objects().information(hints).find("mpi_hw_resource_type");
      return type != nullptr && *type == "mpi_shared_memory" ? process : MPI_UNDEFINED;
    }
    case MPI_COMM_TYPE_HW_UNGUIDED: return MPI_UNDEFINED;
    default:
      throw error(MPI_ERR_ARG, "the type of the split is " + std::to_string(split_type) +
                                   "; give MPI_COMM_TYPE_SHARED, another MPI_COMM_TYPE_... or MPI_UNDEFINED");
  }
}

int compare(const communicator& a, const communicator& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
  if (a.members().is_same(b.members()) && a.remote().is_same(b.remote())) return MPI_CONGRUENT;
  return a.members().is_similar(b.members()) && a.remote().is_similar(b.remote()) ? MPI_SIMILAR : MPI_UNEQUAL;
}

void check_leader(const char* what, int rank, int ranks) {
  if (rank < 0 || rank >= ranks)
    throw error(MPI_ERR_RANK, std::string(what) + " is rank " + std::to_string(rank) +
                                  ", and its communicator has ranks 0 to " + std::to_string(ranks - 1));
}

}  // namespace

info known_hints(rank_data& data, MPI_Info handle) {
  info known;
  if (handle == MPI_INFO_NULL) return known;
  const info& hints = data.objects().information(handle);
  for (const char* key : {"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
                          "mpi_assert_allow_overtaking"})
    if (const std::string* const value = hints.find(key)) known.set(key, *value);
  return known;
}

int tag_of(const char* text) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char* at = text; *at != '\0'; ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * 16777619;
  return static_cast<int>(hash & 0x3fffffffU);
}

// ---- queries

IMBREX_MPI_DEFINE(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  return call_on("MPI_Comm_rank", comm, [&](rank_data&, communicator& in) { *rank = in.rank(); });
}
IMBREX_MPI_DEFINE(int, Comm_size, (MPI_Comm comm, int* size)) {
  return call_on("MPI_Comm_size", comm, [&](rank_data&, communicator& in) { *size = in.size(); });
}
IMBREX_MPI_DEFINE(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  return call_on("MPI_Comm_group", comm,
                 [&](rank_data& data, communicator& in) { *group = data.objects().add(in.members()); });
}
IMBREX_MPI_DEFINE(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
  return call_on("MPI_Comm_test_inter", comm,
                 [&](rank_data&, communicator& in) { *flag = in.is_inter() ? 1 : 0; });
}
IMBREX_MPI_DEFINE(int, Comm_remote_size, (MPI_Comm comm, int* size)) {
  return call_on("MPI_Comm_remote_size", comm, [&](rank_data&, communicator& in) {
    require_two_groups(in);
    *size = in.remote().size();
  });
}
IMBREX_MPI_DEFINE(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  return call_on("MPI_Comm_remote_group", comm, [&](rank_data& data, communicator& in) {
    require_two_groups(in);
    *group = data.objects().add(in.remote());
  });
}
IMBREX_MPI_DEFINE(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result)) {
  return call_on("MPI_Comm_compare", comm1,
                 [&](rank_data& data, communicator& in) { *result = compare(in, *data.at(comm2)); });
}

IMBREX_MPI_DEFINE(int, Comm_get_name, (MPI_Comm comm, char* comm_name, int* resultlen)) {
  if (comm == MPI_COMM_NULL)
    return call_running("MPI_Comm_get_name", [&](rank_data&) {
      std::strcpy(comm_name, "MPI_COMM_NULL");
      *resultlen = static_cast<int>(std::strlen(comm_name));
    });
  return call_on("MPI_Comm_get_name", comm, [&](rank_data&, communicator& in) {
    std::memcpy(comm_name, in.name.c_str(), in.name.size() + 1);
    *resultlen = static_cast<int>(in.name.size());
  });
}
IMBREX_MPI_DEFINE(int, Comm_set_name, (MPI_Comm comm, const char* comm_name)) {
  return call_on("MPI_Comm_set_name", comm, [&](rank_data&, communicator& in) {
    if (comm_name == nullptr)
      throw error(MPI_ERR_ARG, "the name is a null pointer; give a text, \"\" to have none");
    in.name.assign(comm_name, ::strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1));
  });
}
IMBREX_MPI_DEFINE(int, Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  return call_on("MPI_Comm_set_info", comm, [&](rank_data& data, communicator& in) {
    const mpi::info known = known_hints(data, info);
    for (const auto& [key, value] : known.pairs()) in.hints.set(key, value);
  });
}
IMBREX_MPI_DEFINE(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info_used)) {
  return call_on("MPI_Comm_get_info", comm,
                 [&](rank_data& data, communicator& in) { *info_used = data.objects().add(info(in.hints)); });
}

// ---- error handlers

namespace {

void set_handler(rank_data& data, communicator& in, MPI_Errhandler handle) {
  const ref<error_handler> handler = data.objects().handler(handle);
  if (handler->what == error_handler::action::call && handler->of != handle_kind::communicator)
    throw error(MPI_ERR_ARG, "the error handler " + text_of_handle(handle) + " is one of a " +
                                 name_of(handler->of) +
                                 "; make one by MPI_Comm_create_errhandler for a communicator");
  in.set_handler(handler);
}

}  // namespace

IMBREX_MPI_DEFINE(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  return call_on("MPI_Comm_set_errhandler", comm,
                 [&](rank_data& data, communicator& in) { set_handler(data, in, errhandler); });
}
IMBREX_MPI_DEFINE(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  return call_on("MPI_Errhandler_set", comm,
                 [&](rank_data& data, communicator& in) { set_handler(data, in, errhandler); });
}
IMBREX_MPI_DEFINE(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  return call_on("MPI_Comm_get_errhandler", comm,
                 [&](rank_data& data, communicator& in) { *errhandler = data.objects().add(in.handler()); });
}
IMBREX_MPI_DEFINE(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  return call_on("MPI_Errhandler_get", comm,
                 [&](rank_data& data, communicator& in) { *errhandler = data.objects().add(in.handler()); });
}
IMBREX_MPI_DEFINE(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode)) {
  // Calls the handler as if a call had failed; MPI_Comm_call_errhandler itself succeeds.
  return call_on("MPI_Comm_call_errhandler", comm, [&](rank_data& data, communicator& in) {
    data.objects().raise(error(errorcode, data.objects().codes.text_of(errorcode)),
                         "MPI_Comm_call_errhandler", &in);
  });
}

// ---- creation

IMBREX_MPI_DEFINE(int, Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm)) {
  return duplicate_now("MPI_Comm_dup", comm, nullptr, newcomm);
}
IMBREX_MPI_DEFINE(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)) {
  return duplicate_now("MPI_Comm_dup_with_info", comm, &info, newcomm);
}
IMBREX_MPI_DEFINE(int, Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request)) {
  return begin_duplicate("MPI_Comm_idup", comm, nullptr, newcomm, request);
}
IMBREX_MPI_DEFINE(int, Comm_idup_with_info,
                  (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request)) {
  return begin_duplicate("MPI_Comm_idup_with_info", comm, &info, newcomm, request);
}

IMBREX_MPI_DEFINE(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)) {
  return call_on("MPI_Comm_create", comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    give(data, make_part(data, in, data.objects().members(group), purpose::part), newcomm);
  });
}
IMBREX_MPI_DEFINE(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm)) {
  return call_on("MPI_Comm_create_group", comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    require_one_group(in);
    check_tag(tag);
    give(data, make_part_alone(data, in, data.objects().members(group), tag), newcomm);
  });
}
IMBREX_MPI_DEFINE(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm)) {
  return call_on("MPI_Comm_split", comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    if (color < 0 && color != MPI_UNDEFINED)
      throw error(MPI_ERR_ARG, "the colour is " + std::to_string(color) +
                                   "; it must not be negative, or MPI_UNDEFINED to take no part");
    give(data, split(data, in, color, key, purpose::split), newcomm);
  });
}
IMBREX_MPI_DEFINE(int, Comm_split_type,
                  (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm)) {
  return call_on("MPI_Comm_split_type", comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    const ref<communicator> result =
        split(data, in, color_of_hardware(data, split_type, info), key, purpose::split);
    if (result) result->hints = known_hints(data, info);
    give(data, result, newcomm);
  });
}

IMBREX_MPI_DEFINE(int, Intercomm_create,
                  (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                   MPI_Comm* newintercomm)) {
  return call_on("MPI_Intercomm_create", local_comm, [&](rank_data& data, communicator& local) {
    *newintercomm = MPI_COMM_NULL;
    require_one_group(local);
    check_leader("the local leader", local_leader, local.size());
    check_tag(tag);
    ref<communicator> peer;
    if (local.rank() == local_leader) {
      peer = data.at(peer_comm);
      check_leader("the remote leader", remote_leader, peer->remote().size());
    }
    give(data, connect(data, local, local_leader, peer.get(), remote_leader, tag), newintercomm);
  });
}
IMBREX_MPI_DEFINE(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm)) {
  return call_on("MPI_Intercomm_merge", intercomm, [&](rank_data& data, communicator& in) {
    *newintracomm = MPI_COMM_NULL;
    require_two_groups(in);
    give(data, merge(data, in, high != 0), newintracomm);
  });
}
IMBREX_MPI_DEFINE(int, Intercomm_create_from_groups,
                  (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                   const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm)) {
  return call_running("MPI_Intercomm_create_from_groups", [&](rank_data& data) {
    *newintercomm = MPI_COMM_NULL;
    const group here = data.objects().members(local_group);
    const group there = data.objects().members(remote_group);
    check_leader("the local leader", local_leader, here.size());
    check_leader("the remote leader", remote_leader, there.size());
    const int tag = tag_of(stringtag);
    const ref<communicator> local = make_part_alone(data, data.world(), here, tag);
    if (!local)
      throw error(MPI_ERR_GROUP, "this rank is no member of the local group; only members call the function");
    const ref<communicator> result =
        connect(data, *local, local_leader, &data.world(), there.world_rank(remote_leader), tag);
    result->hints = known_hints(data, info);
    set_handler(data, *result, errhandler);
    give(data, result, newintercomm);
  });
}

// ---- destruction

IMBREX_MPI_DEFINE(int, Comm_free, (MPI_Comm * comm)) {
  return call_on("MPI_Comm_free", *comm,
                 [&](rank_data& data, communicator& in) { free_communicator(data, in, comm); });
}
IMBREX_MPI_DEFINE(int, Comm_disconnect, (MPI_Comm * comm)) {
  return call_on("MPI_Comm_disconnect", *comm, [&](rank_data& data, communicator& in) {
    std::vector<request*> under_way;
    data.requests.for_each([&](int, user_request& q) {
      if (q.in() == &in && q.is_active()) under_way.push_back(&q.awaited());
    });
    data.self().await_all(under_way);
    free_communicator(data, in, comm);
  });
}
IMBREX_MPI_DEFINE(int, Comm_get_parent, (MPI_Comm * parent)) {
  // All ranks start together: no rank has been spawned.
  return call_running("MPI_Comm_get_parent", [&](rank_data&) { *parent = MPI_COMM_NULL; });
}

}  // namespace imbrex::mpi
