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

/// Part of a symmetric heap that does not depend on types. A heap begins with words by which the GPUs of its
/// programs synchronise. They are zero before any other process has the heap, and then only grow.
class heap_memory {
 public:
  static constexpr std::uint32_t most_programs = 64;

  /// Heap of `gpus` GPUs, which are all in the device `of`. Throws usage_error, device_out_of_memory.
  heap_memory(device& of, std::uint32_t gpus, std::size_t bytes);
  /// Heap of several processes, with GPU `own_gpu` here. The other GPUs are added by `join`. `source` has
  /// `bytes_of` bytes.
  heap_memory(device& of, std::uint32_t own_gpu, std::uint32_t gpus, std::size_t bytes,
              std::unique_ptr<heap_source> source);
  heap_memory(const heap_memory&) = delete;
  heap_memory& operator=(const heap_memory&) = delete;

  /// Bytes per GPU of a heap with room for `bytes`. Throws usage_error if there can be none.
  static std::size_t bytes_of(std::uint32_t gpus, std::size_t bytes);

  /// Key by which other processes find this memory. Throws usage_error if they cannot.
  memory_key key() const { return source_->key(); }
  /// Maps the memory of another process. Throws usage_error if that is impossible.
  void join(std::uint32_t gpu, const memory_key& of);

  device& on() const { return device_; }
  std::uint32_t gpus() const { return static_cast<std::uint32_t>(heaps_.size()); }
  std::uint32_t first() const { return first_; }
  std::uint32_t here() const { return here_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* heap(std::uint32_t gpu) const { return heaps_[gpu]; }
  /// Heap of a GPU of this process. Throws usage_error for a GPU of another process.
  std::byte* own(std::uint32_t gpu) const;

  /// Takes `bytes` bytes and returns their offset, aligned to 256. Throws usage_error if there is no room.
  std::size_t take(std::size_t bytes);
  void give_back(std::size_t offset) noexcept;
  /// Frees memory that PEs may still use, once no run is in progress. So the result does not depend on
  /// timing, and is equal in all processes.
  void give_back_after_runs(std::size_t offset) noexcept;
  /// Begin and end of a run of a program in the heap.
  void begin_run() { ++runs_under_way_; }
  void end_run() noexcept;
  /// Takes a program's words for synchronisation, and returns its number. Throws usage_error if the heap has
  /// too many programs.
  std::uint32_t take_program();
  void give_back_program(std::uint32_t number) noexcept { programs_[number].is_used = false; }
  /// Number of the program's next run.
  std::uint32_t next_run(std::uint32_t program) { return ++programs_[program].runs; }
  /// Offsets of a program's words, one word per GPU. They hold the run in which the GPU is ready, the run
  /// that it has left, and the digest of its program.
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
  const std::unique_ptr<heap_source> source_;  ///< memory of the GPUs here, consecutively
  std::map<std::size_t, std::size_t> used_;    ///< sizes in bytes, by offset
  std::uint32_t runs_under_way_ = 0;
  std::vector<std::size_t> pending_releases_;  ///< offsets in `used_` that become free after the runs
  std::array<program_words, most_programs> programs_{};
};

/// User of memory in a heap: one program alone, or any run.
enum class heap_use { of_program, of_runs };

/// Memory in a heap, freed by the destructor.
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

/// Number of a program in a heap, given back by the destructor.
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
