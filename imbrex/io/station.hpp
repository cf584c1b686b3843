// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/name/index.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/io/hdf5.hpp>

namespace imbrex::io::detail {

/// A PE's access to a file that elements of an array write or read together. Each PE has one, in a group.
class station : public chare<station> {
 public:
  explicit station(std::string path) : path_(std::move(path)) {}
  station(const station&) = delete;
  station& operator=(const station&) = delete;
  ~station();

  /// Calls `job` on the station's own thread, while the PE runs other chares; on the PE itself where the
  /// machine has no threads. Jobs run one after the other. Throws imbrex::error with the text of an exception
  /// of the job.
  task<> run(std::function<void()> job);

  /// For jobs: writes the numbers of a box of a data set. `address` is where the data set begins in the file,
  /// and `shape` are its extents; a number has `number_bytes`. `packed` has the numbers of the box, the last
  /// dimension fastest.
  void write(std::uint64_t address, const lengths& shape, const number_box& box, std::size_t number_bytes,
             const std::byte* packed);
  /// For jobs: reads the numbers of a box of a data set.
  void read(const std::string& name, number_type type, const number_box& box, std::byte* packed);

  /// Waits until the disk has what this PE has written, and closes the file.
  task<> finish();

 private:
  void work();
  void open_for_writing();

  const std::string path_;
  int descriptor_ = -1;  ///< only jobs use it, and reader_
  hdf5_file reader_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  ///< guarded by lock_
  bool is_ending_ = false;                  ///< guarded by lock_
  std::thread thread_;                      ///< begins with the first job
};

}  // namespace imbrex::io::detail
