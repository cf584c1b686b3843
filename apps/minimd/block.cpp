// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "apps/minimd/initial_state.hpp"

namespace minimd {

using imbrex::cells::cell;
using imbrex::cells::point;

imbrex::cells::domain<3> box_of(const problem& what) {
  const auto length = what.box();
  imbrex::index<3> cells;
  for (int d = 0; d < 3; ++d) {
    const double narrow = length[static_cast<std::size_t>(d)] / (what.range() / 2);
    cells[d] = static_cast<int>(std::clamp(narrow, 1.0, 2.0 * what.lattice[d]));
  }
  return {{0, 0, 0}, length, cells, imbrex::grid::boundary::periodic};
}

block::block(const problem& what, const imbrex::cells::domain<3>& box,
             const imbrex::grid::decomposition<3>& cut, const device_use& use)
    : what_(what), use_(use), rows_(rows_within(what.range(), box.cell_width())) {
  if (use.is_used) device_.emplace(what, use.by, "block " + imbrex::to_string(where()));
  if (device_ && !device_->keeps_data()) {
    expected_ = expected_plan(what, box, cut, where());
    return;
  }
  cells.connect<&block::cells>(*this, box, cut);
  make_potential();
  // Sites that may lie in the block: one more on each side, since cells and sites are rounded.
  imbrex::index<3> from, to;
  const double half = 0.5 * what.cell.constant();
  for (int d = 0; d < 3; ++d) {
    const double width = box.cell_width()[static_cast<std::size_t>(d)];
    const auto& own = cells.own();
    from[d] = std::max(0, static_cast<int>(own.origin[d] * width / half) - 1);
    to[d] =
        std::min(2 * what.lattice[d], static_cast<int>((own.origin[d] + own.extents[d]) * width / half) + 2);
  }
  for_each_site(what, from, to, [&](const atom& a) {
    if (cells.owns(a.position)) cells.insert(a);
  });
}

void block::make_potential() {
  if (what_.field == force_field::eam) eam_ = eam_potential::of(what_.potential);
}

momentum block::velocities() {
  momentum sum;
  cells.for_each_own([&](const atom& a) {
    sum.x.add(a.velocity[0]);
    sum.y.add(a.velocity[1]);
    sum.z.add(a.velocity[2]);
    ++sum.atoms;
  });
  return sum;
}

void block::change_velocities(const std::function<void(atom&)>& change) {
  for (auto& c : cells.own_cells())
    for (std::size_t i = 0; i < c.size(); ++i) {
      atom a = c.get(i);
      change(a);
      c.set(i, a);
    }
}

void block::subtract(const point<3>& velocity) {
  change_velocities([&](atom& a) {
    for (std::size_t d = 0; d < 3; ++d) a.velocity[d] -= velocity[d];
  });
}

point<3> block::from_middle(const atom& of) const {
  point<3> from;
  for (std::size_t d = 0; d < 3; ++d)
    from[d] = of.position[d] - 0.25 * what_.cell.constant() * (2 * what_.lattice[static_cast<int>(d)] - 1);
  return from;
}

spin block::spins() {
  spin sum;
  cells.for_each_own([&](const atom& a) {
    const auto [x, y, z] = from_middle(a);
    const auto [vx, vy, vz] = a.velocity;
    const point<3> momentum{y * vz - z * vy, z * vx - x * vz, x * vy - y * vx};
    const std::array<double, 6> inertia{y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
    for (std::size_t i = 0; i < 3; ++i) sum.momentum[i].add(momentum[i]);
    for (std::size_t i = 0; i < 6; ++i) sum.inertia[i].add(inertia[i]);
  });
  return sum;
}

void block::stop_rotation(const point<3>& angular_velocity) {
  const auto [p, q, r] = angular_velocity;
  change_velocities([&](atom& a) {
    const auto [x, y, z] = from_middle(a);
    a.velocity[0] -= q * z - r * y;
    a.velocity[1] -= r * x - p * z;
    a.velocity[2] -= p * y - q * x;
  });
}

exact_sum block::squares() {
  exact_sum squares;
  cells.for_each_own([&](const atom& a) {
    double square = 0;
    for (const double v : a.velocity) square += v * v;
    squares.add(square);
  });
  return squares;
}

void block::scale(double by) {
  change_velocities([&](atom& a) {
    for (double& v : a.velocity) v *= by;
  });
}

void block::take_random(const random_velocities& what) {
  struct place {
    std::int64_t number;
    point<3> position;
    point<3>* velocity;
  };
  std::vector<point<3>> velocities(cells.size());
  std::vector<place> places;
  former_velocities_.clear();
  cells.for_each_own([&](const atom& a) {
    places.push_back({number_in_cells(what_, a.id), a.position, &velocities[places.size()]});
    if (what.adds) former_velocities_.push_back(a.velocity);
  });
  std::ranges::sort(places, {}, &place::number);
  velocity_numbers numbers(what);
  for (const place& at : places) *at.velocity = numbers.of(at.number, at.position);
  change_velocities([next = velocities.begin()](atom& a) mutable { a.velocity = *next++; });
}

void block::add_former() {
  change_velocities([next = former_velocities_.begin()](atom& a) mutable {
    for (std::size_t d = 0; d < 3; ++d) a.velocity[d] += (*next)[d];
    ++next;
  });
}

void block::take_equal(const equal_velocities& what) {
  change_velocities([&](atom& a) {
    for (std::size_t d = 0; d < 3; ++d)
      if (const auto& value = what.components[d]) a.velocity[d] = *value + (what.adds ? a.velocity[d] : 0);
  });
}

void block::take_ramped(const ramped_velocities& what) {
  const auto [from, to] = what.positions;
  const auto [low, high] = what.velocities;
  change_velocities([&](atom& a) {
    const double part = std::clamp((a.position[what.coordinate] - from) / (to - from), 0.0, 1.0);
    double& v = a.velocity[what.component];
    v = low + part * (high - low) + (what.adds ? v : 0);
  });
}

void block::restart(std::span<const atom> atoms, std::int64_t step) {
  cells.clear();
  for (atom a : atoms) {
    cells.domain().bring_back(a.position);
    if (cells.owns(a.position)) cells.insert(a);
  }
  step_ = step;
}

std::vector<atom> block::atoms() {
  std::vector<atom> all;
  std::size_t i = 0;
  cells.for_each_own([&](atom a) {
    if (is_stored_)
      for (std::size_t d = 0; d < 3; ++d) {
        a.position[d] = store_.position[4 * i + d];
        a.velocity[d] = store_.velocity[4 * i + d];
      }
    ++i;
    all.push_back(a);
  });
  return all;
}

void block::fill_store() {
  store_.own = cells.size();
  store_.copies = cells.copies();
  store_.position.assign(4 * (store_.all() + 1), 0);
  store_.velocity.assign(4 * store_.own, 0);
  store_.force.assign(4 * store_.all(), 0);
  std::size_t i = 0;
  cells.for_each_own([&](const atom& a) {
    for (std::size_t d = 0; d < 3; ++d) {
      store_.position[4 * i + d] = a.position[d];
      store_.velocity[4 * i + d] = a.velocity[d];
    }
    ++i;
  });
  cells.for_each_copy([&](const atom& a) {
    for (std::size_t d = 0; d < 3; ++d) store_.position[4 * i + d] = a.position[d];
    ++i;
  });
  for (std::size_t d = 0; d < 3; ++d)
    store_.position[4 * i + d] = 1e12;  // the atom that pads lists, beyond any cut-off
  is_stored_ = true;
}

void block::fill_order() {
  const auto& region = cells.halo();
  order_.extents = region.extents;
  std::vector<std::size_t> first(region.size());
  const auto slot = [&](const imbrex::index<3>& at) {
    const auto in = at - region.origin;
    return (static_cast<std::size_t>(in[0]) * static_cast<std::size_t>(region.extents[1]) +
            static_cast<std::size_t>(in[1])) *
               static_cast<std::size_t>(region.extents[2]) +
           static_cast<std::size_t>(in[2]);
  };
  std::size_t n = 0;
  for (const auto& at : cells.own()) {
    first[slot(at)] = n;
    n += cells[at].size();
  }
  cells.for_each_copied_cell([&](const cell<atom>& c) {
    first[c.number()] = n;
    n += c.size();
  });
  order_.begin.assign(1, 0);
  for (auto* values : {&order_.x, &order_.y, &order_.z}) values->resize(n + 8);
  order_.number.resize(n + 8);
  std::size_t to = 0, place = 0;
  for (const auto& at : region) {
    const std::size_t count = cells[at].size();
    for (std::size_t i = first[place], end = first[place] + count; i < end; ++i, ++to) {
      order_.x[to] = store_.position[4 * i];
      order_.y[to] = store_.position[4 * i + 1];
      order_.z[to] = store_.position[4 * i + 2];
      order_.number[to] = static_cast<std::int32_t>(i);
    }
    order_.begin.push_back(to);
    ++place;
  }
}

// All blocks get the same result, since they must renew together.
imbrex::task<bool> block::needs_renewal() {
  if (!what_.renews_if_needed) co_return step_ % what_.renewal == 0;
  const std::int64_t since = step_ - renewed_at_;
  if (since < what_.delay || since % what_.renewal != 0) co_return false;
  double farthest = 0;
  for (std::size_t i = 0; i < store_.own; ++i) {
    double squared = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double moved = store_.position[4 * i + d] - renewed_position_[4 * i + d];
      squared += moved * moved;
    }
    farthest = std::max(farthest, squared);
  }
  const double of_all = co_await all_reduce(farthest, imbrex::max);
  co_return of_all > 0.25 * what_.skin* what_.skin;
}

imbrex::task<> block::renew() {
  std::size_t i = 0;
  const auto take_from_store = [&](cell<atom>& c) {
    if (!is_stored_) return;
    const auto x = c.column<0>(), y = c.column<1>(), z = c.column<2>();
    const auto vx = c.column<3>(), vy = c.column<4>(), vz = c.column<5>();
    for (std::size_t k = 0; k < c.size(); ++k, ++i) {
      x[k] = store_.position[4 * i];
      y[k] = store_.position[4 * i + 1];
      z[k] = store_.position[4 * i + 2];
      vx[k] = store_.velocity[4 * i];
      vy[k] = store_.velocity[4 * i + 1];
      vz[k] = store_.velocity[4 * i + 2];
    }
  };
  cells.migrate(take_from_store, what_.range());
  const auto cached = cells.cache_halo(what_.range());
  co_await cached.all();
  fill_store();
  fill_order();
  if (what_.renews_if_needed) {
    renewed_position_.assign(store_.position.begin(),
                             store_.position.begin() + static_cast<std::ptrdiff_t>(4 * store_.own));
    renewed_at_ = step_;
  }
  build_list(list_, store_, order_, rows_, cells.own().origin - cells.halo().origin, cells.own().extents,
             what_.range(), what_.lists, what_.newton);
  // With --reproducible, copies have the positions of their atoms, not of the images.
  if (what_.reproducible) co_await refresh();
}

imbrex::task<> block::refresh() {
  double* const x = store_.position.data();
  const std::size_t own = store_.own;
  const double images = what_.reproducible ? 0 : 1;
  co_await cells.refresh<point<3>>(
      [x, images](std::size_t i, const point<3>& shift) {
        return point<3>{x[4 * i] + images * shift[0], x[4 * i + 1] + images * shift[1],
                        x[4 * i + 2] + images * shift[2]};
      },
      [x, own](std::size_t i, const point<3>& p) {
        for (std::size_t d = 0; d < 3; ++d) x[4 * (own + i) + d] = p[d];
      });
}

imbrex::task<> block::give_back_forces() {
  double* const f = store_.force.data();
  const std::size_t own = store_.own;
  co_await cells.give_back<point<3>>(
      [f, own](std::size_t i) {
        return point<3>{f[4 * (own + i)], f[4 * (own + i) + 1], f[4 * (own + i) + 2]};
      },
      [f](std::size_t i, const point<3>& p) {
        for (std::size_t d = 0; d < 3; ++d) f[4 * i + d] += p[d];
      });
}

imbrex::task<> block::compute_exact_forces() {
  const bool gives_back = what_.lists == list_kind::half && what_.newton;
  const std::size_t own = store_.own;
  __int128 embedding = 0;
  if (!eam_) {
    pairs_ = exact_lj_forces(what_, store_, list_, whole_forces_);
  } else {
    exact_eam_densities(what_, *eam_, store_, list_, whole_densities_);
    std::int64_t* const densities = whole_densities_.data();
    if (gives_back)
      co_await cells.give_back<std::int64_t>([=](std::size_t i) { return densities[own + i]; },
                                             [=](std::size_t i, std::int64_t part) { densities[i] += part; });
    embedding = exact_eam_embed(*eam_, whole_densities_, own, slopes_);
    co_await refresh_slopes();
    pairs_ = exact_eam_forces(what_, *eam_, slopes_, store_, list_, whole_forces_);
  }
  pairs_.whole_potential += 2 * embedding;
  using forces = std::array<std::int64_t, 3>;
  std::int64_t* const f = whole_forces_.data();
  if (gives_back)
    co_await cells.give_back<forces>(
        [=](std::size_t i) {
          const std::int64_t* const of = f + 3 * (own + i);
          return forces{of[0], of[1], of[2]};
        },
        [=](std::size_t i, const forces& part) {
          for (std::size_t d = 0; d < 3; ++d) f[3 * i + d] += part[d];
        });
  for (std::size_t i = 0; i < own; ++i)
    for (std::size_t d = 0; d < 3; ++d) store_.force[4 * i + d] = value_of(f[3 * i + d]);
}

imbrex::task<> block::refresh_slopes() {
  double* const slopes = slopes_.data();
  const std::size_t own = store_.own;
  co_await cells.refresh<double>([=](std::size_t i, const point<3>&) { return slopes[i]; },
                                 [=](std::size_t i, double slope) { slopes[own + i] = slope; });
}

imbrex::task<> block::compute_forces(bool wants_sums) {
  if (what_.reproducible) {
    co_await compute_exact_forces();
    co_return;
  }
  const bool gives_back = what_.lists == list_kind::half && what_.newton;
  if (!eam_) {
    pairs_ = lj_forces(what_, store_, list_, wants_sums);
  } else {
    eam_densities(what_, *eam_, store_, list_, near_, densities_);
    double* const densities = densities_.data();
    const std::size_t own = store_.own;
    if (gives_back)
      co_await cells.give_back<double>([=](std::size_t i) { return densities[own + i]; },
                                       [=](std::size_t i, double part) { densities[i] += part; });
    const double embedding = eam_embed(*eam_, densities_, own, slopes_);
    co_await refresh_slopes();
    pairs_ = eam_forces(what_, *eam_, slopes_, list_, near_, store_);
    pairs_.potential += embedding;
  }
  if (gives_back) co_await give_back_forces();
}

void block::kick() {
  const double by = 0.5 * what_.time_step / (what_.mass * units::of(what_.in).mass_to_energy);
  double* const v = store_.velocity.data();
  const double* const f = store_.force.data();
  for (std::size_t k = 0; k < 4 * store_.own; ++k) v[k] += by * f[k];
}

void block::drift() {
  const double by = what_.time_step;
  double* const x = store_.position.data();
  const double* const v = store_.velocity.data();
  for (std::size_t k = 0; k < 4 * store_.own; ++k) x[k] += by * v[k];
}

imbrex::task<thermo_sums> block::run(std::int64_t last) {
  if (device_) {
    const thermo_sums on_device = co_await run_on_device(last);
    co_return on_device;
  }
  if (!is_stored_) {
    co_await renew();
    co_await compute_forces(true);
  }
  while (step_ < last) {
    kick();
    drift();
    ++step_;
    const bool is_due = co_await needs_renewal();
    if (is_due)
      co_await renew();
    else
      co_await refresh();
    co_await compute_forces(step_ == last);
    kick();
    // From here to the next renewal all steps cost the same.
    if (is_due && step_ < last) co_await balance_point<&block::run>(last);
  }
  co_return sums();
}

thermo_sums block::sums() const {
  thermo_sums all{.step = step_, .atoms = static_cast<std::int64_t>(store_.own)};
  all.potential.add(pairs_.potential);
  all.potential.add_units(pairs_.whole_potential);
  all.virial.add(pairs_.virial);
  all.virial.add_units(pairs_.whole_virial);
  for (std::size_t i = 0; i < store_.own; ++i) {
    const double* const v = &store_.velocity[4 * i];
    all.squares.add(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  return all;
}

}  // namespace minimd
