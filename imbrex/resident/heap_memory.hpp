// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/device/buffer.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/resident/heap_source.hpp>
#include <imbrex/resident/machine.hpp>

namespace imbrex::resident::detail {

/// What of a symmetric heap does not depend on types. A heap begins with words by which the GPUs of its
/// programs meet: they are zero before anybody else has the heap, and then only grow.
class heap_memory {
 public:
  static constexpr std::uint32_t most_programs = 64;

  /// Of GPUs that are all `of`'s. Throws usage_error, device_out_of_memory.
  heap_memory(device& of, std::uint32_t gpus, std::size_t bytes);
  /// GPU `mine` of several processes, whose others come later, by `join`. `source` has `bytes_of` bytes.
  heap_memory(device& of, std::uint32_t mine, std::uint32_t gpus, std::size_t bytes,
              std::unique_ptr<heap_source> source);
  heap_memory(const heap_memory&) = delete;
  heap_memory& operator=(const heap_memory&) = delete;

  /// So many a GPU has of a heap with room for `bytes`. Throws usage_error if there can be none.
  static std::size_t bytes_of(std::uint32_t gpus, std::size_t bytes);

  /// How others find it. Throws usage_error if they cannot.
  memory_key key() const { return source_->key(); }
  /// Maps another's. Throws usage_error if that cannot be.
  void join(std::uint32_t gpu, const memory_key& of);

  device& on() const { return device_; }
  std::uint32_t gpus() const { return static_cast<std::uint32_t>(heaps_.size()); }
  std::uint32_t first() const { return first_; }
  std::uint32_t here() const { return here_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* heap(std::uint32_t gpu) const { return heaps_[gpu]; }
  /// Of a GPU of this process. Throws usage_error for another's.
  std::byte* own(std::uint32_t gpu) const;

  /// A place for so many bytes, aligned to 256. Throws usage_error if there is none.
  std::size_t take(std::size_t bytes);
  void give_back(std::size_t offset) noexcept;
  /// The same of what PEs may still use: it is free when no run goes on. So it does not hang on times, and is
  /// the same in all processes.
  void give_back_after_runs(std::size_t offset) noexcept;
  /// A run of a program in it begins, and is over.
  void begin_run() { ++runs_under_way_; }
  void end_run() noexcept;
  /// A program's words to meet, by number. Throws usage_error if it has too many programs.
  std::uint32_t take_program();
  void give_back_program(std::uint32_t number) noexcept { programs_[number].is_used = false; }
  /// The number of its next run.
  std::uint32_t next_run(std::uint32_t program) { return ++programs_[program].runs; }
  /// Offsets of its words, one of each GPU: the run in which it is ready, and that which it has left; and the
  /// digest of its program.
  std::size_t ready_words(std::uint32_t program) const { return rows * program * words_bytes(); }
  std::size_t left_words(std::uint32_t program) const { return (rows * program + 1) * words_bytes(); }
  std::size_t digest_words(std::uint32_t program) const { return (rows * program + 2) * words_bytes(); }

  void read(std::uint32_t gpu, std::size_t from, std::span<std::byte> to);
  void write(std::uint32_t gpu, std::size_t to, std::span<const std::byte> from);

 private:
  struct program_words {
    std::uint32_t runs = 0;
    bool is_used = false;
  };
  heap_memory(device& of, std::uint32_t gpus, std::uint32_t first, std::uint32_t here, std::size_t bytes,
              std::unique_ptr<heap_source> source);
  static constexpr std::size_t rows = 3;
  std::size_t words_bytes() const;
  std::size_t begin() const { return rows * most_programs * words_bytes(); }

  device& device_;
  const std::uint32_t first_, here_;
  std::vector<std::byte*> heaps_;
  const std::size_t bytes_;
  stream stream_;
  const std::unique_ptr<heap_source> source_;  ///< of the GPUs here, one after the other
  std::map<std::size_t, std::size_t> used_;    ///< bytes, by where they begin
  std::uint32_t runs_under_way_ = 0;
  std::vector<std::size_t> given_back_;  ///< of those used, what is free after the runs
  std::array<program_words, most_programs> programs_{};
};

/// Who uses a place in a heap: one program alone, or whatever run.
enum class heap_use { of_program, of_runs };

/// A place in a heap, which is given back at the end.
class heap_piece {
 public:
  heap_piece() = default;
  heap_piece(std::shared_ptr<heap_memory> memory, std::size_t bytes, heap_use use)
      : memory_(std::move(memory)), offset_(memory_->take(bytes)), use_(use) {}
  heap_piece(heap_piece&& other) noexcept
      : memory_(std::move(other.memory_)), offset_(std::exchange(other.offset_, 0)), use_(other.use_) {}
  heap_piece& operator=(heap_piece&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(offset_, other.offset_);
    std::swap(use_, other.use_);
    return *this;
  }
  ~heap_piece() {
    if (!memory_) return;
    use_ == heap_use::of_program ? memory_->give_back(offset_) : memory_->give_back_after_runs(offset_);
  }
  std::size_t offset() const { return offset_; }
  heap_memory& memory() const { return *memory_; }

 private:
  std::shared_ptr<heap_memory> memory_;
  std::size_t offset_ = 0;
  heap_use use_ = heap_use::of_runs;
};

/// The number of a program in a heap, which is given back at the end.
class program_number {
 public:
  explicit program_number(heap_memory& heap) : heap_(heap), number_(heap.take_program()) {}
  program_number(const program_number&) = delete;
  program_number& operator=(const program_number&) = delete;
  ~program_number() { heap_.give_back_program(number_); }
  std::uint32_t value() const { return number_; }

 private:
  heap_memory& heap_;
  std::uint32_t number_;
};

}  // namespace imbrex::resident::detail
