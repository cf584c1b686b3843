// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/type_name.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace imbrex::detail {

struct known {
  int port;
};

}  // namespace imbrex::detail

namespace imbrex {

struct outer {};

}  // namespace imbrex

namespace model {

struct base {
  void inherited() {}
};

struct block : base {
  int halo = 0;
  void run(int) const {}
  void run(double) {}
  int operator()(int) { return 0; }
  template <class T>
  void take(T) {}
};

template <class T>
struct table {
  T cells;
  void fill(T) {}
};

template <char C>
struct glyph {
  int port;
};

}  // namespace model

namespace {

struct hidden {
  int port = 0;
};

#ifdef __clang__
constexpr std::string_view anonymous = "(anonymous namespace)::";
#else
constexpr std::string_view anonymous = "{anonymous}::";
#endif

using imbrex::member_name;
using imbrex::short_name;
using imbrex::type_name;
using imbrex::unique_member_spelling;

static_assert(type_name<model::block>() == "model::block");
static_assert(member_name<&model::block::halo>() == "model::block::halo");
static_assert(short_name(member_name<&model::block::halo>()) == "halo");

TEST(type_name, is_the_whole_name) {
  EXPECT_EQ(type_name<int>(), "int");
  EXPECT_EQ(type_name<imbrex::detail::known>(), "imbrex::detail::known");
  EXPECT_EQ(type_name<imbrex::outer>(), "imbrex::outer");
  EXPECT_EQ(member_name<&imbrex::detail::known::port>(), "imbrex::detail::known::port");
  EXPECT_EQ(type_name<hidden>(), std::string(anonymous) + "hidden");
  EXPECT_EQ(type_name<model::table<int>>(), "model::table<int>");
  EXPECT_EQ(type_name<model::table<hidden>>(), "model::table<" + std::string(anonymous) + "hidden>");
  EXPECT_EQ(type_name<model::glyph<'>'>>(), "model::glyph<'>'>");
  EXPECT_EQ(type_name<void (model::block::*)(int) const>(), "void (model::block::*)(int) const");
}

TEST(member_name, is_the_whole_name) {
  constexpr auto run = static_cast<void (model::block::*)(double)>(&model::block::run);
  EXPECT_EQ(member_name<run>(), "model::block::run");
  EXPECT_EQ(member_name<&model::table<int>::cells>(), "model::table<int>::cells");
  EXPECT_EQ(member_name<&model::table<int>::fill>(), "model::table<int>::fill");
  EXPECT_EQ(member_name<&hidden::port>(), std::string(anonymous) + "hidden::port");
  EXPECT_EQ(member_name<&model::block::inherited>(), "model::base::inherited");
  EXPECT_EQ(member_name<&model::block::operator()>(), "model::block::operator()");
}

TEST(unique_member_spelling, tells_overloads_apart) {
  constexpr auto whole = static_cast<void (model::block::*)(int) const>(&model::block::run);
  constexpr auto real = static_cast<void (model::block::*)(double)>(&model::block::run);
  EXPECT_EQ(unique_member_spelling<whole>(), "model::block::run of type void (model::block::*)(int) const");
  EXPECT_EQ(unique_member_spelling<real>(), "model::block::run of type void (model::block::*)(double)");
  EXPECT_EQ(unique_member_spelling<&model::block::halo>(), "model::block::halo of type int model::block::*");
  EXPECT_NE(unique_member_spelling<&model::block::take<int>>(),
            unique_member_spelling<&model::block::take<char>>());
}

TEST(short_name, is_the_last_component) {
  EXPECT_EQ(short_name("block"), "block");
  EXPECT_EQ(short_name(""), "");
  EXPECT_EQ(short_name("ns::block::run"), "run");
  EXPECT_EQ(short_name("(anonymous namespace)::block"), "block");
  EXPECT_EQ(short_name("{anonymous}::block::halo"), "halo");
  EXPECT_EQ(short_name("main()::block::halo"), "halo");
  EXPECT_EQ(short_name("ns::table<std::vector<ns::cell>>"), "table<std::vector<ns::cell>>");
  EXPECT_EQ(short_name("ns::table<std::vector<ns::cell> >::fill"), "fill");
  EXPECT_EQ(short_name("ns::glyph<'<'>::port"), "port");
  EXPECT_EQ(short_name("ns::glyph<'\\''>::port"), "port");
  EXPECT_EQ(short_name("ns::text<ns::word{\"a>::b\"}>::port"), "port");
}

TEST(short_name, keeps_operators) {
  EXPECT_EQ(short_name("ns::pointer::operator->"), "operator->");
  EXPECT_EQ(short_name("ns::pointer::operator std::string"), "operator std::string");
  EXPECT_EQ(short_name("ns::operators::run"), "run");
  EXPECT_EQ(short_name(member_name<&model::block::operator()>()), "operator()");
}

}  // namespace
