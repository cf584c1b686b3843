// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/option_scanner.hpp>

#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using imbrex::mpi::option_scanner;

constexpr option longs[] = {{"size", required_argument, nullptr, 's'},
                            {"silent", no_argument, nullptr, 1000},
                            {"all", optional_argument, nullptr, 1001},
                            {"also", no_argument, nullptr, 1002},
                            {nullptr, 0, nullptr, 0}};

/// All results of a scan, and the arguments as it leaves them.
template <class Next>
std::string scanned(std::vector<std::string> words, const char* const& argument, int& index, int& other,
                    Next next) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  std::string output;
  for (int result = 0; result != -1;) {
    int long_index = -1;
    result = next(argc, argv.data(), &long_index);
    output += std::to_string(result) + ' ' + (argument == nullptr ? "-" : argument) + ' ' +
              std::to_string(index) + ' ' + (result == '?' ? std::to_string(other) : "") + ' ' +
              std::to_string(long_index) + '\n';
  }
  for (int i = 0; i < argc; ++i) output += std::string(argv[static_cast<std::size_t>(i)]) + ' ';
  return output;
}

std::string by_library(const std::vector<std::string>& words, const char* shorts, bool long_only) {
  optind = 0;
  opterr = 0;
  const char* const& argument = reinterpret_cast<const char* const&>(optarg);
  return scanned(words, argument, optind, optopt, [&](int argc, char** argv, int* long_index) {
    return long_only ? ::getopt_long_only(argc, argv, shorts, longs, long_index)
                     : ::getopt_long(argc, argv, shorts, longs, long_index);
  });
}

std::string by_scanner(const std::vector<std::string>& words, const char* shorts, bool long_only) {
  option_scanner scanner;
  char* argument = nullptr;
  int index = 1, errors = 0, other = '?';
  const char* const& constant = reinterpret_cast<const char* const&>(argument);
  return scanned(words, constant, index, other, [&](int argc, char** argv, int* long_index) {
    return scanner.next(argc, argv, shorts, longs, long_index, long_only, false,
                        {&argument, &index, &errors, &other});
  });
}

TEST(option_scanner, tells_what_the_library_tells) {
  const char* const parts[] = {"-a",         "-b",    "-ab",     "-cvalue",  "-c",       "-dvalue", "-d",
                               "file",       "-",     "--",      "--size",   "--size=4", "--si",    "--s",
                               "--silent=1", "--all", "--all=x", "--al",     "--none",   "-size",   "-silent",
                               "-Wsize=3",   "-W",    "-x",      "-acvalue", "also"};
  const char* const kinds[] = {"abc:d::W;", "+abc:d::", "-abc:d::", ":abc:d::W;", "s:ab", ""};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::string> words{"program"};
    for (unsigned n = random() % 7; n > 0; --n) words.emplace_back(parts[random() % std::size(parts)]);
    const char* const shorts = kinds[random() % std::size(kinds)];
    const bool long_only = random() % 2 == 0;
    const std::string expected = by_library(words, shorts, long_only);
    std::string words_text;
    for (const std::string& word : words) words_text += word + ' ';
    ASSERT_EQ(by_scanner(words, shorts, long_only), expected) << words_text << "with " << shorts;
  }
}

TEST(option_scanner, has_the_messages_of_the_library) {
  const auto output = [](auto function) {
    testing::internal::CaptureStderr();
    function();
    return testing::internal::GetCapturedStderr();
  };
  const std::vector<std::vector<std::string>> cases{{"p", "-x"},  {"p", "-c"},     {"p", "--none"},
                                                    {"p", "--s"}, {"p", "--size"}, {"p", "--silent=1"}};
  for (const auto& words : cases) {
    std::vector<std::string> one = words, two = words;
    char* first[] = {one[0].data(), one[1].data(), nullptr};
    char* second[] = {two[0].data(), two[1].data(), nullptr};
    const std::string expected = output([&] {
      optind = 0;
      opterr = 1;
      ::getopt_long(2, first, "abc:", longs, nullptr);
    });
    option_scanner scanner;
    char* argument = nullptr;
    int index = 1, errors = 1, other = '?';
    EXPECT_EQ(output([&] {
                scanner.next(2, second, "abc:", longs, nullptr, false, false,
                             {&argument, &index, &errors, &other});
              }),
              expected);
    EXPECT_FALSE(expected.empty());
  }
}

}  // namespace
