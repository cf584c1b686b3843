// SPDX-License-Identifier: Apache-2.0
// Ranks that leave their process. Nothing of the runtime travels by its address: `write` names the values.
#include <array>
#include <cstdint>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/extension/stop.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/rank/balancing.hpp>
#include <imbrex/mpi/rank/packet.hpp>
#include <imbrex/mpi/rank/rank.hpp>
#include <imbrex/mpi/rank/rank_objects.hpp>
#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/reader.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::mpi {

std::string journey::obstacle() const {
  if (!rank_.program_.is_migratable) return "the job was not started by imbrex run --migratable";
  if (rank_.callbacks_.is_running()) return "it runs a function that MPI has called";
  if (rank_.devices.any()) return "the run has devices";
  if (std::string of_code = rank_.code_->obstacle(); !of_code.empty()) return of_code;
  return rank_.state_ == nullptr ? "" : rank_.state_->obstacle();
}

bool journey::ask_to_stand() {
  if (!rank_.program_.is_migratable || rank_.callbacks_.is_running() || rank_.objects_->calls() > 1)
    return false;
  state_ = state::about_to_stand;
  return true;
}

bool journey::has_request() {
  const rank* const running = rank::current_;
  if (running == nullptr) return false;
  return running->way.goal_ >= 0 || running->way.state_ != state::staying;
}

/// Elements do not leave their PE during a stop, nor before the end of a checkpoint that they await.
[[gnu::noinline]] bool journey::must_stand() {
  const journey& way = rank::current_->way;
  return way.state_ == state::about_to_stand ||
         (way.goal_ >= 0 && extension::must_stop(chare_of(*rank::current_)));
}

/// Apart from its callers: nothing of this process may be in use when the stack goes on in another one. So
/// each function finds the rank again.
[[gnu::noinline]] void journey::obey() {
  const outside_program runtime;
  while (must_stand()) {
    stand();
    const journey& way = rank::current_->way;
    if (way.goal_ < 0 && !way.awaits_checkpoint_) go_to_destination(*rank::current_);
  }
  if (rank::current_->way.goal_ >= 0) go();
}

[[gnu::noinline]] void journey::go() {
  const int to = std::exchange(rank::current_->way.goal_, -1);
  const extension::current_pe here;
  if (to >= here.count() || to == here.number()) return;  // after a restart on other PEs
  if (here.run().holds(to)) return rank::current_->move_to(to);
  leave(to);
}

[[gnu::noinline]] void journey::stand() {
  {
    rank_chare& own = chare_of(*rank::current_);
    own.way.state_ = state::standing;
    const auto end = [](void* object) {
      auto& way = *static_cast<journey*>(object);
      way.state_ = way.awaits_checkpoint_ ? state::about_to_stand : state::staying;
      way.rank_.go_on();
    };
    extension::stop_entry(own, waiter(end, &own.way));
  }
  rank::current_->fiber_->leave();
}

[[gnu::noinline]] void journey::leave(int to) {
  {
    rank_chare& own = chare_of(*rank::current_);
    own.way.state_ = state::leaving;
    own.migrate_to(to);
    imbrex::send<&rank_chare::run>(own.self());
  }
  rank::current_->fiber_->leave();
}

/// Apart from its caller, which began on another thread.
[[gnu::noinline]] void journey::end_code(int status, std::exception_ptr error) {
  rank::current_->entry_.status = status;
  rank::current_->entry_.error = std::move(error);
  rank::current_->fiber_->end();
}

namespace {

void write_packet(packet& p, writer& out) { packet::type_record.pack(p, out); }
packet& read_packet(reader& in) { return static_cast<packet&>(*packet::unpack(in)); }

}  // namespace

void transfers::write(writer& out) {
  std::uint64_t used = 0;
  const auto is_used = [](const peer& p) { return (p.sent | p.expected) != 0 || p.has_early(); };
  peers_.for_each([&](std::uint32_t, const peer& p) { used += is_used(p) ? 1 : 0; });
  out(used);
  peers_.for_each([&](std::uint32_t rank, const peer& p) {
    if (!is_used(p)) return;
    out(rank, p.sent, p.expected, std::uint64_t{p.has_early() ? p.early->size() : 0});
    if (p.has_early())
      for (packet* const early : *p.early) write_packet(*early, out);
  });
  out(std::uint64_t{matcher_.messages()});
  matcher_.for_each_message([&](packet& p) { write_packet(p, out); });
}

void transfers::read(reader& in) {
  std::uint64_t used = 0;
  in(used);
  for (; used > 0; --used) {
    std::uint32_t rank = 0;
    std::uint64_t early = 0;
    in(rank);
    if (rank >= static_cast<std::uint32_t>(program_.ranks))
      throw serial_error("a peer of a rank that is none");
    peer& p = peers_[rank];
    in(p.sent, p.expected, early);
    for (; early > 0; --early) p.keep_early(read_packet(in));
  }
  std::uint64_t messages = 0;
  in(messages);
  for (; messages > 0; --messages) matcher_.keep(read_packet(in));
}

void journey::archive(writer& out) {
  if (state_ == state::staying) throw_immobile();
  if (const std::string why = obstacle(); !why.empty()) throw imbrex::error(why);
  const fiber::left_state left = rank_.fiber_->state();
  out(reinterpret_cast<std::uintptr_t>(left.context), reinterpret_cast<std::uintptr_t>(left.exceptions[0]),
      reinterpret_cast<std::uintptr_t>(left.exceptions[1]), left.floats, rank_.own_load, goal_, problem_);
  rank_.code_->write(out, {static_cast<const std::byte*>(left.context), rank_.fiber_->top()}, is_begun());
  rank_.messages.write(out);
  rank_.state_->write(out);
  if (is_begun()) rank_phases::note_departure();
}

void journey::archive(reader& in) {
  rank_.make_code();
  std::uintptr_t context = 0;
  std::array<std::uintptr_t, 2> exceptions{};
  fiber::left_state left;
  in(context, exceptions[0], exceptions[1], left.floats, rank_.own_load, goal_, problem_);
  left.context = reinterpret_cast<void*>(context);
  left.exceptions = {reinterpret_cast<void*>(exceptions[0]), reinterpret_cast<void*>(exceptions[1])};
  rank_.code_->read(in);
  rank_.fiber_->go_on_with(left);
  rank_.messages.read(in);
  rank_.state_->read(in);
}

}  // namespace imbrex::mpi
