// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/model.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/options/strict_toml.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/device/internal/shipped_models.hpp>

namespace imbrex {
namespace {

constexpr nanoseconds max_time = std::chrono::minutes(1);

/// Another value of a number than the file's: "link.card=23GB/s".
struct replaced_number {
  std::string table;
  std::string key;
  std::string value;  ///< as in the file, or "x2", a factor
  bool is_read = false;
};

/// The numbers after the commas.
std::vector<replaced_number> read_replaced_numbers(std::string_view words, std::string_view list) {
  std::vector<replaced_number> all;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    const auto dot = one.find('.');
    const auto sign = one.find('=');
    if (dot == one.npos || sign == one.npos || sign < dot || sign + 1 == one.size())
      throw usage_error("the device model " + printable(std::string(words)) + ": write " +
                        printable(std::string(one)) +
                        " as TABLE.KEY=VALUE, such as link.card=23GB/s or link.card=x2");
    all.push_back({std::string(one.substr(0, dot)), std::string(one.substr(dot + 1, sign - dot - 1)),
                   std::string(one.substr(sign + 1))});
  }
  return all;
}

/// Reads the keys of one file and remembers all known keys.
class model_reader {
 public:
  model_reader(std::string_view text, std::string_view file, std::vector<replaced_number> replaced)
      : file_(file), replaced_(std::move(replaced)) {
    try {
      root_ = parse_strict_toml(text);
    } catch (const text_refusal& e) {
      refuse(e.line, e.why + "; models/v100.toml is an example");
    }
  }

  void read(std::string_view table, std::string_view key, std::string& value) {
    const toml::node* const found = find(table, key);
    if (found == nullptr) return;
    const auto* const text = found->as_string();
    if (text == nullptr || text->get().empty()) refuse(*found, table, key, "must be a name in quotes");
    value = text->get();
  }
  void read(std::string_view table, std::string_view key, nanoseconds& value) {
    const toml::node* const found = find(table, key);
    if (found == nullptr) return;
    const auto* const text = found->as_string();
    const auto time = text == nullptr ? std::nullopt : parse_duration(text->get());
    if (!time || time->count() <= 0 || *time > max_time)
      refuse(*found, table, key, "must be a time from 1ns to 60s in quotes, such as \"2.5us\"");
    value = *time;
    replace(table, key, value, [](std::string_view text) {
      const auto read = parse_duration(text);
      return read && read->count() > 0 && *read <= max_time ? read : std::nullopt;
    });
  }
  void read_rate(std::string_view table, std::string_view key, std::uint64_t& value) {
    const toml::node* const found = find(table, key);
    if (found == nullptr) return;
    const auto* const text = found->as_string();
    const auto rate = text == nullptr ? std::nullopt : parse_rate(text->get());
    if (!rate || *rate == 0)
      refuse(*found, table, key, "must be a rate of 1B/s or more in quotes, such as \"45GB/s\"");
    value = *rate;
    replace(table, key, value, [](std::string_view text) {
      const auto read = parse_rate(text);
      return read && *read > 0 ? read : std::nullopt;
    });
  }
  template <class Whole>
  void read_count(std::string_view table, std::string_view key, Whole& value) {
    const toml::node* const found = find(table, key);
    if (found == nullptr) return;
    const auto* const number = found->as_integer();
    if (number == nullptr || number->get() <= 0 || !std::in_range<Whole>(number->get()))
      refuse(*found, table, key,
             "must be a whole number from 1 to " +
                 std::to_string(std::min<std::uint64_t>(std::numeric_limits<std::int64_t>::max(),
                                                        std::numeric_limits<Whole>::max())));
    value = static_cast<Whole>(number->get());
    replace(table, key, value, [](std::string_view text) {
      const auto read = parse_number<Whole>(text);
      return read && *read > 0 ? read : std::nullopt;
    });
  }
  void read_number(std::string_view table, std::string_view key, double& value) {
    const toml::node* const found = find(table, key);
    if (found == nullptr) return;
    const auto number = found->value<double>();  // also converts a whole number
    if (!number || !std::isfinite(*number) || *number < 1)
      refuse(*found, table, key, "must be a number of 1 or more, such as 7.8e12");
    value = *number;
    replace(table, key, value, [](std::string_view text) {
      const auto read = parse_number<double>(text);
      return read && std::isfinite(*read) && *read >= 1 ? read : std::nullopt;
    });
  }

