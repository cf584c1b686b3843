// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>

#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/table.hpp>

namespace imbrex::tools {
namespace {

using checkpoints::listed_checkpoint;

std::string bytes_of(std::uint64_t bytes) { return readable_bytes(static_cast<double>(bytes)); }

std::uint64_t bytes_of_parts(const checkpoints::manifest& m) {
  std::uint64_t bytes = 0;
  for (const auto& part : m.parts) bytes += part.bytes;
  return bytes;
}

std::string count_of_things(std::uint64_t count, const std::string& thing) {
  return readable_count(count) + " " + thing + (count == 1 ? "" : "s");
}

/// The first byte in which two records differ.
std::size_t first_difference(std::span<const std::byte> left, std::span<const std::byte> right) {
  return static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
}

/// Compares the records of a section, whose keys are in order on both sides.
class section_comparison {
 public:
  section_comparison(const checkpoint_contents& left, const checkpoint_contents& right)
      : left_(left), right_(right) {}

  void compare(const whole_section& left, const whole_section& right) {
    std::size_t i = 0, j = 0;
    while (i < left.records.size() || j < right.records.size()) {
      const int order = i == left.records.size()    ? 1
                        : j == right.records.size() ? -1
                                                    : order_of(left.records[i], right.records[j]);
      if (order < 0)
        note(only_left_, left_.key(left.records[i++]), " is only in the first");
      else if (order > 0)
        note(only_right_, right_.key(right.records[j++]), " is only in the second");
      else
        compare_records(left.records[i++], right.records[j++]);
    }
  }
  bool is_equal() const { return differing_ + only_left_ + only_right_ == 0; }
  std::string text(const std::string& name) const {
    std::string all = name + ": " + count_of_things(equal_, "record") + " equal";
    if (differing_ > 0) all += ", " + readable_count(differing_) + " differ";
    if (only_left_ > 0) all += ", " + readable_count(only_left_) + " only in the first";
    if (only_right_ > 0) all += ", " + readable_count(only_right_) + " only in the second";
    return all + "\n" + first_;
  }

 private:
  int order_of(const record_place& left, const record_place& right) const {
    const auto l = left_.key(left), r = right_.key(right);
    if (std::ranges::lexicographical_compare(l, r)) return -1;
    return std::ranges::lexicographical_compare(r, l) ? 1 : 0;
  }
  void compare_records(const record_place& left, const record_place& right) {
    const auto l = left_.record(left), r = right_.record(right);
    if (std::ranges::equal(l, r)) {
      ++equal_;
      return;
    }
    note(differing_, left_.key(left),
         fmt::format(" differs from byte {} on ({} and {} bytes)", first_difference(l, r), l.size(),
                     r.size()));
  }
  void note(std::uint64_t& count, std::span<const std::byte> key, const std::string& what) {
    if (is_equal()) first_ = "  the first: " + text_of_key(key) + what + "\n";
    ++count;
  }

  const checkpoint_contents& left_;
  const checkpoint_contents& right_;
  std::uint64_t equal_ = 0, differing_ = 0, only_left_ = 0, only_right_ = 0;
  std::string first_;
};

}  // namespace

std::string list_text(const std::string& path, const std::vector<listed_checkpoint>& all) {
  if (all.empty()) return printable(path) + " has no checkpoints\n";
  table rows({"number", "written", "processes", "PEs", "size", "starts", "program"});
  std::string problems;
  for (const listed_checkpoint& one : all) {
    const std::string name = std::filesystem::path(one.path).filename().string();
    if (!one.problem.empty()) {
      rows.row({name, "not whole", "", "", "", "", ""});
      problems += printable(one.problem) + "\n";
      continue;
    }
    rows.row({name, one.contents.written, std::to_string(one.contents.parts.size()),
              std::to_string(one.contents.pes), bytes_of(bytes_of_parts(one.contents)),
              std::to_string(one.tries), printable(one.contents.program)});
  }
  return rows.text() + problems;
}

/// The class of a section; by its name if it has no schema, as classes of Python.
std::string class_of(const checkpoints::section_info& section) {
  const auto named = section.attributes.find("class");
  const bool is_by_name = section.schema.name.empty() && named != section.attributes.end() &&
                          !section.name.ends_with(named->second);
  return is_by_name ? named->second : section.schema.name;
}

std::string contents_text(const checkpoint_contents& contents, bool with_classes) {
  const auto& m = contents.contents();
  std::string text = fmt::format(
      "{}: of {}, written {} by {}, {}, run {:016x}, {}\n\n", printable(contents.path()),
      printable(m.program), printable(m.written),
      m.parts.size() == 1 ? "1 process" : fmt::format("{} processes", m.parts.size()),
      count_of_things(static_cast<std::uint64_t>(m.pes), "PE"), m.run, bytes_of(bytes_of_parts(m)));
  table rows({"records", "size", "kind", "name and class"});
  for (const whole_section& section : contents.sections())
    rows.row({readable_count(section.records.size()), bytes_of(section.bytes),
              checkpoints::name_of(section.info.kind),
              printable(section.info.name + ": " + class_of(section.info))});
  text += rows.text();
  if (!with_classes) return text;
  std::set<std::string> shown;
  for (const whole_section& section : contents.sections())
    if (shown.insert(to_text(section.info.schema)).second)
      text += "\n" + printable_lines(to_text(section.info.schema));
  return text;
}

checkpoint_difference compare(const checkpoint_contents& left, const checkpoint_contents& right) {
  checkpoint_difference result;
  const auto only_in = [&result](const whole_section& section, const char* where) {
    result.text += name_of_section(section.info) + ": only in the " + where + "\n";
    result.is_equal = false;
  };
  for (const whole_section& section : left.sections()) {
    const whole_section* const other = right.find(section.info);
    if (other == nullptr) {
      only_in(section, "first");
      continue;
    }
    section_comparison records(left, right);
    records.compare(section, *other);
    result.text += records.text(name_of_section(section.info));
    if (const auto schema = difference(section.info.schema, other->info.schema); !schema.empty()) {
      result.text += "  its class differs: " + printable(schema) + "\n";
      result.is_equal = false;
    }
    result.is_equal = result.is_equal && records.is_equal();
  }
  for (const whole_section& section : right.sections())
    if (left.find(section.info) == nullptr) only_in(section, "second");
  return result;
}

}  // namespace imbrex::tools
