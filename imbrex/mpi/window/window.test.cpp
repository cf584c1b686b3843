// SPDX-License-Identifier: Apache-2.0
// Guarantees of windows: progress, locks, atomicity, shared memory, attributes, and error texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/predefined.hpp>
#include <imbrex/mpi/mpi_ranks.test.hpp>
#include <imbrex/mpi/operation/operation.hpp>

namespace imbrex::mpi {

class windows : public on_mpi_ranks {};
INSTANTIATE_TEST_SUITE_P(on, windows, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

int number_of_rank() { return rank_data::here().self().number(); }
int number_of_ranks() { return rank_data::here().self().ranks(); }

/// A window of `count` values per rank.
template <typename T>
class values {
 public:
  explicit values(int count) : memory_(static_cast<std::size_t>(count)) {
    MPI_Win_create(memory_.data(), static_cast<MPI_Aint>(memory_.size() * sizeof(T)), sizeof(T),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &handle_);
    MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN);
  }
  ~values() { EXPECT_EQ(MPI_Win_free(&handle_), MPI_SUCCESS); }
  values(const values&) = delete;
  values& operator=(const values&) = delete;
  operator MPI_Win() const { return handle_; }
  T& operator[](int i) { return memory_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<T> memory_;
  MPI_Win handle_ = MPI_WIN_NULL;
};

}  // namespace

TEST_P(windows, are_served_while_their_rank_waits_for_something_else) {
  run_ranks(3, [] {
    values<int> window(5000);
    const int me = number_of_rank();
    if (me != 0) {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < 5000; ++i) ASSERT_EQ(window[i], me * 10'000 + 2 * i);
      return;
    }
    for (int target = 1; target < 3; ++target) {
      std::vector<int> data(5000);
      for (int i = 0; i < 5000; ++i) data[static_cast<std::size_t>(i)] = target * 10'000 + i;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
      MPI_Put(data.data(), 5000, MPI_INT, target, 0, 5000, MPI_INT, window);
      MPI_Win_flush(target, window);
      std::vector<int> back(5000);
      MPI_Get(back.data(), 5000, MPI_INT, target, 0, 5000, MPI_INT, window);
      MPI_Win_flush(target, window);
      EXPECT_EQ(back, data);
      std::iota(data.begin(), data.end(), 0);
      MPI_Accumulate(data.data(), 5000, MPI_INT, target, 0, 5000, MPI_INT, MPI_SUM, window);
      MPI_Win_unlock(target, window);
      MPI_Send(nullptr, 0, MPI_INT, target, 1, MPI_COMM_WORLD);
    }
  });
}

TEST_P(windows, let_others_go_on_while_their_rank_looks_by_requests) {
  run_ranks(2, [] {
    values<int> window(1);
    window[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    const int one = 1;
    int found = 0;
    if (number_of_rank() == 0) {
      while (found == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Rget_accumulate(&one, 1, MPI_INT, &found, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window,
                            &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Fetch_and_op(&one, &found, MPI_INT, 0, 0, MPI_SUM, window);
    }
    MPI_Win_unlock_all(window);
  });
}

TEST_P(windows, let_one_alone_in_by_an_exclusive_lock) {
  constexpr int rounds = 12;
  run_ranks(4, [] {
    values<int> window(2);
    for (int i = 0; i < rounds; ++i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
      int both[2] = {-1, -1};
      MPI_Get(both, 2, MPI_INT, 0, 0, 2, MPI_INT, window);
      MPI_Win_flush(0, window);  // other ranks run, and must not get the lock
      ASSERT_EQ(both[0], both[1]);
      ++both[0], ++both[1];
      MPI_Put(&both[0], 1, MPI_INT, 0, 0, 1, MPI_INT, window);
      MPI_Win_flush(0, window);
      MPI_Put(&both[1], 1, MPI_INT, 0, 1, 1, MPI_INT, window);
      MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (number_of_rank() == 0) EXPECT_EQ(window[0], rounds * 4);
  });
}

TEST_P(windows, give_each_who_fetches_and_adds_another_number) {
  constexpr int each = 20;
  run_ranks(5, [] {
    const int ranks = number_of_ranks();
    values<long> window(1);
    std::vector<long> origin(each);
    MPI_Win_lock_all(0, window);
    for (long& got : origin) {
      const long one = 1;
      MPI_Fetch_and_op(&one, &got, MPI_LONG, ranks - 1, 0, MPI_SUM, window);
      MPI_Win_flush(ranks - 1, window);
    }
    MPI_Win_unlock_all(window);
    EXPECT_TRUE(std::ranges::is_sorted(origin));
    std::vector<long> all(static_cast<std::size_t>(each * ranks));
    MPI_Allgather(origin.data(), each, MPI_LONG, all.data(), each, MPI_LONG, MPI_COMM_WORLD);
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<long>(i));
  });
}

// A polling rank must let the other ranks of its PE run; else the holder would never release the lock.
TEST_P(windows, make_a_lock_of_compare_and_swap) {
  run_ranks(4, [] {
    values<int> window(2);
    const int free = 0;
    const int taken = 1;
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 5; ++i) {
      for (int before = taken; before != free;) {
        MPI_Compare_and_swap(&taken, &free, &before, MPI_INT, 0, 0, window);
        MPI_Win_flush(0, window);
      }
      int count = -1;
      MPI_Get(&count, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
      MPI_Win_flush(0, window);
      ++count;
      MPI_Put(&count, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
      MPI_Win_flush(0, window);
      int before = free;
      MPI_Fetch_and_op(&free, &before, MPI_INT, 0, 0, MPI_REPLACE, window);
      MPI_Win_flush(0, window);
      ASSERT_EQ(before, taken);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (number_of_rank() == 0) EXPECT_EQ(window[1], 20);
  });
}

TEST_P(windows, wait_for_exposures_and_test_for_their_end) {
  run_ranks(3, [] {
    values<int> window(3);
    const int me = number_of_rank();
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(window, &all);
    const int left[] = {(me + 2) % 3};
    const int right[] = {(me + 1) % 3};
    MPI_Group from = MPI_GROUP_NULL;
    MPI_Group to = MPI_GROUP_NULL;
    MPI_Group_incl(all, 1, left, &from);
    MPI_Group_incl(all, 1, right, &to);
    for (int round = 1; round < 9; ++round) {
      MPI_Win_post(from, round % 2 == 0 ? MPI_MODE_NOSTORE : 0, window);
      MPI_Win_start(to, 0, window);
      const int value = 100 * me + round;
      MPI_Put(&value, 1, MPI_INT, right[0], round % 3, 1, MPI_INT, window);
      MPI_Win_complete(window);
      if (round % 2 == 0) {
        MPI_Win_wait(window);
      } else {
        for (int flag = 0; flag == 0;) MPI_Win_test(window, &flag);
      }
      ASSERT_EQ(window[round % 3], 100 * left[0] + round);
    }
    // Empty groups: no rank posts and no rank starts.
    MPI_Win_post(MPI_GROUP_EMPTY, 0, window);
    MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOCHECK, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (MPI_Group* const each : {&all, &from, &to}) MPI_Group_free(each);
  });
}

namespace {

/// Accumulates and fetches two values of a type, by each operation that accepts the type.
template <typename T>
void try_operations(MPI_Datatype type, const std::array<T, 2>& there, const std::array<T, 2>& operands) {
  values<T> window(2);
  const int target = number_of_ranks() - 1;
  for (MPI_Op op = MPI_MAX; op <= MPI_NO_OP; ++op) {
    fold* const how = find_fold(op, *predefined_type(type));
    window[0] = there[0];
    window[1] = there[1];
    MPI_Win_fence(0, window);
    std::array<T, 2> expected = there;
    std::array<T, 2> before{};
    if (number_of_rank() == 0) {
      const int code = MPI_Get_accumulate(operands.data(), 2, type, before.data(), 2, type, target, 0, 2,
                                          type, op, window);
      EXPECT_EQ(error_class(code), how != nullptr || op >= MPI_REPLACE ? MPI_SUCCESS : MPI_ERR_OP);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (how != nullptr) how(operands.data(), expected.data(), 2);
    if (op == MPI_REPLACE) expected = operands;
    if (number_of_rank() == 0 && (how != nullptr || op >= MPI_REPLACE))
      EXPECT_EQ(0, std::memcmp(&before[1], &there[1], predefined_type(type)->size() < 8 ? 4 : 8));
    if (number_of_rank() == target)
      for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(window[i] == expected[static_cast<std::size_t>(i)]) << predefined_type(type)->name << op;
  }
}

template <typename Value, typename Place>
struct with_place {
  Value value;
  Place place;
  bool operator==(const with_place&) const = default;
};

}  // namespace

TEST_P(windows, accumulate_by_each_operation_of_mpi) {
  run_ranks(2, [] {
    try_operations<int>(MPI_INT, {12, -7}, {10, 3});
    try_operations<std::uint64_t>(MPI_UINT64_T, {12, 7}, {~0ULL, 0});
    try_operations<double>(MPI_DOUBLE, {1.5, -2}, {0.25, 4});
    try_operations<float>(MPI_FLOAT, {1.5, -2}, {0.25, 4});
    try_operations<with_place<double, int>>(MPI_DOUBLE_INT, {{{3, 5}, {4, 1}}}, {{{3, 2}, {9, 9}}});
    try_operations<with_place<int, int>>(MPI_2INT, {{{3, 5}, {4, 1}}}, {{{3, 2}, {9, 9}}});
    try_operations<with_place<long, int>>(MPI_LONG_INT, {{{3, 5}, {4, 1}}}, {{{3, 2}, {9, 9}}});
  });
}

TEST_P(windows, are_accumulated_to_in_the_order_of_calls_whatever_the_lengths) {
  constexpr int length = 3000;
  run_ranks(3, [] {
    const int ranks = number_of_ranks();
    const int me = number_of_rank();
    values<int> window(length * ranks);
    const int target = (me + 1) % ranks;
    const int from = (me + ranks - 1) % ranks;
    MPI_Win_lock_all(0, window);
    for (int round = 0; round < 20; ++round) {
      const std::vector<int> all(length, round);
      const int one = 1000 + round;
      const int two = 2000 + round;
      int before = -1;
      MPI_Accumulate(all.data(), length, MPI_INT, target, me * length, length, MPI_INT, MPI_REPLACE, window);
      MPI_Accumulate(&one, 1, MPI_INT, target, me * length + 1, 1, MPI_INT, MPI_REPLACE, window);
      MPI_Fetch_and_op(&two, &before, MPI_INT, target, me * length + 1, MPI_REPLACE, window);
      MPI_Win_flush(target, window);
      ASSERT_EQ(before, one);
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < length; ++i) ASSERT_EQ(window[from * length + i], i == 1 ? two : round);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(window);
  });
}

TEST_P(windows, keep_pairs_whole_that_many_accumulate_to) {
  constexpr int pairs = 300;
  run_ranks(4, [] {
    using pair = with_place<double, int>;
    values<pair> window(pairs);
    const int me = number_of_rank();
    std::vector<pair> operands(pairs);
    for (int i = 0; i < pairs; ++i) operands[static_cast<std::size_t>(i)] = {1.0 + (me + i) % 4, me};
    MPI_Win_fence(0, window);
    MPI_Accumulate(operands.data(), pairs, MPI_DOUBLE_INT, 1, 0, pairs, MPI_DOUBLE_INT, MPI_MAXLOC, window);
    MPI_Win_fence(0, window);
    if (me == 1)
      for (int i = 0; i < pairs; ++i) ASSERT_TRUE((window[i] == pair{4.0, (7 - i % 4) % 4})) << i;
  });
}

TEST_P(windows, take_no_notice_of_a_target_that_is_nobody) {
  run_ranks(2, [] {
    values<int> window(1);
    int value = 7;
    int result = 5;
    MPI_Win_fence(0, window);
    EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Fetch_and_op(&value, &result, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Compare_and_swap(&value, &value, &result, MPI_INT, MPI_PROC_NULL, 0, window), MPI_SUCCESS);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window);
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_flush(MPI_PROC_NULL, window), MPI_SUCCESS);
    MPI_Win_unlock(MPI_PROC_NULL, window);
    EXPECT_EQ(value, 7);
    EXPECT_EQ(result, 5);
  });
}

namespace {

/// Delete function of an attribute; counts its calls.
int count_end(MPI_Win, int, void* value, void* extra) {
  *static_cast<long*>(extra) += *static_cast<int*>(value);
  return MPI_SUCCESS;
}

void check_attribute(MPI_Win window, int key, long expected) {
  void* value = nullptr;
  int flag = 0;
  EXPECT_EQ(MPI_Win_get_attr(window, key, &value, &flag), MPI_SUCCESS);
  ASSERT_EQ(flag, 1);
  if (key == MPI_WIN_SIZE)
    EXPECT_EQ(*static_cast<MPI_Aint*>(value), expected);
  else
    EXPECT_EQ(*static_cast<int*>(value), expected);
}

}  // namespace

TEST_P(windows, have_attributes_names_hints_and_a_group) {
  run_ranks(2, [] {
    const int me = number_of_rank();
    double* memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Info hints = MPI_INFO_NULL;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "no_locks", "false");
    MPI_Info_set(hints, "colour", "green");
    MPI_Win_allocate(8 * (me + 1), 8, hints, MPI_COMM_WORLD, &memory, &window);
    MPI_Info_free(&hints);
    void* base = nullptr;
    int flag = 0;
    MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &flag);
    EXPECT_EQ(base, memory);
    memory[me] = 1;
    check_attribute(window, MPI_WIN_SIZE, 8 * (me + 1));
    check_attribute(window, MPI_WIN_DISP_UNIT, 8);
    check_attribute(window, MPI_WIN_CREATE_FLAVOR, MPI_WIN_FLAVOR_ALLOCATE);
    check_attribute(window, MPI_WIN_MODEL, MPI_WIN_UNIFIED);

    MPI_Win_get_info(window, &hints);
    char text[MPI_MAX_INFO_VAL + 1];
    MPI_Info_get(hints, "no_locks", MPI_MAX_INFO_VAL, text, &flag);
    EXPECT_STREQ(text, "false");
    MPI_Info_get(hints, "accumulate_ordering", MPI_MAX_INFO_VAL, text, &flag);
    EXPECT_STREQ(text, "rar,raw,war,waw");
    MPI_Info_get(hints, "colour", MPI_MAX_INFO_VAL, text, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Info_set(hints, "accumulate_ops", "same_op");
    MPI_Win_set_info(window, hints);
    MPI_Info_free(&hints);
    MPI_Win_get_info(window, &hints);
    MPI_Info_get(hints, "accumulate_ops", MPI_MAX_INFO_VAL, text, &flag);
    EXPECT_STREQ(text, "same_op");
    MPI_Info_free(&hints);

    char name[MPI_MAX_OBJECT_NAME];
    int name_length = -1;
    MPI_Win_get_name(window, name, &name_length);
    EXPECT_EQ(name_length, 0);
    MPI_Win_set_name(window, "halo");
    MPI_Win_get_name(window, name, &name_length);
    EXPECT_STREQ(name, "halo");

    MPI_Group members = MPI_GROUP_NULL;
    int rank = -1;
    MPI_Win_get_group(window, &members);
    MPI_Group_rank(members, &rank);
    EXPECT_EQ(rank, me);
    MPI_Group_free(&members);

    long ended = 0;
    int key = MPI_KEYVAL_INVALID;
    int five = 5;
    int seven = 7;
    void* found = nullptr;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, &count_end, &key, &ended);
    MPI_Win_get_attr(window, key, &found, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Win_set_attr(window, key, &five);
    MPI_Win_get_attr(window, key, &found, &flag);
    EXPECT_EQ(found, &five);
    MPI_Win_delete_attr(window, key);
    EXPECT_EQ(ended, 5);
    MPI_Win_set_attr(window, key, &seven);
    MPI_Win_free_keyval(&key);
    EXPECT_EQ(MPI_Win_c2f(window), window);
    EXPECT_EQ(MPI_Win_f2c(window), window);
    MPI_Win_free(&window);
    EXPECT_EQ(window, MPI_WIN_NULL);
    EXPECT_EQ(ended, 12);
  });
}

TEST_P(windows, share_memory_between_the_ranks_of_a_process) {
  const bool is_one_process = GetParam().processes == 1;
  run_ranks(4, [is_one_process] {
    const int me = number_of_rank();
    for (const bool is_apart : {false, true}) {
      MPI_Info hints = MPI_INFO_NULL;
      MPI_Info_create(&hints);
      MPI_Info_set(hints, "alloc_shared_noncontig", is_apart ? "true" : "false");
      int* memory = nullptr;
      MPI_Win window = MPI_WIN_NULL;
      const int count = me == 0 ? 0 : 3 + me;
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      const int code = MPI_Win_allocate_shared(4 * count, 4, hints, MPI_COMM_WORLD, &memory, &window);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
      MPI_Info_free(&hints);
      EXPECT_EQ(error_class(code), is_one_process ? MPI_SUCCESS : MPI_ERR_RMA_SHARED);
      if (!is_one_process) continue;
      for (int i = 0; i < count; ++i) memory[i] = 10 * me + i;
      MPI_Win_fence(0, window);
      int* expected_next = nullptr;
      for (int r = 0; r < 4; ++r) {
        MPI_Aint size = -1;
        int unit = -1;
        int* target = nullptr;
        MPI_Win_shared_query(window, r, &size, &unit, &target);
        ASSERT_EQ(size, r == 0 ? 0 : 4 * (3 + r));
        ASSERT_EQ(unit, 4);
        if (r == me) EXPECT_EQ(target, memory);
        if (r == 0 && is_apart) EXPECT_EQ(target, nullptr);
        if (r > 1 && !is_apart) EXPECT_EQ(target, expected_next);
        expected_next = target + size / 4;
        for (int i = 0; i < size / 4; ++i) ASSERT_EQ(target[i], 10 * r + i);
        int* first = nullptr;
        if (r == 1) {
          MPI_Win_shared_query(window, MPI_PROC_NULL, &size, &unit, &first);
          EXPECT_EQ(first, target);
        }
      }
      MPI_Win_fence(0, window);
      const int next = me % 3 + 1;
      const int value = 77 + me;
      if (me > 0) MPI_Put(&value, 1, MPI_INT, next, 2, 1, MPI_INT, window);
      MPI_Win_fence(0, window);
      if (me > 0) EXPECT_EQ(memory[2], 77 + (me == 1 ? 3 : me - 1));
      MPI_Win_lock_all(0, window);
      MPI_Win_sync(window);
      MPI_Win_unlock_all(window);
      MPI_Win_free(&window);
    }
  });
}

TEST_P(windows, lend_memory_that_is_attached_later) {
  run_ranks(2, [] {
    const int me = number_of_rank();
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    check_attribute(window, MPI_WIN_SIZE, 0);
    check_attribute(window, MPI_WIN_CREATE_FLAVOR, MPI_WIN_FLAVOR_DYNAMIC);
    std::vector<long> memory(10);
    EXPECT_EQ(MPI_Win_attach(window, memory.data(), 80), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Win_attach(window, memory.data() + 4, 8)), MPI_ERR_RMA_ATTACH);
    EXPECT_EQ(error_class(MPI_Win_detach(window, memory.data() + 4)), MPI_ERR_RMA_ATTACH);
    MPI_Aint addresses[2];
    MPI_Get_address(memory.data(), &addresses[me]);
    MPI_Aint own = addresses[me];
    MPI_Allgather(&own, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    const long value = 11 + me;
    MPI_Put(&value, 1, MPI_LONG, 1 - me, MPI_Aint_add(addresses[1 - me], 72), 1, MPI_LONG, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(memory[9], 12 - me);
    EXPECT_EQ(MPI_Win_detach(window, memory.data()), MPI_SUCCESS);
    MPI_Win_free(&window);
  });
}

namespace {

int noted_errors[2];  // by rank
void note_error(MPI_Win*, int* code, ...) { noted_errors[number_of_rank()] = *code; }
void ignore_error(MPI_Comm*, int*, ...) {}

}  // namespace

TEST_P(windows, refuse_what_cannot_be) {
  run_ranks(2, [] {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int own_place = 0;  // offset in rank 0's memory: two ranks must not put to the same address
    MPI_Comm_rank(MPI_COMM_WORLD, &own_place);
    int memory[4] = {};
    int data[4] = {};
    MPI_Win window = MPI_WIN_NULL;
    EXPECT_EQ(error_class(MPI_Win_create(memory, -1, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window)),
              MPI_ERR_SIZE);
    EXPECT_EQ(error_class(MPI_Win_create(memory, 16, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &window)),
              MPI_ERR_DISP);
    EXPECT_EQ(error_class(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_NULL, &window)),
              MPI_ERR_COMM);
    EXPECT_EQ(error_class(MPI_Win_create(nullptr, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window)),
              MPI_ERR_BASE);
    EXPECT_EQ(error_class(MPI_Win_fence(0, MPI_WIN_NULL)), MPI_ERR_WIN);
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    EXPECT_EQ(error_class(MPI_Win_set_name(window, nullptr)), MPI_ERR_ARG);
    const auto put = [&](int count, int rank, MPI_Aint at) {
      return error_class(MPI_Put(data, count, MPI_INT, rank, at, count, MPI_INT, window));
    };
    const auto accumulate = [&](MPI_Datatype origin, MPI_Datatype target, MPI_Op op) {
      return error_class(MPI_Accumulate(data, 1, origin, 0, 0, 1, target, op, window));
    };
    EXPECT_EQ(put(1, 0, 0), MPI_ERR_RMA_SYNC);  // no epoch is open
    EXPECT_EQ(error_class(MPI_Win_complete(window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_wait(window)), MPI_ERR_RMA_SYNC);
    int flag = 0;
    EXPECT_EQ(error_class(MPI_Win_test(window, &flag)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_unlock(0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_unlock_all(window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_flush(0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_flush_all(window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_flush_local(0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_flush_local_all(window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_fence(1, window)), MPI_ERR_ASSERT);
    EXPECT_EQ(error_class(MPI_Win_lock(1, 0, 0, window)), MPI_ERR_LOCKTYPE);
    EXPECT_EQ(error_class(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window)), MPI_ERR_RANK);
    EXPECT_EQ(error_class(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, window)), MPI_ERR_ASSERT);
    EXPECT_EQ(error_class(MPI_Win_attach(window, data, 4)), MPI_ERR_RMA_FLAVOR);
    EXPECT_EQ(error_class(MPI_Win_detach(window, data)), MPI_ERR_RMA_FLAVOR);
    MPI_Aint size = 0;
    EXPECT_EQ(error_class(MPI_Win_shared_query(window, 0, &size, &flag, &size)), MPI_ERR_RMA_FLAVOR);

    MPI_Win_fence(0, window);
    EXPECT_EQ(put(1, 2, 0), MPI_ERR_RANK);
    EXPECT_EQ(put(-1, 0, 0), MPI_ERR_COUNT);
    EXPECT_EQ(put(1, 0, -1), MPI_ERR_DISP);
    EXPECT_EQ(put(1, 0, 4), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(put(2, 1, 3), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(error_class(MPI_Put(data, 2, MPI_INT, 0, 0, 1, MPI_INT, window)), MPI_ERR_TRUNCATE);
    EXPECT_EQ(error_class(MPI_Get(data, 1, MPI_INT, 0, 0, 2, MPI_INT, window)), MPI_ERR_TRUNCATE);
    EXPECT_EQ(error_class(MPI_Put(nullptr, 1, MPI_INT, 0, 0, 1, MPI_INT, window)), MPI_ERR_BUFFER);
    EXPECT_EQ(error_class(MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, window)), MPI_ERR_TYPE);
    EXPECT_EQ(accumulate(MPI_INT, MPI_FLOAT, MPI_SUM), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Accumulate(data, 0, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, window), MPI_SUCCESS);
    EXPECT_EQ(accumulate(MPI_FLOAT, MPI_FLOAT, MPI_BAND), MPI_ERR_OP);
    EXPECT_EQ(accumulate(MPI_INT, MPI_INT, MPI_MAXLOC), MPI_ERR_OP);
    EXPECT_EQ(accumulate(MPI_INT, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    EXPECT_EQ(error_class(MPI_Compare_and_swap(data, data + 1, data + 2, MPI_FLOAT, 0, 0, window)),
              MPI_ERR_TYPE);
    MPI_Op own = MPI_OP_NULL;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
    EXPECT_EQ(accumulate(MPI_INT, MPI_INT, own), MPI_ERR_OP);
    MPI_Op_free(&own);
    EXPECT_EQ(put(1, 0, own_place), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)), MPI_ERR_RMA_SYNC);
    MPI_Win_fence(0, window);

    // A lock may follow a fence; it ends the fence's epoch.
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, window);
    EXPECT_EQ(error_class(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_lock_all(0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_fence(0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_free(&window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(put(1, 1, 0), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(put(1, 0, own_place), MPI_SUCCESS);
    MPI_Win_unlock(0, window);
    EXPECT_EQ(put(1, 0, 0), MPI_ERR_RMA_SYNC);

    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    EXPECT_EQ(error_class(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_free(&window)), MPI_ERR_RMA_SYNC);
    MPI_Win_unlock_all(window);

    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(window, &all);
    MPI_Win_post(all, 0, window);
    EXPECT_EQ(error_class(MPI_Win_post(all, 0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_fence(0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_free(&window)), MPI_ERR_RMA_SYNC);
    MPI_Win_start(all, 0, window);
    EXPECT_EQ(error_class(MPI_Win_start(all, 0, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(error_class(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)), MPI_ERR_RMA_SYNC);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&all);

    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Win_get_errhandler(window, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    int& noted_error = noted_errors[number_of_rank()];
    MPI_Win_create_errhandler(&note_error, &handler);
    MPI_Win_set_errhandler(window, handler);
    MPI_Errhandler_free(&handler);
    EXPECT_EQ(MPI_Win_call_errhandler(window, MPI_ERR_OTHER), MPI_SUCCESS);
    EXPECT_EQ(noted_error, MPI_ERR_OTHER);
    MPI_Comm_create_errhandler(&ignore_error, &handler);
    MPI_Win_set_errhandler(window, handler);
    EXPECT_EQ(noted_error, MPI_ERR_ARG);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&window);
  });
}

TEST_P(windows, end_the_run_by_an_error_that_says_what_was_wrong) {
  ranks_fail(2,
             [] {
               int memory[4] = {};
               MPI_Win window = MPI_WIN_NULL;
               MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
               MPI_Win_fence(0, window);
               if (number_of_rank() == 1) MPI_Put(memory, 2, MPI_INT, 0, 3, 2, MPI_INT, window);
               MPI_Win_fence(0, window);
             },
             {"rank 1: MPI_Put in window 0xa0000000: the access is of the bytes 12 to 20 of a window with 16 "
              "bytes"});
}

TEST_P(windows, are_named_by_who_waits_for_them_in_vain) {
  ranks_fail(2,
             [] {
               int memory[4] = {};
               MPI_Win window = MPI_WIN_NULL;
               MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
               MPI_Win_set_name(window, "halo");
               if (number_of_rank() == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
               MPI_Barrier(MPI_COMM_WORLD);
               if (number_of_rank() == 1) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
               if (number_of_rank() == 0)
                 MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             },
             {"deadlock", "waits for MPI_Win_lock in halo, for the lock of rank 0"});
}

}  // namespace imbrex::mpi