  bool has(std::string_view table) const { return root_.get(table) != nullptr; }
  /// Sets whether keys read from now on are required.
  void require(bool required) { required_ = required; }

  /// Refuses unknown keys, then missing keys: a key may be missing because it was misspelled.
  void finish() const {
    for (const auto& [key, node] : root_) {
      const toml::table* const table = node.as_table();
      if (!is_known(key.str(), {}) && !(table != nullptr && is_table(key.str())))
        refuse_unknown(key.source().begin.line, key.str(), {});
      if (table == nullptr) continue;
      for (const auto& [inner, unused] : *table)
        if (!is_known(inner.str(), key.str()))
          refuse_unknown(inner.source().begin.line, inner.str(), key.str());
    }
    for (const replaced_number& one : replaced_)
      if (!one.is_read) refuse_replaced(one);
    if (!missing_.empty())
      refuse(missing_line_,
             "the key " + missing_ + " is missing; models/" + std::string(example_) + ".toml has them all");
  }

 private:
  using name = std::pair<std::string_view, std::string_view>;  // table, and key in it

  static std::string spelled(std::string_view table, std::string_view key) {
    return table.empty() ? std::string(key) : "[" + std::string(table) + "] " + std::string(key);
  }

  [[noreturn]] void refuse(std::size_t line, const std::string& why) const {
    throw usage_error("device model " + file_ + ", line " + std::to_string(line) + ": " + why);
  }
  [[noreturn]] void refuse(const toml::node& at, std::string_view table, std::string_view key,
                           const std::string& why) const {
    std::ostringstream value_text;
    value_text << toml::node_view<const toml::node>(at);
    refuse(at.source().begin.line, spelled(table, key) + " = " + value_text.str().substr(0, 60) + " " + why);
  }
  [[noreturn]] void refuse_unknown(std::size_t line, std::string_view key, std::string_view table) const {
    std::vector<std::string_view> possible;
    for (const auto& [of, known] : known_)
      if (of == table) possible.push_back(known);
    if (table.empty())
      for (const auto& [of, known] : known_)
        if (!of.empty()) possible.push_back(of);
    const std::string_view meant = nearest(key, possible);
    refuse(line, "there is no key " + spelled(table, key) +
                     (meant.empty() ? "; remove it" : "; did you mean " + std::string(meant) + "?"));
  }

