// SPDX-License-Identifier: Apache-2.0
// Communicators whose ranks form a grid or a graph.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/creation.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/exchange.hpp>
#include <imbrex/mpi/rank/process_ranks.hpp>
#include <imbrex/mpi/topology/dimensions.hpp>

namespace imbrex::mpi {

namespace {

std::span<const int> list_of(const int* values, int n, const char* what) {
  if (n < 0)
    throw error(MPI_ERR_ARG, std::string("the number of ") + what + " is " + std::to_string(n) +
                                 "; it must not be negative");
  if (n > 0 && values == nullptr)
    throw error(MPI_ERR_ARG, std::string("the ") + what + " are a null pointer; give " + std::to_string(n));
  return {values, static_cast<std::size_t>(n)};
}

void require_one_group(const communicator& in) {
  if (in.is_inter())
    throw error(
        MPI_ERR_COMM,
        "the communicator is between two groups; give one of one group, as MPI_Intercomm_merge makes");
}

/// Throws mpi::error (MPI_ERR_TOPOLOGY) if the communicator has another topology, or none.
template <typename Topology>
const Topology& topology_of(const communicator& in, const char* kind, const char* maker) {
  if (const auto* const found = std::get_if<Topology>(&in.topology)) return *found;
  throw error(MPI_ERR_TOPOLOGY,
              std::string("the communicator has no ") + kind + "; give one that " + maker + " has made");
}
const cartesian& grid_of(const communicator& in) {
  return topology_of<cartesian>(in, "grid", "MPI_Cart_create");
}
const graph& graph_of(const communicator& in) { return topology_of<graph>(in, "graph", "MPI_Graph_create"); }
const adjacency& neighbours_of(const communicator& in) {
  return topology_of<adjacency>(in, "distributed graph", "MPI_Dist_graph_create");
}

cartesian make_grid(int ndims, const int* dims, const int* periods) {
  if (ndims < 0)
    throw error(MPI_ERR_DIMS,
                "the number of dimensions is " + std::to_string(ndims) + "; it must not be negative");
  const auto lengths = list_of(dims, ndims, "dimensions");
  std::vector<bool> periodic;
  for (const int is_periodic : list_of(periods, ndims, "periods")) periodic.push_back(is_periodic != 0);
  return {{lengths.begin(), lengths.end()}, std::move(periodic)};
}

graph make_graph(int nnodes, const int* index, const int* edges) {
  const auto ends = list_of(index, nnodes, "nodes");
  const auto all = list_of(edges, ends.empty() ? 0 : std::max(0, ends.back()), "edges");
  return {{ends.begin(), ends.end()}, {all.begin(), all.end()}};
}

void check_places(const communicator& in, int places, int error_class) {
  if (places > in.size())
    throw error(error_class, "the topology has " + std::to_string(places) + " places, and " +
                                 in.description() + " has " + std::to_string(in.size()) +
                                 " ranks; it must not have more");
}

/// The first `places` members.
group first_members(const communicator& in, int places) {
  if (places <= 0) return {};
  const rank_range range[] = {{0, places - 1, 1}};
  return in.members().including(std::span<const rank_range>(range));
}

/// The member at each place of a grid.
group members_of_grid(const rank_data& data, const communicator& in, const cartesian& grid,
                      bool may_renumber) {
  group first = first_members(in, grid.places());
  if (!may_renumber) return first;
  std::vector<int> nodes;
  for (int m = 0; m < grid.places(); ++m)
    nodes.push_back(first_node_of(data.self(), in.members().world_rank(m)));
  const bool is_on_one_node = std::ranges::count(nodes, nodes.front()) == std::ssize(nodes);
  return is_on_one_node ? first : first.including(std::span<const int>(grid.members_by_place(nodes)));
}

/// A communicator of these members with the topology; null on other ranks.
ref<communicator> make_placed(rank_data& data, communicator& in, const group& members, auto topology) {
  ref<communicator> result = make_part(data, in, members, purpose::topology);
  if (result) result->topology = std::move(topology);
  return result;
}

int give(rank_data& data, const ref<communicator>& result) {
  return result ? data.add(result) : MPI_COMM_NULL;
}

/// In a graph a rank keeps its number, even if the program allows another.
int place_of(const communicator& in, int places) { return in.rank() < places ? in.rank() : MPI_UNDEFINED; }

void check_member(const communicator& in, int rank) {
  if (rank < 0 || rank >= in.size())
    throw error(MPI_ERR_RANK, "a neighbour is rank " + std::to_string(rank) + ", and " + in.description() +
                                  " has ranks 0 to " + std::to_string(in.size() - 1));
}

/// Copies at most `room` elements.
void copy_some(std::span<const int> from, int* to, int room, const char* what) {
  if (room < 0)
    throw error(MPI_ERR_ARG, std::string("the room for ") + what + " is " + std::to_string(room) +
                                 "; it must not be negative");
  std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(room)), to);
}

