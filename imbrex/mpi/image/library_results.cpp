// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <math.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

library_state& state() { return *calling_copy().library; }

char* copy_strtok(char* text, const char* between) { return ::strtok_r(text, between, &state().token); }

// The library's texts of known numbers are constant; those of others lie in a buffer of the thread.
template <char* (*Function)(int)>
char* text_of(int number) {
  const char* const library_text = Function(number);
  auto& own = state().text;
  own[std::string_view(library_text).copy(own.data(), own.size() - 1)] = '\0';
  return own.data();
}
char* copy_inet_ntoa(in_addr address) {
  auto& own = state().address_text;
  return const_cast<char*>(::inet_ntop(AF_INET, &address, own.data(), own.size()));
}
char* copy_tmpnam(char* name) { return ::tmpnam_r(name == nullptr ? state().file_name.data() : name); }

template <class T>
void set(library_variable which, library_variable alias, const T& value) {
  for (const library_variable v : {which, alias})
    if (T* const variable = calling_copy().variable<T>(v)) *variable = value;
}
void copy_tzset() {
  using enum library_variable;
  ::tzset();
  set(time_zone, time_zone_alias, ::timezone);
  set(daylight, daylight_alias, ::daylight);
  set(zone_names, zone_names_alias, std::array{::tzname[0], ::tzname[1]});
}
std::time_t copy_mktime(std::tm* when) {
  copy_tzset();
  return std::mktime(when);
}
std::tm* copy_localtime(const std::time_t* time) {
  copy_tzset();  // localtime does so; localtime_r need not
  return ::localtime_r(time, &state().calendar.time);
}
std::tm* copy_gmtime(const std::time_t* time) { return ::gmtime_r(time, &state().calendar.time); }
char* copy_asctime(const std::tm* when) { return ::asctime_r(when, state().calendar.text.data()); }
char* copy_ctime(const std::time_t* time) {
  const std::tm* const when = copy_localtime(time);
  return when == nullptr ? nullptr : copy_asctime(when);
}

// The sign is lgamma's second result.
template <class T, T (*Function)(T, int*)>
T log_gamma(T x) {
  int sign = 0;
  const T result = Function(x, &sign);
  set(library_variable::gamma_sign, library_variable::gamma_sign_alias, sign);
  return result;
}

}  // namespace

void add_results(function_table& table) {
  table.insert({
      {"strtok", address_outside<&copy_strtok>()},
      {"strerror", function_address(&text_of<&::strerror>)},
      {"strsignal", function_address(&text_of<&::strsignal>)},
      {"inet_ntoa", address_outside<&copy_inet_ntoa>()},
      {"tmpnam", address_outside<&copy_tmpnam>()},
      {"tzset", address_outside<&copy_tzset>()},
      {"mktime", address_outside<&copy_mktime>()},
      {"lgamma", function_address(&log_gamma<double, &::lgamma_r>)},
      {"gamma", function_address(&log_gamma<double, &::lgamma_r>)},
      {"lgammaf", function_address(&log_gamma<float, &::lgammaf_r>)},
      {"gammaf", function_address(&log_gamma<float, &::lgammaf_r>)},
      {"lgammal", function_address(&log_gamma<long double, &::lgammal_r>)},
      {"gammal", function_address(&log_gamma<long double, &::lgammal_r>)},
      {"localtime", address_outside<&copy_localtime>()},
      {"gmtime", address_outside<&copy_gmtime>()},
      {"asctime", address_outside<&copy_asctime>()},
      {"ctime", address_outside<&copy_ctime>()},
  });
}

}  // namespace imbrex::mpi