  /// Takes another value than the file's, if one was given.
  template <class Value, class Parse>
  void replace(std::string_view table, std::string_view key, Value& value, Parse parse) {
    const auto one = std::ranges::find_if(
        replaced_, [&](const replaced_number& r) { return r.table == table && r.key == key; });
    if (one == replaced_.end()) return;
    one->is_read = true;
    const std::string_view text = one->value;
    const auto factor = text.starts_with('x') ? parse_number<double>(text.substr(1)) : std::nullopt;
    if (factor && std::isfinite(*factor) && *factor > 0) {
      value = times(value, *factor);
    } else if (const auto other = parse(text)) {
      value = *other;
    } else {
      throw usage_error("device model " + file_ + ": " + one->table + "." + one->key + "=" +
                        printable(one->value) + " must be a value as in the file, or a factor such as x2");
    }
  }
  static nanoseconds times(nanoseconds value, double factor) {
    return nanoseconds(std::max<std::int64_t>(1, std::llround(static_cast<double>(value.count()) * factor)));
  }
  static double times(double value, double factor) { return std::max(1.0, value * factor); }
  template <std::integral Whole>
  static Whole times(Whole value, double factor) {
    const double most = static_cast<double>(std::numeric_limits<Whole>::max()) / 2;
    return static_cast<Whole>(std::clamp(std::round(static_cast<double>(value) * factor), 1.0, most));
  }
  [[noreturn]] void refuse_replaced(const replaced_number& one) const {
    std::vector<std::string> possible;
    for (const auto& [table, key] : known_) possible.push_back(std::string(table) + "." + std::string(key));
    const std::string name = one.table + "." + one.key;
    const std::vector<std::string_view> names(possible.begin(), possible.end());
    const std::string_view meant = nearest(name, names);
    throw usage_error("device model " + file_ + ": there is no number " + printable(name) +
                      (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?"));
  }

  bool is_known(std::string_view key, std::string_view table) const {
    for (const name& n : known_)
      if (n == name(table, key)) return true;
    return false;
  }
  bool is_table(std::string_view table) const {
    for (const auto& [of, key] : known_)
      if (of == table) return true;
    return false;
  }

  /// The key's value; null if it is missing, which `finish` reports.
  const toml::node* find(std::string_view table, std::string_view key) {
    known_.emplace_back(table, key);
    const toml::table* in = &root_;
    std::size_t line = 1;
    if (!table.empty()) {
      const toml::node* const node = root_.get(table);
      if (node != nullptr && node->as_table() == nullptr)
        refuse(node->source().begin.line, std::string(table) + " must be a table: write [" +
                                              std::string(table) + "] on a line of its own");
      in = node == nullptr ? nullptr : node->as_table();
      if (node != nullptr) line = node->source().begin.line;
    }
    const toml::node* const found = in == nullptr ? nullptr : in->get(key);
    if (found == nullptr && required_ && missing_.empty()) {
      missing_ = spelled(table, key);
      missing_line_ = line;
      example_ =
          table == "node" || table == "link" || table == "step" || table == "resident" || table == "mpi"
              ? "summit"
              : "v100";
    }
    return found;
  }

  std::string file_;
  std::vector<replaced_number> replaced_;
  toml::table root_;
  std::vector<name> known_;
  bool required_ = true;
  std::string missing_;
  std::size_t missing_line_ = 0;
  std::string_view example_;  ///< a model that has the missing key
};

}  // namespace

nanoseconds device_model::transfer_time(std::size_t bytes, std::uint64_t rate) {
  if (rate == 0) return nanoseconds(0);
  return nanoseconds(
      std::llround(std::min(static_cast<double>(bytes) * 1e9 / static_cast<double>(rate), 1e18)));
}

namespace {

device_model read_model(std::string_view text, std::string_view file, std::vector<replaced_number> replaced) {
  model_reader in(text, file, std::move(replaced));
  device_model model;
  in.read("", "name", model.name);
  in.read_count("device", "memory", model.device.memory);
  in.read_count("device", "concurrent_kernels", model.device.concurrent_kernels);
  in.read_count("device", "threads", model.device.threads);
  in.read_rate("device", "memory_bandwidth", model.device.memory_bandwidth);
  in.read_number("device", "flops", model.device.flops);
  in.read("device", "kernel_start", model.device.kernel_start);
  in.read("device", "graph_kernel_start", model.device.graph_kernel_start);
  in.read_count("copy", "engines_to_device", model.copy.engines_to_device);
  in.read_count("copy", "engines_from_device", model.copy.engines_from_device);
  in.read_rate("copy", "to_device", model.copy.to_device);
  in.read_rate("copy", "from_device", model.copy.from_device);
  in.read("copy", "latency", model.copy.latency);
  in.read("host", "launch", model.host.launch);
  in.read("host", "call", model.host.call);
  in.read("host", "query", model.host.query);
  in.read("host", "synchronize", model.host.synchronize);
  in.read("host", "graph_launch", model.host.graph_launch);
  in.read("host", "graph_operation", model.host.graph_operation);
  in.read("host", "host_function", model.host.host_function);
  in.read_rate("host", "copy_bandwidth", model.host.copy_bandwidth);
  in.read("message", "send", model.message.send);
  in.read("message", "receive", model.message.receive);
  in.read("message", "callback", model.message.callback);
  in.read("message", "latency", model.message.latency);
  in.read_rate("message", "bandwidth", model.message.bandwidth);
  in.require(false);
  in.read_count("host", "pinned", model.host.pinned);
  in.require(in.has("node") || in.has("link") || in.has("step"));
  in.read_count("node", "devices", model.node.devices);
  in.read_count("node", "sockets", model.node.sockets);
  in.read_rate("link", "device", model.link.device);
  in.read("link", "device_latency", model.link.device_latency);
  in.read_rate("link", "host", model.link.host);
  in.read_rate("link", "socket", model.link.socket);
  in.read("link", "socket_latency", model.link.socket_latency);
  in.read_rate("link", "card", model.link.card);
  in.read_rate("link", "card_device", model.link.card_device);
  in.read("link", "card_latency", model.link.card_latency);
  in.read_count("link", "eager", model.link.eager);
  in.read("link", "device_rendezvous", model.link.device_rendezvous);
  in.read("link", "card_rendezvous", model.link.card_rendezvous);
  in.read("step", "envelope", model.step.envelope);
  in.read("step", "post", model.step.post);
  in.read("step", "channel", model.step.channel);
  in.read("step", "notice", model.step.completion);
  in.read("step", "transfer", model.step.transfer);
  in.require(in.has("resident"));
  in.read("resident", "look", model.resident.look);
  in.read("resident", "take", model.resident.take);
  in.read("resident", "send", model.resident.send);
  in.read("resident", "flight", model.resident.flight);
  in.read("resident", "entry", model.resident.entry);
  in.read("resident", "device_entry", model.resident.device_entry);
  in.read("resident", "device_sync", model.resident.device_sync);
  in.read("resident", "tell", model.resident.tell);
  in.require(in.has("mpi"));
  in.read("mpi", "send", model.mpi.send);
  in.read("mpi", "receive", model.mpi.receive);
  in.read_count("mpi", "staged_from", model.mpi.staged_from);
  in.read_rate("mpi", "staged", model.mpi.staged);
  in.finish();
  return model;
}

}  // namespace

device_model parse_device_model(std::string_view text, std::string_view file) {
  return read_model(text, file, {});
}

std::span<const std::string_view> device_model_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const internal::shipped_model& shipped_model : internal::shipped_models())
      all.push_back(shipped_model.name);
    return all;
  }();
  return names;
}