/// An edge, as one rank sends it to another.
struct edge {
  std::int32_t leaves;  ///< nonzero: the edge begins at the receiving rank
  std::int32_t peer, weight;
};

std::vector<edge> exchange_edges(rank_data& data, communicator& in,
                                 const std::vector<std::vector<edge>>& to_each) {
  const auto size = static_cast<std::size_t>(in.size());
  const datatype_ref byte = bytes_at(nullptr, 0).type;
  std::vector<std::int64_t> sent(size);
  std::vector<std::int64_t> came(size);
  for (std::size_t i = 0; i < size; ++i)
    sent[i] = static_cast<std::int64_t>(to_each[i].size() * sizeof(edge));
  const block_list sent_sizes{sent.data(), sizeof(std::int64_t), byte, {}, {}, {}};
  const block_list sizes{came.data(), sizeof(std::int64_t), byte, {}, {}, {}};
  run_collective(data, in, purpose::topology,
                 [&](schedule& s) { return all_to_all(s, sent_sizes, sizes, false); });
  const auto in_order = [&](const std::vector<std::int64_t>& lengths, std::vector<edge>& memory) {
    block_list all{nullptr, 0, byte, lengths, {}, {}};
    std::int64_t total = 0;
    for (const std::int64_t length : lengths) {
      all.offsets.push_back(total);
      total += length;
    }
    memory.resize(static_cast<std::size_t>(total) / sizeof(edge));
    all.address = memory.data();
    return all;
  };
  std::vector<edge> out;
  const block_list out_blocks = in_order(sent, out);
  auto at = out.begin();
  for (const auto& each : to_each) at = std::copy(each.begin(), each.end(), at);
  std::vector<edge> found;
  const block_list blocks = in_order(came, found);
  run_collective(data, in, purpose::topology,
                 [&](schedule& s) { return all_to_all(s, out_blocks, blocks, false); });
  return found;
}

std::vector<int> weights_of(const int* weights, int n) {
  if (weights == MPI_UNWEIGHTED || n == 0) return {};
  const auto all = list_of(weights, n, "weights");
  for (const int weight : all)
    if (weight < 0)
      throw error(MPI_ERR_ARG,
                  "the weight of an edge is " + std::to_string(weight) + "; it must not be negative");
  return {all.begin(), all.end()};
}

}  // namespace

IMBREX_MPI_DEFINE(int, Dims_create, (int nnodes, int ndims, int dims[])) {
  return call("MPI_Dims_create", [&] {
    if (ndims < 0)
      throw error(MPI_ERR_DIMS,
                  "the number of dimensions is " + std::to_string(ndims) + "; it must not be negative");
    balance_dimensions(nnodes, std::span(dims, std::size_t(ndims)));
  });
}

