// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/named_entry.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex {

namespace {

struct record {
  explicit record(entry_definition d)
      : definition(std::move(d)),
        name(definition.chare + "::" + definition.entry),
        kind(detail::message_type::not_registered{}, name.c_str(), definition.chare, definition.entry) {}

  const entry_definition definition;
  const std::string name;
  const detail::message_type kind;
  std::atomic<void*> target = nullptr;
};

/// The records by number, counted from 1: block b holds the 2^b records from number 2^b on. Records never
/// move, so that readers of a number need no lock.
class table {
 public:
  record* find(std::uint32_t number) const noexcept {
    if (number == 0 || number > most_entries) return nullptr;
    const auto b = static_cast<unsigned>(std::bit_width(number)) - 1;
    const auto* const block = blocks_[b].load(std::memory_order_acquire);
    return block == nullptr ? nullptr
                            : block[number - (std::uint32_t{1} << b)].load(std::memory_order_acquire);
  }

  std::uint32_t define(entry_definition definition) {
    const std::lock_guard hold(lock_);
    if (const auto known = known_number(definition)) return *known;
    const std::uint32_t number = last_ + 1;
    if (number > most_entries)
      throw error("the entry " + definition.chare + "::" + definition.entry +
                  " exceeds the maximum number of entries, " + std::to_string(most_entries));
    keep(number, std::move(definition));
    return number;
  }

  void check(const entry_definition& definition) const {
    const std::lock_guard hold(lock_);
    static_cast<void>(known_number(definition));
  }

  void place(std::uint32_t number, entry_definition definition) {
    if (number == 0 || number > most_entries)
      throw serial_error("an entry cannot have the number " + std::to_string(number) +
                         ": the numbers are 1 to " + std::to_string(most_entries));
    const std::lock_guard hold(lock_);
    const auto known = known_number(definition);
    const auto* const there = find(number);
    if ((known && known != number) || (there != nullptr && there->definition != definition))
      throw error("the entry " + definition.chare + "::" + definition.entry + " is to have the number " +
                  std::to_string(number) +
                  ", which is another's in this process: before a run, all processes must define the same "
                  "entries in the same order");
    if (there == nullptr) keep(number, std::move(definition));
  }

  std::optional<entry_name> find(std::string_view chare, std::string_view entry) const {
    const std::lock_guard hold(lock_);
    const auto at = numbers_.find({std::string(chare), std::string(entry)});
    return at == numbers_.end() ? std::nullopt : std::optional(entry_name{at->second});
  }

  std::string_view find_class(std::string_view chare) const {
    const std::lock_guard hold(lock_);
    const auto at = numbers_.lower_bound({std::string(chare), {}});
    return at == numbers_.end() || at->first.first != chare ? std::string_view() : at->first.first;
  }

  std::uint64_t digest() const {
    const std::lock_guard hold(lock_);
    std::uint64_t d = 0;
    const auto add = [&d](const std::string& text) {
      for (const char c : text) d = (d ^ static_cast<unsigned char>(c)) * 1099511628211U;
      d = (d ^ 0x100U) * 1099511628211U;
    };
    for (std::uint32_t n = 1; n <= last_; ++n)
      if (const auto* const r = find(n)) {
        add(r->definition.chare);
        add(r->definition.entry);
        add(r->definition.signature);
      }
    return d;
  }

 private:
  std::optional<std::uint32_t> known_number(const entry_definition& definition) const {
    const auto at = numbers_.find({definition.chare, definition.entry});
    if (at == numbers_.end()) return std::nullopt;
    const auto& known = find(at->second)->definition;
    if (known.signature != definition.signature)
      throw error("the entry " + known.chare + "::" + known.entry +
                  " is defined already, with the signature \"" + known.signature + "\" instead of \"" +
                  definition.signature + "\": give it another name");
    return at->second;
  }
  void keep(std::uint32_t number, entry_definition definition) {
    const auto b = static_cast<unsigned>(std::bit_width(number)) - 1;
    if (!owned_[b]) {
      owned_[b] = std::make_unique<std::atomic<record*>[]>(std::size_t{1} << b);
      blocks_[b].store(owned_[b].get(), std::memory_order_release);
    }
    numbers_.emplace(std::pair(definition.chare, definition.entry), number);
    records_.push_back(std::make_unique<record>(std::move(definition)));
    owned_[b][number - (std::uint32_t{1} << b)].store(records_.back().get(), std::memory_order_release);
    last_ = std::max(last_, number);
  }

  static constexpr std::size_t most_blocks = 21;
  static constexpr std::uint32_t most_entries = (std::uint32_t{1} << most_blocks) - 1;
  std::array<std::atomic<std::atomic<record*>*>, most_blocks> blocks_{};

  mutable std::mutex lock_;  // guards all members below; readers take no lock
  std::array<std::unique_ptr<std::atomic<record*>[]>, most_blocks> owned_;
  std::vector<std::unique_ptr<record>> records_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

table& entries() {
  static table all;
  return all;
}

record& known(entry_name name) {
  auto* const r = entries().find(name.number);
  if (r == nullptr)
    throw error("no entry has the number " + std::to_string(name.number) +
                " in this process: define it by define_entry before the run, or by define_entries");
  return *r;
}

}  // namespace

const entry_definition& entry_name::definition() const { return known(*this).definition; }
void* entry_name::target() const { return known(*this).target.load(std::memory_order_acquire); }
void entry_name::set_target(void* function) const {
  known(*this).target.store(function, std::memory_order_release);
}

entry_name define_entry(entry_definition definition) { return {entries().define(std::move(definition))}; }

std::optional<entry_name> find_entry(std::string_view chare, std::string_view entry) {
  return entries().find(chare, entry);
}

namespace detail {

void check_entry(const entry_definition& definition) { entries().check(definition); }

void place_entry(entry_name number, entry_definition definition) {
  entries().place(number.number, std::move(definition));
}

std::string_view class_of_entries(std::string_view name) { return entries().find_class(name); }

std::string text_of_entry(entry_name which) { return known(which).name; }

std::optional<entry_name> entry_of_text(std::string_view text) {
  const auto between = text.rfind("::");
  if (between == text.npos) return std::nullopt;
  return find_entry(text.substr(0, between), text.substr(between + 2));
}

void archive_durably(name_writer& names, entry_name& which, writer& out) { names.write_entry(which, out); }
void archive_durably(name_reader& names, entry_name& which, reader& in) { which = names.read_entry(in); }

std::uint64_t digest_of_entries() { return entries().digest(); }

const message_type* kind_of_name(entry_name name) noexcept {
  const auto* const r = entries().find(name.number);
  return r == nullptr ? nullptr : &r->kind;
}

}  // namespace detail
}  // namespace imbrex
