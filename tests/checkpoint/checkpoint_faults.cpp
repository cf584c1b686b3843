// SPDX-License-Identifier: Apache-2.0
// checkpoint_faults write DIR COUNT KIB: writes checkpoints of two parts into DIR, with KIB kibibytes in
// each, keeps the newest one, and prints the number of each that is committed. checkpoint_faults check DIR
// LEAST: fails unless the newest whole checkpoint has at least the number LEAST and the contents that `write`
// gives it, and prints the number; 0 if there is none.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <imbrex/base/error.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/checkpoint/part_image.hpp>
#include <imbrex/checkpoint/part_reader.hpp>
#include <imbrex/checkpoint/write_part.hpp>
#include <imbrex/serial/archive.hpp>

namespace {

using namespace imbrex::checkpoints;

constexpr int processes = 2;

std::vector<std::uint64_t> values_of(std::uint64_t number, int process, std::size_t kib) {
  return std::vector<std::uint64_t>(128 * kib, 1000 * number + static_cast<std::uint64_t>(process));
}

void write(const std::string& path, std::uint64_t count, std::size_t kib) {
  const checkpoint_folder folder(path);
  part_image image;
  for (std::uint64_t i = 0; i < count; ++i) {
    manifest m{folder.create_next(), 1, processes, "checkpoint_faults", date_and_time(), {}};
    for (int process = 0; process < processes; ++process) {
      image.begin({m.number, m.run, process, processes, processes, m.program, {}});
      const int section = image.open_section({section_kind::value, "values"});
      image.begin_record(section, {})(values_of(m.number, process, kib));
      image.end_record();
      image.seal();
      m.parts.push_back(write_part(image, path_of_part(folder.path_of(m.number), process)));
    }
    folder.commit(m);
    const std::string line = std::to_string(m.number) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) throw imbrex::error("no output");
    folder.prune(1);
  }
}

void check(const std::string& path, std::uint64_t least) {
  const auto all = checkpoint_folder(path).list();
  std::uint64_t newest = 0;
  for (const auto& one : all) {
    if (one.problem.empty()) newest = one.number;
    if (one.has_manifest && !one.problem.empty())
      throw imbrex::error(one.path + " has a manifest and is not whole: " + one.problem);
  }
  if (newest < least)
    throw imbrex::error(path + ": checkpoint " + std::to_string(least) +
                        " was committed, and the newest is " + std::to_string(newest));
  if (newest == 0) return;
  const auto chosen = choose_checkpoint(path);
  verify_checkpoint(chosen.path);
  if (chosen.contents.number != newest) throw imbrex::error(path + ": another checkpoint was chosen");
  for (const auto& part : chosen.contents.parts) {
    const part_reader in(path_of_part(chosen.path, part.process));
    imbrex::reader record(in.record(0, 0));
    std::vector<std::uint64_t> values;
    record(values);
    if (values != values_of(newest, part.process, values.size() / 128))
      throw imbrex::error(in.name() + " has other contents");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  try {
    if (argc == 5 && words[1] == "write")
      write(words[2], std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10));
    else if (argc >= 4 && argc % 2 == 0 && words[1] == "check")
      for (int i = 2; i < argc; i += 2) check(words[std::size_t(i)], std::strtoull(argv[i + 1], nullptr, 10));
    else
      return 2;
    return 0;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
}
