// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/checkpoint/columns.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <imbrex/base/options/number.hpp>

namespace imbrex::tools {
namespace {

using owned_columns = std::unique_ptr<value_columns>;

std::size_t round_up_to(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

/// Numbers, and other values of a fixed size, one after the other.
class number_columns final : public value_columns {
 public:
  number_columns(std::string type, std::size_t size, std::size_t alignment)
      : type_(std::move(type)), size_(size), alignment_(alignment) {}

  void read(reader& in) override {
    const auto bytes = in.view(size_);
    values_.insert(values_.end(), bytes.begin(), bytes.end());
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    all.push_back({name, type_, {}, std::move(values_)});
  }
  std::size_t size() const override { return size_; }
  std::size_t alignment() const override { return alignment_; }

 private:
  const std::string type_;
  const std::size_t size_;
  const std::size_t alignment_;
  std::vector<std::byte> values_;
};

class array_columns final : public value_columns {
 public:
  array_columns(owned_columns element, std::uint64_t count) : element_(std::move(element)), count_(count) {}

  void read(reader& in) override {
    for (std::uint64_t i = 0; i < count_; ++i) element_->read(in);
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    const std::size_t first = all.size();
    element_->take(name, all);
    if (element_->size() == 0) return;  // the elements are as long as their ends tell
    for (std::size_t i = first; i < all.size(); ++i) all[i].shape.insert(all[i].shape.begin(), count_);
  }
  std::size_t size() const override { return element_->size() * count_; }
  std::size_t alignment() const override { return element_->alignment(); }

 private:
  const owned_columns element_;
  const std::uint64_t count_;
};

/// The ends of lists.
class end_column {
 public:
  void add(std::uint64_t elements) {
    end_ += elements;
    const auto bytes = std::as_bytes(std::span(&end_, 1));
    values_.insert(values_.end(), bytes.begin(), bytes.end());
  }
  void take(const std::string& name, std::vector<data_column>& all) {
    std::string of_ends = name + "_ends";
    // Lists in lists have the same name.
    while (std::ranges::find(all, of_ends, &data_column::name) != all.end()) of_ends += "_ends";
    all.push_back({std::move(of_ends), "<u8", {}, std::move(values_)});
  }

 private:
  std::uint64_t end_ = 0;
  std::vector<std::byte> values_;
};

/// A value that is not written as it lies in memory.
class composed_columns : public value_columns {
 public:
  std::size_t size() const override { return 0; }
  std::size_t alignment() const override { return 1; }
};

std::uint64_t read_count(reader& in) {
  std::uint64_t count = 0;
  in.bytes(&count, sizeof count);
  if (count > in.remaining()) throw serial_error("a list is longer than its record");
  return count;
}

/// The columns of what lists, sets and maps hold: one value, or a key and a value.
class list_columns final : public composed_columns {
 public:
  explicit list_columns(std::vector<std::pair<std::string, owned_columns>> parts)
      : parts_(std::move(parts)) {}

  void read(reader& in) override {
    const std::uint64_t count = read_count(in);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t before = in.remaining();
      for (auto& [name, part] : parts_) part->read(in);
      if (in.remaining() == before) in.view(1);  // an element without bytes is padded
    }
    ends_.add(count);
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    for (auto& [suffix, part] : parts_) part->take(name + suffix, all);
    ends_.take(name, all);
  }

 private:
  std::vector<std::pair<std::string, owned_columns>> parts_;
  end_column ends_;
};

/// A list of bool, eight in a byte.
class bit_columns final : public composed_columns {
 public:
  void read(reader& in) override {
    std::uint64_t count = 0;
    in.bytes(&count, sizeof count);
    if (count / 8 > in.remaining()) throw serial_error("a list is longer than its record");
    const auto bytes = in.view(count / 8 + (count % 8 != 0));
    for (std::uint64_t i = 0; i < count; ++i) values_.push_back(bytes[i / 8] >> (i % 8) & std::byte{1});
    ends_.add(count);
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    all.push_back({name, "|b1", {}, std::move(values_)});
    ends_.take(name, all);
  }

 private:
  std::vector<std::byte> values_;
  end_column ends_;
};

/// A value that may be missing, as a list of at most one element.
class optional_columns final : public composed_columns {
 public:
  explicit optional_columns(owned_columns element) : element_(std::move(element)) {}

