// SPDX-License-Identifier: Apache-2.0
// Attributes of communicators, and the calls of their functions.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

using attributes = on_mpi_ranks;
INSTANTIATE_TEST_SUITE_P(on, attributes, ::testing::ValuesIn(machines()), name_of_machine);

namespace {

/// A recorded call of a function of the program.
struct called {
  bool is_copy;
  MPI_Comm comm;
  int key;
  std::intptr_t value;
  bool operator==(const called&) const = default;
};

/// Calls recorded by a rank's functions, and the codes that they return. Extra state of the keyvals.
struct notes {
  std::vector<called> calls;
  int copy_code = MPI_SUCCESS;
  int remove_code = MPI_SUCCESS;
  int is_copied = 1;
};

void* value(std::intptr_t v) { return reinterpret_cast<void*>(v); }
std::intptr_t number(void* v) { return reinterpret_cast<std::intptr_t>(v); }

int note_copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* flag) {
  auto& seen = *static_cast<notes*>(extra);
  seen.calls.push_back({true, comm, key, number(from)});
  *static_cast<void**>(to) = value(number(from) + 100);
  *flag = seen.is_copied;
  return seen.copy_code;
}
int note_removal(MPI_Comm comm, int key, void* attribute, void* extra) {
  auto& seen = *static_cast<notes*>(extra);
  seen.calls.push_back({false, comm, key, number(attribute)});
  int has_it = 0;
  void* found = nullptr;
  EXPECT_EQ(MPI_Comm_get_attr(comm, key, &found, &has_it), MPI_SUCCESS);  // the attribute is still there
  EXPECT_EQ(has_it, 1);
  int is_final = 1;
  EXPECT_EQ(MPI_Finalized(&is_final), MPI_SUCCESS);
  EXPECT_EQ(is_final, 0);
  return seen.remove_code;
}

std::intptr_t attribute_of(MPI_Comm comm, int key) {
  void* found = nullptr;
  int flag = 0;
  EXPECT_EQ(MPI_Comm_get_attr(comm, key, &found, &flag), MPI_SUCCESS);
  return flag != 0 ? number(found) : -1;
}

}  // namespace

TEST_P(attributes, go_with_duplicates_as_their_functions_say) {
  run_ranks(2, [] {
    notes seen;
    int noted = MPI_KEYVAL_INVALID;
    int plain = MPI_KEYVAL_INVALID;
    int kept = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(&note_copy, &note_removal, &noted, &seen);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &plain, nullptr);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &kept, nullptr);
    MPI_Comm first;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    EXPECT_EQ(attribute_of(first, noted), -1);
    EXPECT_EQ(MPI_Comm_set_attr(first, noted, value(1)), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_set_attr(first, plain, value(2)), MPI_SUCCESS);
    EXPECT_EQ(MPI_Attr_put(first, kept, value(3)), MPI_SUCCESS);
    EXPECT_TRUE(seen.calls.empty());
    MPI_Comm copy;
    EXPECT_EQ(MPI_Comm_dup(first, &copy), MPI_SUCCESS);
    EXPECT_EQ(attribute_of(copy, noted), 101);
    EXPECT_EQ(attribute_of(copy, plain), 2);
    EXPECT_EQ(attribute_of(copy, kept), -1);
    seen.is_copied = 0;
    MPI_Comm without;
    MPI_Request request;
    EXPECT_EQ(MPI_Comm_idup(first, &without, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(attribute_of(without, noted), -1);
    // Other communicators have none of these attributes.
    MPI_Comm part;
    EXPECT_EQ(MPI_Comm_split(first, 0, 0, &part), MPI_SUCCESS);
    EXPECT_EQ(attribute_of(part, plain), -1);
    EXPECT_EQ(seen.calls, (std::vector<called>{{true, first, noted, 1}, {true, first, noted, 1}}));
    seen.calls.clear();
    const MPI_Comm freed = copy;
    EXPECT_EQ(MPI_Comm_set_attr(first, noted, value(4)), MPI_SUCCESS);  // replaces 1
    EXPECT_EQ(MPI_Comm_delete_attr(first, noted), MPI_SUCCESS);
    EXPECT_EQ(attribute_of(first, noted), -1);
    EXPECT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    EXPECT_EQ(seen.calls,
              (std::vector<called>{
                  {false, first, noted, 1}, {false, first, noted, 4}, {false, freed, noted, 101}}));
    EXPECT_EQ(error_class(MPI_Attr_delete(first, noted)), MPI_ERR_OTHER);
    for (MPI_Comm* const each : {&first, &without, &part}) EXPECT_EQ(MPI_Comm_free(each), MPI_SUCCESS);
    for (int* const key : {&noted, &plain, &kept}) {
      EXPECT_EQ(MPI_Comm_free_keyval(key), MPI_SUCCESS);
      EXPECT_EQ(*key, MPI_KEYVAL_INVALID);
    }
  });
}

