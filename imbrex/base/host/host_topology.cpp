// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/host_topology.hpp>

#include <imbrex/base/error.hpp>

#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <optional>

namespace imbrex {
namespace {

/// A set of processors of hwloc.
class processor_set {
 public:
  processor_set() : bits_(hwloc_bitmap_alloc()) {}
  explicit processor_set(std::span<const int> processors) : processor_set() {
    for (const int p : processors) hwloc_bitmap_set(bits_, static_cast<unsigned>(p));
  }
  explicit processor_set(hwloc_const_bitmap_t others) : bits_(hwloc_bitmap_dup(others)) {}
  processor_set(const processor_set&) = delete;
  processor_set& operator=(const processor_set&) = delete;
  ~processor_set() { hwloc_bitmap_free(bits_); }

  hwloc_bitmap_t get() const { return bits_; }

 private:
  hwloc_bitmap_t bits_;
};

std::vector<int> numbers_of(hwloc_const_bitmap_t set) {
  std::vector<int> numbers;
  for (int p = hwloc_bitmap_first(set); p >= 0; p = hwloc_bitmap_next(set, p)) numbers.push_back(p);
  return numbers;
}

/// The relative times of memory accesses between NUMA nodes.
class node_latencies {
 public:
  explicit node_latencies(hwloc_topology_t of) : topology_(of) {
    unsigned one = 1;
    if (hwloc_distances_get_by_type(of, HWLOC_OBJ_NUMANODE, &one, &matrix_,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        one == 0)
      matrix_ = nullptr;
  }
  node_latencies(const node_latencies&) = delete;
  node_latencies& operator=(const node_latencies&) = delete;
  ~node_latencies() {
    if (matrix_ != nullptr) hwloc_distances_release(topology_, matrix_);
  }

  /// The greatest of all; 0 if unknown.
  std::uint64_t greatest() const {
    if (matrix_ == nullptr) return 0;
    const std::size_t values = std::size_t{matrix_->nbobjs} * matrix_->nbobjs;
    return *std::max_element(matrix_->values, matrix_->values + values);
  }
  /// The latency between a processor's node and the nearest node of `others`; 0 if unknown.
  std::uint64_t between(int processor, hwloc_const_bitmap_t others) const {
    std::optional<std::uint64_t> least;
    const unsigned nodes = matrix_ != nullptr ? matrix_->nbobjs : 0;
    for (unsigned from = 0; from < nodes; ++from) {
      if (!hwloc_bitmap_isset(matrix_->objs[from]->cpuset, static_cast<unsigned>(processor))) continue;
      for (unsigned to = 0; to < nodes; ++to)
        if (hwloc_bitmap_intersects(matrix_->objs[to]->cpuset, others))
          least = std::min<std::uint64_t>(least.value_or(UINT64_MAX), matrix_->values[from * nodes + to]);
    }
    return least.value_or(0);
  }

 private:
  hwloc_topology_t topology_;
  hwloc_distances_s* matrix_ = nullptr;
};

}  // namespace

void host_topology::destroy::operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }

host_topology::host_topology(parts requested_parts) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return;
  topology_.reset(raw);
  // A device may be near processors that this process may not use.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (requested_parts == parts::processors_and_devices)
    hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) topology_.reset();
}

host_topology::host_topology(const std::string& description) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw error("hwloc cannot start; is there any memory left?");
  topology_.reset(raw);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
  const bool is_xml = description.find('<') != std::string::npos;
  const int result = is_xml ? hwloc_topology_set_xmlbuffer(raw, description.c_str(),
                                                           static_cast<int>(description.size() + 1))
                            : hwloc_topology_set_synthetic(raw, description.c_str());
  if (result != 0 || hwloc_topology_load(raw) != 0)
    throw error("hwloc does not understand this description of a host: " + description.substr(0, 80));
}

std::vector<std::vector<int>> host_topology::cores(std::span<const int> processors) const {
  std::vector<int> unplaced(processors.begin(), processors.end());
  std::vector<std::vector<int>> cores;
  const int known = topology_ ? std::max(0, hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_CORE)) : 0;
  for (int c = 0; c < known; ++c) {
    std::vector<int> core;
    const auto* const object =
        hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(c));
    for (const int p : numbers_of(object->cpuset))
      if (std::erase(unplaced, p) > 0) core.push_back(p);
    cores.push_back(std::move(core));
  }
  for (const int processor : unplaced) cores.push_back({processor});
  return cores;
}

std::vector<int> host_topology::processors_near(const std::string& pci_bus_id) const {
  if (!topology_) return {};
  hwloc_obj_t const bus = hwloc_get_pcidev_by_busidstring(topology_.get(), pci_bus_id.c_str());
  if (bus == nullptr) return {};
  // Devices not placed by the firmware are below the whole host, as if they were near everything.
  const auto* const part = hwloc_get_non_io_ancestor_obj(topology_.get(), bus);
  const bool has_parts = hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_PACKAGE) > 1 ||
                         hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_NUMANODE) > 1;
  if (part == hwloc_get_root_obj(topology_.get()) && has_parts) return {};
  return numbers_of(part->cpuset);
}

distance host_topology::between(std::span<const int> processors, std::span<const int> near) const {
  if (!topology_) return {};
  const auto* const whole = hwloc_get_root_obj(topology_.get())->cpuset;
  const processor_set others(near);
  if (near.empty()) hwloc_bitmap_copy(others.get(), whole);
  const node_latencies latencies(topology_.get());
  distance sum;
  for (const int p : processors) {
    const processor_set both(others.get());
    hwloc_bitmap_set(both.get(), static_cast<unsigned>(p));
    const auto* const part = hwloc_get_obj_covering_cpuset(topology_.get(), both.get());
    sum.latency += near.empty() ? latencies.greatest() : latencies.between(p, others.get());
    sum.span += static_cast<std::uint64_t>(hwloc_bitmap_weight(part != nullptr ? part->cpuset : whole));
  }
  return sum;
}

}  // namespace imbrex
