// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/station.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/pe/executor.hpp>
#include <imbrex/core/pe/promise.hpp>
#include <imbrex/io/system_error.hpp>

namespace imbrex::io::detail {
namespace {

void write_all(int descriptor, const std::byte* from, std::size_t bytes, std::uint64_t at,
               const std::string& path) {
  while (bytes > 0) {
    const ssize_t written = ::pwrite(descriptor, from, bytes, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error("write to", path);
    from += written;
    at += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace

station::~station() {
  {
    const std::scoped_lock lock(lock_);
    is_ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void station::work() {
  std::unique_lock lock(lock_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

task<> station::run(std::function<void()> job) {
  if (!extension::current_pe().run().is_on_threads()) {
    job();
    co_return;
  }
  auto ends = make_promise<std::string>();
  {
    const std::scoped_lock lock(lock_);
    jobs_.emplace_back([own = std::move(job), promise = std::move(ends.first), pe = make_executor()] {
      std::string why;
      try {
        own();
      } catch (const std::exception& e) {
        why = e.what();
      }
      pe.post([promise, why] { promise.set_value(why); });
    });
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_one();
  const std::string why = co_await std::move(ends.second);
  if (!why.empty()) throw error(why);
}

void station::open_for_writing() {
  if (descriptor_ >= 0) return;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw_system_error("open", path_);
}

void station::write(std::uint64_t address, const lengths& shape, const number_box& box,
                    std::size_t number_bytes, const std::byte* packed) {
  if (volume_of(box.count) == 0) return;
  open_for_writing();
  // Trailing dimensions of which the box has all numbers are one run, with the dimension before.
  std::size_t dimensions = shape.size();
  std::uint64_t run = number_bytes;
  while (dimensions > 0) {
    --dimensions;
    run *= box.count[dimensions];
    if (box.count[dimensions] != shape[dimensions]) break;
  }
  lengths at(dimensions, 0);
  while (true) {
    std::uint64_t number = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      number = number * shape[d] + box.first[d] + (d < dimensions ? at[d] : 0);
    write_all(descriptor_, packed, run, address + number * number_bytes, path_);
    packed += run;
    std::size_t d = dimensions;
    while (d > 0 && ++at[d - 1] == box.count[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

void station::read(const std::string& name, number_type type, const number_box& box, std::byte* packed) {
  if (!reader_) reader_ = hdf5_file::open(path_);
  reader_.read(name, type, box, packed);
}

task<> station::finish() {
  co_await run([this] {
    if (descriptor_ < 0) return;
    const bool is_stored = ::fsync(descriptor_) == 0;
    const int closed = ::close(std::exchange(descriptor_, -1));
    if (!is_stored || closed != 0) throw_system_error("store", path_);
  });
}

}  // namespace imbrex::io::detail
