// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/top_page.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>

#include <imbrex/base/error.hpp>
#include <nlohmann/json.hpp>

namespace imbrex::tools {

namespace {

constexpr std::size_t most_rows = 10;

std::string percent_text(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%5.1f %%", 100 * share);
  return text.data();
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// The rows with the largest keys, at most `most_rows`.
template <class Key>
std::vector<std::pair<Key, std::string>> largest(std::vector<std::pair<Key, std::string>> all) {
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (all.size() > most_rows) all.resize(most_rows);
  return all;
}

std::vector<std::pair<std::size_t, std::string>> largest(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::size_t, std::string>> all;
  for (const auto& [name, count] : counts) all.emplace_back(count, name);
  return largest(std::move(all));
}

}  // namespace

void top_page::begin() {
  pes_.clear();
  heaviest_.clear();
  waits_.clear();
}

void top_page::add(const std::string& report) {
  try {
    const auto process = nlohmann::json::parse(report);
    for (const auto& pe : process.at("pes")) {
      ++looks_;
      const bool answers = pe.at("answers").get<bool>();
      const bool sleeps = pe.at("sleeps").get<bool>();
      const auto runs = pe.at("runs").get<std::string>();
      if (!runs.empty()) ++runs_[runs];
      std::string line = padded(std::to_string(pe.at("pe").get<int>()), 6);
      line += padded(answers ? std::to_string(pe.at("queued").get<std::uint64_t>()) : "?", 10);
      line += padded(answers ? std::to_string(pe.at("chares").get<std::uint64_t>()) : "?", 10);
      line += "  ";
      line += !answers ? "busy with " + (runs.empty() ? "work of the runtime" : runs)
              : sleeps ? "sleeps"
                       : runs;
      pes_.push_back(line);
      if (!answers) continue;
      for (const auto& wait : pe.at("waits"))
        if (const auto what = wait.at("what").get<std::string>(); !what.empty()) ++waits_[what];
      for (const auto& chare : pe.at("heaviest"))
        heaviest_.emplace_back(
            chare.at("share").get<double>(),
            chare.at("name").get<std::string>() + " on PE " + std::to_string(pe.at("pe").get<int>()));
    }
  } catch (const nlohmann::json::exception& e) {
    throw error(std::string("a report of a process is no JSON that this imbrex knows: ") + e.what());
  }
}

std::string top_page::text() const {
  std::string page = "    PE    queued    chares  runs\n";
  for (std::size_t i = 0; i < pes_.size() && i < 2 * most_rows; ++i) page += pes_[i] + "\n";
  if (pes_.size() > 2 * most_rows)
    page += "and " + std::to_string(pes_.size() - 2 * most_rows) + " more PEs\n";
  if (!runs_.empty()) page += "\nfound running\n";
  for (const auto& [count, name] : largest(runs_))
    page +=
        "  " + percent_text(static_cast<double>(count) / static_cast<double>(looks_)) + "  " + name + "\n";
  if (!heaviest_.empty()) page += "\nheaviest chares, and their share of the work of their PE\n";
  for (const auto& [share, name] : largest(heaviest_))
    page += "  " + percent_text(share) + "  " + name + "\n";
  if (!waits_.empty()) page += "\nawaited by the first entries of each PE\n";
  for (const auto& [count, what] : largest(waits_))
    page += padded(std::to_string(count), 9) + "  " + what + "\n";
  return page;
}

}  // namespace imbrex::tools
