// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/lammps_input.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "apps/minimd/lammps_variables.hpp"
#include "apps/minimd/line_reader.hpp"

namespace minimd {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

void drop_blanks_at_end(std::string& line) {
  while (!line.empty() && is_blank(line.back())) line.pop_back();
}

// Removes a comment: the text after a # outside quotes.
std::string without_comment(const std::string& line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote == '\0' && line[i] == '#') return line.substr(0, i);
    if (quote == '\0' && (line[i] == '"' || line[i] == '\''))
      quote = line[i];
    else if (line[i] == quote)
      quote = '\0';
  }
  return line;
}

class lammps_reader : line_reader {
 public:
  explicit lammps_reader(std::string name) : line_reader(std::move(name)) {
    parameters_.thermo = 0;
    // LAMMPS's defaults: atoms at rest, and lists renewed when needed.
    parameters_.what.temperature = 0;
    parameters_.what.renewal = 1;
    parameters_.what.renews_if_needed = true;
  }

  input read(const std::string& text) {
    std::istringstream in(text);
    while (const auto line = joined_line(in)) {
      const words command = split(variables_.replaced(without_comment(*line)));
      if (command.empty()) continue;
      if (obeyed_.contains("run")) refuse(command[0] + " behind run: a file has one run, at its end");
      obey(command);
    }
    if (!obeyed_.contains("run")) refuse("the file ends without a run");
    return parameters_;
  }

 private:
  // A line joined with its continuation lines; nullopt at the end.
  std::optional<std::string> joined_line(std::istringstream& in) {
    std::string whole, line;
    for (;;) {
      next_line();
      if (!std::getline(in, line)) return whole.empty() ? std::nullopt : std::optional(whole);
      drop_blanks_at_end(line);
      if (!line.ends_with('&')) return whole + line;
      whole += line.substr(0, line.size() - 1) + ' ';
    }
  }
  words split(const std::string& line) const {
    words all;
    for (std::size_t at = 0; at < line.size();) {
      if (is_blank(line[at])) {
        ++at;
        continue;
      }
      const bool is_quoted = line[at] == '"' || line[at] == '\'';
      const char* const begin = line.data() + at;
      const char* const last = line.data() + line.size();
      const char* const end =
          is_quoted ? std::find(begin + 1, last, *begin) : std::find_if(begin, last, is_blank);
      if (is_quoted && end == last)
        refuse("the quotes before '" + std::string(begin + 1, end) + "' do not end");
      all.emplace_back(begin + (is_quoted ? 1 : 0), end);
      at = static_cast<std::size_t>(end - line.data()) + (is_quoted ? 1 : 0);
    }
    return all;
  }

