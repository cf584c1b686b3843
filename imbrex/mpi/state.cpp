// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/state.hpp>

#include <string>

#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/rank/balancing.hpp>
#include <imbrex/mpi/rank/packet.hpp>

namespace imbrex::mpi {

namespace {

// Context numbers of MPI_COMM_WORLD and of MPI_COMM_SELF; those of a rank's new communicators follow.
constexpr context_id context_of_world = 0;
constexpr std::uint32_t number_of_own = 1;

/// Context of the n-th communicator that a rank has made.
context_id context_of(int rank, std::uint32_t n) {
  return (static_cast<context_id>(rank) << 32U | n) * contexts_each;
}

[[noreturn]] void fail(const std::string& message) {
  extension::run_handle::here().fail(message);
  rank::current()->stop();
}

}  // namespace

user_message::~user_message() {
  if (found != nullptr) packet::release(*found);
}

rank_data::rank_data(rank& of)
    : files{decltype(files.open)(), file_object(0, ref(predefined_error_handler(MPI_ERRORS_RETURN)))},
      self_(of),
      objects_(of.number(), &fail),
      world_(new communicator(MPI_COMM_WORLD, context_of_world, group(0, of.ranks()), of.number(),
                              objects_.handler(MPI_ERRORS_ARE_FATAL))),
      own_(new communicator(MPI_COMM_SELF, context_of(of.number(), number_of_own), group(of.number(), 1), 0,
                            objects_.handler(MPI_ERRORS_ARE_FATAL))),
      contexts_(number_of_own + 1) {
  world_->name = "MPI_COMM_WORLD";
  own_->name = "MPI_COMM_SELF";
  objects_.world = world_.get();
  objects_.world_size = of.ranks();
  points.are_counted = has_balance_points(of);
}

rank_data::~rank_data() = default;

rank_data& rank_data::here() {
  rank* const self = rank::current();
  if (self == nullptr) [[unlikely]]
    refuse_call();
  return static_cast<rank_data&>(self->state());
}

const ref<communicator>& rank_data::other(MPI_Comm handle) const {
  if (handle == MPI_COMM_SELF) return own_;
  if (handle == MPI_COMM_NULL)
    throw error(MPI_ERR_COMM,
                "the communicator is MPI_COMM_NULL; this rank may be no member of it; call the function on "
                "members alone");
  return communicators_.share(handle);
}

int rank_data::add(const ref<communicator>& new_object) {
  new_object->set_handle(communicators_.add(new_object));
  return new_object->handle();
}

void rank_data::remove(MPI_Comm handle) { communicators_.remove(handle); }

context_id rank_data::new_context() { return context_of(self_.number(), contexts_++); }

int* rank_data::predefined_attribute(int key) {
  switch (key) {
    case MPI_TAG_UB: attributes_.tag_ub = most_tag; return &attributes_.tag_ub;
    case MPI_HOST: attributes_.host = MPI_PROC_NULL; return &attributes_.host;
    case MPI_IO: attributes_.io = MPI_ANY_SOURCE; return &attributes_.io;
    case MPI_WTIME_IS_GLOBAL:  // processes have clocks of their own, but in simulated time
      attributes_.wtime_is_global = extension::run_handle::here().processes() == 1 ? 1 : 0;
      return &attributes_.wtime_is_global;
    case MPI_UNIVERSE_SIZE: attributes_.universe_size = self_.ranks(); return &attributes_.universe_size;
    case MPI_LASTUSEDCODE:
      attributes_.last_used_code = objects_.codes.last_used();
      return &attributes_.last_used_code;
    case MPI_APPNUM: attributes_.appnum = program::current().number; return &attributes_.appnum;
    default: return nullptr;
  }
}

void rank_data::throw_not_running(const char* function) const {
  throw error(MPI_ERR_OTHER,
              std::string(function) +
                  (now == phase::before ? " was called before MPI_Init; call that first"
                                        : " was called after MPI_Finalize, which ends MPI; call it before"));
}

std::string describe_communicator(const void* which) {
  return static_cast<const communicator*>(which)->description();
}

user_buffer checked_shape(rank_data& data, const send_argument& which) {
  const auto& [address, count, type] = which;
  if (count < 0)
    throw error(MPI_ERR_COUNT, "the count is " + std::to_string(count) + "; it must not be negative");
  user_buffer buffer{const_cast<void*>(address), count, data.objects().type(type)};
  if (!buffer.type->is_committed())
    throw error(MPI_ERR_TYPE,
                "the datatype " + text_of_handle(type) + " is not committed; call MPI_Type_commit first");
  if (address == nullptr && count > 0 && buffer.type->size() > 0 && buffer.type->true_lower_bound() == 0)
    throw error(MPI_ERR_BUFFER,
                "the buffer of " + std::to_string(count) + " elements is a null pointer; give their address");
  if (address == MPI_IN_PLACE)
    throw error(MPI_ERR_BUFFER, "MPI_IN_PLACE stands where it has no meaning; give a buffer");
  return buffer;
}

user_buffer checked_buffer(rank_data& data, const send_argument& which, memory_use where) {
  user_buffer buffer = checked_shape(data, which);
  device_memory& devices = data.self().devices;
  if (!devices.any()) [[likely]]
    return buffer;
  const address_range extent = buffer.extent();
  buffer.on = extent.bytes > 0 ? devices.find(extent.first) : nullptr;
  if (buffer.on == nullptr) return buffer;
  if (where == memory_use::host) throw_on_device(*buffer.on, "the buffer");
  devices.check(extent.first, extent.bytes, *buffer.on);
  return buffer;
}

void require_host_memory(const void* address, const char* what) {
  rank* const self = rank::current();
  if (self == nullptr) return;
  if (const device* const on = self->devices.find(address)) throw_on_device(*on, what);
}

void throw_wrong_rank(const communicator& in, int rank, const char* what) {
  throw error(MPI_ERR_RANK, std::string(what) + " is rank " + std::to_string(rank) + ", and " +
                                describe_communicator(&in) + " has ranks 0 to " +
                                std::to_string(in.remote().size() - 1));
}

void throw_wrong_tag(int tag) {
  throw error(MPI_ERR_TAG, "the tag is " + std::to_string(tag) + "; it must be from 0 to MPI_TAG_UB, " +
                               std::to_string(most_tag));
}

}  // namespace imbrex::mpi
