// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/thermo.hpp"

namespace minimd {

thermo thermo_of(const problem& what, const thermo_sums& sums) {
  const units in = units::of(what.in);
  const auto atoms = static_cast<double>(sums.atoms);
  const double twice_kinetic = sums.squares.value() * what.mass * in.mass_to_energy;
  thermo t{.step = sums.step};
  t.temperature = sums.atoms > 1 ? twice_kinetic / (3 * atoms - 3) / in.boltzmann : 0;
  t.potential = sums.potential.value() / atoms;
  t.pressure = (twice_kinetic + sums.virial.value()) / (3 * what.volume()) * in.energy_to_pressure;
  t.kinetic = twice_kinetic / 2 / atoms;
  return t;
}

}  // namespace minimd