TEST_P(attributes, stay_where_a_function_fails) {
  run_ranks(1, [] {
    notes seen;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(&note_copy, &note_removal, &key, &seen);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT_EQ(MPI_Comm_set_attr(comm, key, value(5)), MPI_SUCCESS);
    seen.copy_code = seen.remove_code = MPI_ERR_OTHER;
    MPI_Comm copy = comm;
    EXPECT_EQ(error_class(MPI_Comm_dup(comm, &copy)), MPI_ERR_OTHER);
    EXPECT_EQ(copy, MPI_COMM_NULL);
    EXPECT_EQ(error_class(MPI_Comm_set_attr(comm, key, value(6))), MPI_ERR_OTHER);
    EXPECT_EQ(error_class(MPI_Comm_delete_attr(comm, key)), MPI_ERR_OTHER);
    EXPECT_EQ(error_class(MPI_Comm_free(&comm)), MPI_ERR_OTHER);
    EXPECT_EQ(attribute_of(comm, key), 5);
    seen.remove_code = MPI_SUCCESS;
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
  });
}

TEST_P(attributes, keep_a_keyval_that_is_freed) {
  run_ranks(1, [] {
    notes seen;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(&note_copy, &note_removal, &key, &seen);
    int again = key;
    const int saved = key;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT_EQ(MPI_Comm_set_attr(comm, key, value(8)), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free_keyval(&again), MPI_SUCCESS);  // as functions of attributes may do
    EXPECT_EQ(attribute_of(comm, saved), 8);
    MPI_Comm copy;
    EXPECT_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_delete_attr(comm, saved), MPI_SUCCESS);
    EXPECT_EQ(attribute_of(copy, saved), 108);
    EXPECT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Comm_set_attr(comm, saved, value(9))), MPI_ERR_KEYVAL);
    // The handle of a freed and now unused keyval is reused after the next call of MPI_Comm_free_keyval.
    int others[3];
    for (int& other : others)
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, nullptr);
    EXPECT_EQ(MPI_Comm_free_keyval(&others[0]), MPI_SUCCESS);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &others[0], nullptr);
    int last = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &last, nullptr);
    EXPECT_TRUE(others[0] == saved || last == saved);
    for (int* const other : {&others[0], &others[1], &others[2], &last})
      EXPECT_EQ(MPI_Comm_free_keyval(other), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  });
}

TEST_P(attributes, are_removed_at_the_end_the_youngest_first) {
  run_ranks(2, [] {
    notes seen;
    std::vector<called> expected;
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
      for (std::intptr_t i = 0; i < 4; ++i) {
        int key = MPI_KEYVAL_INVALID;
        MPI_Keyval_create(&note_copy, &note_removal, &key, &seen);
        EXPECT_EQ(MPI_Comm_set_attr(comm, key, value(i)), MPI_SUCCESS);
        expected.insert(expected.begin(), {false, comm, key, i});
        MPI_Keyval_free(&key);
      }
    }
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    EXPECT_EQ(seen.calls, expected);
  });
}

/// A rank still waits in the MPI function that has called the attribute functions, though these call others.
TEST_P(attributes, leave_the_name_of_what_has_called_their_functions) {
  ranks_fail(2,
             [] {
               if (rank::current()->number() == 1) return;
               static notes seen;
               int key = MPI_KEYVAL_INVALID;
               MPI_Comm_create_keyval(&note_copy, &note_removal, &key, &seen);
               MPI_Comm_set_attr(MPI_COMM_WORLD, key, value(3));
               MPI_Finalize();
             },
             {"deadlock", "rank(0), entry run, on PE ", "waits for MPI_Finalize"});
}

TEST_P(attributes, of_mpi_itself_are_there) {
  run_ranks(3, [] {
    const auto value_of = [](int key) {
      int* found = nullptr;
      int flag = 0;
      EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &found, &flag), MPI_SUCCESS);
      EXPECT_EQ(flag, 1);
      int* by_old_name = nullptr;
      EXPECT_EQ(MPI_Attr_get(MPI_COMM_WORLD, key, &by_old_name, &flag), MPI_SUCCESS);
      EXPECT_EQ(by_old_name, found);
      return flag != 0 ? *found : -99;
    };
    EXPECT_GE(value_of(MPI_TAG_UB), 32767);
    EXPECT_EQ(value_of(MPI_HOST), MPI_PROC_NULL);
    EXPECT_EQ(value_of(MPI_IO), MPI_ANY_SOURCE);
    EXPECT_EQ(value_of(MPI_UNIVERSE_SIZE), 3);
    EXPECT_EQ(value_of(MPI_APPNUM), 0);
    EXPECT_EQ(value_of(MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
    EXPECT_GE(value_of(MPI_WTIME_IS_GLOBAL), 0);
    int own_class = 0;
    MPI_Add_error_class(&own_class);
    EXPECT_EQ(value_of(MPI_LASTUSEDCODE), own_class);
    EXPECT_EQ(error_class(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr)), MPI_ERR_KEYVAL);
    EXPECT_EQ(error_class(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_IO)), MPI_ERR_KEYVAL);
    int key = MPI_TAG_UB;
    EXPECT_EQ(error_class(MPI_Comm_free_keyval(&key)), MPI_ERR_KEYVAL);
    void* found = nullptr;
    int flag = 0;
    EXPECT_EQ(error_class(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &found, &flag)),
              MPI_ERR_KEYVAL);
  });
}

}  // namespace imbrex::mpi
