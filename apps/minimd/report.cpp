// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace minimd {
namespace {

const char* name_of(force_field field) { return field == force_field::eam ? "eam" : "lj"; }
const char* name_of(unit_system in) {
  return in == unit_system::metal ? "metal" : in == unit_system::real ? "real" : "lj";
}
const char* name_of(communication by) { return by == communication::host ? "host" : "message"; }
const char* name_of(list_kind lists) { return lists == list_kind::full ? "full" : "half"; }

std::string lists_of(const problem& what) {
  return std::string(name_of(what.lists)) + (what.lists == list_kind::full ? ""
                                             : what.newton                 ? ", newton on"
                                                                           : ", newton off");
}

}  // namespace

std::string table_head(const settings& setup) {
  const problem& what = setup.parameters.what;
  return fmt::format(
      "{} atoms, {} forces, cut-off {:g}, skin {:g}, lists {}{}, {} steps of {:g}\n"
      "      step                   T                   U                   P\n",
      what.atoms(), name_of(what.field), what.cutoff, what.skin, lists_of(what),
      what.reproducible ? ", reproducible" : "", setup.parameters.steps, what.time_step);
}

std::string table_row(const thermo& at) {
  return fmt::format("{:>10} {:>19.12g} {:>19.12g} {:>19.12g}\n", at.step, at.temperature, at.potential,
                     at.pressure);
}

std::string table_end(const settings& setup, std::int64_t odf, const measurement& run) {
  return fmt::format("ODF {}, {} x {} x {} chares: {:.3f} s, {:.3f} M atom-steps/s\n", odf, run.chares[0],
                     run.chares[1], run.chares[2], run.seconds,
                     run.atom_steps_per_second(setup.parameters.what) / 1e6);
}

std::string json_line(const thermo& at) {
  nlohmann::ordered_json line;
  line["step"] = at.step;
  line["T"] = at.temperature;
  line["U"] = at.potential;
  line["P"] = at.pressure;
  return line.dump();
}

std::string yaml_document(const settings& setup, std::int64_t odf, const measurement& run) {
  const problem& what = setup.parameters.what;
  std::string text = fmt::format(
      "---\nunits: {}\nforce: {}\natoms: {}\nlattice: [{}, {}, {}]\ndensity: {}\nlattice_constant: "
      "{}\ncutoff: {}\n"
      "skin: {}\n"
      "lists: {}\nnewton: {}\nreproducible: {}\ndevice: {}\ncomm: {}\ntime_step: {}\nrenewal: {}\n"
      "renews_if_needed: {}\ndelay: {}\nsteps: "
      "{}\n"
      "pes: {}\nprocesses: {}\nodf: {}\nchares: [{}, {}, {}]\nseconds: {:.6f}\natom_steps_per_second: "
      "{:.6g}\noutputs:\n",
      name_of(what.in), name_of(what.field), what.atoms(), what.lattice[0], what.lattice[1], what.lattice[2],
      what.cell.density(), what.cell.constant(), what.cutoff, what.skin, name_of(what.lists), what.newton,
      what.reproducible, setup.on_device() ? setup.machine.device : "none", name_of(setup.comm),
      what.time_step, what.renewal, what.renews_if_needed, what.delay, run.steps, setup.machine.pes,
      setup.processes, odf, run.chares[0], run.chares[1], run.chares[2], run.seconds,
      run.atom_steps_per_second(what));
  for (const thermo& t : run.outputs)
    fmt::format_to(std::back_inserter(text), "  - {{step: {}, T: {:.17g}, U: {:.17g}, P: {:.17g}}}\n", t.step,
                   t.temperature, t.potential, t.pressure);
  return text;
}

std::string xyz_frame(const problem& what, const thermo& at, const std::vector<atom>& atoms) {
  const auto box = what.box();
  std::string text = fmt::format(
      "{}\nLattice=\"{:.17g} 0 0 0 {:.17g} 0 0 0 {:.17g}\" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 "
      "Step={} Time={:.17g} pbc=\"T T T\"\n",
      atoms.size(), box[0], box[1], box[2], at.step, static_cast<double>(at.step) * what.time_step);
  const char* const species = what.field == force_field::eam ? "Cu" : "Ar";
  for (const atom& a : atoms)
    fmt::format_to(std::back_inserter(text), "{} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {}\n", species,
                   a.position[0], a.position[1], a.position[2], a.velocity[0], a.velocity[1], a.velocity[2],
                   a.id);
  return text;
}

}  // namespace minimd
