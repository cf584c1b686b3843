// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/option_scanner.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace imbrex::mpi {

namespace {

bool is_no_option(const char* argument) { return argument[0] != '-' || argument[1] == '\0'; }

}  // namespace

const char* option_scanner::begin(const scan& s, bool is_posix) {
  const char* shorts = s.shorts;
  int& index = *s.v.index;
  if (index == 0 || !is_begun_) {
    if (index == 0) index = 1;
    first_other_ = last_other_ = index;
    rest_ = nullptr;
    is_begun_ = true;
    if (shorts[0] == '-')
      order_ = order::returned;
    else if (shorts[0] == '+' || is_posix || std::getenv("POSIXLY_CORRECT") != nullptr)
      order_ = order::required;
    else
      order_ = order::permuted;
  }
  return shorts[0] == '-' || shorts[0] == '+' ? shorts + 1 : shorts;
}

int option_scanner::next(int argc, char* const* argv, const char* shorts, const option* longs,
                         int* long_index, bool long_only, bool is_posix, const option_variables& v) {
  if (argc < 1) return -1;
  *v.argument = nullptr;
  scan s{argc, const_cast<char**>(argv), shorts, longs, long_index, long_only, *v.errors != 0, v};
  s.shorts = begin(s, is_posix);
  if (s.shorts[0] == ':') s.tells_errors = false;
  if (rest_ == nullptr || *rest_ == '\0') {
    int result = 0;
    if (!next_argument(s, result)) return result;
    char* const argument = s.argv[*v.index];
    if (longs != nullptr) {
      if (argument[1] == '-') {
        rest_ = argument + 2;
        return long_option(s, "--");
      }
      if (long_only && (argument[2] != '\0' || std::strchr(s.shorts, argument[1]) == nullptr)) {
        rest_ = argument + 1;
        if (const int code = long_option(s, "-"); code != -1) return code;
      }
    }
    rest_ = argument + 1;
  }
  return short_option(s);
}

bool option_scanner::next_argument(const scan& s, int& result) {
  int& index = *s.v.index;
  last_other_ = std::min(last_other_, index);
  first_other_ = std::min(first_other_, index);
  const auto pass = [&] {  // moves skipped arguments behind the options that follow them
    if (first_other_ != last_other_ && last_other_ != index)
      exchange(s);
    else if (last_other_ != index)
      first_other_ = index;
  };
  if (order_ == order::permuted) {
    pass();
    while (index < s.argc && is_no_option(s.argv[index])) ++index;
    last_other_ = index;
  }
  if (index != s.argc && std::strcmp(s.argv[index], "--") == 0) {
    ++index;
    if (first_other_ != last_other_ && last_other_ != index)
      exchange(s);
    else if (first_other_ == last_other_)
      first_other_ = index;
    last_other_ = s.argc;
    index = s.argc;
  }
  if (index == s.argc) {
    if (first_other_ != last_other_) index = first_other_;
    result = -1;
    return false;
  }
  if (!is_no_option(s.argv[index])) return true;
  if (order_ == order::required) {
    result = -1;
  } else {
    *s.v.argument = s.argv[index++];
    result = 1;
  }
  return false;
}

void option_scanner::exchange(const scan& s) {
  const int index = *s.v.index;
  std::rotate(s.argv + first_other_, s.argv + last_other_, s.argv + index);
  first_other_ += index - last_other_;
  last_other_ = index;
}