  void read(reader& in) override {
    std::uint8_t is_there = 0;
    in.bytes(&is_there, 1);
    if (is_there > 1) throw serial_error("a flag is neither 0 nor 1");
    if (is_there == 1) element_->read(in);
    ends_.add(is_there);
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    element_->take(name, all);
    ends_.take(name, all);
  }

 private:
  const owned_columns element_;
  end_column ends_;
};

/// One of several values, with its number.
class variant_columns final : public composed_columns {
 public:
  explicit variant_columns(std::vector<owned_columns> alternatives)
      : alternatives_(std::move(alternatives)) {}

  void read(reader& in) override {
    std::uint8_t which = 0;
    in.bytes(&which, 1);
    if (which >= alternatives_.size()) throw serial_error("a variant has no such alternative");
    alternatives_[which]->read(in);
    which_.push_back(std::byte{which});
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    for (std::size_t i = 0; i < alternatives_.size(); ++i)
      alternatives_[i]->take(name + "/" + std::to_string(i), all);
    all.push_back({name + "_which", "|u1", {}, std::move(which_)});
  }

 private:
  std::vector<owned_columns> alternatives_;
  std::vector<std::byte> which_;
};

/// The fields of a class. `bytes`: size of an object that is written as it lies in memory.
class class_columns final : public value_columns {
 public:
  class_columns(std::vector<std::pair<std::string, owned_columns>> fields, std::size_t bytes)
      : fields_(std::move(fields)), bytes_(bytes) {}

  void read(reader& in) override {
    if (bytes_ == 0) {
      for (auto& [name, field] : fields_) field->read(in);
      return;
    }
    reader object(in.view(bytes_));
    for (auto& [name, field] : fields_) {
      object.align(field->alignment());
      field->read(object);
    }
  }
  void take(const std::string& name, std::vector<data_column>& all) override {
    for (auto& [field_name, field] : fields_) field->take(name + "/" + field_name, all);
  }
  std::size_t size() const override { return bytes_; }
  std::size_t alignment() const override {
    std::size_t most = 1;
    for (const auto& [name, field] : fields_) most = std::max(most, field->alignment());
    return most;
  }
  /// True if the fields, each at its natural alignment, make an object of this size.
  bool fits() const {
    std::size_t end = 0;
    for (const auto& [name, field] : fields_) {
      if (field->size() == 0) return false;
      end = round_up_to(end, field->alignment()) + field->size();
    }
    return round_up_to(end, alignment()) == bytes_;
  }

 private:
  std::vector<std::pair<std::string, owned_columns>> fields_;
  const std::size_t bytes_;
};

struct number_type {
  std::string_view name, spelling;
  std::size_t size;
};
constexpr std::array<number_type, 12> number_types{{{"int8", "|i1", 1},
                                                    {"int16", "<i2", 2},
                                                    {"int32", "<i4", 4},
                                                    {"int64", "<i8", 8},
                                                    {"uint8", "|u1", 1},
                                                    {"uint16", "<u2", 2},
                                                    {"uint32", "<u4", 4},
                                                    {"uint64", "<u8", 8},
                                                    {"float32", "<f4", 4},
                                                    {"float64", "<f8", 8},
                                                    {"bool", "|b1", 1},
                                                    {"char", "|u1", 1}}};

/// Makes columns from the texts of types.
class column_maker {
 public:
  explicit column_maker(const class_schema& schema) : schema_(schema) {}

  owned_columns make(std::string_view type) {
    if (depth_ == most_depth) return nullptr;  // a class that holds itself
    ++depth_;
    owned_columns columns = make_one(type);
    --depth_;
    return columns;
  }

 private:
  static constexpr int most_depth = 50;

  owned_columns make_one(std::string_view type) {
    if (const auto known = schema_.classes.find(std::string(type)); known != schema_.classes.end())
      return make_class(known->second);
    const auto number = std::ranges::find(number_types, type, &number_type::name);
    if (number != number_types.end())
      return std::make_unique<number_columns>(std::string(number->spelling), number->size, number->size);
    if (type == "list of bool") return std::make_unique<bit_columns>();
    if (const auto element = rest_of(type, "list of ")) return make_list({{"", *element}});
    if (const auto element = rest_of(type, "set of ")) return make_list({{"", *element}});
    if (const auto both = rest_of(type, "map of ")) return make_map(*both);
    if (const auto element = rest_of(type, "optional ")) {
      owned_columns columns = make(*element);
      return columns ? std::make_unique<optional_columns>(std::move(columns)) : nullptr;
    }
    if (const auto parts = rest_of(type, "tuple("); parts && type.ends_with(')')) return make_tuple(*parts);
    if (const auto parts = rest_of(type, "variant("); parts && type.ends_with(')'))
      return make_variant(*parts);
    if (type.ends_with(']')) return make_array(type);
    return nullptr;
  }

