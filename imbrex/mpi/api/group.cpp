// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/group.hpp>

#include <span>
#include <string>
#include <vector>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

std::size_t length_of(int n) {
  if (n < 0)
    throw error(MPI_ERR_ARG, "the number of ranks is " + std::to_string(n) + "; it must not be negative");
  return std::size_t(n);
}

std::vector<rank_range> ranges_of(int n, int ranges[][3]) {
  std::vector<rank_range> list;
  for (std::size_t i = 0; i < length_of(n); ++i) list.push_back({ranges[i][0], ranges[i][1], ranges[i][2]});
  return list;
}

}  // namespace

IMBREX_MPI_DEFINE(int, Group_size, (MPI_Group group, int* size)) {
  return call("MPI_Group_size", [&] { *size = objects().members(group).size(); });
}
IMBREX_MPI_DEFINE(int, Group_rank, (MPI_Group group, int* rank)) {
  return call("MPI_Group_rank", [&] {
    const int found = objects().members(group).rank_of(objects().world_rank());
    *rank = found == mpi::group::none ? MPI_UNDEFINED : found;
  });
}

IMBREX_MPI_DEFINE(int, Group_translate_ranks,
                  (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])) {
  return call("MPI_Group_translate_ranks", [&] {
    const auto from = objects().members(group1), to = objects().members(group2);
    for (std::size_t i = 0; i < length_of(n); ++i) {
      const int rank = ranks1[i];
      if (rank == MPI_PROC_NULL) {
        ranks2[i] = MPI_PROC_NULL;
        continue;
      }
      if (rank < 0 || rank >= from.size())
        throw error(MPI_ERR_RANK, "a rank is " + std::to_string(rank) + "; the group has " +
                                      std::to_string(from.size()) + " ranks from 0 on");
      const int found = to.rank_of(from.world_rank(rank));
      ranks2[i] = found == mpi::group::none ? MPI_UNDEFINED : found;
    }
  });
}

IMBREX_MPI_DEFINE(int, Group_compare, (MPI_Group group1, MPI_Group group2, int* result)) {
  return call("MPI_Group_compare", [&] {
    const auto a = objects().members(group1), b = objects().members(group2);
    *result = a.is_same(b) ? MPI_IDENT : a.is_similar(b) ? MPI_SIMILAR : MPI_UNEQUAL;
  });
}

IMBREX_MPI_DEFINE(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  return call("MPI_Group_union", [&] {
    *newgroup = objects().add(objects().members(group1).joined(objects().members(group2)));
  });
}
IMBREX_MPI_DEFINE(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  return call("MPI_Group_intersection", [&] {
    *newgroup = objects().add(objects().members(group1).common(objects().members(group2)));
  });
}
IMBREX_MPI_DEFINE(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  return call("MPI_Group_difference", [&] {
    *newgroup = objects().add(objects().members(group1).without(objects().members(group2)));
  });
}

IMBREX_MPI_DEFINE(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  return call("MPI_Group_incl", [&] {
    *newgroup = objects().add(objects().members(group).including(std::span(ranks, length_of(n))));
  });
}
IMBREX_MPI_DEFINE(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  return call("MPI_Group_excl", [&] {
    *newgroup = objects().add(objects().members(group).excluding(std::span(ranks, length_of(n))));
  });
}
IMBREX_MPI_DEFINE(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
  return call("MPI_Group_range_incl", [&] {
    *newgroup =
        objects().add(objects().members(group).including(std::span<const rank_range>(ranges_of(n, ranges))));
  });
}
IMBREX_MPI_DEFINE(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
  return call("MPI_Group_range_excl", [&] {
    *newgroup =
        objects().add(objects().members(group).excluding(std::span<const rank_range>(ranges_of(n, ranges))));
  });
}

IMBREX_MPI_DEFINE(int, Group_free, (MPI_Group * group)) {
  return call("MPI_Group_free", [&] {
    objects().remove_group(*group);
    *group = MPI_GROUP_NULL;
  });
}

}  // namespace imbrex::mpi