int option_scanner::long_option(const scan& s, const char* dashes) {
  const char* const name_end = rest_ + std::strcspn(rest_, "=");
  const auto length = static_cast<std::size_t>(name_end - rest_);
  const auto begins = [&](const option& o) { return std::strncmp(o.name, rest_, length) == 0; };
  const option* chosen = nullptr;
  bool is_ambiguous = false;
  for (const option* o = s.longs; o->name != nullptr; ++o) {
    if (!begins(*o)) continue;
    if (std::strlen(o->name) == length) return chosen_long_option(s, *o, dashes, name_end);
    if (chosen == nullptr)
      chosen = o;
    else if (s.long_only || chosen->has_arg != o->has_arg || chosen->flag != o->flag || chosen->val != o->val)
      is_ambiguous = true;
  }
  if (is_ambiguous) {
    if (s.tells_errors) {
      std::string possible;
      for (const option* o = s.longs; o->name != nullptr; ++o)
        if (begins(*o)) possible += " '" + std::string(dashes) + o->name + "'";
      std::fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:%s\n", s.argv[0], dashes, rest_,
                   possible.c_str());
    }
    rest_ += std::strlen(rest_);
    ++*s.v.index;
    *s.v.other = 0;
    return '?';
  }
  if (chosen != nullptr) return chosen_long_option(s, *chosen, dashes, name_end);
  if (s.long_only && s.argv[*s.v.index][1] != '-' && std::strchr(s.shorts, *rest_) != nullptr)
    return -1;  // may be a short option
  if (s.tells_errors) std::fprintf(stderr, "%s: unrecognized option '%s%s'\n", s.argv[0], dashes, rest_);
  rest_ = nullptr;
  ++*s.v.index;
  *s.v.other = 0;
  return '?';
}

int option_scanner::chosen_long_option(const scan& s, const option& chosen, const char* dashes,
                                       const char* name_end) {
  ++*s.v.index;
  rest_ = nullptr;
  const auto refuse = [&](const char* words, int result) {
    if (s.tells_errors) std::fprintf(stderr, "%s: option '%s%s' %s\n", s.argv[0], dashes, chosen.name, words);
    *s.v.other = chosen.val;
    return result;
  };
  if (*name_end != '\0') {
    if (chosen.has_arg == no_argument) return refuse("doesn't allow an argument", '?');
    *s.v.argument = const_cast<char*>(name_end) + 1;
  } else if (chosen.has_arg == required_argument) {
    if (*s.v.index >= s.argc) return refuse("requires an argument", s.shorts[0] == ':' ? ':' : '?');
    *s.v.argument = s.argv[(*s.v.index)++];
  }
  if (s.long_index != nullptr) *s.long_index = static_cast<int>(&chosen - s.longs);
  if (chosen.flag == nullptr) return chosen.val;
  *chosen.flag = chosen.val;
  return 0;
}

int option_scanner::short_option(const scan& s) {
  int& index = *s.v.index;
  const char character = *rest_++;
  const char* const known = std::strchr(s.shorts, character);
  if (*rest_ == '\0') ++index;
  if (known == nullptr || character == ':' || character == ';') {
    if (s.tells_errors) std::fprintf(stderr, "%s: invalid option -- '%c'\n", s.argv[0], character);
    *s.v.other = character;
    return '?';
  }
  if (known[0] == 'W' && known[1] == ';' && s.longs != nullptr) return option_of_w(s, character);
  if (known[1] != ':') return character;
  int result = character;
  if (*rest_ != '\0') {
    *s.v.argument = rest_;
    ++index;
  } else if (known[2] != ':') {
    if (index == s.argc) {
      if (s.tells_errors)
        std::fprintf(stderr, "%s: option requires an argument -- '%c'\n", s.argv[0], character);
      *s.v.other = character;
      result = s.shorts[0] == ':' ? ':' : '?';
    } else {
      *s.v.argument = s.argv[index++];
    }
  }
  rest_ = nullptr;
  return result;
}

// -W name is the option --name.
int option_scanner::option_of_w(const scan& s, int character) {
  int& index = *s.v.index;
  if (*rest_ != '\0') {
    *s.v.argument = rest_;
  } else if (index == s.argc) {
    if (s.tells_errors)
      std::fprintf(stderr, "%s: option requires an argument -- '%c'\n", s.argv[0], character);
    *s.v.other = character;
    return s.shorts[0] == ':' ? ':' : '?';
  } else {
    *s.v.argument = s.argv[index];
  }
  rest_ = *s.v.argument;
  *s.v.argument = nullptr;
  scan of_name = s;
  of_name.long_only = false;
  return long_option(of_name, "-W ");
}

}  // namespace imbrex::mpi
