// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names of a checkpoint: those that its values refer to, as a table of texts.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/core/array/collection_base.hpp>
#include <imbrex/core/message/named_entry.hpp>
#include <imbrex/core/pe/collection_part.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

enum class named_thing : std::uint8_t {
  array,
  group,
  process_group,
  singles,
  singles_by_name,
  message,
  entry
};

/// An entry of the table: a `lasting_name`, the spelling of a message kind, or a `text_of_entry`. Single
/// chares of a class that is named at run time have that of its constructor.
struct saved_name {
  named_thing what = named_thing::array;
  std::string text;

  auto operator<=>(const saved_name&) const = default;
};

/// The name of a collection of single chares.
saved_name name_of_singles(std::uint64_t collection);
/// This PE's part of the single chares with that name, of a class with that spelling; null if the program has
/// none.
collection_base* part_of_saved_singles(processor& pe, const saved_name& name, std::string_view chare);

/// The identity of a single chare in all runs that begin from one another.
struct saved_single {
  std::int32_t creator = 0;
  std::int32_t home = 0;
  std::uint64_t number = 0;

  auto operator<=>(const saved_single&) const = default;
};

/// Writes the attachments of an element before its other bytes, which name them.
class attachment_writer {
 public:
  /// Writes their number, and then each.
  virtual void write(const chare_header& e, writer& out) = 0;
  /// The element's `serialize` names an attachment.
  virtual void take(attachment& part) = 0;

 protected:
  ~attachment_writer() = default;
};
class attachment_reader {
 public:
  virtual void read(reader& in) = 0;
  virtual void give(attachment& part, std::size_t size) = 0;
  /// The element that was read last is whole.
  virtual void complete(chare_header& e) = 0;

 protected:
  ~attachment_reader() = default;
};

/// Collects the names that a PE's values refer to while they are written.
class names_to_write final : public name_writer {
 public:
  explicit names_to_write(attachment_writer* beside = nullptr, processor& pe = processor::here())
      : pe_(pe), beside_(beside) {}

  const std::vector<saved_name>& table() const { return table_; }
  /// The name of a collection of this PE. Throws imbrex::error if it has none.
  saved_name name_of(std::uint64_t number) const;

  void take(attachment& part) override;
  void write_attachments(const chare_header& e, writer& out) override;
  void write_collection(std::uint64_t in_proxy, writer& out) override;
  void write_key(std::uint64_t in_proxy, std::uint64_t key, writer& out) override;
  void write_section(std::uint64_t in_proxy, std::uint64_t id, writer& out) override;
  void write_kind(const message_type& kind, writer& out) override;
  void write_entry(const entry_name& which, writer& out) override;

 private:
  std::uint64_t place_of(saved_name name);
  /// The place of a collection's name in the table.
  std::uint64_t place_of(std::uint64_t number);

  processor& pe_;
  attachment_writer* const beside_;
  std::vector<saved_name> table_;
  std::map<saved_name, std::uint64_t> places_;
  std::map<std::uint64_t, std::uint64_t> places_of_collections_;
  std::map<const message_type*, std::uint64_t> places_of_kinds_;
  std::map<std::uint32_t, std::uint64_t> places_of_entries_;
};

/// The single chares and sections of a checkpoint, and the numbers that they have in this run. Equal on all
/// PEs.
class saved_numbers {
 public:
  /// Adds a single chare that lives, of the class with this name.
  void add_single(const std::string& name, const saved_single& one) { singles_[name][one] = 0; }
  /// Adds a section of the array with this name, by its number in the run that saved it.
  void add_section(const std::string& name, std::uint64_t old) { sections_[name][old] = 0; }
  /// Numbers all of them for a run on `pes` PEs, on the PEs where they were if there are as many.
  void number(int pes);

  /// The key of a single chare in this run. If it is none of them, the key is that of one that was destroyed.
  std::uint64_t single(const std::string& name, const saved_single& one) const;
  std::uint64_t section(const std::string& name, std::uint64_t old) const;

 private:
  std::map<std::string, std::map<saved_single, std::uint64_t>> singles_;
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> sections_;
  std::uint64_t destroyed_ = 0;  ///< the key of single chares that are none of them
};

/// Resolves names in this run while values are read.
class names_to_read final : public name_reader {
 public:
  /// `table`: that of the writer. `numbers`: the arrays of this run by `lasting_name`. Throws serial_error
  /// with the name if an array or a class of the table is not in this run.
  names_to_read(std::vector<saved_name> table, const std::map<std::string, std::uint64_t>& numbers,
                const saved_numbers& saved, attachment_reader* beside = nullptr,
                processor& pe = processor::here());

  void give(attachment& part, std::size_t size) override;
  void read_attachments(reader& in) override;
  void complete(chare_header& e) override;
  std::uint64_t read_collection(reader& in) override;
  std::uint64_t read_key(std::uint64_t in_proxy, reader& in) override;
  std::uint64_t read_section(std::uint64_t in_proxy, reader& in) override;
  const message_type& read_kind(reader& in) override;
  entry_name read_entry(reader& in) override;
  int size_of_group(std::uint64_t in_proxy) const override;

 private:
  struct resolved {
    const saved_name* name = nullptr;
    std::uint64_t collection = 0;        ///< the number in this run
    const message_type* kind = nullptr;  ///< null unless the name is that of a message kind
    entry_name entry{};                  ///< names nothing unless the name is that of an entry

    bool is_array() const { return name->what != named_thing::message && name->what != named_thing::entry; }
    bool is_of_singles() const {
      return name->what == named_thing::singles || name->what == named_thing::singles_by_name;
    }
  };

  const resolved& at(std::uint64_t place) const;
  const resolved* find(std::uint64_t in_proxy) const;

  processor& pe_;
  attachment_reader* const beside_;
  const std::vector<saved_name> table_;
  const saved_numbers& saved_;
  std::vector<resolved> resolved_;
};

}  // namespace imbrex::detail
