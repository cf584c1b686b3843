// SPDX-License-Identifier: Apache-2.0
#pragma once
// Schemas of classes in files: the types of the fields that are written. They serve to refuse bytes of
// another type, or of a class that has changed.

#include <imbrex/base/type_name.hpp>
#include <imbrex/serial/archive.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace imbrex {

/// A type, and the fields of the classes that it consists of.
struct class_schema {
  struct field {
    std::string type;
    std::string name{};  ///< empty where it is not known: only aggregates have names

    void serialize(auto& ar) { ar(type, name); }
  };
  struct fields_of_class {
    int version = 0;
    std::vector<field> fields{};
    std::uint64_t bytes = 0;  ///< size of an object that is written as it lies in memory; 0 for others

    void serialize(auto& ar) { ar(version, fields, bytes); }
  };

  std::string name;
  std::map<std::string, fields_of_class> classes{};

  void serialize(auto& ar) { ar(name, classes); }
};

/// Describes the first difference between the schema that some bytes were written by and this program's, with
/// the class, the position and both types; empty if the bytes can be read. A class with a higher version than
/// the written one reads its former self. Classes that either lacks count as equal.
std::string difference(const class_schema& written, const class_schema& present);

/// The schema as text: a line for each class.
std::string to_text(const class_schema& schema);

/// The versions of the classes in a schema, for an archive that reads: `reader::at_version`.
class versions_of_schema final : public detail::class_versions {
 public:
  explicit versions_of_schema(const class_schema& written) : written_(written) {}
  int version_of(std::string_view class_name) const override;
  /// The place to begin reading at.
  const detail::version_place* place() const noexcept { return &place_; }

 private:
  const class_schema& written_;
  const detail::version_place place_{this, 0};
};

namespace detail {

/// Last name in the spelling of an address: "time" of "&object.value.time".
constexpr std::string_view last_name(std::string_view spelled) {
  const auto is_of_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  while (!spelled.empty() && !is_of_name(spelled.back())) spelled.remove_suffix(1);
  std::size_t first = spelled.size();
  while (first > 0 && is_of_name(spelled[first - 1])) --first;
  return spelled.substr(first);
}

/// Name of field number `Number`, from 1, of an aggregate; empty if the compiler cannot spell it.
template <class T, std::size_t Number>
consteval std::string_view name_of_field() {
  if constexpr (requires { typename named_field_of<T, address_of_field<T, Number>()>; })
    return last_name(member_name<address_of_field<T, Number>()>());
  else
    return {};
}

/// Name of a number type: "int32", "float64"; or the name that the program gives a type.
template <class T>
std::string spell_number() {
  const auto bits = std::to_string(8 * sizeof(T));
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_same_v<T, char>)
    return "char";
  else if constexpr (std::is_floating_point_v<T>)
    return "float" + bits;
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "int" : "uint") + bits;
  else
    return std::string(type_name<T>());
}

template <class T>
struct alternatives;
template <template <class...> class Variant, class... T>
struct alternatives<Variant<T...>> : std::type_identity<type_list<T...>> {};

template <class T, std::size_t... I>
auto elements_of_tuple(std::index_sequence<I...>) -> type_list<std::tuple_element_t<I, T>...>;

template <class T>
inline constexpr std::size_t fields_of_aggregate = count_initialisers<T>() - count_bases<T, true>();

template <class T>
auto field_list_of_aggregate() {
  return decltype(visit_fields<fields_of_aggregate<T>>(std::declval<T&>(), [](auto&... field) {
    return type_list<std::remove_cvref_t<decltype(field)>...>{};
  })){};
}

class noted_fields;

/// Makes a schema. A class with a function `serialize` only shows its fields in a value. In a container the
/// first element stands for all; for an empty one, an element is made by the default constructor, as reading
/// does.
class schema_maker {
 public:
  explicit schema_maker(class_schema& schema) : schema_(schema) {}

  /// Name of a type in files. Types of one kind have one name if their bytes are equal.
  template <class T>
  std::string spell();

  /// Notes the fields of the classes that a value consists of.
  template <class T>
  void describe(const T& value);

 private:
  friend class noted_fields;

  template <class... T>
  std::string spell_all(type_list<T...>) {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + spell<T>()), ...);
    return text;
  }

  template <class T, class... Field, std::size_t... I>
  void note_fields(type_list<Field...>, std::index_sequence<I...>) {
    std::vector<class_schema::field> fields;
    (fields.push_back({spell<Field>(), std::string(name_of_field<T, I + 1>())}), ...);
    schema_.classes[std::string(type_name<T>())] = {0, std::move(fields), bitwise<T> ? sizeof(T) : 0};
  }

  /// Name of an aggregate, whose fields are noted.
  template <class T>
  std::string spell_aggregate() {
    std::string name(type_name<T>());
    if (schema_.classes.try_emplace(name).second)
      note_fields<T>(field_list_of_aggregate<T>(), std::make_index_sequence<fields_of_aggregate<T>>{});
    return name;
  }

  /// Name of a type without fields that is written as it lies in memory, such as an enumeration.
  template <class T>
  std::string spell_bits() {
    std::string name(type_name<T>());
    schema_.classes[name].bytes = sizeof(T);
    return name;
  }

  template <class T>
  void describe_class(const T& value);

  template <class T>
  void describe_default() {
    if constexpr (std::is_default_constructible_v<T> && !std::is_arithmetic_v<T>) describe(T());
  }

  class_schema& schema_;
  std::set<std::string> described_;
};

