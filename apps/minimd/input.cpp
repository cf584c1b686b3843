// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/input.hpp"

#include <optional>
#include <sstream>

#include "apps/minimd/lammps_input.hpp"
#include "apps/minimd/line_reader.hpp"

namespace minimd {
namespace {

words split(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  words all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

// Reads miniMD's format: two title lines, then one or more values on each line with their description.
class minimd_reader : line_reader {
 public:
  explicit minimd_reader(std::string name) : line_reader(std::move(name)) {}

  input read(const std::string& text) {
    in_.str(text);
    for (int titles = 0; titles < 2; ++titles) read_line();
    input parameters;
    problem& what = parameters.what;
    const std::string units = next()[0];
    if (units != "lj" && units != "metal") refuse("units must be lj or metal, not " + units);
    use_units(what, units == "metal" ? unit_system::metal : unit_system::lj);
    if (const std::string data = next()[0]; data != "none")
      refuse("data files cannot be read: say none, not " + data);
    const std::string field = next()[0];
    if (field != "lj" && field != "eam") refuse("the force style must be lj or eam, not " + field);
    what.field = field == "eam" ? force_field::eam : force_field::lj;
    words line = next();
    if (what.field == force_field::eam) {
      parameters.potential_file = line[0];
      what.mass = 0;
    } else {
      what.epsilon = number(line, 0, "epsilon", bound::positive);
      what.sigma = number(line, 1, "sigma", bound::positive);
    }
    line = next();
    for (int d = 0; d < 3; ++d)
      what.lattice[d] = static_cast<int>(
          count(line, static_cast<std::size_t>(d), "the size of the problem", 1, most_cells));
    parameters.steps = count(next(), 0, "the number of steps", 0, most_steps);
    what.time_step = number(next(), 0, "the time step", bound::positive);
    what.temperature = number(next(), 0, "the temperature", bound::positive);
    what.cell = unit_cell::of_density(scale(next(), 0, "the density"));
    what.renewal = count(next(), 0, "the steps between renewals", 1, most_steps);
    line = next();
    what.cutoff = number(line, 0, "the cut-off", bound::positive);
    what.skin = number(line, 1, "the skin", bound::not_negative);
    parameters.thermo = count(next(), 0, "the steps between outputs", 0, most_steps);
    return parameters;
  }

 private:
  words next() {
    const auto line = read_line();
    if (!line) refuse("the file ends too early: a file of miniMD has 14 lines");
    words all = split(*line);
    if (all.empty()) refuse("a value is missing");
    return all;
  }
  std::optional<std::string> read_line() {
    std::string line;
    next_line();
    return std::getline(in_, line) ? std::optional(line) : std::nullopt;
  }

  std::istringstream in_;
};

}  // namespace

input parse_input(const std::string& text, const std::string& name) {
  // In miniMD's format the third line begins with the units; in LAMMPS's each line begins with a command.
  std::istringstream in(text);
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(in, line);
  const words third = split(line);
  const bool is_minimd = !third.empty() && (third[0] == "lj" || third[0] == "metal");
  return is_minimd ? minimd_reader(name).read(text) : parse_lammps_input(text, name);
}

}  // namespace minimd
