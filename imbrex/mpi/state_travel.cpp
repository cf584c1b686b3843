// SPDX-License-Identifier: Apache-2.0
// What the functions of MPI keep for a rank that leaves its process: written as values, not by addresses.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <imbrex/mpi/rank/object_archive.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

template <class T, handle_kind Kind>
bool has_any(const object_table<T, Kind>& objects) {
  bool found = false;
  objects.for_each([&](int, const T&) { found = true; });
  return found;
}

void write_topology(const communicator& of, writer& out) {
  out(static_cast<std::uint32_t>(of.topology.index()));
  if (const auto* const grid = std::get_if<cartesian>(&of.topology)) out(grid->lengths(), grid->periodic());
  if (const auto* const net = std::get_if<graph>(&of.topology)) out(net->index(), net->edges());
  if (const auto* const own = std::get_if<adjacency>(&of.topology)) out(*own);
}

void read_topology(communicator& of, reader& in) {
  std::uint32_t kind = 0;
  in(kind);
  if (kind == 1) {
    std::vector<int> lengths;
    std::vector<bool> periodic;
    in(lengths, periodic);
    of.topology = cartesian(std::move(lengths), std::move(periodic));
  } else if (kind == 2) {
    std::vector<int> index, edges;
    in(index, edges);
    of.topology = graph(std::move(index), std::move(edges));
  } else if (kind == 3) {
    adjacency own;
    in(own);
    of.topology = std::move(own);
  }
}

}  // namespace

void communicator::write(object_writer& to) const {
  writer& out = to.out();
  out(error_target::handle(), context_, rank_, is_inter());
  members_.write(out);
  if (is_inter()) {
    remote_.write(out);
    local_->write(to);
  }
  to.handler(handler());
  out(name, hints, collectives_, persistent_, partitions_, meetings);
  write_topology(*this, out);
  to.attributes(attributes);
}

ref<communicator> communicator::read(object_reader& from) {
  reader& in = from.in();
  int handle = 0, rank = 0;
  context_id context = 0;
  bool is_inter = false;
  in(handle, context, rank, is_inter);
  group members, remote;
  members.read(in);
  ref<communicator> local;
  if (is_inter) {
    remote.read(in);
    local = read(from);
  }
  ref<error_handler> handler = from.handler();
  ref<communicator> result(is_inter ? new communicator(handle, context, members, rank, remote, local, handler)
                                    : new communicator(handle, context, members, rank, handler));
  in(result->name, result->hints, result->collectives_, result->persistent_, result->partitions_,
     result->meetings);
  read_topology(*result, in);
  from.attributes(result->attributes);
  return result;
}

void send_buffer::write(writer& out) const {
  out(reinterpret_cast<std::uintptr_t>(address_), size_, is_attached_);
}

void send_buffer::read(reader& in) {
  std::uintptr_t address = 0;
  in(address, size_, is_attached_);
  address_ = reinterpret_cast<void*>(address);
}

std::string rank_data::obstacle() const {
  if (objects_.calls() > 1) return "it runs a function that MPI has called";
  if (buffered.is_sending()) return "a buffered send of it is under way";
  bool is_active = false;
  requests.for_each([&](int, const user_request& q) { is_active = is_active || q.is_active(); });
  if (is_active) return "a request of it is under way; complete it, as by MPI_Wait";
  if (has_any(requests)) return "it has persistent requests; free them by MPI_Request_free";
  if (has_any(messages)) return "it has found a message by MPI_Mprobe and not received it";
  if (life.open_sessions > 0) return "it has a session; end it by MPI_Session_finalize";
  if (has_any(windows)) return "it has windows; free them by MPI_Win_free";
  if (has_any(files.open)) return "it has files open; close them by MPI_File_close";
  return "";
}

void rank_data::write(writer& out) {
  object_writer to(out);
  out(contexts_, now, life.initialised, life.thread_level, looked, points.are_counted, points.passed);
  buffered.write(out);
  objects_.write(to);
  world_->write(to);
  own_->write(to);
  communicators_.write(out, [&](writer&, const ref<communicator>& each) { each->write(to); });
}

void rank_data::read(reader& in) {
  object_reader from(in);
  in(contexts_, now, life.initialised, life.thread_level, looked, points.are_counted, points.passed);
  if (life.initialised != phase::before) rank_phases::note_initialised();
  buffered.read(in);
  objects_.read(from);
  world_ = communicator::read(from);
  own_ = communicator::read(from);
  communicators_.read(in, [&](reader&) { return communicator::read(from); });
  objects_.world = objects_.world == nullptr ? nullptr : world_.get();
}

}  // namespace imbrex::mpi
