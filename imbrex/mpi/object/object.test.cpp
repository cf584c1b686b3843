// SPDX-License-Identifier: Apache-2.0
// Tables of handles, groups, infos, attributes, error codes and handlers.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/attribute_set.hpp>
#include <imbrex/mpi/object/error_codes.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/group.hpp>
#include <imbrex/mpi/object/info.hpp>
#include <imbrex/mpi/object/object_table.hpp>
#include <imbrex/mpi/object/status.hpp>
#include <imbrex/testing/error_of.hpp>

namespace {

using imbrex::testing::error_of;

using namespace imbrex::mpi;

int class_of(auto&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.code();
  }
  return MPI_SUCCESS;
}

struct thing : counted {
  explicit thing(int* alive) : alive(alive) { ++*alive; }
  ~thing() { --*alive; }
  int* alive;
};
using thing_table = object_table<thing, handle_kind::info>;

TEST(object_table, finds_what_a_handle_stands_for) {
  int alive = 0;
  thing_table table;
  const int a = table.add(ref(new thing(&alive))), b = table.add(ref(new thing(&alive)));
  EXPECT_NE(a, b);
  EXPECT_EQ(kind_of(a), handle_kind::info);
  EXPECT_EQ(origin_of(a), handle_origin::program);
  EXPECT_NE(&table.at(a), &table.at(b));
  const ref<thing> kept = table.remove(a);
  EXPECT_EQ(table.find(a), nullptr);
  EXPECT_EQ(alive, 2);  // `kept` keeps the object alive
  table.remove(b);
  EXPECT_EQ(alive, 1);
}

TEST(object_table, says_what_a_wrong_handle_is) {
  int alive = 0;
  thing_table table(5);
  const int a = table.add(ref(new thing(&alive)));
  EXPECT_EQ(index_of(a), 5U);
  table.remove(a);
  EXPECT_NE(error_of<error>([&] { table.at(a); }).find("was it freed?"), std::string::npos);
  EXPECT_EQ(error_of<error>([&] { table.at(MPI_COMM_WORLD); }),
            "0x44000000 is the handle of a communicator and not of an info");
  EXPECT_EQ(error_of<error>([&] { table.at(MPI_INFO_NULL); }), "0x1c000000 is the null handle of an info");
  EXPECT_EQ(error_of<error>([&] { table.at(7); }), "0x00000007 is not the handle of an info");
  EXPECT_EQ(class_of([&] { table.at(7); }), MPI_ERR_INFO);
}

std::vector<int> ranks_of(const group& g) {
  std::vector<int> ranks;
  for (int i = 0; i < g.size(); ++i) ranks.push_back(g.world_rank(i));
  return ranks;
}
using ranks = std::vector<int>;

TEST(group, finds_ranks_both_ways) {
  for (const ranks& list :
       {ranks{}, ranks{7}, ranks{3, 4, 5}, ranks{9, 6, 3}, ranks{5, 1, 8, 2}, ranks{0, 2, 5}}) {
    const group g(list);
    EXPECT_EQ(ranks_of(g), list);
    for (int world = -1; world < 12; ++world) {
      const auto found = std::find(list.begin(), list.end(), world);
      EXPECT_EQ(g.rank_of(world), found == list.end() ? group::none : int(found - list.begin())) << world;
    }
  }
}

