// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <imbrex/mpi/mpi_ranks.test.hpp>

namespace imbrex::mpi {

inline int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The bytes of a file.
inline std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A file that is open between its construction and destruction.
class open_file {
 public:
  open_file(const std::string& path, int mode, MPI_Comm in = MPI_COMM_WORLD) {
    EXPECT_EQ(MPI_File_open(in, path.c_str(), mode, MPI_INFO_NULL, &handle_), MPI_SUCCESS);
  }
  ~open_file() { EXPECT_EQ(MPI_File_close(&handle_), MPI_SUCCESS); }
  open_file(const open_file&) = delete;
  operator MPI_File() const { return handle_; }

 private:
  MPI_File handle_ = MPI_FILE_NULL;
};

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

/// A test whose ranks use a file in a folder of the test's own.
class on_files : public on_mpi_ranks {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("imbrex_mpi_on_files_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    path = folder_ / "data";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path;

 private:
  std::filesystem::path folder_;
};

}  // namespace imbrex::mpi