  void obey(const words& command) {
    struct rule {
      void (lammps_reader::*does)(const words&);
      std::vector<std::string> behind{};  // commands required before this one
      bool is_once = false;
    };
    static const std::map<std::string, rule> commands{
        {"atom_modify", {&lammps_reader::atom_modify}},
        {"atom_style", {&lammps_reader::atom_style}},
        {"boundary", {&lammps_reader::boundary}},
        {"create_atoms", {&lammps_reader::create_atoms, {"create_box"}, true}},
        {"create_box", {&lammps_reader::create_box, {"region"}, true}},
        {"dimension", {&lammps_reader::dimension}},
        {"echo", {&lammps_reader::echo}},
        {"fix", {&lammps_reader::fix, {}, true}},
        {"lattice", {&lammps_reader::lattice, {}, true}},
        {"mass", {&lammps_reader::mass, {"create_box"}}},
        {"neigh_modify", {&lammps_reader::neigh_modify}},
        {"neighbor", {&lammps_reader::neighbor}},
        {"newton", {&lammps_reader::newton}},
        {"pair_coeff", {&lammps_reader::pair_coeff, {"create_box", "pair_style"}}},
        {"pair_style", {&lammps_reader::pair_style}},
        {"processors", {&lammps_reader::processors}},
        {"region", {&lammps_reader::region, {"lattice"}, true}},
        {"run", {&lammps_reader::run, {"create_atoms", "pair_style", "pair_coeff", "fix"}}},
        {"thermo", {&lammps_reader::thermo}},
        {"timestep", {&lammps_reader::timestep}},
        {"units", {&lammps_reader::units}},
        {"variable", {&lammps_reader::variable}},
        {"velocity", {&lammps_reader::velocity, {"create_atoms"}}}};
    const auto found = commands.find(command[0]);
    if (found == commands.end()) {
      std::string known;
      for (const auto& [name, rule] : commands) known += (known.empty() ? "" : ", ") + name;
      refuse("there is no command " + command[0] + " here; known are " + known);
    }
    for (const std::string& needed : found->second.behind)
      if (!obeyed_.contains(needed)) refuse(command[0] + " needs the command " + needed + " before it");
    if (found->second.is_once && obeyed_.contains(command[0]))
      refuse("a file has one " + command[0] + "; leave out the second");
    (this->*found->second.does)(command);
    obeyed_.insert(command[0]);
  }
  void expect(const words& command, std::size_t place, const std::string& word) const {
    if (place >= command.size() || command[place] != word)
      refuse(command[0] + " needs the word " + word + " as its argument " + std::to_string(place) +
             (place < command.size() ? ", not " + command[place] : ""));
  }
  void end(const words& command, std::size_t size) const {
    if (command.size() > size) refuse(command[0] + " takes no argument " + command[size]);
  }
  /// The index of argument `place` in `known`; refuses other words.
  std::size_t choice(const words& command, std::size_t place, const std::string& what,
                     const words& known) const {
    std::string all;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (place < command.size() && command[place] == known[i]) return i;
      all += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
    }
    refuse(what + " must be " + all + (place < command.size() ? ", not " + command[place] : ""));
  }

  void variable(const words& c) { variables_.define(c); }
  // The next four commands do not change the computation.
  void echo(const words& c) {
    choice(c, 1, "echo", {"none", "screen", "log", "both"});
    end(c, 2);
  }
  void processors(const words& c) {
    for (const std::size_t place : {1U, 2U, 3U})
      if (place >= c.size() || c[place] != "*") count(c, place, "the number of processors", 1, most_cells);
    end(c, 4);
  }
  void newton(const words& c) {
    for (std::size_t place = 1; place == 1 || place < c.size(); ++place)
      choice(c, place, "newton", {"on", "off"});
    end(c, 3);
  }
  void atom_modify(const words& c) {
    std::size_t at = 1;
    do at += choice(c, at, "atom_modify", {"map", "sort"}) == 0 ? 2 : 3;
    while (at < c.size());
  }
  void dimension(const words& c) {
    expect(c, 1, "3");
    end(c, 2);
  }
  void boundary(const words& c) {
    if (c != words{"boundary", "p", "p", "p"})
      refuse("the box is periodic in all directions: boundary p p p");
  }

  void units(const words& c) {
    static const std::set<std::string> before{"atom_modify", "atom_style", "boundary", "dimension", "echo",
                                              "newton",      "processors", "units",    "variable"};
    const auto in = static_cast<unit_system>(choice(c, 1, "units", {"lj", "metal", "real"}));
    end(c, 2);
    for (const std::string& other : obeyed_)
      if (!before.contains(other)) refuse("units must stand before " + other);
    use_units(parameters_.what, in);
  }
  void atom_style(const words& c) {
    expect(c, 1, "atomic");
    end(c, 2);
  }
  void lattice(const words& c) {
    expect(c, 1, "fcc");
    const double value = scale(c, 2, "the lattice");
    // The argument is a density in reduced units, otherwise the lattice constant.
    parameters_.what.cell =
        parameters_.what.in == unit_system::lj ? unit_cell::of_density(value) : unit_cell::of_constant(value);
    end(c, 3);
  }
  void region(const words& c) {
    if (c.size() < 2) refuse("region needs a name");
    region_ = c[1];
    expect(c, 2, "block");
    for (int d = 0; d < 3; ++d) {
      const auto place = static_cast<std::size_t>(3 + 2 * d);
      if (number(c, place, "a side of the region", bound::none) != 0) refuse("a region must begin at 0");
      parameters_.what.lattice[d] =
          static_cast<int>(count(c, place + 1, "a side of the region", 1, most_cells));
    }
    if (c.size() > 9) expect(c, 9, "units"), expect(c, 10, "lattice");
    end(c, 11);
  }
  void create_box(const words& c) {
    if (count(c, 1, "the number of kinds of atoms", 1, most_cells) != 1) refuse("there is one kind of atoms");
    if (c.size() != 3 || c[2] != region_ || region_.empty())
      refuse("create_box needs the name of the region");
  }
  void create_atoms(const words& c) {
    if (count(c, 1, "the kind of atoms", 1, most_cells) != 1) refuse("there is one kind of atoms");
    expect(c, 2, "box");
    end(c, 3);
  }
  void mass(const words& c) {
    if (c.size() < 2 || (c[1] != "1" && c[1] != "*")) refuse("there is one kind of atoms, 1");
    mass_ = number(c, 2, "the mass", bound::positive);
    end(c, 3);
  }

  void velocity(const words& c) {
    if (!mass_) refuse("velocity needs the mass of the atoms before it, from mass or pair_coeff of eam");
    if (c.size() < 2 || c[1] != "all")
      refuse("velocity is for the group all" + (c.size() < 2 ? "" : ", and not for " + c[1]));
    velocity_change result{{}, *mass_};
    switch (choice(c, 2, "velocity", {"create", "set", "scale", "ramp", "zero"})) {
      case 0: result.what = random_of(c); break;
      case 1: result.what = equal_of(c); break;
      case 2: result.what = scaled_of(c); break;
      case 3: result.what = ramped_of(c); break;
      default: result.what = stilled_of(c); break;
    }
    parameters_.what.velocities.push_back(result);
  }
  struct velocity_keywords {
    bool is_gaussian = false, adds = false, has_momentum = false, has_rotation = true;
    number_source source = number_source::row;
    double length = 1;  // the unit of lengths in the command
  };
  velocity_keywords keywords_of(const words& c, std::size_t from) const {
    velocity_keywords value;
    value.length = parameters_.what.cell.constant();
    for (std::size_t i = from; i < c.size(); i += 2) {
      const auto is_second = [&](const char* first, const char* second) {
        return choice(c, i + 1, c[i], {first, second}) == 1;
      };
      switch (choice(c, i, "a keyword of velocity", {"dist", "sum", "mom", "rot", "loop", "units"})) {
        case 0: value.is_gaussian = is_second("uniform", "gaussian"); break;
        case 1: value.adds = is_second("no", "yes"); break;
        case 2: value.has_momentum = is_second("yes", "no"); break;
        case 3: value.has_rotation = is_second("yes", "no"); break;
        case 4:
          value.source = static_cast<number_source>(choice(c, i + 1, c[i], {"all", "local", "geom"}));
          break;
        default: value.length = is_second("lattice", "box") ? 1 : parameters_.what.cell.constant(); break;
      }
    }
    return value;
  }
  random_velocities random_of(const words& c) const {
    const double temperature = number(c, 3, "the temperature", bound::not_negative);
    const auto seed = static_cast<std::int32_t>(count(c, 4, "the seed", 1, 0x7fffffff));
    const velocity_keywords with = keywords_of(c, 5);
    return {temperature,       seed,     with.source, with.is_gaussian, with.has_momentum,
            with.has_rotation, with.adds};
  }
  equal_velocities equal_of(const words& c) const {
    const velocity_keywords with = keywords_of(c, 6);
    equal_velocities result{.adds = with.adds};
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t place = 3 + d;
      // LAMMPS uses a variable's value without conversion, whatever the units of lengths.
      if (place < c.size() && c[place].starts_with("v_"))
        result.components[d] = variables_.value(c[place].substr(2));
      else if (place >= c.size() || c[place] != "NULL")
        result.components[d] = with.length * number(c, place, "a component of the velocity", bound::none);
    }
    return result;
  }
  scaled_velocities scaled_of(const words& c) const {
    const double temperature = number(c, 3, "the temperature", bound::not_negative);
    keywords_of(c, 4);
    return {temperature};
  }
  ramped_velocities ramped_of(const words& c) const {
    ramped_velocities result;
    result.component = choice(c, 3, "a component of the velocity", {"vx", "vy", "vz"});
    result.coordinate = choice(c, 6, "a coordinate", {"x", "y", "z"});
    const velocity_keywords with = keywords_of(c, 9);
    result.adds = with.adds;
    for (const std::size_t end : {0U, 1U}) {
      result.velocities[end] = with.length * number(c, 4 + end, "an end of the velocity", bound::none);
      result.positions[end] = with.length * number(c, 7 + end, "an end of the ramp", bound::none);
    }
    if (!(result.positions[0] < result.positions[1]))
      refuse("a ramp must begin before " + c[8] + ", and not at " + c[7]);
    return result;
  }
  stilled_velocities stilled_of(const words& c) const {
    const bool is_angular = choice(c, 3, "velocity zero", {"linear", "angular"}) == 1;
    keywords_of(c, 4);
    return {is_angular};
  }

  void pair_style(const words& c) {
    const force_field before = parameters_.what.field;
    parameters_.what.field =
        choice(c, 1, "the pair style", {"lj/cut", "eam"}) == 1 ? force_field::eam : force_field::lj;
    const bool is_lj = parameters_.what.field == force_field::lj;
    if (is_lj) parameters_.what.cutoff = number(c, 2, "the cut-off", bound::positive);
    if (parameters_.what.field != before) obeyed_.erase("pair_coeff");
    end(c, is_lj ? 3 : 2);
  }
  void pair_coeff(const words& c) {
    for (const std::size_t place : {1U, 2U})
      if (place >= c.size() || (c[place] != "1" && c[place] != "*")) refuse("there is one kind of atoms, 1");
    if (parameters_.what.field == force_field::eam) {
      if (c.size() != 4) refuse("pair_coeff of eam needs the name of a potential file");
      if (parameters_.what.in == unit_system::real)
        refuse("the files of eam are in eV: they need units metal");
      parameters_.potential_file = c[3];
      mass_ = 0;  // the potential's mass, unless `mass` follows
      return;
    }
    parameters_.what.epsilon = number(c, 3, "epsilon", bound::positive);
    parameters_.what.sigma = number(c, 4, "sigma", bound::positive);
    if (c.size() > 5) parameters_.what.cutoff = number(c, 5, "the cut-off", bound::positive);
    end(c, 6);
  }
  void neighbor(const words& c) {
    parameters_.what.skin = number(c, 1, "the skin", bound::not_negative);
    if (c.size() > 2) expect(c, 2, "bin");
    end(c, 3);
  }
  void neigh_modify(const words& c) {
    for (std::size_t i = 1; i < c.size(); i += 2) {
      if (c[i] == "delay") {
        parameters_.what.delay = count(c, i + 1, "the delay", 0, most_steps);
      } else if (c[i] == "every") {
        parameters_.what.renewal = count(c, i + 1, "the steps between renewals", 1, most_steps);
      } else if (c[i] == "check") {
        if (i + 1 >= c.size() || (c[i + 1] != "yes" && c[i + 1] != "no")) refuse("check must be yes or no");
        parameters_.what.renews_if_needed = c[i + 1] == "yes";
      } else {
        refuse("neigh_modify takes delay, every and check, not " + c[i]);
      }
    }
    if (parameters_.what.delay % parameters_.what.renewal != 0)
      refuse("the delay of " + std::to_string(parameters_.what.delay) + " steps must be a multiple of the " +
             std::to_string(parameters_.what.renewal) + " steps between renewals");
  }
  void fix(const words& c) {
    if (c.size() != 4 || c[2] != "all" || c[3] != "nve") refuse("the only fix is nve, of all: fix 1 all nve");
  }
  void thermo(const words& c) {
    parameters_.thermo = count(c, 1, "the steps between outputs", 0, most_steps);
    end(c, 2);
  }
  void timestep(const words& c) {
    parameters_.what.time_step = number(c, 1, "the time step", bound::positive);
    end(c, 2);
  }
  void run(const words& c) {
    problem& what = parameters_.what;
    if (!mass_) refuse("run needs the command mass before it");
    what.mass = *mass_;
    parameters_.steps = count(c, 1, "the number of steps", 0, most_steps);
    end(c, 2);
    // Without the check, lists are renewed as soon as the delay is over.
    if (!what.renews_if_needed) what.renewal = std::max(what.renewal, std::exchange(what.delay, 0));
  }

  input parameters_;
  std::string region_;
  std::optional<double> mass_;  // 0: the potential's mass
  lammps_variables variables_{*this};
  std::set<std::string> obeyed_;
};

}  // namespace

void use_units(problem& what, unit_system units) {
  what.in = units;
  what.time_step = units == unit_system::metal ? 0.001 : units == unit_system::real ? 1.0 : 0.005;
  what.skin = units == unit_system::lj ? 0.3 : 2.0;
}

input parse_lammps_input(const std::string& text, const std::string& name) {
  return lammps_reader(name).read(text);
}

}  // namespace minimd
