// SPDX-License-Identifier: Apache-2.0
// Random accesses of all ranks to all windows, in all kinds of epochs, compared with a model of the memories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

class random_accesses : public on_mpi_ranks {};
INSTANTIATE_TEST_SUITE_P(on, random_accesses, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

using number = std::uint32_t;
using numbers_at = std::vector<number>;

constexpr int length = 4200;  ///< length of a part in numbers: too long to travel within a packet
// Layout of a window. Each rank has a part that only it puts to, and one that only it accumulates to, by any
// operation. All ranks accumulate to the next part by one operation. The last part never changes.
int part_of_puts(int origin) { return 2 * origin * length; }
int part_of_accumulates(int origin) { return (2 * origin + 1) * length; }
int part_of_all(int ranks) { return 2 * ranks * length; }
int constant_part(int ranks) { return (2 * ranks + 1) * length; }
int length_of_window(int ranks) { return (2 * ranks + 2) * length; }

/// The displacements of a buffer's elements.
struct layout {
  enum class kind { close, gaps, backwards } how = kind::close;
  int count = 0;

  int at(int i) const {
    switch (how) {
      case kind::close: return i;
      case kind::gaps: return 2 * i;
      default: return count - 1 - i;
    }
  }
  int reach() const { return how == kind::gaps ? 2 * count : count; }
  int type_count() const { return how == kind::backwards ? 1 : count; }
  MPI_Datatype type() const {
    if (how == kind::close) return MPI_UINT32_T;
    MPI_Datatype result = MPI_DATATYPE_NULL;
    if (how == kind::gaps) {
      MPI_Type_create_resized(MPI_UINT32_T, 0, 2 * sizeof(number), &result);
    } else {
      std::vector<int> places;
      for (int i = 0; i < count; ++i) places.push_back(at(i));
      MPI_Type_create_indexed_block(count, 1, places.data(), MPI_UINT32_T, &result);
    }
    MPI_Type_commit(&result);
    return result;
  }
};
/// A type that is freed before the access has ended, as a program may do.
class type_for_call {
 public:
  explicit type_for_call(const layout& of) : handle_(of.type()) {}
  ~type_for_call() {
    if (handle_ != MPI_UINT32_T) MPI_Type_free(&handle_);
  }
  type_for_call(const type_for_call&) = delete;
  type_for_call& operator=(const type_for_call&) = delete;
  operator MPI_Datatype() const { return handle_; }

 private:
  MPI_Datatype handle_;
};

number combined(MPI_Op op, number there, number operand) {
  switch (op) {
    case MPI_SUM: return there + operand;
    case MPI_PROD: return there * operand;
    case MPI_MAX: return std::max(there, operand);
    case MPI_MIN: return std::min(there, operand);
    case MPI_BAND: return there & operand;
    case MPI_BOR: return there | operand;
    case MPI_BXOR: return there ^ operand;
    case MPI_LAND: return number(there != 0 && operand != 0);
    case MPI_LOR: return number(there != 0 || operand != 0);
    case MPI_LXOR: return number((there != 0) != (operand != 0));
    case MPI_REPLACE: return operand;
    default: return there;
  }
}
constexpr MPI_Op operations[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_BAND,    MPI_BOR,
                                 MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_REPLACE, MPI_NO_OP};
constexpr int commutative = 10;  ///< the first ten operations commute

enum class form { put, get, accumulate, get_accumulate, fetch_and_op, compare_and_swap };

/// One access; all ranks draw the same.
struct access {
  form what;
  int target;
  int place;
  layout there;
  layout here;
  layout result;
  MPI_Op op;
  unsigned salt;
  bool has_result_known;

  number value(int i) const { return number(salt * 2654435761U + number(i) * 40503U); }
  /// The compared value: the present one for every second access.
  number compared(number before) const { return salt % 2 == 0 ? before : before + 1; }
};

/// The accesses of one rank in one epoch.
std::vector<access> draw(unsigned seed, int round, int origin, int ranks) {
  std::mt19937 of_all(seed * 7919U + unsigned(round));
  const MPI_Op op_of_all = operations[of_all() % commutative];
  std::mt19937 random(seed * 104729U + unsigned(round * 64 + origin));
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<int> used(static_cast<std::size_t>(ranks));  // numbers used in each part of puts
  std::vector<access> all;
  for (int i = below(7); i >= 0; --i) {
    access a{};
    a.what = form(below(6));
    a.target = below(ranks);
    a.salt = static_cast<unsigned>(random());
    const int count = below(4) == 0 ? below(length / 2 - 200) : below(40);
    const bool is_single = a.what == form::fetch_and_op || a.what == form::compare_and_swap;
    for (layout* const each : {&a.there, &a.here, &a.result})
      *each = {is_single ? layout::kind::close : layout::kind(below(3)), is_single ? 1 : count};
    a.op = operations[below(12)];
    a.has_result_known = true;
    switch (a.what) {
      case form::put: {
        int& at = used[static_cast<std::size_t>(a.target)];
        if (at + a.there.reach() > length) continue;
        a.place = part_of_puts(origin) + at;
        a.op = MPI_REPLACE;
        at += a.there.reach();
        break;
      }
      case form::get:
        a.place = constant_part(ranks) + below(length - a.there.reach() + 1);
        a.op = MPI_NO_OP;
        break;
      case form::compare_and_swap: a.place = part_of_accumulates(origin) + below(3); break;
      default: {
        const bool with_all = below(2) == 0;
        a.has_result_known = !with_all;
        if (with_all) a.op = op_of_all;
        const int from = with_all ? part_of_all(ranks) : part_of_accumulates(origin);
        a.place = from + (is_single ? below(3) : below(length - a.there.reach() + 1));
      }
    }
    all.push_back(a);
  }
  return all;
}

/// Memory of an access, kept until the epoch ends.
struct in_progress {
  access what;
  numbers_at data;
  numbers_at result;
  numbers_at expected;  ///< expected value of `result`
  number swapped = 0;
  number compared = 0;
};

/// Applies the access to a memory; returns the values before.
numbers_at apply(const access& a, numbers_at& memory, number compared) {
  numbers_at before;
  for (int i = 0; i < a.there.count; ++i) {
    number& at = memory[static_cast<std::size_t>(a.place + a.there.at(i))];
    before.push_back(at);
    if (a.what == form::compare_and_swap)
      at = at == compared ? a.value(i) : at;
    else
      at = combined(a.op, at, a.value(i));
  }
  return before;
}

struct window_under_test {
  MPI_Win handle = MPI_WIN_NULL;
  std::vector<MPI_Aint> bases;  ///< base addresses of all ranks, for a dynamic window
  int flavour = 0;

  /// The displacement unit, which differs between ranks.
  int unit_of(int rank) const {
    return flavour != MPI_WIN_FLAVOR_CREATE ? 1 : rank % 2 == 0 ? int(sizeof(number)) : 2;
  }
  MPI_Aint displacement(const access& a) const {
    const auto place = static_cast<MPI_Aint>(a.place * int(sizeof(number)) / unit_of(a.target));
    return bases.empty() ? place : bases[static_cast<std::size_t>(a.target)] + place;
  }
};

void issue(const window_under_test& window, in_progress& one, MPI_Request* request) {
  const access& a = one.what;
  const type_for_call here(a.here);
  const type_for_call there(a.there);
  const type_for_call of_result(a.result);
  const MPI_Aint at = window.displacement(a);
  const int n = a.here.type_count();
  const int m = a.there.type_count();
  const int k = a.result.type_count();
  const MPI_Win win = window.handle;
  number* const data = one.data.data();
  number* const result = one.result.data();
  int code = MPI_SUCCESS;
  switch (a.what) {
    case form::put:
      code = request != nullptr ? MPI_Rput(data, n, here, a.target, at, m, there, win, request)
                                : MPI_Put(data, n, here, a.target, at, m, there, win);
      break;
    case form::get:
      code = request != nullptr ? MPI_Rget(result, k, of_result, a.target, at, m, there, win, request)
                                : MPI_Get(result, k, of_result, a.target, at, m, there, win);
      break;
    case form::accumulate:
      code = request != nullptr ? MPI_Raccumulate(data, n, here, a.target, at, m, there, a.op, win, request)
                                : MPI_Accumulate(data, n, here, a.target, at, m, there, a.op, win);
      break;
    case form::get_accumulate:
      code = request != nullptr
                 ? MPI_Rget_accumulate(data, n, here, result, k, of_result, a.target, at, m, there, a.op, win,
                                       request)
                 : MPI_Get_accumulate(data, n, here, result, k, of_result, a.target, at, m, there, a.op, win);
      break;
    case form::fetch_and_op:
      code = MPI_Fetch_and_op(data, result, MPI_UINT32_T, a.target, at, a.op, win);
      break;
    case form::compare_and_swap:
      code = MPI_Compare_and_swap(data, &one.compared, result, MPI_UINT32_T, a.target, at, win);
      break;
  }
  EXPECT_EQ(code, MPI_SUCCESS);
}

constexpr number untouched = 0xabadcafe;

void check_result(const in_progress& one) {
  const access& a = one.what;
  if (a.what == form::put || a.what == form::accumulate || !a.has_result_known) return;
  numbers_at expected(one.result.size(), untouched);
  for (int i = 0; i < a.result.count; ++i)
    expected[static_cast<std::size_t>(a.result.at(i))] = one.expected[static_cast<std::size_t>(i)];
  ASSERT_EQ(one.result, expected);
}

enum class epoch { fence, named, locks, all_locked, requests, flushed };

void run_epoch(const window_under_test& window, epoch how, std::vector<in_progress>& own, int ranks) {
  const MPI_Win win = window.handle;
  switch (how) {
    case epoch::fence:
      MPI_Win_fence(0, win);
      for (in_progress& each : own) issue(window, each, nullptr);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
      break;
    case epoch::named: {
      MPI_Group all = MPI_GROUP_NULL;
      MPI_Win_get_group(win, &all);
      MPI_Win_post(all, 0, win);
      MPI_Win_start(all, 0, win);
      for (in_progress& each : own) issue(window, each, nullptr);
      MPI_Win_complete(win);
      MPI_Win_wait(win);
      MPI_Group_free(&all);
      break;
    }
    case epoch::locks:
      for (int target = 0; target < ranks; ++target) {
        MPI_Win_lock(target % 2 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
        for (in_progress& each : own)
          if (each.what.target == target) issue(window, each, nullptr);
        MPI_Win_unlock(target, win);
      }
      break;
    case epoch::all_locked:
      MPI_Win_lock_all(0, win);
      for (in_progress& each : own) issue(window, each, nullptr);
      MPI_Win_unlock_all(win);
      break;
    case epoch::requests: {
      MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
      std::vector<MPI_Request> requests(own.size(), MPI_REQUEST_NULL);
      for (std::size_t i = 0; i < own.size(); ++i) issue(window, own[i], &requests[i]);
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
      for (const in_progress& each : own)
        if (each.what.what == form::get || each.what.what == form::get_accumulate) check_result(each);
      MPI_Win_unlock_all(win);
      break;
    }
    case epoch::flushed:
      MPI_Win_lock_all(0, win);
      for (in_progress& each : own) {
        issue(window, each, nullptr);
        each.what.salt % 3 == 0 ? MPI_Win_flush_local(each.what.target, win)
                                : MPI_Win_flush(each.what.target, win);
        check_result(each);
      }
      MPI_Win_flush_local_all(win);
      MPI_Win_flush_all(win);
      MPI_Win_unlock_all(win);
      break;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

numbers_at begin_of_memory(int of, int ranks) {
  numbers_at memory(static_cast<std::size_t>(length_of_window(ranks)));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = number(i * 31U + unsigned(of) * 977U);
  return memory;
}

void run_accesses(unsigned seed, int rounds, int flavour) {
  const int me = rank_data::here().self().number();
  const int ranks = rank_data::here().self().ranks();
  std::vector<numbers_at> model;
  for (int r = 0; r < ranks; ++r) model.push_back(begin_of_memory(r, ranks));
  window_under_test window;
  window.flavour = flavour;
  numbers_at created = model[static_cast<std::size_t>(me)];
  number* memory = created.data();
  const auto bytes = static_cast<MPI_Aint>(created.size() * sizeof(number));
  if (flavour == MPI_WIN_FLAVOR_CREATE) {
    MPI_Win_create(memory, bytes, window.unit_of(me), MPI_INFO_NULL, MPI_COMM_WORLD, &window.handle);
  } else if (flavour == MPI_WIN_FLAVOR_ALLOCATE) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window.handle);
    std::ranges::copy(created, memory);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window.handle);
    // Attach two adjacent pieces.
    MPI_Win_attach(window.handle, memory, bytes / 2);
    MPI_Win_attach(window.handle, reinterpret_cast<char*>(memory) + bytes / 2, bytes - bytes / 2);
    MPI_Aint address = 0;
    MPI_Get_address(memory, &address);
    window.bases.resize(static_cast<std::size_t>(ranks));
    MPI_Allgather(&address, 1, MPI_AINT, window.bases.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<in_progress> own;
    for (int origin = 0; origin < ranks; ++origin)
      for (const access& a : draw(seed, round, origin, ranks)) {
        auto& there = model[static_cast<std::size_t>(a.target)];
        in_progress one{a, {}, {}, {}, 0, 0};
        one.compared = a.compared(there[static_cast<std::size_t>(a.place)]);
        one.expected = apply(a, there, one.compared);
        if (origin != me) continue;
        one.data.assign(static_cast<std::size_t>(a.here.reach()), untouched);
        for (int i = 0; i < a.here.count; ++i) one.data[static_cast<std::size_t>(a.here.at(i))] = a.value(i);
        one.result.assign(static_cast<std::size_t>(a.result.reach()), untouched);
        own.push_back(std::move(one));
      }
    run_epoch(window, epoch((static_cast<int>(seed) + round) % 6), own, ranks);
    for (const in_progress& each : own) check_result(each);
    ASSERT_TRUE(std::equal(memory, memory + created.size(), model[static_cast<std::size_t>(me)].begin()))
        << "round " << round;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&window.handle);
}

}  // namespace

TEST_P(random_accesses, change_what_plain_memories_would_have) {
  for (const auto& each : {std::pair{1, MPI_WIN_FLAVOR_DYNAMIC}, std::pair{2, MPI_WIN_FLAVOR_ALLOCATE},
                           std::pair{3, MPI_WIN_FLAVOR_DYNAMIC}, std::pair{5, MPI_WIN_FLAVOR_CREATE}}) {
    const int ranks = each.first;
    SCOPED_TRACE(ranks);
    run_ranks(ranks, [&each] { run_accesses(static_cast<unsigned>(10 * each.first), 6, each.second); });
  }
}

}  // namespace imbrex::mpi