IMBREX_MPI_DEFINE(int, Topo_test, (MPI_Comm comm, int* status)) {
  return call_on("MPI_Topo_test", comm, [&](rank_data&, communicator& in) {
    constexpr int kinds[] = {MPI_UNDEFINED, MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
    *status = kinds[in.topology.index()];
  });
}

// ---- grids

IMBREX_MPI_DEFINE(int, Cart_create,
                  (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                   MPI_Comm* comm_cart)) {
  return call_on("MPI_Cart_create", comm_old, [&](rank_data& data, communicator& in) {
    *comm_cart = MPI_COMM_NULL;
    require_one_group(in);
    const cartesian grid = make_grid(ndims, dims, periods);
    check_places(in, grid.places(), MPI_ERR_DIMS);
    *comm_cart = give(data, make_placed(data, in, members_of_grid(data, in, grid, reorder != 0), grid));
  });
}
IMBREX_MPI_DEFINE(int, Cart_map,
                  (MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank)) {
  return call_on("MPI_Cart_map", comm, [&](rank_data& data, communicator& in) {
    const cartesian grid = make_grid(ndims, dims, periods);
    check_places(in, grid.places(), MPI_ERR_DIMS);
    const int place = members_of_grid(data, in, grid, true).rank_of(data.self().number());
    *newrank = place == group::none ? MPI_UNDEFINED : place;
  });
}
IMBREX_MPI_DEFINE(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm)) {
  return call_on("MPI_Cart_sub", comm, [&](rank_data& data, communicator& in) {
    *newcomm = MPI_COMM_NULL;
    const cartesian& grid = grid_of(in);
    std::vector<bool> kept;
    for (const int is_kept : list_of(remain_dims, static_cast<int>(grid.lengths().size()), "dimensions"))
      kept.push_back(is_kept != 0);
    const auto [which, place] = grid.place_in_part(in.rank(), kept);
    // A grid without dimensions has one place, which only rank 0 gets, as with MPI_Cart_create.
    const bool is_point = std::ranges::find(kept, true) == kept.end();
    const ref<communicator> result =
        split(data, in, is_point && which > 0 ? MPI_UNDEFINED : which, place, purpose::topology);
    if (result) result->topology = grid.part(kept);
    *newcomm = give(data, result);
  });
}
IMBREX_MPI_DEFINE(int, Cartdim_get, (MPI_Comm comm, int* ndims)) {
  return call_on("MPI_Cartdim_get", comm, [&](rank_data&, communicator& in) {
    *ndims = static_cast<int>(grid_of(in).lengths().size());
  });
}
IMBREX_MPI_DEFINE(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])) {
  return call_on("MPI_Cart_get", comm, [&](rank_data&, communicator& in) {
    const cartesian& grid = grid_of(in);
    copy_some(grid.lengths(), dims, maxdims, "dimensions");
    std::vector<int> periodic;
    for (std::size_t i = 0; i < grid.lengths().size(); ++i) periodic.push_back(grid.is_periodic(i) ? 1 : 0);
    copy_some(periodic, periods, maxdims, "periods");
    copy_some(grid.coordinates_of(in.rank()), coords, maxdims, "coordinates");
  });
}
IMBREX_MPI_DEFINE(int, Cart_rank, (MPI_Comm comm, const int coords[], int* rank)) {
  return call_on("MPI_Cart_rank", comm, [&](rank_data&, communicator& in) {
    const cartesian& grid = grid_of(in);
    *rank = grid.rank_of(list_of(coords, static_cast<int>(grid.lengths().size()), "coordinates"));
  });
}
IMBREX_MPI_DEFINE(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[])) {
  return call_on("MPI_Cart_coords", comm, [&](rank_data&, communicator& in) {
    const cartesian& grid = grid_of(in);
    check_rank(in, rank, "the rank");
    if (rank == MPI_PROC_NULL)
      throw error(MPI_ERR_RANK,
                  "the rank is MPI_PROC_NULL, which has no coordinates; give a rank of the grid");
    copy_some(grid.coordinates_of(rank), coords, maxdims, "coordinates");
  });
}
IMBREX_MPI_DEFINE(int, Cart_shift,
                  (MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest)) {
  return call_on("MPI_Cart_shift", comm, [&](rank_data&, communicator& in) {
    const auto [from, to] = grid_of(in).shift(in.rank(), direction, disp);
    *rank_source = from;
    *rank_dest = to;
  });
}

// ---- graphs known to all ranks

IMBREX_MPI_DEFINE(int, Graph_create,
                  (MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int /*reorder*/,
                   MPI_Comm* comm_graph)) {
  return call_on("MPI_Graph_create", comm_old, [&](rank_data& data, communicator& in) {
    *comm_graph = MPI_COMM_NULL;
    require_one_group(in);
    check_places(in, nnodes, MPI_ERR_ARG);
    *comm_graph =
        give(data, make_placed(data, in, first_members(in, nnodes), make_graph(nnodes, indx, edges)));
  });
}
IMBREX_MPI_DEFINE(int, Graph_map,
                  (MPI_Comm comm, int nnodes, const int indx[], const int edges[], int* newrank)) {
  return call_on("MPI_Graph_map", comm, [&](rank_data&, communicator& in) {
    check_places(in, nnodes, MPI_ERR_ARG);
    *newrank = place_of(in, make_graph(nnodes, indx, edges).places());
  });
}
IMBREX_MPI_DEFINE(int, Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges)) {
  return call_on("MPI_Graphdims_get", comm, [&](rank_data&, communicator& in) {
    const graph& all = graph_of(in);
    *nnodes = all.places();
    *nedges = static_cast<int>(all.edges().size());
  });
}
IMBREX_MPI_DEFINE(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])) {
  return call_on("MPI_Graph_get", comm, [&](rank_data&, communicator& in) {
    const graph& all = graph_of(in);
    copy_some(all.index(), indx, maxindex, "indices");
    copy_some(all.edges(), edges, maxedges, "edges");
  });
}
IMBREX_MPI_DEFINE(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int* nneighbors)) {
  return call_on("MPI_Graph_neighbors_count", comm, [&](rank_data&, communicator& in) {
    *nneighbors = static_cast<int>(graph_of(in).neighbours(rank).size());
  });
}
IMBREX_MPI_DEFINE(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[])) {
  return call_on("MPI_Graph_neighbors", comm, [&](rank_data&, communicator& in) {
    copy_some(graph_of(in).neighbours(rank), neighbors, maxneighbors, "neighbours");
  });
}