  static std::optional<std::string_view> rest_of(std::string_view type, std::string_view beginning) {
    if (!type.starts_with(beginning)) return {};
    return type.substr(beginning.size());
  }

  owned_columns make_list(std::vector<std::pair<std::string, std::string_view>> types) {
    std::vector<std::pair<std::string, owned_columns>> parts;
    for (const auto& [suffix, type] : types) {
      owned_columns part = make(type);
      if (!part) return nullptr;
      parts.emplace_back(suffix, std::move(part));
    }
    return std::make_unique<list_columns>(std::move(parts));
  }

  /// "K to V": the first " to " at which both are types.
  owned_columns make_map(std::string_view both) {
    constexpr std::string_view between = " to ";
    for (auto at = both.find(between); at != std::string_view::npos; at = both.find(between, at + 1))
      if (auto columns =
              make_list({{"/key", both.substr(0, at)}, {"/value", both.substr(at + between.size())}}))
        return columns;
    return nullptr;
  }

  /// The types of "A, B)": commas within parentheses or angle brackets belong to one type.
  std::vector<owned_columns> make_each(std::string_view parts) {
    parts.remove_suffix(1);
    std::vector<owned_columns> all;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= parts.size(); ++at) {
      const char c = at < parts.size() ? parts[at] : ',';
      if (c == '(' || c == '<') ++depth;
      if (c == ')' || c == '>') --depth;
      if (c != ',' || (depth != 0 && at < parts.size())) continue;
      const auto type = parts.substr(begin, at - begin);
      all.push_back(type.empty() ? nullptr : make(type));
      begin = at + 2;
    }
    return all;
  }

  owned_columns make_tuple(std::string_view parts) {
    std::vector<std::pair<std::string, owned_columns>> fields;
    for (owned_columns& part : make_each(parts)) {
      if (!part) return nullptr;
      fields.emplace_back(std::to_string(fields.size()), std::move(part));
    }
    return std::make_unique<class_columns>(std::move(fields), 0);
  }

  owned_columns make_variant(std::string_view parts) {
    auto alternatives = make_each(parts);
    if (std::ranges::any_of(alternatives, [](const owned_columns& one) { return !one; })) return nullptr;
    return std::make_unique<variant_columns>(std::move(alternatives));
  }

  owned_columns make_array(std::string_view type) {
    const auto open = type.rfind('[');
    if (open == std::string_view::npos) return nullptr;
    const auto count = parse_number<std::uint64_t>(type.substr(open + 1, type.size() - open - 2));
    owned_columns element = make(type.substr(0, open));
    if (!count || *count == 0 || !element) return nullptr;
    return std::make_unique<array_columns>(std::move(element), *count);
  }

  owned_columns make_class(const class_schema::fields_of_class& known) {
    const auto bytes = static_cast<std::size_t>(known.bytes);
    const auto opaque = [&] {
      return bytes == 0
                 ? nullptr
                 : std::make_unique<number_columns>("|V" + std::to_string(bytes), bytes, natural(bytes));
    };
    std::vector<std::pair<std::string, owned_columns>> fields;
    for (const auto& field : known.fields) {
      owned_columns columns = make(field.type);
      if (!columns) return opaque();
      fields.emplace_back(field.name.empty() ? "field_" + std::to_string(fields.size() + 1) : field.name,
                          std::move(columns));
    }
    if (fields.empty() && bytes > 0) return opaque();
    auto columns = std::make_unique<class_columns>(std::move(fields), bytes);
    if (bytes > 0 && !columns->fits()) return opaque();
    return columns;
  }

  /// The alignment that a value of this size has in most classes.
  static std::size_t natural(std::size_t bytes) {
    std::size_t alignment = 1;
    while (alignment < 16 && bytes % (2 * alignment) == 0) alignment *= 2;
    return std::min<std::size_t>(alignment, 8);
  }

  const class_schema& schema_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<value_columns> columns_of(const class_schema& schema) {
  return column_maker(schema).make(schema.name);
}

}  // namespace imbrex::tools
