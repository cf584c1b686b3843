// SPDX-License-Identifier: Apache-2.0
// Files of MPI on all machines: opening, views, accesses of one rank, errors.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <imbrex/mpi/file/files.test.hpp>

namespace imbrex::mpi {

namespace {

MPI_File seen;
int calls;
void count_call(MPI_File* of, int* /*code*/, ...) {
  seen = *of;
  ++calls;
}

}  // namespace

using file_test = on_files;
INSTANTIATE_TEST_SUITE_P(on, file_test, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(file_test, is_written_and_read_at_offsets_and_at_the_own_pointer) {
  run_ranks(4, [this] {
    const int me = own_rank();
    {
      const open_file f(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
      const std::array<int, 3> values{me, me + 10, me + 20};
      MPI_Status status;
      EXPECT_EQ(MPI_File_write_at(f, MPI_Offset{12} * me, values.data(), 3, MPI_INT, &status), MPI_SUCCESS);
      EXPECT_EQ(count_of(status, MPI_INT), 3);
      MPI_Barrier(MPI_COMM_WORLD);
      std::array<int, 3> found{};
      const int next = (me + 1) % 4;
      EXPECT_EQ(MPI_File_seek(f, MPI_Offset{12} * next, MPI_SEEK_SET), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_read(f, found.data(), 2, MPI_INT, &status), MPI_SUCCESS);
      EXPECT_EQ(found, (std::array<int, 3>{next, next + 10, 0}));
      MPI_Offset position = 0;
      EXPECT_EQ(MPI_File_get_position(f, &position), MPI_SUCCESS);
      EXPECT_EQ(position, 12 * next + 8);
      EXPECT_EQ(MPI_File_seek(f, -4, MPI_SEEK_END), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_read(f, found.data(), 3, MPI_INT, &status), MPI_SUCCESS);
      EXPECT_EQ(count_of(status, MPI_INT), 1);
      EXPECT_EQ(found[0], 23);
      MPI_Offset size = 0;
      EXPECT_EQ(MPI_File_get_size(f, &size), MPI_SUCCESS);
      EXPECT_EQ(size, 48);
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(MPI_File_set_size(f, 10), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_preallocate(f, 5000), MPI_SUCCESS);
      EXPECT_EQ(MPI_File_get_size(f, &size), MPI_SUCCESS);
      EXPECT_EQ(size, 5000);
    }
    EXPECT_EQ(std::filesystem::file_size(path), 5000U);
    MPI_Barrier(MPI_COMM_WORLD);
    {
      const open_file f(path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_P(file_test, is_divided_by_views) {
  run_ranks(3, [this] {
    const int me = own_rank();
    {
      const open_file f(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
      // Each rank sees two ints of six; the memory has gaps, too.
      MPI_Datatype pair, tile, spread;
      const int six = 6, two = 2, start = 2 * me;
      MPI_Type_contiguous(2, MPI_INT, &pair);
      MPI_Type_create_subarray(1, &six, &two, &start, MPI_ORDER_C, MPI_INT, &tile);
      MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
      for (MPI_Datatype* each : {&pair, &tile, &spread}) MPI_Type_commit(each);
      EXPECT_EQ(MPI_File_set_view(f, 8, MPI_INT, tile, "native", MPI_INFO_NULL), MPI_SUCCESS);
      std::array<int, 9> values{};
      std::iota(values.begin(), values.end(), 100 * me);
      EXPECT_EQ(MPI_File_write(f, values.data(), 3, spread, MPI_STATUS_IGNORE), MPI_SUCCESS);
      MPI_Offset place = 0;
      EXPECT_EQ(MPI_File_get_byte_offset(f, 3, &place), MPI_SUCCESS);
      EXPECT_EQ(place, 8 + 24 + 8 * me + 4);
      MPI_Barrier(MPI_COMM_WORLD);
      std::array<int, 9> found{};
      MPI_Status status;
      EXPECT_EQ(MPI_File_read_at(f, 1, found.data(), 3, spread, &status), MPI_SUCCESS);
      EXPECT_EQ(count_of(status, MPI_INT), 5);
      EXPECT_EQ(found, (std::array<int, 9>{100 * me + 2, 0, 100 * me + 3, 100 * me + 5, 0, 100 * me + 6,
                                           100 * me + 8, 0, 0}));
      EXPECT_EQ(MPI_File_seek(f, 0, MPI_SEEK_END), MPI_SUCCESS);
      MPI_Offset position = 0;
      EXPECT_EQ(MPI_File_get_position(f, &position), MPI_SUCCESS);
      EXPECT_EQ(position, 6);
      MPI_Datatype etype, filetype;
      char format[MPI_MAX_DATAREP_STRING];
      EXPECT_EQ(MPI_File_get_view(f, &place, &etype, &filetype, format), MPI_SUCCESS);
      EXPECT_EQ(place, 8);
      EXPECT_EQ(etype, MPI_INT);
      EXPECT_STREQ(format, "native");
      MPI_Type_free(&filetype);
      for (MPI_Datatype* each : {&pair, &tile, &spread}) MPI_Type_free(each);
    }
    if (me == 0) {
      const std::string all = contents_of(path);
      ASSERT_EQ(all.size(), 80U);
      std::array<int, 18> numbers{};
      std::memcpy(numbers.data(), all.data() + 8, sizeof numbers);
      EXPECT_EQ(numbers, (std::array<int, 18>{0, 2, 100, 102, 200, 202, 3, 5, 103, 105, 203, 205, 6, 8, 106,
                                              108, 206, 208}));
      std::filesystem::remove(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_P(file_test, has_short_pieces_with_gaps_read_together) {
  run_ranks(1, [this] {
    const open_file f(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    std::vector<int> all(300000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(MPI_File_write(f, all.data(), static_cast<int>(all.size()), MPI_INT, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    MPI_Datatype third;
    MPI_Type_create_resized(MPI_INT, 0, 12, &third);
    MPI_Type_commit(&third);
    EXPECT_EQ(MPI_File_set_view(f, 4, MPI_INT, third, "native", MPI_INFO_NULL), MPI_SUCCESS);
    std::vector<int> found(120000, -1);
    MPI_Status status;
    EXPECT_EQ(MPI_File_read(f, found.data(), 120000, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status, MPI_INT), 100000);
    for (int i = 0; i < 100000; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], 3 * i + 1);
    EXPECT_EQ(found[100000], -1);
    MPI_Type_free(&third);
  });
}

TEST_P(file_test, converts_to_external32) {
  run_ranks(1, [this] {
    {
      const open_file f(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
      EXPECT_EQ(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL), MPI_SUCCESS);
      const std::array<int, 2> values{0x01020304, 5};
      EXPECT_EQ(MPI_File_write(f, values.data(), 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      std::array<int, 2> found{};
      MPI_Status status;
      EXPECT_EQ(MPI_File_read_at(f, 0, found.data(), 2, MPI_INT, &status), MPI_SUCCESS);
      EXPECT_EQ(found, values);
      EXPECT_EQ(count_of(status, MPI_INT), 2);
      MPI_Aint extent = 0;
      EXPECT_EQ(MPI_File_get_type_extent(f, MPI_DOUBLE, &extent), MPI_SUCCESS);
      EXPECT_EQ(extent, 8);
      EXPECT_EQ(error_class(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "mine", MPI_INFO_NULL)),
                MPI_ERR_UNSUPPORTED_DATAREP);
      EXPECT_EQ(error_class(MPI_Register_datarep("mine", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                                                 nullptr, nullptr)),
                MPI_ERR_UNSUPPORTED_OPERATION);
    }
    EXPECT_EQ(contents_of(path), std::string("\1\2\3\4\0\0\0\5", 8));
    std::filesystem::remove(path);
  });
}

TEST_P(file_test, refuses_wrong_modes_names_and_accesses) {
  run_ranks(2, [this] {
    const auto failure = [](const std::string& name, int mode) {
      MPI_File f = MPI_FILE_NULL;
      const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &f);
      EXPECT_EQ(f, MPI_FILE_NULL);
      return error_class(code);
    };
    EXPECT_EQ(failure(path, MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(failure(path, MPI_MODE_CREATE), MPI_ERR_AMODE);
    EXPECT_EQ(failure(path, MPI_MODE_CREATE | MPI_MODE_RDONLY), MPI_ERR_AMODE);
    EXPECT_EQ(failure(path, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL), MPI_ERR_AMODE);
    EXPECT_EQ(failure(path, own_rank() == 0 ? MPI_MODE_RDONLY : MPI_MODE_RDWR), MPI_ERR_NOT_SAME);
    EXPECT_EQ(failure(path + "/below", MPI_MODE_CREATE | MPI_MODE_RDWR), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(failure(std::filesystem::path(path).parent_path(), MPI_MODE_RDWR), MPI_ERR_BAD_FILE);
    EXPECT_EQ(error_class(MPI_File_delete(path.c_str(), MPI_INFO_NULL)), MPI_ERR_NO_SUCH_FILE);
    int value = 7;
    {
      const open_file f(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
      EXPECT_EQ(error_class(MPI_File_read(f, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_ACCESS);
      EXPECT_EQ(error_class(MPI_File_write_at(f, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_ARG);
      EXPECT_EQ(error_class(MPI_File_seek(f, -1, MPI_SEEK_SET)), MPI_ERR_ARG);
      EXPECT_EQ(error_class(MPI_File_set_view(f, -1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)),
                MPI_ERR_ARG);
      EXPECT_EQ(error_class(MPI_File_set_view(f, 0, MPI_INT, MPI_SHORT, "native", MPI_INFO_NULL)),
                MPI_ERR_ARG);
      EXPECT_EQ(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
      EXPECT_EQ(error_class(MPI_File_write(f, &value, 3, MPI_BYTE, MPI_STATUS_IGNORE)), MPI_ERR_IO);
      EXPECT_EQ(MPI_File_write(f, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_EQ(failure(path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR), MPI_ERR_FILE_EXISTS);
    {
      const open_file f(path, MPI_MODE_RDONLY);
      EXPECT_EQ(error_class(MPI_File_write(f, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_READ_ONLY);
    }
    {
      const open_file f(path, MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE);
      MPI_Offset position = 0;
      EXPECT_EQ(MPI_File_get_position(f, &position), MPI_SUCCESS);
      EXPECT_EQ(position, 4);
      EXPECT_EQ(error_class(MPI_File_set_size(f, own_rank())), MPI_ERR_NOT_SAME);
      const std::array<int, 2> lengths{3, 1}, places{0, 1}, backwards{4, 0};
      MPI_Datatype overlapping, descending;
      MPI_Type_indexed(2, lengths.data(), places.data(), MPI_INT, &overlapping);
      MPI_Type_indexed(2, lengths.data(), backwards.data(), MPI_INT, &descending);
      for (MPI_Datatype* each : {&overlapping, &descending}) {
        EXPECT_EQ(error_class(MPI_File_set_view(f, 0, MPI_INT, *each, "native", MPI_INFO_NULL)),
                  MPI_ERR_TYPE);
        MPI_Type_commit(each);
        EXPECT_EQ(error_class(MPI_File_set_view(f, 0, MPI_INT, *each, "native", MPI_INFO_NULL)), MPI_ERR_IO);
        MPI_Type_free(each);
      }
    }
    MPI_File none = MPI_FILE_NULL;
    EXPECT_EQ(error_class(MPI_File_close(&none)), MPI_ERR_FILE);
  });
}

TEST_P(file_test, has_an_error_handler_of_its_own) {
  run_ranks(1, [this] {
    calls = 0;
    MPI_Errhandler counts;
    MPI_File_create_errhandler(&count_call, &counts);
    {
      const open_file f(path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
      MPI_Errhandler found = MPI_ERRHANDLER_NULL;
      EXPECT_EQ(MPI_File_get_errhandler(f, &found), MPI_SUCCESS);
      EXPECT_EQ(found, MPI_ERRORS_RETURN);
      EXPECT_EQ(MPI_File_set_errhandler(f, counts), MPI_SUCCESS);
      char byte = 0;
      EXPECT_EQ(error_class(MPI_File_read(f, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)), MPI_ERR_ACCESS);
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(seen, f);
      EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(f)), f);
      EXPECT_EQ(MPI_File_call_errhandler(f, MPI_ERR_IO), MPI_SUCCESS);
      EXPECT_EQ(calls, 2);
    }
    EXPECT_EQ(MPI_File_set_errhandler(MPI_FILE_NULL, counts), MPI_SUCCESS);
    MPI_File none = MPI_FILE_NULL;
    EXPECT_EQ(error_class(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &none)),
              MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(error_class(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_COMM_WORLD)), MPI_ERR_ARG);
    MPI_Errhandler_free(&counts);
  });
}

TEST_P(file_test, keeps_hints_and_its_group) {
  run_ranks(2, [this] {
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", "2");
    MPI_Info_set(hints, "colour", "blue");
    MPI_File f;
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                            MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, hints, &f),
              MPI_SUCCESS);
    MPI_Info_set(hints, "access_style", "random");
    EXPECT_EQ(MPI_File_set_info(f, hints), MPI_SUCCESS);
    MPI_Info_free(&hints);
    EXPECT_EQ(MPI_File_get_info(f, &hints), MPI_SUCCESS);
    const auto value_of = [&](const char* key) {
      char value[MPI_MAX_INFO_VAL + 1] = "";
      int flag = 0;
      MPI_Info_get(hints, key, MPI_MAX_INFO_VAL, value, &flag);
      return std::string(flag != 0 ? value : "none");
    };
    EXPECT_EQ(value_of("cb_nodes"), "2");
    EXPECT_EQ(value_of("access_style"), "random");
    EXPECT_EQ(value_of("colour"), "none");
    MPI_Info_free(&hints);
    MPI_Group group;
    EXPECT_EQ(MPI_File_get_group(f, &group), MPI_SUCCESS);
    int size = 0, mode = 0;
    MPI_Group_size(group, &size);
    EXPECT_EQ(size, 2);
    MPI_Group_free(&group);
    EXPECT_EQ(MPI_File_get_amode(f, &mode), MPI_SUCCESS);
    EXPECT_EQ(mode, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT_EQ(MPI_File_close(&f), MPI_SUCCESS);
    EXPECT_EQ(f, MPI_FILE_NULL);
  });
}

}  // namespace imbrex::mpi
