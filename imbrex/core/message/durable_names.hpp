// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names in place of numbers, for values that outlive their run. Archives with such a carrier have bytes that
// another run reads, possibly on other numbers of PEs and processes. Proxies and ports in the values write
// names, and read what the names stand for in the reading run.

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

struct chare_header;
struct entry_name;

}  // namespace imbrex

namespace imbrex::detail {

struct message_type;

/// Writes names for what values refer to. Throws imbrex::error for what has none.
class name_writer : public part_carrier {
 public:
  name_writer* names_to_write() final { return this; }
  void give(attachment& part, std::size_t size) final;
  /// Writes the attachments of an element's members, before all other bytes of its state.
  virtual void write_attachments(const chare_header& e, writer& out) = 0;

  /// An array, a group or the single chares of a class, by its number in proxies.
  virtual void write_collection(std::uint64_t in_proxy, writer& out) = 0;
  /// The key of an element with a dense index, or of a single chare.
  virtual void write_key(std::uint64_t in_proxy, std::uint64_t key, writer& out) = 0;
  virtual void write_section(std::uint64_t in_proxy, std::uint64_t id, writer& out) = 0;
  /// A kind of messages.
  virtual void write_kind(const message_type& kind, writer& out) = 0;
  /// An entry named at run time.
  virtual void write_entry(const entry_name& which, writer& out) = 0;

 protected:
  ~name_writer() = default;
};

/// Reads names as numbers of this run. The bytes may be of any origin. Throws serial_error for names of what
/// is not in this run.
class name_reader : public part_carrier {
 public:
  name_reader* names_to_read() final { return this; }
  void take(attachment& part) final;
  virtual void read_attachments(reader& in) = 0;
  /// The element that was read last is whole.
  virtual void complete(chare_header& e) = 0;

  virtual std::uint64_t read_collection(reader& in) = 0;
  virtual std::uint64_t read_key(std::uint64_t in_proxy, reader& in) = 0;
  virtual std::uint64_t read_section(std::uint64_t in_proxy, reader& in) = 0;
  virtual const message_type& read_kind(reader& in) = 0;
  virtual entry_name read_entry(reader& in) = 0;
  /// The number of chares in this run if the collection is a group, else -1.
  virtual int size_of_group(std::uint64_t in_proxy) const = 0;

 protected:
  ~name_reader() = default;
};

/// Throws imbrex::error: values of this type mean something in their run alone.
[[noreturn]] void refuse_to_save(std::string_view type, std::string_view why);

/// The names that an archive uses; null if numbers stay numbers, as in messages and in elements that move.
inline name_writer* names_of(const writer& out) {
  auto* const carrier = out.carrier();
  return carrier != nullptr ? carrier->names_to_write() : nullptr;
}
inline name_reader* names_of(const reader& in) {
  auto* const carrier = in.carrier();
  return carrier != nullptr ? carrier->names_to_read() : nullptr;
}

inline void archive_collection(name_writer& names, const std::uint64_t& in_proxy, writer& out) {
  names.write_collection(in_proxy, out);
}
inline void archive_collection(name_reader& names, std::uint64_t& in_proxy, reader& in) {
  in_proxy = names.read_collection(in);
}
inline void archive_key(name_writer& names, std::uint64_t in_proxy, const std::uint64_t& key, writer& out) {
  names.write_key(in_proxy, key, out);
}
inline void archive_key(name_reader& names, std::uint64_t in_proxy, std::uint64_t& key, reader& in) {
  key = names.read_key(in_proxy, in);
}

/// Archives the names of a collection and of one of its keys.
template <class Key>
void archive_element(auto& names, std::uint64_t& in_proxy, Key& key, auto& ar) {
  archive_collection(names, in_proxy, ar);
  if constexpr (std::is_same_v<Key, std::uint64_t>)
    archive_key(names, in_proxy, key, ar);
  else
    ar(key);
}

}  // namespace imbrex::detail
