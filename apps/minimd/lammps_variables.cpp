// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/lammps_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace minimd {
namespace {

// Limits for formulas: variables may refer to themselves, or to others so often that evaluation would never
// end.
constexpr int deepest = 100;
constexpr int most_operands = 100'000;

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(const std::string& text) { return !text.empty() && std::ranges::all_of(text, is_of_name); }

}  // namespace

/// Evaluates a formula. Signs and `!` bind most, then ^; all operators associate to the left, ^ too as in
/// LAMMPS.
class formula {
 public:
  formula(const lammps_variables& variables, const std::string& text, formula_effort& effort)
      : variables_(variables), text_(text), effort_(effort) {}

  double value() {
    const double value = binary(0);
    if (peek() != '\0') refuse("something stands behind its end, from '" + text_.substr(at_) + "' on");
    if (!std::isfinite(value)) refuse("its value is not finite");
    return value;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    variables_.at_.refuse("the formula '" + text_ + "' cannot be evaluated: " + why);
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view symbol) {
    peek();
    if (!std::string_view(text_).substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  void enter() {
    if (++effort_.depth > deepest)
      refuse("it is nested more than " + std::to_string(deepest) + " deep; a variable may name itself");
    if (++effort_.operands > most_operands)
      refuse("it has more than " + std::to_string(most_operands) + " values, with those of its variables");
  }

  double binary(std::size_t level) {
    static const std::array<std::vector<std::string_view>, 7> symbols{
        {{"||", "|^"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}, {"^"}}};
    if (level == symbols.size()) return unary();
    double left = binary(level + 1);
    for (;;) {
      const auto found = std::ranges::find_if(symbols[level], [this](auto symbol) { return take(symbol); });
      if (found == symbols[level].end()) return left;
      left = combined(*found, left, binary(level + 1));
    }
  }
  double combined(std::string_view symbol, double a, double b) const {
    const auto truth = [](bool holds) { return holds ? 1.0 : 0.0; };
    if (symbol == "||") return truth(a != 0 || b != 0);
    if (symbol == "|^") return truth((a != 0) != (b != 0));
    if (symbol == "&&") return truth(a != 0 && b != 0);
    if (symbol == "==") return truth(a == b);
    if (symbol == "!=") return truth(a != b);
    if (symbol == "<=") return truth(a <= b);
    if (symbol == ">=") return truth(a >= b);
    if (symbol == "<") return truth(a < b);
    if (symbol == ">") return truth(a > b);
    if (symbol == "+") return a + b;
    if (symbol == "-") return a - b;
    if (symbol == "*") return a * b;
    if (symbol == "^") return std::pow(a, b);
    if (b == 0) refuse("it divides by 0");
    return symbol == "/" ? a / b : std::fmod(a, b);
  }

  double unary() {
    enter();
    double value = 0;
    if (take("-"))
      value = -unary();
    else if (take("!"))
      value = unary() == 0 ? 1 : 0;
    else
      value = operand();
    --effort_.depth;
    return value;
  }
  double operand() {
    const char first = peek();
    if (take("(")) {
      const double value = binary(0);
      close();
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') return number();
    std::size_t end = at_;
    while (end < text_.size() && is_of_name(text_[end])) ++end;
    const std::string name = text_.substr(at_, end - at_);
    if (name.empty())
      refuse(first == '\0' ? "it ends too early" : "a value is missing before '" + text_.substr(at_) + "'");
    at_ = end;
    if (name.starts_with("v_")) return variables_.value(name.substr(2), effort_);
    if (take("(")) return call(name);
    if (name == "PI") return std::numbers::pi;
    if (name == "on" || name == "yes" || name == "true") return 1;
    if (name == "off" || name == "no" || name == "false") return 0;
    refuse("there is no value " + name +
           " here; known are numbers, variables v_NAME, PI, on, off, yes, no, "
           "true and false");
  }
  double number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc()) refuse("a number is missing before '" + text_.substr(at_) + "'");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  void close() {
    if (!take(")")) refuse("a closing parenthesis is missing");
  }
  double call(const std::string& name) {
    struct function {
      std::string_view name;
      double (*of)(double);
    };
    static constexpr std::array functions{function{"sqrt", [](double x) { return std::sqrt(x); }},
                                          function{"exp", [](double x) { return std::exp(x); }},
                                          function{"ln", [](double x) { return std::log(x); }},
                                          function{"log", [](double x) { return std::log10(x); }},
                                          function{"abs", [](double x) { return std::abs(x); }},
                                          function{"sin", [](double x) { return std::sin(x); }},
                                          function{"cos", [](double x) { return std::cos(x); }},
                                          function{"tan", [](double x) { return std::tan(x); }},
                                          function{"asin", [](double x) { return std::asin(x); }},
                                          function{"acos", [](double x) { return std::acos(x); }},
                                          function{"atan", [](double x) { return std::atan(x); }},
                                          function{"ceil", [](double x) { return std::ceil(x); }},
                                          function{"floor", [](double x) { return std::floor(x); }},
                                          function{"round", [](double x) { return std::round(x); }}};
    const double first = binary(0);
    if (name == "atan2") {
      if (!take(",")) refuse("atan2 needs two values");
      const double second = binary(0);
      close();
      return std::atan2(first, second);
    }
    const auto* const found = std::ranges::find(functions, name, &function::name);
    if (found == functions.end()) {
      std::string known;
      for (const function& one : functions) known += std::string(one.name) + ", ";
      refuse("there is no function " + name + " here; known are " + known + "atan2");
    }
    close();
    const double value = found->of(first);
    if (!std::isfinite(value)) refuse(fmt::format("{} of {} is not finite", name, first));
    return value;
  }

  const lammps_variables& variables_;
  const std::string& text_;
  std::size_t at_ = 0;
  formula_effort& effort_;
};

void lammps_variables::define(const words& command) {
  if (command.size() < 3) at_.refuse("variable needs a name, a style and a value");
  const std::string& name = command[1];
  if (!is_name(name))
    at_.refuse("the name of a variable has letters, digits and underscores, and " + name + " has others");
  if (command[2] == "delete") {
    all_.erase(name);
    return;
  }
  static const std::map<std::string, style> styles{
      {"atom", style::atom}, {"equal", style::equal}, {"index", style::index}, {"string", style::string}};
  const auto found = styles.find(command[2]);
  if (found == styles.end())
    at_.refuse("there is no style " + command[2] +
               " of variables here; known are atom, delete, equal, index, string");
  if (command.size() < 4) at_.refuse("variable " + name + " needs a value");
  if (command.size() > 4 && found->second != style::index)
    at_.refuse("variable " + name + " takes one value, and not " + command[4] +
               " besides; put a value with blanks in quotes");
  const variable result{found->second, command[3]};
  // An existing `index` keeps its value, as in LAMMPS, whose command line may have set it.
  if (result.is == style::index)
    all_.try_emplace(name, result);
  else
    all_.insert_or_assign(name, result);
}

const lammps_variables::variable& lammps_variables::find(const std::string& name) const {
  const auto found = all_.find(name);
  if (found == all_.end())
    at_.refuse("there is no variable '" + name + "'; add a line such as: variable " +
               (is_name(name) ? name : "x") + " index 1");
  if (found->second.is == style::atom)
    at_.refuse("the variable " + name + " has a value for each atom, which cannot be used here");
  return found->second;
}

std::string lammps_variables::text(const std::string& name) const {
  const variable& one = find(name);
  return one.is == style::equal ? fmt::format("{:.15g}", value(name)) : one.text;
}

double lammps_variables::evaluated(const std::string& text) const {
  formula_effort effort;
  return formula(*this, text, effort).value();
}

double lammps_variables::value(const std::string& name, formula_effort& effort) const {
  const variable& one = find(name);
  if (one.is == style::equal) return formula(*this, one.text, effort).value();
  const auto number = number_of(one.text);
  if (!number || !std::isfinite(*number))
    at_.refuse("the variable " + name + " is '" + one.text + "', and must be a number here");
  return *number;
}

double lammps_variables::value(const std::string& name) const {
  formula_effort effort;
  return value(name, effort);
}

// Evaluates a formula, optionally followed by a colon and a printf format.
std::string lammps_variables::immediate(const std::string& text) const {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return fmt::format("{:.20g}", evaluated(text));
  const std::string format = text.substr(colon + 1);
  const std::size_t point = format.find('.');
  const std::string digits = point == 1 && format.size() > 3 ? format.substr(2, format.size() - 3) : "";
  const bool has_precision = digits.size() == 1 || digits.size() == 2;
  const bool has_digits = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!format.starts_with('%') || !(has_precision ? has_digits : format.size() == 2) ||
      std::string_view("efg").find(format.back()) == std::string_view::npos)
    at_.refuse("the format '" + format + "' of a formula must be like %g, %.6g, %.6f or %.6e");
  return fmt::format(fmt::runtime("{:" + format.substr(1) + "}"), evaluated(text.substr(0, colon)));
}

std::string lammps_variables::replaced(const std::string& line) const {
  std::string result;
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = '\0';
    if (c != '$' || quote != '\0') {
      result += c;
      continue;
    }
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (next == '{' || next == '(') {
      std::size_t end = at + 2;
      for (int open = 1; end < line.size(); ++end) {
        open += line[end] == next ? 1 : 0;
        open -= line[end] == (next == '{' ? '}' : ')') ? 1 : 0;
        if (open == 0) break;
      }
      if (end == line.size()) at_.refuse("$" + std::string(1, next) + " is not closed");
      const std::string inner = line.substr(at + 2, end - at - 2);
      result += next == '{' ? text(inner) : immediate(inner);
      at = end;
    } else {
      result += text(next == '\0' ? "" : std::string(1, next));
      ++at;
    }
  }
  return result;
}

}  // namespace minimd
