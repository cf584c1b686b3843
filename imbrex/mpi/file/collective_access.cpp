// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/collective_access.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/datatype/external32.hpp>
#include <imbrex/mpi/file/agreement.hpp>
#include <imbrex/mpi/file/two_phase.hpp>
#include <imbrex/mpi/object/status.hpp>

namespace imbrex::mpi {

collective_access::collective_access(const ref<file>& of, std::int64_t position, const user_buffer& memory,
                                     access_direction direction, access_order order)
    : schedule(of->in(), purpose::collective,
               [](schedule& s) { return static_cast<collective_access&>(s).run(); }),
      of_(of),
      position_(position),
      memory_(memory),
      direction_(direction),
      order_(order) {
  require_whole_etypes(of->view, memory);
}

int collective_access::outcome(MPI_Status& status) {
  set_empty(status);
  set_bytes(status, result_.bytes);
  return result_.failure ? result_.failure->code() : MPI_SUCCESS;
}

plan collective_access::find_place() {
  const std::int64_t unit = of_->view.etype_bytes();
  const std::int64_t bytes = of_->view.bytes_of(*memory_.type, memory_.count);
  const std::int64_t etypes = unit > 0 ? bytes / unit : 0;
  std::vector<std::int64_t> all;
  co_await gather_values(*this, etypes, all);
  std::int64_t place = of_->pointer.value;  // taken from the first rank, when all have arrived
  if (rank_of_own() == 0)
    for (const std::int64_t each : all) of_->pointer.value += each;
  const user_buffer of_first = bytes_at(&place, sizeof place);
  co_await broadcast_in_group(*this, 0, of_first);
  for (int i = 0; i < rank_of_own(); ++i) place += all[static_cast<std::size_t>(i)];
  position_ = place * unit;
}

plan collective_access::move_alone() {
  file_access access(*of_, position_, memory_, direction_);
  file_worker::job job;
  if (access.bytes_in_file() <= short_access) {
    access.run();
  } else {
    add([&](rank& by, request& q) {
      job = extension::current_pe().local<file_worker>().begin([&access] { access.run(); },
                                                               [&by, &q] { by.complete(q); });
    });
    co_await next();
  }
  result_ = access.outcome();
}

plan collective_access::run() {
  of_->under_way.push_back(&awaited());
  if (order_ == access_order::by_ranks) co_await find_place();
  const file_view& view = of_->view;
  const std::int64_t bytes = view.bytes_of(*memory_.type, memory_.count);
  // A read ends where the file does: where the first rank has seen its end, so that all ranks agree.
  const bool is_read = direction_ == access_direction::read;
  rank_extent extent;
  if (is_read && rank_of_own() == 0)
    result_.failure = failure_of([&] { extent.file_size = of_->data.size(); });
  const piece_list reach(view, position_, bytes, std::numeric_limits<std::int64_t>::max());
  extent.bytes = reach.bytes();
  extent.pieces = static_cast<std::int64_t>(reach.pieces().size());
  if (!reach.empty()) {
    extent.first = reach.first();
    extent.end = reach.end();
  }
  std::vector<rank_extent> all;
  co_await gather_values(*this, extent, all);
  if (!needs_aggregators(*of_, all, direction_)) {
    co_await move_alone();
  } else {
    std::optional<piece_list> there;
    if (is_read) {
      there.emplace(view, position_, bytes, all.front().file_size);
      for (rank_extent& each : all) each.end = std::min(each.end, all.front().file_size);
    }
    const piece_list& own = there ? *there : reach;
    const bool is_external = view.is_external();
    const scratch external(is_external ? bytes : 0);
    if (is_external && !is_read) pack_external(memory_.typed(), external.data.begin());
    const user_buffer packed = is_external ? external.data : memory_;
    co_await move_by_aggregators(*this, *of_, all, own, packed, direction_, result_);
    if (is_external) {
      typed_buffer whole = memory_.typed();
      whole.count = own.bytes() / std::max<std::int64_t>(memory_.type->external_size(), 1);
      if (is_read && !result_.failure) unpack_external(external.data.begin(), whole);
      if (!result_.failure) result_.bytes = whole.bytes();
    }
  }
  std::erase(of_->under_way, &awaited());
}

}  // namespace imbrex::mpi
