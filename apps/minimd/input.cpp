// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/input.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>

namespace minimd {
namespace {

using words = std::vector<std::string>;

// What cannot be counted in a double is infinite.
std::optional<double> number_of(const std::string& word) {
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem == std::errc::invalid_argument || end != word.data() + word.size()) return std::nullopt;
  return problem == std::errc() ? value : std::numeric_limits<double>::infinity();
}

enum class bound : std::uint8_t { none, not_negative, positive };

// What both kinds of input have in common: where it stands, and values that are checked.
class line_reader {
 public:
  explicit line_reader(std::string name) : name_(std::move(name)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw imbrex::usage_error(name_ + ", line " + std::to_string(line_) + ": " + why);
  }
  double number(const words& of, std::size_t place, const char* what, bound least) const {
    const auto value = place < of.size() ? number_of(of[place]) : std::nullopt;
    if (!value)
      refuse(std::string("a number is missing for ") + what +
             (place < of.size() ? ", not " + of[place] : ""));
    const auto refuse_value = [&](const char* must) {
      refuse(std::string(what) + " is " + of[place] + ", and must be " + must);
    };
    if (!std::isfinite(*value)) refuse_value("a finite number");
    if (least == bound::positive && !(*value > 0)) refuse_value("more than 0");
    if (least == bound::not_negative && !(*value >= 0)) refuse_value("0 or more");
    return *value;
  }
  std::int64_t count(const words& of, std::size_t place, const char* what, std::int64_t least,
                     std::int64_t most = 1'000'000'000'000'000) const {
    const double value = number(of, place, what, bound::none);
    if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
      refuse(std::string(what) + " is " + of[place] + ", and must be a whole number from " +
             std::to_string(least) + " to " + std::to_string(most));
    return static_cast<std::int64_t>(value);
  }

