// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/internal/metis.hpp>

#include <string>

#include <imbrex/base/error.hpp>

#ifdef IMBREX_HAS_METIS
#include <dlfcn.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#endif

namespace imbrex::balance::detail {

#ifdef IMBREX_HAS_METIS
namespace {

static_assert(sizeof(idx_t) == sizeof(std::int32_t), "METIS with 64-bit numbers has another interface");

constexpr const char* library = "libmetis.so.5";

/// METIS is loaded when it is first used: so programs run where it is missing.
struct functions {
  decltype(&METIS_PartGraphKway) part_by_k_ways;
  decltype(&METIS_PartGraphRecursive) part_by_halves;
  decltype(&METIS_SetDefaultOptions) set_default_options;

  functions() {
    void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
      throw usage_error("the strategy graph needs METIS, and " + std::string(library) +
                        " is not found: install it (Debian: libmetis5), or choose the strategy bisect");
    find(handle, "METIS_PartGraphKway", part_by_k_ways);
    find(handle, "METIS_PartGraphRecursive", part_by_halves);
    find(handle, "METIS_SetDefaultOptions", set_default_options);
  }

 private:
  template <class Function>
  static void find(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (function == nullptr)
      throw usage_error(std::string(library) + " has no " + name +
                        ": install METIS 5 (Debian: libmetis5), or choose the strategy bisect");
  }
};

/// METIS' shares: positive, of the sum 1.
std::vector<real_t> positive_shares(std::span<const double> shares) {
  constexpr double least = 1e-4;  // as a part of the average share
  const double least_share =
      least * std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  double sum = 0;
  for (const double share : shares) sum += std::max(least_share, share);
  std::vector<real_t> positive;
  for (const double share : shares)
    positive.push_back(static_cast<real_t>(std::max(least_share, share) / sum));
  return positive;
}

}  // namespace

std::vector<std::int32_t> part_by_metis(weighted_graph& graph, std::span<const double> shares,
                                        std::uint64_t seed) {
  static const functions metis;
  static std::mutex one_at_a_time;  // METIS' random numbers are global
  constexpr std::size_t few_parts = 8;
  constexpr idx_t imbalance_of_a_thousandth = 20;
  std::array<idx_t, METIS_NOPTIONS> options{};
  metis.set_default_options(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7fffffffU);
  options[METIS_OPTION_UFACTOR] = imbalance_of_a_thousandth;
  idx_t vertices = graph.vertices(), constraints = 1, parts = static_cast<idx_t>(shares.size()), cut = 0;
  std::vector<real_t> positive = positive_shares(shares);
  std::vector<idx_t> part(graph.vertex_weight.size());
  const auto run = shares.size() > few_parts ? metis.part_by_k_ways : metis.part_by_halves;
  const std::scoped_lock lock(one_at_a_time);
  const int status = run(&vertices, &constraints, graph.first.data(), graph.other.data(),
                         graph.vertex_weight.data(), nullptr, graph.edge_weight.data(), &parts,
                         positive.data(), nullptr, options.data(), &cut, part.data());
  const bool valid = std::ranges::all_of(part, [&](idx_t p) { return p >= 0 && p < parts; });
  if (status != METIS_OK || !valid)
    throw error("METIS failed (status " + std::to_string(status) + ") to cut " + std::to_string(vertices) +
                " objects into " + std::to_string(parts) + " parts: choose the strategy bisect");
  return part;
}

#else

std::vector<std::int32_t> part_by_metis(weighted_graph&, std::span<const double>, std::uint64_t) {
  throw usage_error(
      "the strategy graph needs METIS, which this build of Imbrex does not have: build it where metis.h is "
      "found (Debian: libmetis-dev), or choose the strategy bisect");
}

#endif

}  // namespace imbrex::balance::detail