// ---- distributed graphs

IMBREX_MPI_DEFINE(int, Dist_graph_create_adjacent,
                  (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                   int outdegree, const int destinations[], const int destweights[], MPI_Info /*info*/,
                   int /*reorder*/, MPI_Comm* comm_dist_graph)) {
  return call_on("MPI_Dist_graph_create_adjacent", comm_old, [&](rank_data& data, communicator& in) {
    *comm_dist_graph = MPI_COMM_NULL;
    require_one_group(in);
    const auto from = list_of(sources, indegree, "sources");
    const auto to = list_of(destinations, outdegree, "destinations");
    for (const int rank : from) check_member(in, rank);
    for (const int rank : to) check_member(in, rank);
    adjacency own;
    own.sources.assign(from.begin(), from.end());
    own.destinations.assign(to.begin(), to.end());
    own.is_weighted = sourceweights != MPI_UNWEIGHTED;
    if (own.is_weighted != (destweights != MPI_UNWEIGHTED))
      throw error(MPI_ERR_ARG,
                  "one list of weights is MPI_UNWEIGHTED and the other is not; give both, or neither");
    own.source_weights = weights_of(sourceweights, indegree);
    own.destination_weights = weights_of(destweights, outdegree);
    const ref<communicator> result = duplicate(data, in, purpose::topology);
    result->topology = std::move(own);
    *comm_dist_graph = give(data, result);
  });
}
IMBREX_MPI_DEFINE(int, Dist_graph_create,
                  (MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                   const int destinations[], const int weights[], MPI_Info /*info*/, int /*reorder*/,
                   MPI_Comm* comm_dist_graph)) {
  return call_on("MPI_Dist_graph_create", comm_old, [&](rank_data& data, communicator& in) {
    *comm_dist_graph = MPI_COMM_NULL;
    require_one_group(in);
    int total = 0;
    for (const int degree : list_of(degrees, n, "degrees"))
      if (degree < 0 || __builtin_add_overflow(total, degree, &total))
        throw error(MPI_ERR_ARG, "a degree is " + std::to_string(degree) +
                                     "; degrees must not be negative, and their sum must be an int");
    const auto to = list_of(destinations, total, "destinations");
    const std::vector<int> weight = weights_of(weights, total);
    std::vector<std::vector<edge>> to_each(static_cast<std::size_t>(in.size()));
    std::size_t at = 0;
    for (int i = 0; i < n; ++i) {
      const int from = list_of(sources, n, "sources")[static_cast<std::size_t>(i)];
      check_member(in, from);
      for (int k = 0; k < degrees[i]; ++k, ++at) {
        check_member(in, to[at]);
        const int its = weight.empty() ? 0 : weight[at];
        to_each[static_cast<std::size_t>(from)].push_back({1, to[at], its});
        to_each[static_cast<std::size_t>(to[at])].push_back({0, from, its});
      }
    }
    adjacency own;
    own.is_weighted = weights != MPI_UNWEIGHTED;
    for (const edge& each : exchange_edges(data, in, to_each)) {
      (each.leaves != 0 ? own.destinations : own.sources).push_back(each.peer);
      if (own.is_weighted)
        (each.leaves != 0 ? own.destination_weights : own.source_weights).push_back(each.weight);
    }
    const ref<communicator> result = duplicate(data, in, purpose::topology);
    result->topology = std::move(own);
    *comm_dist_graph = give(data, result);
  });
}
IMBREX_MPI_DEFINE(int, Dist_graph_neighbors_count,
                  (MPI_Comm comm, int* indegree, int* outdegree, int* weighted)) {
  return call_on("MPI_Dist_graph_neighbors_count", comm, [&](rank_data&, communicator& in) {
    const adjacency& own = neighbours_of(in);
    *indegree = static_cast<int>(own.sources.size());
    *outdegree = static_cast<int>(own.destinations.size());
    *weighted = own.is_weighted ? 1 : 0;
  });
}
IMBREX_MPI_DEFINE(int, Dist_graph_neighbors,
                  (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                   int destinations[], int destweights[])) {
  return call_on("MPI_Dist_graph_neighbors", comm, [&](rank_data&, communicator& in) {
    const adjacency& own = neighbours_of(in);
    copy_some(own.sources, sources, maxindegree, "sources");
    copy_some(own.destinations, destinations, maxoutdegree, "destinations");
    if (sourceweights != MPI_UNWEIGHTED) copy_some(own.source_weights, sourceweights, maxindegree, "weights");
    if (destweights != MPI_UNWEIGHTED)
      copy_some(own.destination_weights, destweights, maxoutdegree, "weights");
  });
}

}  // namespace imbrex::mpi
