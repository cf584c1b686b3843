// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/class_schema.hpp>

#include <algorithm>

namespace imbrex {
namespace {

using field = class_schema::field;
using fields_of_class = class_schema::fields_of_class;

std::string type_and_name(const field& f) { return f.name.empty() ? f.type : f.type + " " + f.name; }

bool has_name(const fields_of_class& all, const std::string& name) {
  return std::ranges::any_of(all.fields, [&name](const field& f) { return f.name == name; });
}

/// True if a field stands where another field of the same class was: renaming is none.
bool has_moved(const field& written, const fields_of_class& here) {
  return !written.name.empty() && has_name(here, written.name);
}

std::string difference_in_fields(const std::string& name, const fields_of_class& written,
                                 const fields_of_class& here) {
  const auto position = [&name](std::size_t i) {
    return "field " + std::to_string(i + 1) + " of " + name + " is ";
  };
  for (std::size_t i = 0; i < std::min(written.fields.size(), here.fields.size()); ++i) {
    const field &before = written.fields[i], &now = here.fields[i];
    if (before.type != now.type)
      return position(i) + type_and_name(before) + " in the file, and here " + type_and_name(now);
    if (before.name != now.name && has_moved(before, here))
      return position(i) + before.name + " in the file, and here " + now.name;
  }
  if (written.fields.size() == here.fields.size()) return {};
  return name + " has " + std::to_string(written.fields.size()) + " fields in the file, and here " +
         std::to_string(here.fields.size());
}

std::string difference_in_class(const std::string& name, const fields_of_class& written,
                                const fields_of_class& here) {
  if (written.version > here.version)
    return name + " has version " + std::to_string(written.version) + " in the file, and here " +
           std::to_string(here.version);
  if (written.version < here.version) return {};
  const std::string text = difference_in_fields(name, written, here);
  if (!text.empty() || written.bytes == here.bytes) return text;
  return name + " has " + std::to_string(written.bytes) + " bytes in the file, and here " +
         std::to_string(here.bytes);
}

}  // namespace

std::string difference(const class_schema& written, const class_schema& present) {
  std::string text;
  if (written.name != present.name) text = "it is " + written.name + ", and not " + present.name;
  for (const auto& [name, fields] : present.classes) {
    const bool is_renamed = written.name != present.name && name == present.name;
    const auto known = written.classes.find(is_renamed ? written.name : name);
    if (known == written.classes.end()) continue;
    const auto more = difference_in_class(name, known->second, fields);
    if (more.empty()) continue;
    return text.empty() ? more : text + "; " + more;
  }
  return text;
}

std::string to_text(const class_schema& schema) {
  std::string text = schema.name + "\n";
  for (const auto& [name, all] : schema.classes) {
    text += name;
    if (all.version != 0) text += ", version " + std::to_string(all.version);
    text += " {";
    for (const field& f : all.fields) text += (&f == all.fields.data() ? "" : "; ") + type_and_name(f);
    text += "}\n";
  }
  return text;
}

int versions_of_schema::version_of(std::string_view class_name) const {
  const auto known = written_.classes.find(std::string(class_name));
  return known == written_.classes.end() ? 0 : known->second.version;
}

}  // namespace imbrex
