// SPDX-License-Identifier: Apache-2.0
#pragma once
// Description of a value's type in a file. It serves to refuse values of another type.

#include <imbrex/base/type_name.hpp>
#include <imbrex/serial/archive.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace imbrex::detail {

/// A type, and the fields of the classes that it consists of.
struct file_type {
  std::string name;
  std::map<std::string, std::vector<std::string>> classes;  ///< types of the fields, by name of the class

  void serialize(auto& ar) { ar(name, classes); }
};

/// Text about the differences between the type in a file and `here`; empty if there are none. Classes that
/// either lacks count as equal.
std::string difference(const file_type& in_file, const file_type& here);

template <class T>
std::string spell(file_type& all);

/// Name of a number type: "int32", "float64", or the name that the program gives it.
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

template <class... T>
std::string spell_all(type_list<T...>, file_type& all) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + spell<T>(all)), ...);
  return text;
}

template <class T>
struct alternatives;
template <template <class...> class Variant, class... T>
struct alternatives<Variant<T...>> : std::type_identity<type_list<T...>> {};

template <class T, std::size_t... I>
auto elements_of_tuple(std::index_sequence<I...>) -> type_list<std::tuple_element_t<I, T>...>;

template <class T>
auto fields_of_aggregate() {
  constexpr std::size_t fields = count_initialisers<T>() - count_bases<T, true>();
  return decltype(visit_fields<fields>(std::declval<T&>(), [](auto&... field) {
    return type_list<std::remove_cvref_t<decltype(field)>...>{};
  })){};
}

template <class... T>
std::vector<std::string> spell_each(type_list<T...>, file_type& all) {
  return {spell<T>(all)...};
}

/// Name of an aggregate. Its fields are added to `all`.
template <class T>
std::string spell_aggregate(file_type& all) {
  std::string name(type_name<T>());
  if (all.classes.try_emplace(name).second) {
    auto fields = spell_each(fields_of_aggregate<T>(), all);
    all.classes[name] = std::move(fields);
  }
  return name;
}

/// Name of a type in files. Types of one kind have one name if their bytes are equal.
template <class T>
std::string spell(file_type& all) {
  constexpr kind k = kind_of<T>();
  if constexpr (std::is_bounded_array_v<T>)
    return spell<std::remove_extent_t<T>>(all) + "[" + std::to_string(std::extent_v<T>) + "]";
  else if constexpr (is_std_array<T>)
    return spell<typename T::value_type>(all) + "[" + std::to_string(std::tuple_size_v<T>) + "]";
  else if constexpr (k == kind::tuple)
    return "tuple(" +
           spell_all(decltype(elements_of_tuple<T>(std::make_index_sequence<std::tuple_size_v<T>>{})){},
                     all) +
           ")";
  else if constexpr (k == kind::optional)
    return "optional " + spell<typename T::value_type>(all);
  else if constexpr (k == kind::owner)
    return "optional " + spell<typename T::element_type>(all);
  else if constexpr (k == kind::variant)
    return "variant(" + spell_all(typename alternatives<T>::type{}, all) + ")";
  else if constexpr (k == kind::map)
    return "map of " + spell<typename T::key_type>(all) + " to " + spell<typename T::mapped_type>(all);
  else if constexpr (k == kind::set)
    return "set of " + spell<typename T::key_type>(all);
  else if constexpr (k == kind::bit_vector || k == kind::block || k == kind::sequence || k == kind::view)
    return "list of " + spell<std::remove_cv_t<typename T::value_type>>(all);
  else if constexpr (k == kind::aggregate ||
                     (k == kind::bits && std::is_class_v<T> && std::is_aggregate_v<T>))
    return spell_aggregate<T>(all);
  else
    return spell_number<T>();
}

template <class T>
void describe_parts(const T& value, file_type& all);

/// Records the fields that a class passes to an archive.
class field_notes : public writer {
 public:
  field_notes(std::string name, file_type& all) : writer(counting), name_(std::move(name)), all_(all) {}
  ~field_notes() { all_.classes[name_] = std::move(fields_); }
  field_notes(const field_notes&) = delete;
  field_notes& operator=(const field_notes&) = delete;

  template <class... T>
  field_notes& operator()(const T&... values) {
    (note(values), ...);
    return *this;
  }

 private:
  static constexpr std::size_t most_fields = 64;  // limit, since a loop over elements passes many fields

  template <class T>
  void note(const T& value) {
    if (fields_.size() == most_fields) return;
    fields_.push_back(spell<T>(all_));
    describe_parts(value, all_);
  }

  const std::string name_;
  file_type& all_;
  std::vector<std::string> fields_;
};

/// Records the fields of the classes with a function `serialize` that a value consists of. These can only be
/// found from a value. In a container the first element stands for all.
template <class T>
void describe_parts(const T& value, file_type& all) {
  constexpr kind k = kind_of<T>();
  if constexpr (k == kind::member || k == kind::foreign) {
    std::string name(type_name<T>());
    if (!all.classes.try_emplace(name).second) return;
    field_notes notes(std::move(name), all);
    auto& changeable = const_cast<T&>(value);  // one function serves both directions
    if constexpr (k == kind::member)
      changeable.serialize(notes);
    else
      process_foreign(notes, changeable);
  } else if constexpr (k == kind::optional || k == kind::owner) {
    if (value) describe_parts(*value, all);
  } else if constexpr (k == kind::tuple) {
    std::apply([&all](const auto&... part) { (describe_parts(part, all), ...); }, value);
  } else if constexpr (k == kind::map) {
    if (value.begin() == value.end()) return;
    describe_parts(value.begin()->first, all);
    describe_parts(value.begin()->second, all);
  } else if constexpr (k == kind::sequence || k == kind::set) {
    if (value.begin() != value.end()) describe_parts(*value.begin(), all);
  } else if constexpr (k == kind::array) {
    describe_parts(*std::begin(value), all);
  } else if constexpr (k == kind::aggregate) {
    constexpr std::size_t fields = count_initialisers<T>() - count_bases<T, true>();
    visit_fields<fields>(value, [&all](const auto&... field) { (describe_parts(field, all), ...); });
  }
}

/// Type in a file, as far as it is known without a value.
template <class T>
file_type type_in_file() {
  file_type type;
  type.name = spell<T>(type);
  return type;
}

/// Type in a file, with the fields that a value shows.
template <class T>
file_type type_in_file(const T& value) {
  file_type type = type_in_file<T>();
  describe_parts(value, type);
  return type;
}

}  // namespace imbrex::detail