TEST(group, is_made_of_others) {
  const group a(ranks{0, 1, 2, 3, 4, 5}), b(ranks{7, 4, 2});
  EXPECT_EQ(ranks_of(a.joined(b)), (ranks{0, 1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(ranks_of(a.common(b)), (ranks{2, 4}));
  EXPECT_EQ(ranks_of(b.common(a)), (ranks{4, 2}));
  EXPECT_EQ(ranks_of(a.without(b)), (ranks{0, 1, 3, 5}));
  EXPECT_EQ(ranks_of(a.including(ranks{5, 0})), (ranks{5, 0}));
  EXPECT_EQ(ranks_of(a.excluding(ranks{5, 0})), (ranks{1, 2, 3, 4}));
  const std::vector<rank_range> ranges{{5, 1, -2}, {0, 0, 1}};
  EXPECT_EQ(ranks_of(a.including(std::span<const rank_range>(ranges))), (ranks{5, 3, 1, 0}));
  EXPECT_EQ(ranks_of(a.excluding(std::span<const rank_range>(ranges))), (ranks{2, 4}));
  EXPECT_TRUE(b.is_similar(group(ranks{2, 4, 7})));
  EXPECT_FALSE(b.is_same(group(ranks{2, 4, 7})));
  EXPECT_FALSE(b.is_similar(group(ranks{2, 4, 8})));
}

TEST(group, refuses_ranks_that_it_has_not) {
  const group g(0, 4);
  EXPECT_EQ(class_of([&] { g.including(ranks{4}); }), MPI_ERR_RANK);
  EXPECT_EQ(class_of([&] { g.including(ranks{1, 1}); }), MPI_ERR_RANK);
  EXPECT_EQ(class_of([&] { g.excluding(ranks{-1}); }), MPI_ERR_RANK);
  const std::vector<rank_range> still{{0, 1, 0}}, out_of_range{{0, 4, 1}}, backwards{{3, 1, 1}};
  EXPECT_EQ(class_of([&] { g.including(std::span<const rank_range>(still)); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { g.including(std::span<const rank_range>(out_of_range)); }), MPI_ERR_RANK);
  EXPECT_EQ(class_of([&] { g.including(std::span<const rank_range>(backwards)); }), MPI_ERR_ARG);
}

TEST(info, keeps_the_order_of_its_keys) {
  info i;
  i.set("b", "1");
  i.set("a", "2");
  i.set("b", "3");
  ASSERT_EQ(i.pairs().size(), 2U);
  EXPECT_EQ(i.pairs()[0].first, "b");
  EXPECT_EQ(*i.find("b"), "3");
  EXPECT_EQ(i.find("c"), nullptr);
  i.remove("b");
  EXPECT_EQ(i.pairs()[0].first, "a");
  EXPECT_EQ(class_of([&] { i.remove("b"); }), MPI_ERR_INFO_NOKEY);
  EXPECT_EQ(class_of([&] { i.set("", "x"); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(class_of([&] { i.set(std::string(256, 'k'), "x"); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(class_of([&] { i.set("k", std::string(1025, 'v')); }), MPI_ERR_INFO_VALUE);
}

struct callbacks {
  std::vector<std::string> calls;
  int answer = MPI_SUCCESS;
};
int copy_attribute(int, int, void* extra, void* value, void* copy, int* flag) {
  auto& c = *static_cast<callbacks*>(extra);
  c.calls.push_back("copy " + std::to_string(reinterpret_cast<std::intptr_t>(value)));
  *static_cast<void**>(copy) = static_cast<char*>(value) + 100;
  *flag = 1;
  return c.answer;
}
int delete_attribute(int, int, void* value, void* extra) {
  auto& c = *static_cast<callbacks*>(extra);
  c.calls.push_back("delete " + std::to_string(reinterpret_cast<std::intptr_t>(value)));
  return c.answer;
}
void* number(std::intptr_t n) { return reinterpret_cast<void*>(n); }

TEST(attribute_set, calls_the_functions_of_its_keyvals) {
  callbacks c;
  ref<keyval> key(new keyval);
  key->copy = copy_attribute, key->remove = delete_attribute, key->extra = &c;
  attribute_set a, b;
  a.set(1, 10, key, number(1));
  a.set(1, 11, key, number(2));
  a.set(1, 10, key, number(3));
  a.copy(1, b);
  void* value = nullptr;
  ASSERT_TRUE(b.get(10, &value));
  EXPECT_EQ(value, number(103));
  EXPECT_FALSE(b.get(12, &value));
  a.clear(1);
  EXPECT_TRUE(a.is_empty());
  EXPECT_EQ(c.calls, (std::vector<std::string>{"delete 1", "copy 3", "copy 2", "delete 2", "delete 3"}));

  c.answer = 77;
  EXPECT_EQ(class_of([&] { b.clear(2); }), 77);
  EXPECT_FALSE(b.is_empty());
  EXPECT_EQ(class_of([&] { b.copy(2, a); }), 77);
  EXPECT_EQ(class_of([&] { b.remove(2, 99); }), MPI_ERR_OTHER);
  const ref<keyval> plain(new keyval);
  a.set(1, 5, plain, number(1));
  a.remove(1, 5);
  EXPECT_TRUE(a.is_empty());
}

TEST(error_codes, knows_those_of_the_program) {
  error_codes codes;
  EXPECT_EQ(codes.last_used(), MPI_ERR_LASTCODE);
  const int own_class = codes.add_class();
  const int own = codes.add_code(own_class), more = codes.add_code(MPI_ERR_ARG);
  EXPECT_GT(own_class, MPI_ERR_LASTCODE);
  EXPECT_EQ(codes.last_used(), more);
  EXPECT_EQ(codes.class_of(own), own_class);
  EXPECT_EQ(codes.class_of(more), MPI_ERR_ARG);
  EXPECT_EQ(codes.class_of(MPI_ERR_TRUNCATE), MPI_ERR_TRUNCATE);
  EXPECT_EQ(codes.class_of(12345678), MPI_ERR_UNKNOWN);
  EXPECT_EQ(codes.text_of(own), "");
  codes.set_text(own, "the cat is out");
  EXPECT_EQ(codes.text_of(own), "the cat is out");
  EXPECT_EQ(class_of([&] { codes.set_text(MPI_ERR_ARG, "x"); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { codes.add_code(own); }), MPI_ERR_ARG);
  EXPECT_EQ(class_of([&] { codes.remove_class(own_class); }), MPI_ERR_OTHER);  // the class still has a code
  codes.remove_code(own);
  codes.remove_class(own_class);
  EXPECT_EQ(codes.class_of(own_class), MPI_ERR_UNKNOWN);
  EXPECT_EQ(codes.text_of(own), "unknown error code " + std::to_string(own));
}

TEST(error_codes, says_what_happened_last) {
  error_codes codes;
  EXPECT_EQ(codes.text_of(MPI_ERR_TAG), "invalid tag");
  codes.note(error(MPI_ERR_TAG, "the tag is -7"));
  EXPECT_EQ(codes.text_of(MPI_ERR_TAG), "invalid tag: the tag is -7");
  EXPECT_EQ(codes.text_of(MPI_ERR_RANK), "invalid rank");
  codes.note(error(MPI_ERR_TAG, std::string(600, 'x')));
  EXPECT_EQ(codes.text_of(MPI_ERR_TAG).size(), std::size_t(MPI_MAX_ERROR_STRING - 1));
}

int object_seen = 0, code_seen = 0;
void see(int* object, int* code, ...) { object_seen = *object, code_seen = *code, *code = 5; }

TEST(error_target, does_what_its_handler_says) {
  bool must_end = false;
  error_target t(MPI_COMM_SELF, ref(predefined_error_handler(MPI_ERRORS_RETURN)));
  EXPECT_EQ(t.raise(error(MPI_ERR_TAG, "x"), must_end), MPI_ERR_TAG);
  EXPECT_FALSE(must_end);
  t.set_handler(ref(new error_handler(handle_kind::communicator, see)));
  EXPECT_EQ(t.raise(error(MPI_ERR_TAG, "x"), must_end), 5);
  EXPECT_EQ(object_seen, MPI_COMM_SELF);
  EXPECT_EQ(code_seen, MPI_ERR_TAG);
  EXPECT_FALSE(must_end);
  t.set_handler(ref(predefined_error_handler(MPI_ERRORS_ARE_FATAL)));
  t.raise(error(MPI_ERR_TAG, "x"), must_end);
  EXPECT_TRUE(must_end);
}

TEST(status, keeps_bytes_and_the_mark_apart) {
  MPI_Status s{};
  for (const std::int64_t bytes : {0L, 1L, (1L << 31) + 5, (1L << 40) + 7, (1L << 62) - 1}) {
    set_bytes(s, bytes);
    set_cancelled(s, true);
    EXPECT_EQ(bytes_of(s), bytes);
    EXPECT_TRUE(is_cancelled(s));
    set_bytes(s, bytes);
    EXPECT_TRUE(is_cancelled(s));
    set_cancelled(s, false);
    EXPECT_EQ(bytes_of(s), bytes);
    EXPECT_FALSE(is_cancelled(s));
  }
}

}  // namespace
