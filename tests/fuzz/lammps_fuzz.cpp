// SPDX-License-Identifier: Apache-2.0
// Reads inputs of minimd from arbitrary text. Each must yield a problem that can be computed, or an error
// that names the line.

#include <imbrex/base/error.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "apps/minimd/input.hpp"
#include "mutator.hpp"

namespace {

/// A word that a file may have wrongly.
std::string_view odd_word(std::mt19937& random) {
  static constexpr std::string_view words[] = {
      "0",  "-1", "1e400", "nan", "1e-300", "2147483648", "NULL", "${x}", "$x",       "$(1/0)",  "$(v_y^9)",
      "\"", "&",  "# &",   "v_y", "*",      "1e9",        "yes",  "+4",   "loop all", "$(((1))", "${"};
  return words[random() % std::size(words)];
}

constexpr std::string_view valid =
    "variable x index 4\nvariable y equal 2*$x+sqrt(v_x)\nunits metal\natom_style atomic\nboundary p p p\n"
    "lattice fcc 3.615\nregion box block 0 ${x} 0 $(v_y:%.0f) 0 4\ncreate_box 1 box\ncreate_atoms 1 box\n"
    "mass 1 1.0\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\n"
    "velocity all create 1.44 87287 loop geom dist gaussian\nvelocity all set 1 NULL v_y sum yes\n"
    "velocity all ramp vx 0 1 y 0 3 units box\nvelocity all zero angular\nneighbor 0.3 bin\n"
    "neigh_modify delay 0 every 20 check no\nfix 1 all nve\nthermo 5\ntimestep 0.005\nrun 20\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const minimd::input parameters = minimd::parse_input(text, "fuzz.in");
    const minimd::problem& what = parameters.what;
    const double volume = what.volume();
    if (!(volume > 0) || !std::isfinite(volume) || what.atoms() < 4 || parameters.steps < 0 ||
        parameters.thermo < 0 || !(what.time_step > 0) || !(what.range() > 0) || what.renewal < 1)
      std::abort();
  } catch (const imbrex::usage_error& e) {
    if (!std::string_view(e.what()).starts_with("fuzz.in, line ")) std::abort();
  }
  return 0;
}

// Starts from a valid file with a word replaced: few random bytes are commands.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 4 == 0) {
    std::mt19937 random(seed);
    std::string text(valid);
    if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    const std::size_t place = text.find(' ', random() % text.size());
    if (place != std::string::npos) {
      const std::size_t end = text.find_first_of(" \n", place + 1);
      text.replace(place + 1, end - place - 1, odd_word(random));
    }
    size = text.copy(reinterpret_cast<char*>(data), max_size);
    if (seed % 8 == 0) return size;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