 protected:
  std::string name_;
  int line_ = 0;
};

words split(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  words all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

void use_units(problem& what, bool are_metal) {
  what.in = are_metal ? unit_system::metal : unit_system::lj;
  what.time_step = are_metal ? 0.001 : 0.005;
  what.skin = are_metal ? 2.0 : 0.3;
}

class lammps_reader : line_reader {
 public:
  explicit lammps_reader(std::string name) : line_reader(std::move(name)) {
    given_.thermo = 0;
    // LAMMPS's own: atoms are at rest, and lists are renewed where they must be.
    given_.what.temperature = 0;
    given_.what.renewal = 1;
    given_.what.renews_if_needed = true;
  }

  input read(const std::string& text) {
    std::istringstream in(text);
    std::string line, whole;
    bool has_run = false;
    while (std::getline(in, line)) {
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty() && line.back() == '&') {
        whole += line.substr(0, line.size() - 1) + ' ';
        continue;
      }
      const words command = split(whole + line);
      whole.clear();
      if (command.empty()) continue;
      if (has_run) refuse(command[0] + " behind run: a file has one run, at its end");
      obey(command);
      has_run = command[0] == "run";
    }
    ++line_;
    if (!has_run) refuse("the file ends without a run");
    return given_;
  }

 private:
  void obey(const words& command) {
    struct rule {
      void (lammps_reader::*does)(const words&);
      std::vector<std::string> behind;  // commands that it needs before it
    };
    static const std::map<std::string, rule> commands{
        {"units", {&lammps_reader::units, {}}},
        {"atom_style", {&lammps_reader::atom_style, {}}},
        {"lattice", {&lammps_reader::lattice, {}}},
        {"region", {&lammps_reader::region, {"lattice"}}},
        {"create_box", {&lammps_reader::create_box, {"region"}}},
        {"create_atoms", {&lammps_reader::create_atoms, {"create_box"}}},
        {"mass", {&lammps_reader::mass, {"create_box"}}},
        {"velocity", {&lammps_reader::velocity, {"create_atoms"}}},
        {"pair_style", {&lammps_reader::pair_style, {}}},
        {"pair_coeff", {&lammps_reader::pair_coeff, {"create_box", "pair_style"}}},
        {"neighbor", {&lammps_reader::neighbor, {}}},
        {"neigh_modify", {&lammps_reader::neigh_modify, {}}},
        {"fix", {&lammps_reader::fix, {}}},
        {"thermo", {&lammps_reader::thermo, {}}},
        {"timestep", {&lammps_reader::timestep, {}}},
        {"run", {&lammps_reader::run, {"create_atoms", "pair_style", "pair_coeff", "fix"}}}};
    const auto found = commands.find(command[0]);
    if (found == commands.end()) {
      std::string known;
      for (const auto& [name, rule] : commands) known += (known.empty() ? "" : ", ") + name;
      refuse("there is no command " + command[0] + " here; known are " + known);
    }
    for (const std::string& needed : found->second.behind)
      if (!obeyed_.contains(needed)) refuse(command[0] + " needs the command " + needed + " before it");
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

  void units(const words& c) {
    if (c.size() != 2 || (c[1] != "lj" && c[1] != "metal")) refuse("units must be lj or metal");
    for (const std::string& other : obeyed_)
      if (other != "atom_style" && other != "units") refuse("units must stand before " + other);
    use_units(given_.what, c[1] == "metal");
  }
  void atom_style(const words& c) {
    expect(c, 1, "atomic");
    end(c, 2);
  }
  void lattice(const words& c) {
    expect(c, 1, "fcc");
    const double scale = number(c, 2, "the lattice", bound::positive);
    // Reduced units give a density, others the lattice constant.
    given_.what.density = given_.what.in == unit_system::lj ? scale : 4 / (scale * scale * scale);
    end(c, 3);
  }
  void region(const words& c) {
    if (c.size() < 2) refuse("region needs a name");
    region_ = c[1];
    expect(c, 2, "block");
    for (int d = 0; d < 3; ++d) {
      const auto place = static_cast<std::size_t>(3 + 2 * d);
      if (number(c, place, "a side of the region", bound::none) != 0) refuse("a region must begin at 0");
      given_.what.lattice[d] = static_cast<int>(count(c, place + 1, "a side of the region", 1, most_cells));
    }
    if (c.size() > 9) expect(c, 9, "units"), expect(c, 10, "lattice");
    end(c, 11);
  }
  void create_box(const words& c) {
    if (count(c, 1, "the number of kinds of atoms", 1) != 1) refuse("there is one kind of atoms");
    if (c.size() != 3 || c[2] != region_ || region_.empty())
      refuse("create_box needs the name of the region");
  }
  void create_atoms(const words& c) {
    if (count(c, 1, "the kind of atoms", 1) != 1) refuse("there is one kind of atoms");
    expect(c, 2, "box");
    end(c, 3);
  }
  void mass(const words& c) {
    if (c.size() < 2 || (c[1] != "1" && c[1] != "*")) refuse("there is one kind of atoms, 1");
    given_.what.mass = number(c, 2, "the mass", bound::positive);
    end(c, 3);
  }
  void velocity(const words& c) {
    expect(c, 1, "all");
    expect(c, 2, "create");
    given_.what.temperature = number(c, 3, "the temperature", bound::not_negative);
    given_.what.velocity_seed = static_cast<std::int32_t>(count(c, 4, "the seed", 1, 0x7fffffff));
    expect(c, 5, "loop");
    expect(c, 6, "geom");
    end(c, 7);
  }
  void pair_style(const words& c) {
    if (c.size() < 2 || (c[1] != "lj/cut" && c[1] != "eam")) refuse("the pair style must be lj/cut or eam");
    given_.what.field = c[1] == "eam" ? force_field::eam : force_field::lj;
    if (given_.what.field == force_field::lj)
      given_.what.cutoff = number(c, 2, "the cut-off", bound::positive);
    end(c, given_.what.field == force_field::lj ? 3 : 2);
  }
  void pair_coeff(const words& c) {
    for (const std::size_t place : {1U, 2U})
      if (place >= c.size() || (c[place] != "1" && c[place] != "*")) refuse("there is one kind of atoms, 1");
    if (given_.what.field == force_field::eam) {
      if (c.size() != 4) refuse("pair_coeff of eam needs the name of a potential file");
      given_.potential_file = c[3];
      return;
    }
    given_.what.epsilon = number(c, 3, "epsilon", bound::positive);
    given_.what.sigma = number(c, 4, "sigma", bound::positive);
    if (c.size() > 5) given_.what.cutoff = number(c, 5, "the cut-off", bound::positive);
    end(c, 6);
  }
  void neighbor(const words& c) {
    given_.what.skin = number(c, 1, "the skin", bound::not_negative);
    if (c.size() > 2) expect(c, 2, "bin");
    end(c, 3);
  }
  void neigh_modify(const words& c) {
    for (std::size_t i = 1; i < c.size(); i += 2) {
      if (c[i] == "delay") {
        given_.what.delay = count(c, i + 1, "the delay", 0);
      } else if (c[i] == "every") {
        given_.what.renewal = count(c, i + 1, "the steps between renewals", 1);
      } else if (c[i] == "check") {
        if (i + 1 >= c.size() || (c[i + 1] != "yes" && c[i + 1] != "no")) refuse("check must be yes or no");
        given_.what.renews_if_needed = c[i + 1] == "yes";
      } else {
        refuse("neigh_modify takes delay, every and check, not " + c[i]);
      }
    }
    if (given_.what.delay % given_.what.renewal != 0)
      refuse("the delay of " + std::to_string(given_.what.delay) + " steps must be a multiple of the " +
             std::to_string(given_.what.renewal) + " steps between renewals");
  }
  void fix(const words& c) {
    if (c.size() != 4 || c[2] != "all" || c[3] != "nve") refuse("the only fix is nve, of all: fix 1 all nve");
  }
  void thermo(const words& c) {
    given_.thermo = count(c, 1, "the steps between outputs", 0);
    end(c, 2);
  }
  void timestep(const words& c) {
    given_.what.time_step = number(c, 1, "the time step", bound::positive);
    end(c, 2);
  }
  void run(const words& c) {
    problem& what = given_.what;
    if (what.field == force_field::lj && !obeyed_.contains("mass"))
      refuse("run needs the command mass before it");
    given_.steps = count(c, 1, "the number of steps", 0);
    end(c, 2);
    // Without a check lists are renewed as soon as the delay is over.
    if (!what.renews_if_needed) what.renewal = std::max(what.renewal, std::exchange(what.delay, 0));
  }

  input given_;
  std::string region_;
  std::set<std::string> obeyed_;
};

// Two lines of a title, then a value or some on each line, and what they are.
class minimd_reader : line_reader {
 public:
  explicit minimd_reader(std::string name) : line_reader(std::move(name)) {}

  input read(const std::string& text) {
    in_.str(text);
    std::string title;
    for (line_ = 1; line_ <= 2; ++line_) std::getline(in_, title);
    --line_;
    input given;
    problem& what = given.what;
    const std::string units = next()[0];
    if (units != "lj" && units != "metal") refuse("units must be lj or metal, not " + units);
    use_units(what, units == "metal");
    if (const std::string data = next()[0]; data != "none")
      refuse("data files cannot be read: say none, not " + data);
    const std::string field = next()[0];
    if (field != "lj" && field != "eam") refuse("the force style must be lj or eam, not " + field);
    what.field = field == "eam" ? force_field::eam : force_field::lj;
    words line = next();
    if (what.field == force_field::eam) {
      given.potential_file = line[0];
    } else {
      what.epsilon = number(line, 0, "epsilon", bound::positive);
      what.sigma = number(line, 1, "sigma", bound::positive);
    }
    line = next();
    for (int d = 0; d < 3; ++d)
      what.lattice[d] = static_cast<int>(
          count(line, static_cast<std::size_t>(d), "the size of the problem", 1, most_cells));
    given.steps = count(next(), 0, "the number of steps", 0);
    what.time_step = number(next(), 0, "the time step", bound::positive);
    what.temperature = number(next(), 0, "the temperature", bound::positive);
    what.density = number(next(), 0, "the density", bound::positive);
    what.renewal = count(next(), 0, "the steps between renewals", 1);
    line = next();
    what.cutoff = number(line, 0, "the cut-off", bound::positive);
    what.skin = number(line, 1, "the skin", bound::not_negative);
    given.thermo = count(next(), 0, "the steps between outputs", 0);
    return given;
  }

 private:
  words next() {
    std::string line;
    ++line_;
    if (!std::getline(in_, line)) refuse("the file ends too early: a file of miniMD has 14 lines");
    words all = split(line);
    if (all.empty()) refuse("a value is missing");
    return all;
  }

  std::istringstream in_;
};

}  // namespace

input parse_input(const std::string& text, const std::string& name) {
  // miniMD's third line is the units alone; in files of LAMMPS a command stands before each value.
  std::istringstream in(text);
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(in, line);
  const words third = split(line);
  const bool is_minimd = !third.empty() && (third[0] == "lj" || third[0] == "metal");
  return is_minimd ? minimd_reader(name).read(text) : lammps_reader(name).read(text);
}

}  // namespace minimd
