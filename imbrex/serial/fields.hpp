// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fields of an aggregate: their number, their declared types, and a visit. Until the language has reflection,
// this takes one line for each number of fields.

#include <cstddef>
#include <type_traits>

namespace imbrex::detail {

inline constexpr std::size_t max_fields = 24;

template <class... T>
struct type_list {};

template <std::size_t N>
using number = std::integral_constant<std::size_t, N>;

// True if `T` can be initialised with N times `{}`. So an array counts once, and nothing is ambiguous.
// clang-format off
template <class T> consteval bool takes(number<1>) { return requires { T{{}}; }; }
template <class T> consteval bool takes(number<2>) { return requires { T{{}, {}}; }; }
template <class T> consteval bool takes(number<3>) { return requires { T{{}, {}, {}}; }; }
template <class T> consteval bool takes(number<4>) { return requires { T{{}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<5>) { return requires { T{{}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<6>) { return requires { T{{}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<7>) { return requires { T{{}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<8>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<9>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}};
  }; }
template <class T> consteval bool takes(number<10>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}}; }; }
template <class T> consteval bool takes(number<11>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}}; }; }
template <class T> consteval bool takes(number<12>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}}; }; }
template <class T> consteval bool takes(number<13>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<14>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<15>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<16>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<17>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<18>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<19>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<20>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<21>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<22>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<23>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<24>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
template <class T> consteval bool takes(number<25>) { return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {},
  {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }; }
// clang-format on

/// Number of initialisers that the aggregate `T` takes, bases included; max_fields + 1 means "more".
template <class T, std::size_t Low = 0, std::size_t High = max_fields + 1>
consteval std::size_t count_initialisers() {
  if constexpr (Low == High) {
    return Low;
  } else {
    constexpr std::size_t middle = (Low + High + 1) / 2;  // if it is accepted, smaller numbers are, too
    if constexpr (takes<T>(number<middle>{}))
      return count_initialisers<T, middle, High>();
    else
      return count_initialisers<T, Low, middle - 1>();
  }
}

/// Converts to the bases of `T` only, so that it initialises no field.
template <class T, bool OnlyEmpty>
struct any_base_of {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T> && (!OnlyEmpty || std::is_empty_v<Base>))
  operator Base() const noexcept;
};

/// Number of leading bases (at most four) of the aggregate `T`; with `OnlyEmpty`, of those before a base with
/// data.
template <class T, bool OnlyEmpty>
consteval std::size_t count_bases() {
  using base = any_base_of<T, OnlyEmpty>;
  if constexpr (!requires { T{base{}}; })
    return 0;
  else if constexpr (!requires { T{base{}, base{}}; })
    return 1;
  else if constexpr (!requires { T{base{}, base{}, base{}}; })
    return 2;
  else if constexpr (!requires { T{base{}, base{}, base{}, base{}}; })
    return 3;
  else
    return 4;
}

/// Calls `visitor` with all `N` fields of `object` and returns its result.
// clang-format off
template <std::size_t N, class T, class Visitor>
constexpr decltype(auto) visit_fields([[maybe_unused]] T& object, Visitor&& visitor) {
  if constexpr (N == 0) { return visitor(); }
  else if constexpr (N == 1) { auto& [a] = object; return visitor(a); }
  else if constexpr (N == 2) { auto& [a, b] = object; return visitor(a, b); }
  else if constexpr (N == 3) { auto& [a, b, c] = object; return visitor(a, b, c); }
  else if constexpr (N == 4) { auto& [a, b, c, d] = object; return visitor(a, b, c, d); }
  else if constexpr (N == 5) { auto& [a, b, c, d, e] = object; return visitor(a, b, c, d, e); }
  else if constexpr (N == 6) { auto& [a, b, c, d, e, f] = object; return visitor(a, b, c, d, e, f); }
  else if constexpr (N == 7) { auto& [a, b, c, d, e, f, g] = object; return visitor(a, b, c, d, e, f, g); }
  else if constexpr (N == 8) {
    auto& [a, b, c, d, e, f, g, h] = object;
    return visitor(a, b, c, d, e, f, g, h);
  }
  else if constexpr (N == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = object;
    return visitor(a, b, c, d, e, f, g, h, i);
  }
  else if constexpr (N == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j);
  }
  else if constexpr (N == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k);
  }
  else if constexpr (N == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l);
  }
  else if constexpr (N == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  else if constexpr (N == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
  else if constexpr (N == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  }
  else if constexpr (N == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
  else if constexpr (N == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  }
  else if constexpr (N == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  }
  else if constexpr (N == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  }
  else if constexpr (N == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  }
  else if constexpr (N == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  }
  else if constexpr (N == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  }
  else if constexpr (N == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  }
  else if constexpr (N == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = object;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}

/// Declared types of the `N` fields; references stay references. Only the result's type is used.
template <std::size_t N, class T>
constexpr auto field_types([[maybe_unused]] T& object) {
  if constexpr (N == 0) { return type_list<>{}; }
  else if constexpr (N == 1) { auto& [a] = object; return type_list<decltype(a)>{}; }
  else if constexpr (N == 2) { auto& [a, b] = object; return type_list<decltype(a), decltype(b)>{}; }
  else if constexpr (N == 3) {
    auto& [a, b, c] = object;
    return type_list<decltype(a), decltype(b), decltype(c)>{};
  }
  else if constexpr (N == 4) {
    auto& [a, b, c, d] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d)>{};
  }
  else if constexpr (N == 5) {
    auto& [a, b, c, d, e] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)>{};
  }
  else if constexpr (N == 6) {
    auto& [a, b, c, d, e, f] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f)>{};
  }
  else if constexpr (N == 7) {
    auto& [a, b, c, d, e, f, g] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g)>{};
  }
  else if constexpr (N == 8) {
    auto& [a, b, c, d, e, f, g, h] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h)>{};
  }
  else if constexpr (N == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i)>{};
  }
  else if constexpr (N == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j)>{};
  }
  else if constexpr (N == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k)>{};
  }
  else if constexpr (N == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l)>{};
  }
  else if constexpr (N == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m)>{};
  }
  else if constexpr (N == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n)>{};
  }
  else if constexpr (N == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o)>{};
  }
  else if constexpr (N == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p)>{};
  }
  else if constexpr (N == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q)>{};
  }
  else if constexpr (N == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r)>{};
  }
  else if constexpr (N == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r), decltype(s)>{};
  }
  else if constexpr (N == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r), decltype(s), decltype(t)>{};
  }
  else if constexpr (N == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r), decltype(s), decltype(t),
        decltype(u)>{};
  }
  else if constexpr (N == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r), decltype(s), decltype(t),
        decltype(u), decltype(v)>{};
  }
  else if constexpr (N == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r), decltype(s), decltype(t),
        decltype(u), decltype(v), decltype(w)>{};
  }
  else if constexpr (N == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = object;
    return type_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
        decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m),
        decltype(n), decltype(o), decltype(p), decltype(q), decltype(r), decltype(s), decltype(t),
        decltype(u), decltype(v), decltype(w), decltype(x)>{};
  }
}
// clang-format on

}  // namespace imbrex::detail