/// Notes the fields that a class passes to an archive.
class noted_fields : public writer {
 public:
  explicit noted_fields(schema_maker& maker) : writer(counting), maker_(maker) {}

  template <class... T>
  noted_fields& operator()(const T&... values) {
    (note(values), ...);
    return *this;
  }
  std::vector<class_schema::field> take_fields() { return std::move(fields_); }

 private:
  static constexpr std::size_t most_fields = 64;  // limit, since a loop over elements passes many fields

  template <class T>
  void note(const T& value) {
    if (fields_.size() == most_fields) return;
    fields_.push_back({maker_.spell<T>()});
    maker_.describe(value);
  }

  schema_maker& maker_;
  std::vector<class_schema::field> fields_;
};

template <class T>
std::string schema_maker::spell() {
  constexpr kind k = kind_of<T>();
  if constexpr (std::is_bounded_array_v<T>)
    return spell<std::remove_extent_t<T>>() + "[" + std::to_string(std::extent_v<T>) + "]";
  else if constexpr (is_std_array<T>)
    return spell<typename T::value_type>() + "[" + std::to_string(std::tuple_size_v<T>) + "]";
  else if constexpr (k == kind::tuple)
    return "tuple(" +
           spell_all(decltype(elements_of_tuple<T>(std::make_index_sequence<std::tuple_size_v<T>>{})){}) +
           ")";
  else if constexpr (k == kind::optional)
    return "optional " + spell<typename T::value_type>();
  else if constexpr (k == kind::owner)
    return "optional " + spell<typename T::element_type>();
  else if constexpr (k == kind::variant)
    return "variant(" + spell_all(typename alternatives<T>::type{}) + ")";
  else if constexpr (k == kind::map)
    return "map of " + spell<typename T::key_type>() + " to " + spell<typename T::mapped_type>();
  else if constexpr (k == kind::set)
    return "set of " + spell<typename T::key_type>();
  else if constexpr (k == kind::bit_vector || k == kind::block || k == kind::sequence || k == kind::view)
    return "list of " + spell<std::remove_cv_t<typename T::value_type>>();
  else if constexpr (k == kind::aggregate ||
                     (k == kind::bits && std::is_class_v<T> && std::is_aggregate_v<T>))
    return spell_aggregate<T>();
  else if constexpr (k == kind::bits && !std::is_arithmetic_v<T>)
    return spell_bits<T>();
  else
    return spell_number<T>();
}

template <class T>
void schema_maker::describe(const T& value) {
  constexpr kind k = kind_of<T>();
  if constexpr (stays_with_device<T>) {
    return;  // only its name is known without a device
  } else if constexpr (k == kind::member || k == kind::foreign) {
    describe_class(value);
  } else if constexpr (k == kind::optional || k == kind::owner) {
    if (value)
      describe(*value);
    else
      describe_default<std::remove_cvref_t<decltype(*value)>>();
  } else if constexpr (k == kind::tuple) {
    std::apply([this](const auto&... part) { (this->describe(part), ...); }, value);
  } else if constexpr (k == kind::map) {
    if (value.begin() == value.end()) {
      describe_default<typename T::key_type>();
      describe_default<typename T::mapped_type>();
    } else {
      describe(value.begin()->first);
      describe(value.begin()->second);
    }
  } else if constexpr (k == kind::sequence || k == kind::set) {
    if (value.begin() == value.end())
      describe_default<typename T::value_type>();
    else
      describe(*value.begin());
  } else if constexpr (k == kind::array) {
    if constexpr (requires { value.empty(); })
      if (value.empty()) return;
    describe(*std::begin(value));
  } else if constexpr (k == kind::aggregate) {
    if (!described_.emplace(type_name<T>()).second) return;
    visit_fields<fields_of_aggregate<T>>(value,
                                         [this](const auto&... field) { (this->describe(field), ...); });
  }
}

template <class T>
void schema_maker::describe_class(const T& value) {
  std::string name(type_name<T>());
  if (!schema_.classes.try_emplace(name).second) return;
  noted_fields notes(*this);
  auto& changeable = const_cast<T&>(value);  // one function serves both directions
  if constexpr (kind_of<T>() == kind::member)
    process_member(notes, changeable);
  else
    process_foreign(notes, changeable);
  int version = 0;
  if constexpr (has_version<T>) version = T::version;
  schema_.classes[name] = {version, notes.take_fields(), 0};
}

}  // namespace detail

/// The schema of a type, with the classes that a value of it consists of. What another value holds, such as
/// another alternative of a variant, may be missing. Calls `serialize` of the value's classes.
template <class T>
class_schema schema_of(const T& value) {
  class_schema schema;
  detail::schema_maker maker(schema);
  schema.name = maker.spell<T>();
  maker.describe(value);
  return schema;
}

/// The schema of a type, by a value that the default constructor makes.
template <class T>
class_schema schema_of() {
  return schema_of(T{});
}

}  // namespace imbrex
