// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace imbrex {
namespace detail {

// The compiler spells the template argument in the function's own name, in clang as "... [T = int]", in gcc
// as "... [with T = int]". The return type is a bare pointer because gcc appends the meaning of any alias
// that the signature names. The namespace has no other content because gcc omits it from names within it.
namespace spelling {

template <class T>
constexpr const char* spelled_type() {
  return __PRETTY_FUNCTION__;
}

template <auto Member>
constexpr const char* spelled_member() {
  return __PRETTY_FUNCTION__;
}

}  // namespace spelling

constexpr std::string_view argument_after(std::string_view label, std::string_view spelled) {
  spelled.remove_prefix(spelled.find(label) + label.size());
  spelled.remove_suffix(1);
  return spelled;
}

}  // namespace detail

/// The full name of `T` as the compiler spells it: "ns::block", "(anonymous namespace)::block" (clang) or
/// "{anonymous}::block" (gcc). Equal in every translation unit of one compiler, not between compilers.
template <class T>
consteval std::string_view type_name() {
  return detail::argument_after("T = ", detail::spelling::spelled_type<T>());
}

/// The full name of the member that a member pointer names: "ns::block::halo". Overloads share it, and so do
/// all specialisations of a member template. A member inherited by `block` is spelled with the base that
/// declares it. An object that stands for a member may say its name by `shown_as`.
template <auto Member>
consteval std::string_view member_name() {
  if constexpr (requires { Member.shown_as; }) return Member.shown_as;
  std::string_view name = detail::argument_after("Member = ", detail::spelling::spelled_member<Member>());
  if (name.starts_with('&')) name.remove_prefix(1);
  return name;
}

namespace detail {

/// Concatenates texts of `Size` characters in all, with a zero at the end.
template <std::size_t Size>
constexpr std::array<char, Size + 1> joined(std::initializer_list<std::string_view> parts) {
  std::array<char, Size + 1> text{};
  std::size_t at = 0;
  for (const std::string_view part : parts)
    for (const char c : part) text[at++] = c;
  return text;
}

template <auto Member>
struct unique_spelling {
  static constexpr std::string_view name = member_name<Member>();
  static constexpr std::string_view between = " of type ";
  static constexpr std::string_view type = type_name<decltype(Member)>();
  static constexpr std::size_t size = name.size() + between.size() + type.size();
  static constexpr std::array<char, size + 1> characters = joined<size>({name, between, type});
};

}  // namespace detail

/// The member's name and the type of the member pointer, which differs between overloads: "ns::block::run of
/// type void (ns::block::*)(int)". Specialisations of a member template with equal signatures still share it.
template <auto Member>
consteval std::string_view unique_member_spelling() {
  return {detail::unique_spelling<Member>::characters.data(), detail::unique_spelling<Member>::size};
}

namespace detail {

constexpr bool is_operator(std::string_view name) {
  constexpr std::string_view keyword = "operator";
  if (!name.starts_with(keyword)) return false;
  name.remove_prefix(keyword.size());
  // "operators" and "operator_" are ordinary names.
  const char next = name.empty() ? ' ' : name.front();
  return !(next == '_' || (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') ||
           (next >= 'A' && next <= 'Z'));
}

}  // namespace detail

/// The last component of a type's or a member's full name, template arguments kept: "run" of
/// "ns::block::run", "table<std::vector<int>>" of "ns::table<std::vector<int>>", "operator->" of
/// "ns::pointer::operator->".
constexpr std::string_view short_name(std::string_view name) {
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '\'' || c == '"') {  // a character or string as template argument may contain a bracket
      for (++i; i < name.size() && name[i] != c; ++i)
        if (name[i] == '\\') ++i;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == '>' || c == ')' || c == '}' || c == ']') {
      --depth;
    } else if (depth == 0 && c == ':' && name.substr(i).starts_with("::")) {
      start = i + 2;
      ++i;
      if (detail::is_operator(name.substr(start))) break;  // the rest is the operator, not a bracket
    }
  }
  return name.substr(start);
}

}  // namespace imbrex
