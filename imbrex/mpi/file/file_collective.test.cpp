// SPDX-License-Identifier: Apache-2.0
// Files of MPI on all machines: shared and ordered accesses, nonblocking ones, and those of all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <imbrex/mpi/file/files.test.hpp>
#include <imbrex/mpi/file/piece_list.hpp>

namespace imbrex::mpi {

namespace {

constexpr int new_file = MPI_MODE_CREATE | MPI_MODE_RDWR;

std::vector<int> numbers_of(const std::string& path) {
  const std::string all = contents_of(path);
  std::vector<int> numbers(all.size() / sizeof(int));
  std::memcpy(numbers.data(), all.data(), numbers.size() * sizeof(int));
  return numbers;
}

/// A view of every `ranks`-th int, from the own one on; the hints go with it.
void see_every(MPI_File f, int ranks, const std::vector<std::pair<const char*, const char*>>& hints = {}) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key, value);
  MPI_Datatype tile;
  MPI_Type_create_resized(MPI_INT, 0, MPI_Aint{4} * ranks, &tile);
  MPI_Type_commit(&tile);
  EXPECT_EQ(MPI_File_set_view(f, MPI_Offset{4} * own_rank(), MPI_INT, tile, "native", info), MPI_SUCCESS);
  MPI_Type_free(&tile);
  MPI_Info_free(&info);
}

}  // namespace

