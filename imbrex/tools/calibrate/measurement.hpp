// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::calibrate {

/// Several measurements of one number of a machine.
struct measured_number {
  double value = 0;   ///< the median
  double spread = 0;  ///< half the distance of the quartiles, the error bar
};

/// The median and the spread of samples, which must not be empty.
measured_number summary_of(std::vector<double> samples);

/// The numbers of a machine by their names in its file, such as "message.send": times in ns, rates in bytes a
/// second; and the reasons why others were not measured.
struct measurement {
  std::map<std::string, measured_number> numbers;
  std::map<std::string, std::string> reasons;
  std::string where;  ///< "host a, 2 PEs"
};

/// The text of a machine file: that of `base` with the measured numbers in place of its own, each with its
/// error bar and the reason why another was not measured. `name` is the new machine's.
std::string machine_text(std::string_view base, std::string_view base_name, const measurement& of,
                         const std::string& name);

}  // namespace imbrex::calibrate
