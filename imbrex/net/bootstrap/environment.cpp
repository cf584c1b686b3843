// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/environment.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>

#include <cstdlib>
#include <sstream>

namespace imbrex {
const char* environment_text(const char* name) { return std::getenv(name); }

std::optional<int> environment_number(const char* name, int least, int most) {
  const char* const text = environment_text(name);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_number<int>(text);
  if (!number || *number < least || *number > most)
    throw usage_error(std::string("the environment variable ") + name + "=" + text +
                      " must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most) + "; only a launcher should set it");
  return number;
}

std::chrono::milliseconds environment_patience() {
  using namespace std::chrono_literals;
  const char* const text = environment_text("IMBREX_PATIENCE");
  if (text == nullptr) return 30s;
  const auto seconds = parse_number<double>(text);
  constexpr double most = 86'400;
  if (!seconds || !(*seconds >= 0.001 && *seconds <= most))
    throw usage_error(std::string("the environment variable IMBREX_PATIENCE=") + text +
                      " must be the seconds that processes wait for each other, from 0.001 to 86400; unset "
                      "it for 30");
  return std::chrono::milliseconds(static_cast<int>(*seconds * 1000));
}

std::chrono::milliseconds environment_seconds(const char* name, std::chrono::milliseconds otherwise,
                                              double least, const char* meaning) {
  const char* const text = environment_text(name);
  if (text == nullptr) return otherwise;
  const auto seconds = parse_number<double>(text);
  constexpr double most = 86'400;
  if (!seconds || !(*seconds == 0 || (*seconds >= least && *seconds <= most)))
    throw usage_error(std::string("the environment variable ") + name + "=" + text +
                      " must be the seconds, up to 86400, " + meaning + "; unset it for " +
                      in_seconds(otherwise));
  return std::chrono::milliseconds(static_cast<int>(*seconds * 1000));
}

std::string in_seconds(std::chrono::milliseconds time) {
  std::ostringstream text;
  text << static_cast<double>(time.count()) / 1000 << " s";
  return text.str();
}

}  // namespace imbrex