namespace {

/// The text of a model, and the name of its file for errors.
std::pair<std::string, std::string> find_text(std::string_view name_or_path) {
  for (const internal::shipped_model& shipped_model : internal::shipped_models())
    if (shipped_model.name == name_or_path)
      return {std::string(shipped_model.text), "models/" + std::string(shipped_model.name) + ".toml"};
  const std::string path(name_or_path);
  try {
    constexpr std::size_t longest_model = std::size_t{1} << 20U;
    return {read_file(path, longest_model), path};
  } catch (const error& e) {
    std::string known;
    for (const std::string_view name : device_model_names()) known += std::string(name) + ", ";
    throw usage_error("there is no device model " + printable(path) + ": it is neither one of " + known +
                      "nor a file that can be read (" + e.what() + ")");
  }
}

device_model find_written_model(std::string_view name_or_path, std::vector<replaced_number> replaced) {
  const auto [text, file] = find_text(name_or_path);
  return read_model(text, file, std::move(replaced));
}

}  // namespace

std::string device_model_text(std::string_view name_or_path) { return find_text(name_or_path).first; }

device_model find_device_model(std::string_view words) {
  constexpr std::string_view of_mpi = ":mpi";
  const std::string_view name_or_path = words.substr(0, words.find(','));
  auto replaced = read_replaced_numbers(words, words.substr(std::min(words.size(), name_or_path.size() + 1)));
  if (!name_or_path.ends_with(of_mpi)) return find_written_model(name_or_path, std::move(replaced));
  device_model model =
      find_written_model(name_or_path.substr(0, name_or_path.size() - of_mpi.size()), std::move(replaced));
  if (model.mpi.staged == 0 || !model.has_links())
    throw usage_error("the device model " + printable(std::string(name_or_path)) + ": the file has no " +
                      (model.has_links() ? "[mpi]" : "[link]") +
                      ", the times of an MPI; models/summit.toml has one");
  model.message.send = model.step.channel = model.mpi.send;
  model.message.receive = model.mpi.receive;
  model.step.envelope = model.step.post = nanoseconds(0);
  // An MPI sends from the program's memory, and receives into it. Messages of the runtime are copied.
  model.host.copy_bandwidth = 0;
  model.link.staged_from = model.mpi.staged_from;
  model.link.staged = model.mpi.staged;
  return model;
}

}  // namespace imbrex