using file_collective = on_files;
INSTANTIATE_TEST_SUITE_P(on, file_collective, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(file_collective, moves_the_shared_pointer_for_all) {
  run_ranks(4, [this] {
    constexpr int each = 5;
    {
      const open_file f(path, new_file | MPI_MODE_DELETE_ON_CLOSE);
      EXPECT_EQ(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
      for (int i = 0; i < each; ++i) {
        const std::array<int, 2> record{own_rank(), i};
        if (i % 2 == 0) {
          EXPECT_EQ(MPI_File_write_shared(f, record.data(), 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
        } else {
          MPI_Request request;
          EXPECT_EQ(MPI_File_iwrite_shared(f, record.data(), 2, MPI_INT, &request), MPI_SUCCESS);
          EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
      }
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Offset position = 0;
      EXPECT_EQ(MPI_File_get_position_shared(f, &position), MPI_SUCCESS);
      EXPECT_EQ(position, 4 * each * 2);
      std::array<int, 4> next{};
      for (const auto& [rank, i] : [&] {
             std::vector<std::pair<int, int>> found;
             const std::vector<int> all = numbers_of(path);
             for (std::size_t k = 0; k + 1 < all.size(); k += 2) found.emplace_back(all[k], all[k + 1]);
             return found;
           }())
        EXPECT_EQ(next.at(static_cast<std::size_t>(rank))++, i);
      EXPECT_EQ(next, (std::array<int, 4>{each, each, each, each}));
      EXPECT_EQ(MPI_File_seek_shared(f, -2, MPI_SEEK_END), MPI_SUCCESS);
      int found = -1;
      EXPECT_EQ(MPI_File_read_shared(f, &found, own_rank() == 1 ? 1 : 0, MPI_INT, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
      if (own_rank() == 1) EXPECT_GE(found, 0);
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(MPI_File_get_position_shared(f, &position), MPI_SUCCESS);
      EXPECT_EQ(position, 4 * each * 2 - 1);
      EXPECT_EQ(error_class(MPI_File_seek_shared(f, own_rank(), MPI_SEEK_SET)), MPI_ERR_NOT_SAME);
      EXPECT_EQ(error_class(MPI_File_seek_shared(f, -1, MPI_SEEK_SET)), MPI_ERR_ARG);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_P(file_collective, goes_by_the_order_of_ranks) {
  run_ranks(3, [this] {
    const int me = own_rank();
    {
      const open_file f(path, new_file);
      EXPECT_EQ(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
      const std::array<int, 3> values{me, 10 + me, 20 + me};
      EXPECT_EQ(MPI_File_write_ordered(f, values.data(), me + 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_write_ordered_begin(f, &me, 1, MPI_INT), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_write_ordered_end(f, &me, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_seek_shared(f, 1, MPI_SEEK_SET), MPI_SUCCESS);
      std::array<int, 2> found{};
      EXPECT_EQ(MPI_File_read_ordered(f, found.data(), 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(found[0], (std::array<int, 3>{1, 2, 22})[static_cast<std::size_t>(me)]);
    }
    if (me == 0) {
      EXPECT_EQ(numbers_of(path), (std::vector<int>{0, 0, 1, 11, 2, 12, 22, 0, 1, 2}));
      std::filesystem::remove(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_P(file_collective, goes_on_while_a_rank_computes) {
  run_ranks(2, [this] {
    const int me = own_rank();
    const open_file f(path, new_file | MPI_MODE_DELETE_ON_CLOSE);
    std::vector<int> values(50000);
    std::iota(values.begin(), values.end(), me * 100000);
    std::array<MPI_Request, 2> requests;
    std::array<MPI_Status, 2> statuses;
    const auto bytes = static_cast<MPI_Offset>(values.size() * sizeof(int));
    EXPECT_EQ(MPI_File_iwrite_at(f, me * bytes, values.data(), 25000, MPI_INT, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_iwrite_at_all(f, me * bytes + bytes / 2, values.data() + 25000, 25000, MPI_INT,
                                     &requests[1]),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_SUCCESS);
    EXPECT_EQ(count_of(statuses[0], MPI_INT), 25000);
    EXPECT_EQ(count_of(statuses[1], MPI_INT), 25000);
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> found(50000);
    EXPECT_EQ(MPI_File_seek(f, (1 - me) * bytes, MPI_SEEK_SET), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_iread(f, found.data(), 20000, MPI_INT, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_iread_all(f, found.data() + 20000, 30000, MPI_INT, &requests[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], (1 - me) * 100000 + static_cast<int>(i));
    EXPECT_EQ(MPI_File_sync(f), MPI_SUCCESS);
  });
}

TEST_P(file_collective, splits_an_access_into_two_calls) {
  run_ranks(2, [this] {
    const int me = own_rank();
    const open_file f(path, new_file | MPI_MODE_DELETE_ON_CLOSE);
    see_every(f, 2);
    std::array<int, 20> values{};
    std::iota(values.begin(), values.end(), 100 * me);
    EXPECT_EQ(MPI_File_write_all_begin(f, values.data(), 20, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_File_read_all_begin(f, values.data(), 20, MPI_INT)), MPI_ERR_IO);
    EXPECT_EQ(error_class(MPI_File_read_all_end(f, values.data(), MPI_STATUS_IGNORE)), MPI_ERR_IO);
    MPI_Status status;
    EXPECT_EQ(MPI_File_write_all_end(f, values.data(), &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_INT), 20);
    EXPECT_EQ(error_class(MPI_File_write_all_end(f, values.data(), &status)), MPI_ERR_IO);
    MPI_Barrier(MPI_COMM_WORLD);
    std::array<int, 20> found{};
    EXPECT_EQ(MPI_File_read_at_all_begin(f, 1, found.data(), 20, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_read_at_all_end(f, found.data(), &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_INT), 19);
    EXPECT_TRUE(std::equal(values.begin() + 1, values.end(), found.begin()));
  });
}

TEST_P(file_collective, lets_aggregators_write_long_runs_in_several_windows) {
  for (const char* aggregators : {"1", "2", "3"}) {
    run_ranks(3, [&] {
      const int me = own_rank();
      std::vector<int> values(2000);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = 3 * static_cast<int>(i) + me;
      {
        const open_file f(path, new_file);
        see_every(f, 3, {{"cb_nodes", aggregators}, {"cb_buffer_size", "5000"}});
        // The last rank writes less; its memory has gaps.
        MPI_Datatype spread;
        MPI_Type_vector(1000, 1, 2, MPI_INT, &spread);
        MPI_Type_commit(&spread);
        std::vector<int> gapped(2000, -1);
        for (std::size_t i = 0; i < 1000; ++i) gapped[2 * i] = values[i];
        MPI_Status status;
        if (me == 2)
          EXPECT_EQ(MPI_File_write_all(f, gapped.data(), 1, spread, &status), MPI_SUCCESS);
        else
          EXPECT_EQ(MPI_File_write_all(f, values.data(), 2000, MPI_INT, &status), MPI_SUCCESS);
        EXPECT_EQ(count_of(status, MPI_INT), me == 2 ? 1000 : 2000);
        MPI_Offset position = 0;
        EXPECT_EQ(MPI_File_get_position(f, &position), MPI_SUCCESS);
        EXPECT_EQ(position, me == 2 ? 1000 : 2000);
        MPI_Barrier(MPI_COMM_WORLD);
        std::vector<int> found(2500, -1);
        EXPECT_EQ(MPI_File_read_at_all(f, 0, found.data(), 2500, MPI_INT, &status), MPI_SUCCESS);
        EXPECT_EQ(count_of(status, MPI_INT), me == 2 ? 1999 : 2000);
        for (std::size_t i = 0; i < (me == 2 ? 1000U : 2000U); ++i) ASSERT_EQ(found[i], values[i]);
        EXPECT_EQ(found[2000], -1);
        std::fill(gapped.begin(), gapped.end(), -1);
        EXPECT_EQ(MPI_File_read_at_all(f, 5, gapped.data(), me == 0 ? 0 : 1, spread, &status), MPI_SUCCESS);
        for (std::size_t i = 0; i < 990 && me != 0; ++i) ASSERT_EQ(gapped[2 * i], values[i + 5]);
        EXPECT_EQ(gapped[1], -1);
        MPI_Type_free(&spread);
      }
      if (me == 0) {
        const std::vector<int> all = numbers_of(path);
        EXPECT_EQ(all.size(), 5999U);
        for (std::size_t i = 0; i < all.size(); ++i)
          ASSERT_EQ(all[i], i % 3 == 2 && i >= 3000 ? 0 : static_cast<int>(i));
        std::filesystem::remove(path);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }
}

TEST_P(file_collective, converts_to_external32) {
  run_ranks(2, [this] {
    const int me = own_rank();
    const open_file f(path, new_file | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype tile;
    MPI_Type_create_resized(MPI_INT, 0, 8, &tile);
    MPI_Type_commit(&tile);
    EXPECT_EQ(MPI_File_set_view(f, 4 * me, MPI_INT, tile, "external32", MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Type_free(&tile);
    std::vector<int> values(100);
    std::iota(values.begin(), values.end(), me);
    EXPECT_EQ(MPI_File_write_all(f, values.data(), 100, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> found(100);
    MPI_Status status;
    EXPECT_EQ(MPI_File_read_at_all(f, 0, found.data(), 100, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(found, values);
    EXPECT_EQ(count_of(status, MPI_INT), 100);
    EXPECT_EQ(contents_of(path).substr(8, 8), std::string("\0\0\0\1\0\0\0\2", 8));
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_P(file_collective, is_as_a_model_for_random_pieces) {
  constexpr int ranks = 4;
  constexpr int blocks = 300;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    run_ranks(ranks, [&] {
      // The blocks of the file belong to random ranks; some to none.
      std::mt19937 random(seed);
      std::vector<int> owner(blocks);
      std::vector<int> length(blocks);
      for (int i = 0; i < blocks; ++i) {
        owner[static_cast<std::size_t>(i)] = static_cast<int>(random() % (ranks + 1));
        length[static_cast<std::size_t>(i)] = static_cast<int>(random() % 9);
      }
      std::vector<int> lengths, places, model;
      std::vector<int> own;
      for (std::size_t i = 0; i < blocks; ++i) {
        if (owner[i] == own_rank()) {
          lengths.push_back(length[i]);
          places.push_back(static_cast<int>(model.size()));
        }
        for (int k = 0; k < length[i]; ++k) {
          const int number = owner[i] < ranks ? static_cast<int>(random() % 1000) + 1 : 0;
          model.push_back(number);
          if (owner[i] == own_rank()) own.push_back(number);
        }
      }
      MPI_Datatype part;
      MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_INT, &part);
      MPI_Type_commit(&part);
      MPI_Info hints;
      MPI_Info_create(&hints);
      MPI_Info_set(hints, "cb_buffer_size", std::to_string(100 + seed * 777).c_str());
      MPI_Info_set(hints, "cb_nodes", std::to_string(seed).c_str());
      MPI_Info_set(hints, "romio_cb_write", seed == 4 ? "disable" : "enable");
      MPI_Info_set(hints, "romio_cb_read", seed == 3 ? "disable" : "enable");
      {
        const open_file f(path, new_file);
        EXPECT_EQ(MPI_File_set_view(f, 0, MPI_INT, part, "native", hints), MPI_SUCCESS);
        const int n = static_cast<int>(own.size());
        EXPECT_EQ(MPI_File_write_all(f, own.data(), n, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
        std::vector<int> found(own.size());
        EXPECT_EQ(MPI_File_read_at_all(f, 0, found.data(), n, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(found, own);
      }
      if (own_rank() == 0) {
        std::vector<int> all = numbers_of(path);
        all.resize(model.size(), 0);
        EXPECT_EQ(all, model);
        std::filesystem::remove(path);
      }
      MPI_Type_free(&part);
      MPI_Info_free(&hints);
      MPI_Barrier(MPI_COMM_WORLD);
    });
  }
}

TEST_P(file_collective, says_on_all_ranks_that_the_disk_is_full) {
  run_ranks(3, [] {
    const open_file f("/dev/full", MPI_MODE_WRONLY);
    see_every(f, 3);
    std::vector<int> values(1000, own_rank());
    MPI_Status status;
    const int code = MPI_File_write_all(f, values.data(), 1000, MPI_INT, &status);
    EXPECT_EQ(error_class(code), MPI_ERR_NO_SPACE);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    EXPECT_NE(std::string(text).find("cannot write to \"/dev/full\": No space left on device"),
              std::string::npos)
        << text;
    EXPECT_EQ(error_class(MPI_File_write_at_all(f, 0, values.data(), 1, MPI_INT, &status)), MPI_ERR_NO_SPACE);
    EXPECT_EQ(error_class(MPI_File_write(f, values.data(), 1000, MPI_INT, &status)), MPI_ERR_NO_SPACE);
    EXPECT_EQ(count_of(status, MPI_INT), 0);
    MPI_Request request;
    EXPECT_EQ(MPI_File_iwrite(f, values.data(), 1000, MPI_INT, &request), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Wait(&request, &status)), MPI_ERR_NO_SPACE);
    EXPECT_EQ(MPI_File_iwrite_all(f, values.data(), 1000, MPI_INT, &request), MPI_SUCCESS);
    EXPECT_EQ(error_class(MPI_Wait(&request, &status)), MPI_ERR_NO_SPACE);
  });
}

TEST(piece_list, is_cut_by_ranges) {
  const piece_list list({{0, 10}, {20, 5}, {22, 30}});
  EXPECT_EQ(list.bytes(), 45);
  EXPECT_EQ(list.end(), 52);
  const std::vector<placed_piece> found = list.within({5, 18});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].offset, 5);
  EXPECT_EQ(found[0].bytes, 5);
  EXPECT_EQ(found[0].position, 5);
  EXPECT_EQ(found[1].bytes, 3);
  EXPECT_EQ(found[2].position, 15);
  EXPECT_EQ(bytes_of(found), 9);
  EXPECT_TRUE(list.within({60, 10}).empty());
}

TEST(piece_list, is_divided_into_parts_and_windows) {
  const domain_split split({10, 1000}, 3, 100, 150);
  std::int64_t at = 10;
  for (int a = 0; a < 3; ++a) {
    const file_piece part = split.part(a);
    EXPECT_EQ(part.offset, at);
    if (a > 0) EXPECT_EQ(part.offset % 100, 0);
    for (std::int64_t round = 0; round < split.rounds(); ++round) {
      const file_piece window = split.window(a, round);
      EXPECT_EQ(window.offset, at);
      EXPECT_LE(window.bytes, 150);
      at += window.bytes;
    }
    EXPECT_EQ(at, part.offset + part.bytes);
  }
  EXPECT_EQ(at, 1010);
}

TEST(coverage, has_the_runs_of_marked_bytes) {
  coverage bytes({100, 300});
  for (const auto& [offset, length] : {std::pair{100, 1}, {160, 70}, {230, 10}, {399, 1}})
    bytes.mark(offset, length);
  const auto described = [&](std::int64_t gap) {
    std::string text;
    for (const file_piece& each : bytes.runs(gap))
      text += std::to_string(each.offset) + "+" + std::to_string(each.bytes) + " ";
    return text;
  };
  EXPECT_EQ(described(0), "100+1 160+80 399+1 ");
  EXPECT_EQ(described(59), "100+140 399+1 ");
}

}  // namespace imbrex::mpi
