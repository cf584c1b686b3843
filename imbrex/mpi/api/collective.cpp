// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace imbrex::mpi {

void collective_call::check_root(int root) const {
  if (root >= 0 && root < others()) return;
  if (is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)) return;
  throw error(MPI_ERR_ROOT,
              "the root is " + std::to_string(root) + ", and " + describe_communicator(&in_) +
                  (is_inter() ? " has between its groups the roots 0 to " : " has the ranks 0 to ") +
                  std::to_string(others() - 1) + (is_inter() ? ", MPI_ROOT and MPI_PROC_NULL" : ""));
}

void collective_call::require_one_group() const {
  if (is_inter())
    throw error(MPI_ERR_COMM, describe_communicator(&in_) +
                                  " is between two groups; this function needs one group, as "
                                  "MPI_Intercomm_merge makes of both");
}

bool collective_call::is_in_place(const void* address) const {
  if (address != MPI_IN_PLACE) return false;
  if (is_inter())
    throw error(MPI_ERR_BUFFER,
                "MPI_IN_PLACE has no meaning between two groups; give the buffer whose data are sent");
  return true;
}

void collective_call::stage(const address_range& extent, device& on, void*& address) const {
  if (stage_ == nullptr) stage_ = std::make_shared<device_stage>();
  if (stage_->add(extent, on, address) && is_blocking_) stage_->fetch_last(self());
}

user_buffer collective_call::named(const receive_argument& which, access how) const {
  user_buffer data = checked_buffer(data_, which, memory_use::host_or_device);
  if (data.on == nullptr) [[likely]]
    return data;
  const user_buffer device_data = data;
  stage(data.extent(), *data.on, data.address);
  if (how == access::received) stage_->add_received(device_data);
  data.on = nullptr;
  return data;
}

void collective_call::stage_blocks(block_list& all, int n, access how) const {
  device_memory& devices = self().devices;
  if (!devices.any()) [[likely]]
    return;
  device* on = nullptr;
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t last = 0;
  for (int i = 0; i < n; ++i) {
    const address_range extent = all[i].extent();
    if (extent.bytes == 0) continue;
    device* const its = devices.find(extent.first);
    if (first <= last && its != on)
      throw error(MPI_ERR_BUFFER, "the blocks of the call lie partly in memory of " +
                                      (on != nullptr ? on : its)->info().label() +
                                      "; let all lie in one allocation");
    on = its;
    const auto start = reinterpret_cast<std::uintptr_t>(extent.first);
    first = std::min(first, start);
    last = std::max(last, start + extent.bytes);
  }
  if (on == nullptr) return;
  const address_range extent{reinterpret_cast<const std::byte*>(first), last - first};
  devices.check(extent.first, extent.bytes, *on);
  const block_list device_data = all;
  stage(extent, *on, all.address);
  if (how == access::received)
    for (int i = 0; i < n; ++i) stage_->add_received(device_data[i]);
}

schedule::maker collective_call::staged(schedule::maker make) const {
  if (stage_ == nullptr) [[likely]]
    return make;
  return [stage = stage_, make = std::move(make)](schedule& s) { return go_by_host(s, *stage, make); };
}

block_list collective_call::listed(const receive_argument& which, int n, access how) const {
  // Without receivers no buffer is needed.
  check({n == 0 ? this : which.address, which.count, which.type});
  block_list all{which.address, which.count, data_.objects().type(which.type), {}, {}, {}};
  stage_blocks(all, n, how);
  return all;
}

void collective_call::check_lists(numbers counts, bool displacements, int n) const {
  if (n > 0 && (!counts.are_there() || !displacements))
    throw error(MPI_ERR_ARG, "the counts or displacements are a null pointer; give one for each of " +
                                 std::to_string(n) + " ranks");
}

block_list collective_call::listed(const blocks_argument<void, MPI_Datatype>& which, int n,
                                   access how) const {
  const auto& [address, counts, displacements, type] = which;
  check_lists(counts, displacements.are_there(), n);
  block_list all{address, 0, data_.objects().type(type), {}, {}, {}};
  for (int i = 0; i < n; ++i) {
    check({address, counts[i], type});
    all.counts.push_back(counts[i]);
    all.offsets.push_back(displacements[i] * all.type->extent());
  }
  stage_blocks(all, n, how);
  return all;
}

block_list collective_call::listed(const blocks_argument<void, const MPI_Datatype*>& which, int n,
                                   access how) const {
  const auto& [address, counts, displacements, types] = which;
  check_lists(counts, displacements.are_there() && types != nullptr, n);
  block_list all;
  all.address = address;
  for (int i = 0; i < n; ++i) {
    const bool is_absolute = address == MPI_BOTTOM && displacements[i] != 0;
    check({is_absolute ? &all : address, counts[i], types[i]});
    all.types.push_back(data_.objects().type(types[i]));
    all.counts.push_back(counts[i]);
    all.offsets.push_back(displacements[i]);
  }
  stage_blocks(all, n, how);
  return all;
}

void collective_call::check_apart(const user_buffer& send, const user_buffer& receive) {
  if (send.address == receive.address && send.bytes() > 0 && receive.bytes() > 0 &&
      send.type.get() == receive.type.get())
    throw error(MPI_ERR_BUFFER,
                "the data that are sent lie where others are received; give different buffers, or "
                "MPI_IN_PLACE");
}

reduction collective_call::how(MPI_Datatype type, MPI_Op op) const {
  operation& found = data_.objects().op(op);
  found.check(*data_.objects().type(type));
  return {ref<operation>(&found), type};
}

void run_collective(rank_data& data, communicator& in, purpose of, schedule::maker make) {
  if (const int code = run_schedule(data.self(), ref<communicator>(&in), of, std::move(make));
      code != MPI_SUCCESS)
    throw error(code,
                "another rank has sent more data than this one receives from it; give both the same counts");
}

void begin_collective(rank_data& data, communicator& in, schedule::maker make, bool is_persistent,
                      MPI_Request* handle) {
  const ref<user_request> collective_request(new schedule(
      ref<communicator>(&in), is_persistent ? purpose::persistent : purpose::collective, std::move(make)));
  if (!is_persistent) collective_request->start(data.self());
  *handle = data.requests.add(collective_request);
}

}  // namespace imbrex::mpi
