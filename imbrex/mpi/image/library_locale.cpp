// SPDX-License-Identifier: Apache-2.0
#include <langinfo.h>

#include <clocale>
#include <mutex>
#include <string>
#include <utility>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

struct category {
  int number;
  int mask;
  const char* name;
};
// Categories in the order in which the C library prints them.
constexpr category categories[] = {
    {LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
    {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
    {LC_TIME, LC_TIME_MASK, "LC_TIME"},
    {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
    {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
    {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"},
    {LC_PAPER, LC_PAPER_MASK, "LC_PAPER"},
    {LC_NAME, LC_NAME_MASK, "LC_NAME"},
    {LC_ADDRESS, LC_ADDRESS_MASK, "LC_ADDRESS"},
    {LC_TELEPHONE, LC_TELEPHONE_MASK, "LC_TELEPHONE"},
    {LC_MEASUREMENT, LC_MEASUREMENT_MASK, "LC_MEASUREMENT"},
    {LC_IDENTIFICATION, LC_IDENTIFICATION_MASK, "LC_IDENTIFICATION"},
};

std::string name_of(locale_t locale, int number) { return ::nl_langinfo_l(NL_LOCALE_NAME(number), locale); }

/// Result of setlocale: one name if all categories agree, else each category with its name.
std::string names_of(locale_t locale) {
  bool is_one = true;
  std::string names;
  for (const category& c : categories) {
    const std::string name = name_of(locale, c.number);
    is_one = is_one && name == name_of(locale, LC_CTYPE);
    names += (names.empty() ? "" : ";") + std::string(c.name) + "=" + name;
  }
  return is_one ? name_of(locale, LC_CTYPE) : names;
}

int mask_of(int number) {
  if (number == LC_ALL) return LC_ALL_MASK;
  for (const category& c : categories)
    if (c.number == number) return c.mask;
  return 0;
}

char* copy_setlocale(int number, const char* name) {
  copy_state& copy = calling_copy();
  library_state& s = *copy.library;
  const std::lock_guard hold(s.mutex);
  if (mask_of(number) == 0) return nullptr;
  if (s.locale == nullptr) s.locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  if (name != nullptr) {
    locale_t const base = ::duplocale(s.locale);
    locale_t const new_locale = ::newlocale(mask_of(number), name, base);
    if (new_locale == nullptr) {
      ::freelocale(base);
      return nullptr;
    }
    locale_t const before = ::uselocale(new_locale);
    if (copy.runs_here() && s.replaced == nullptr) s.replaced = before;
    locale_t const unused = std::exchange(s.locale, new_locale);
    if (!copy.has_threads) ::freelocale(unused);  // a thread may still use it
  }
  s.locale_text = number == LC_ALL ? names_of(s.locale) : name_of(s.locale, number);
  return s.locale_text.data();
}

}  // namespace

void add_locale(function_table& table) { table.insert({{"setlocale", address_outside<&copy_setlocale>()}}); }

}  // namespace imbrex::mpi
