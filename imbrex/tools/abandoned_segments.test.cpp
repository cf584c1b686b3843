// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/abandoned_segments.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <string>

#include <imbrex/base/host/descriptor.hpp>

namespace {

namespace fs = std::filesystem;
using imbrex::descriptor;
using imbrex::tools::remove_abandoned_segments;

class abandoned_segments : public testing::Test {
 protected:
  abandoned_segments() {
    std::string name = testing::TempDir() + "imbrex_segments_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~abandoned_segments() override { fs::remove_all(folder_); }

  descriptor make(const char* name) const {
    descriptor file(::open((folder_ / name).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    EXPECT_EQ(::ftruncate(file.get(), 4096), 0);
    return file;
  }

  fs::path folder_;
  std::time_t since_ = std::time(nullptr) - 1;
};

TEST_F(abandoned_segments, removes_files_that_nobody_uses) {
  make("ucx_shm_posix_1").close();
  make("another").close();
  const auto open = make("ucx_shm_posix_2");
  auto file = make("ucx_shm_posix_3");
  void* const mapped = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.get(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  file.close();
  remove_abandoned_segments(folder_, since_, {});
  ::munmap(mapped, 4096);
  EXPECT_FALSE(fs::exists(folder_ / "ucx_shm_posix_1"));
  EXPECT_TRUE(fs::exists(folder_ / "another"));
  EXPECT_TRUE(fs::exists(folder_ / "ucx_shm_posix_2"));
  EXPECT_TRUE(fs::exists(folder_ / "ucx_shm_posix_3"));
}

TEST_F(abandoned_segments, leaves_older_files) {
  make("ucx_shm_posix_1").close();
  remove_abandoned_segments(folder_, since_ + 3600, {});
  EXPECT_TRUE(fs::exists(folder_ / "ucx_shm_posix_1"));
}

TEST_F(abandoned_segments, removes_system_v_segments_of_the_ended) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const descriptor out(ends[0]);
  descriptor in(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    const int id = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    ::_exit(::write(in.get(), &id, sizeof id) == sizeof id ? 0 : 1);
  }
  in.close();
  int id = -1;
  ASSERT_EQ(::read(out.get(), &id, sizeof id), static_cast<ssize_t>(sizeof id));
  ::waitpid(child, nullptr, 0);
  shmid_ds state{};
  remove_abandoned_segments(folder_, since_, {});
  EXPECT_EQ(::shmctl(id, IPC_STAT, &state), 0);
  remove_abandoned_segments(folder_, since_, {child});
  EXPECT_NE(::shmctl(id, IPC_STAT, &state), 0);
}

}  // namespace
