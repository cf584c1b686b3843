// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/operation/operation.hpp>

#include <cstdint>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

void reduce_here(const void* in, void* inout, std::int64_t count, MPI_Datatype handle, MPI_Op op) {
  const operation& how = objects().op(op);
  const datatype_ref type = objects().type(handle);
  (void)type->bytes(count);
  if (!type->is_committed())
    throw error(MPI_ERR_TYPE,
                "the datatype " + text_of_handle(handle) + " is not committed: call MPI_Type_commit before");
  how.check(*type);
  if (in == MPI_IN_PLACE || inout == MPI_IN_PLACE)
    throw error(MPI_ERR_BUFFER, "MPI_IN_PLACE is no buffer of this function; give both buffers");
  if (count > 0 && in == inout)
    throw error(MPI_ERR_BUFFER, "both buffers are the same; give two that do not overlap");
  require_host_memory(in, "the buffer");
  require_host_memory(inout, "the buffer");
  how.apply(in, inout, count, *type, handle);
}

}  // namespace

IMBREX_MPI_DEFINE(int, Op_create, (MPI_User_function * user_fn, int commute, MPI_Op* op)) {
  return call("MPI_Op_create", [&] { *op = objects().add(new operation(user_fn, commute != 0)); });
}
IMBREX_MPI_DEFINE(int, Op_create_c, (MPI_User_function_c * user_fn, int commute, MPI_Op* op)) {
  return call("MPI_Op_create_c", [&] { *op = objects().add(new operation(user_fn, commute != 0)); });
}
IMBREX_MPI_DEFINE(int, Op_free, (MPI_Op * op)) {
  return call("MPI_Op_free", [&] {
    objects().remove_op(*op);
    *op = MPI_OP_NULL;
  });
}
IMBREX_MPI_DEFINE(int, Op_commutative, (MPI_Op op, int* commute)) {
  return call("MPI_Op_commutative", [&] { *commute = objects().op(op).commutes(); });
}
IMBREX_MPI_DEFINE(int, Reduce_local,
                  (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)) {
  return call("MPI_Reduce_local", [&] { reduce_here(inbuf, inoutbuf, count, datatype, op); });
}
IMBREX_MPI_DEFINE(int, Reduce_local_c,
                  (const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op)) {
  return call("MPI_Reduce_local_c", [&] { reduce_here(inbuf, inoutbuf, count, datatype, op); });
}

}  // namespace imbrex::mpi
