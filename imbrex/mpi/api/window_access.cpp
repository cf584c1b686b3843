// SPDX-License-Identifier: Apache-2.0
// Accesses to windows.
#include <imbrex/mpi/api/window.hpp>

#include <utility>

#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/window/accumulation.hpp>

namespace imbrex::mpi {

namespace {

/// The target's arguments of a call.
struct target_arguments {
  MPI_Win window;
  int rank;
  MPI_Aint displacement;
  std::int64_t count;
  MPI_Datatype type;
};

origin_accesses::place checked_target(rank_data& data, const target_arguments& to) {
  if (to.count < 0)
    throw error(MPI_ERR_COUNT,
                "the count of the target is " + std::to_string(to.count) + "; it must not be negative");
  user_buffer at{nullptr, to.count, data.objects().type(to.type)};
  if (!at.type->is_committed())
    throw error(MPI_ERR_TYPE,
                "the datatype " + text_of_handle(to.type) + " is not committed; call MPI_Type_commit first");
  return {to.rank, to.displacement, std::move(at)};
}

/// Calls access(window, rma_request) to start the access; for MPI_PROC_NULL it only completes the request.
/// `handle` is null for a call without a request.
template <typename Access>
void begin_access(rank_data& data, window& of, int target, MPI_Request* handle, Access access) {
  if (handle == nullptr) {
    if (target != MPI_PROC_NULL) access(of, nullptr);
    return;
  }
  const ref<access_request> rma_request(new access_request);
  rma_request->start(data.self());
  try {
    if (target != MPI_PROC_NULL)
      access(of, rma_request.get());
    else
      data.self().complete(rma_request->awaited());
  } catch (...) {
    data.self().complete(rma_request->awaited());
    throw;
  }
  *handle = data.requests.add(ref<user_request>(rma_request.get()));
  // Yield as a flush does, so that a rank that polls by repeated accesses lets the changing rank run.
  if (rma_request->is_done()) data.self().give_way();
}

int put(const char* function, const send_argument& origin, const target_arguments& to, MPI_Request* handle) {
  return call_on_window(function, to.window, [&](rank_data& data, window& of) {
    const user_buffer from = checked_buffer(data, origin);
    const origin_accesses::place target = checked_target(data, to);
    begin_access(data, of, to.rank, handle,
                 [&](window& w, access_request* rma_request) { w.accesses.put(from, target, rma_request); });
  });
}

int get(const char* function, const receive_argument& origin, const target_arguments& from,
        MPI_Request* handle) {
  return call_on_window(function, from.window, [&](rank_data& data, window& of) {
    const user_buffer into = checked_buffer(data, origin);
    const origin_accesses::place target = checked_target(data, from);
    begin_access(data, of, from.rank, handle,
                 [&](window& w, access_request* rma_request) { w.accesses.get(into, target, rma_request); });
  });
}

int accumulate(const char* function, const send_argument& origin, const target_arguments& to, MPI_Op op,
               MPI_Request* handle) {
  return call_on_window(function, to.window, [&](rank_data& data, window& of) {
    const user_buffer from = checked_buffer(data, origin);
    const origin_accesses::place target = checked_target(data, to);
    const operation& how = data.objects().op(op);
    check_accumulation(how, from.typed(), target.at.typed());
    begin_access(data, of, to.rank, handle, [&](window& w, access_request* rma_request) {
      w.accesses.accumulate(from, target, how.handle(), rma_request);
    });
  });
}

/// The origin's operand; empty for MPI_NO_OP, which ignores it.
user_buffer checked_operand(rank_data& data, const send_argument& origin, MPI_Op op) {
  if (op != MPI_NO_OP) return checked_buffer(data, origin);
  return {nullptr, 0, datatype_ref(predefined_type(MPI_BYTE))};
}

int get_accumulate(const char* function, const send_argument& origin, const receive_argument& result,
                   const target_arguments& to, MPI_Op op, MPI_Request* handle) {
  return call_on_window(function, to.window, [&](rank_data& data, window& of) {
    const operation& how = data.objects().op(op);
    const user_buffer from = checked_operand(data, origin, op);
    const user_buffer into = checked_buffer(data, result);
    const origin_accesses::place target = checked_target(data, to);
    check_accumulation(how, from.typed(), target.at.typed());
    begin_access(data, of, to.rank, handle, [&](window& w, access_request* rma_request) {
      w.accesses.get_accumulate(from, into, target, how.handle(), rma_request);
    });
  });
}

void require_predefined(MPI_Datatype type) {
  if (predefined_type(type) == nullptr)
    throw error(MPI_ERR_TYPE,
                "the datatype " + text_of_handle(type) +
                    " was made by the program; give one of MPI itself, which stands for one value");
}

bool can_be_compared(element of) {
  switch (of) {
    case element::byte:
    case element::character:
    case element::int8:
    case element::int16:
    case element::int32:
    case element::int64:
    case element::long_integer:
    case element::uint8:
    case element::uint16:
    case element::uint32:
    case element::uint64:
    case element::unsigned_long:
    case element::boolean:
    case element::logical: return true;
    default: return false;
  }
}

}  // namespace

IMBREX_MPI_DEFINE(int, Put,
                  (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)) {
  return put("MPI_Put", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, nullptr);
}
IMBREX_MPI_DEFINE(int, Put_c,
                  (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                   MPI_Datatype target_datatype, MPI_Win win)) {
  return put("MPI_Put_c", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, nullptr);
}
IMBREX_MPI_DEFINE(int, Rput,
                  (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                   MPI_Request* handle)) {
  return put("MPI_Rput", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, handle);
}
IMBREX_MPI_DEFINE(int, Rput_c,
                  (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                   MPI_Datatype target_datatype, MPI_Win win, MPI_Request* handle)) {
  return put("MPI_Rput_c", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, handle);
}

IMBREX_MPI_DEFINE(int, Get,
                  (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)) {
  return get("MPI_Get", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, nullptr);
}
IMBREX_MPI_DEFINE(int, Get_c,
                  (void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)) {
  return get("MPI_Get_c", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, nullptr);
}
IMBREX_MPI_DEFINE(int, Rget,
                  (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                   MPI_Request* handle)) {
  return get("MPI_Rget", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, handle);
}
IMBREX_MPI_DEFINE(int, Rget_c,
                  (void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                   MPI_Request* handle)) {
  return get("MPI_Rget_c", {origin_addr, origin_count, origin_datatype},
             {win, target_rank, target_disp, target_count, target_datatype}, handle);
}

IMBREX_MPI_DEFINE(int, Accumulate,
                  (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                   MPI_Win win)) {
  return accumulate("MPI_Accumulate", {origin_addr, origin_count, origin_datatype},
                    {win, target_rank, target_disp, target_count, target_datatype}, op, nullptr);
}
IMBREX_MPI_DEFINE(int, Accumulate_c,
                  (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)) {
  return accumulate("MPI_Accumulate_c", {origin_addr, origin_count, origin_datatype},
                    {win, target_rank, target_disp, target_count, target_datatype}, op, nullptr);
}
IMBREX_MPI_DEFINE(int, Raccumulate,
                  (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                   MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                   MPI_Win win, MPI_Request* handle)) {
  return accumulate("MPI_Raccumulate", {origin_addr, origin_count, origin_datatype},
                    {win, target_rank, target_disp, target_count, target_datatype}, op, handle);
}
IMBREX_MPI_DEFINE(int, Raccumulate_c,
                  (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* handle)) {
  return accumulate("MPI_Raccumulate_c", {origin_addr, origin_count, origin_datatype},
                    {win, target_rank, target_disp, target_count, target_datatype}, op, handle);
}

IMBREX_MPI_DEFINE(int, Get_accumulate,
                  (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr,
                   int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                   int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)) {
  return get_accumulate("MPI_Get_accumulate", {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {win, target_rank, target_disp, target_count, target_datatype}, op, nullptr);
}
IMBREX_MPI_DEFINE(int, Get_accumulate_c,
                  (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                   MPI_Win win)) {
  return get_accumulate("MPI_Get_accumulate_c", {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {win, target_rank, target_disp, target_count, target_datatype}, op, nullptr);
}
IMBREX_MPI_DEFINE(int, Rget_accumulate,
                  (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr,
                   int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                   int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                   MPI_Request* handle)) {
  return get_accumulate("MPI_Rget_accumulate", {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {win, target_rank, target_disp, target_count, target_datatype}, op, handle);
}
IMBREX_MPI_DEFINE(int, Rget_accumulate_c,
                  (const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                   MPI_Win win, MPI_Request* handle)) {
  return get_accumulate("MPI_Rget_accumulate_c", {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {win, target_rank, target_disp, target_count, target_datatype}, op, handle);
}

IMBREX_MPI_DEFINE(int, Fetch_and_op,
                  (const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                   MPI_Aint target_disp, MPI_Op op, MPI_Win win)) {
  return call_on_window("MPI_Fetch_and_op", win, [&](rank_data& data, window& of) {
    require_predefined(datatype);
    const operation& how = data.objects().op(op);
    const user_buffer from = checked_operand(data, {origin_addr, 1, datatype}, op);
    const user_buffer into = checked_buffer(data, {result_addr, 1, datatype});
    const user_buffer at{nullptr, 1, into.type};
    check_accumulation(how, at.typed(), at.typed());
    if (target_rank != MPI_PROC_NULL)
      of.accesses.get_accumulate(from, into, {target_rank, target_disp, at}, how.handle(), nullptr);
  });
}

IMBREX_MPI_DEFINE(int, Compare_and_swap,
                  (const void* origin_addr, const void* compare_addr, void* result_addr,
                   MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)) {
  return call_on_window("MPI_Compare_and_swap", win, [&](rank_data& data, window& of) {
    require_predefined(datatype);
    for (const void* const each : {origin_addr, compare_addr, static_cast<const void*>(result_addr)})
      (void)checked_buffer(data, {each, 1, datatype});
    const datatype_ref type = data.objects().type(datatype);
    if (!can_be_compared(type->single()))
      throw error(MPI_ERR_TYPE,
                  type->name +
                      " is neither an integer, a logical value, a character nor a byte, and others "
                      "are not compared; give such a type");
    if (target_rank != MPI_PROC_NULL)
      of.accesses.compare_and_swap(origin_addr, compare_addr, result_addr,
                                   {target_rank, target_disp, {nullptr, 1, type}});
  });
}

}  // namespace imbrex::mpi
