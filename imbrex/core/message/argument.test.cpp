// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/argument.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::detail {
namespace {

template <class Argument, class Parameter>
constexpr conversion of = conversion_of<Argument, stored<Parameter>>();

enum colour : std::int64_t { red, far_red = std::int64_t{1} << 40U };
enum class scoped { a };

static_assert(of<int, std::int64_t> == conversion::implicit &&
              of<std::int64_t, short> == conversion::implicit);
static_assert(of<int, double> == conversion::implicit && of<double, float> == conversion::implicit);
static_assert(of<colour, int> == conversion::implicit && of<scoped, int> == conversion::none);
static_assert(of<bool, int> == conversion::implicit && of<bool&, bool> == conversion::implicit);
static_assert(of<double, int> == conversion::rounded &&
              of<const float&, std::uint64_t> == conversion::rounded);
static_assert(of<int, bool> == conversion::tested && of<const char (&)[5], bool> == conversion::tested);
static_assert(of<colour, bool> == conversion::tested && of<double, bool> == conversion::tested);
static_assert(of<std::vector<bool>::reference, bool> == conversion::implicit);
static_assert(of<std::optional<int>, bool> == conversion::explicitly);
static_assert(of<double, std::vector<double>> == conversion::explicitly);
static_assert(of<int*, std::unique_ptr<int>> == conversion::explicitly);
static_assert(of<const char (&)[5], std::string> == conversion::implicit);
static_assert(of<std::string_view, std::string> == conversion::implicit);
static_assert(of<const std::string&, std::string_view> == conversion::implicit);
static_assert(of<std::array<int, 3>&, std::span<const int>> == conversion::implicit);
static_assert(of<const std::vector<int>&, std::span<const int>> == conversion::implicit);
static_assert(of<std::shared_ptr<const std::vector<int>>, std::span<const int>> == conversion::implicit);
static_assert(of<int, std::span<const int>> == conversion::none);
static_assert(of<std::unique_ptr<int>, std::unique_ptr<int>> == conversion::implicit);
static_assert(of<std::unique_ptr<int>&, std::unique_ptr<int>> == conversion::copied);
static_assert(of<std::mutex&, const std::mutex&> == conversion::moved);

static_assert(!may_be_lost<int, std::int64_t>() && !may_be_lost<bool, signed char>());
static_assert(!may_be_lost<int, double>() && !may_be_lost<std::string, std::string>());
static_assert(may_be_lost<int, unsigned>() && may_be_lost<colour, int>() &&
              may_be_lost<char, bool>() == false);

template <class Parameter, class Argument>
std::string refusal(const Argument& argument) {
  return testing::error_of<error>([&] { check_integer<Parameter>("app::block", "run", 2, argument); });
}

TEST(argument, that_is_an_integer_must_fit) {
  EXPECT_EQ(refusal<int>(std::int64_t{2147483647}), "");
  EXPECT_EQ(
      refusal<int>(std::numeric_limits<std::int64_t>::min()),
      "argument 2 of block::run is -9223372036854775808, of type long, which does not fit into its int: "
      "give it a wider type");
  EXPECT_EQ(refusal<unsigned>(0), "");
  EXPECT_NE(refusal<unsigned>(-1).find("is -1, of type int, which does not fit into its unsigned int"),
            std::string::npos);
  EXPECT_NE(refusal<signed char>('\x7f' + 1).find("is 128"), std::string::npos);
  EXPECT_EQ(refusal<int>(red), "");
  EXPECT_NE(refusal<int>(far_red).find("is 1099511627776, of type imbrex::detail::"), std::string::npos)
      << refusal<int>(far_red);
}

#ifdef __SIZEOF_INT128__
TEST(argument, that_is_an_integer_of_128_bits_must_fit) {
  const auto large = static_cast<uint128>(1) << 100U;
  EXPECT_EQ(refusal<std::int64_t>(static_cast<int128>(-5)), "");
  EXPECT_NE(refusal<std::int64_t>(large).find("is 1267650600228229401496703205376, of type "),
            std::string::npos);
  EXPECT_NE(refusal<std::int64_t>(-static_cast<int128>(large)).find("is -1267650600228229401496703205376,"),
            std::string::npos);
  EXPECT_NE(refusal<uint128>(-1).find("is -1, of type int"), std::string::npos);
}
#endif

}  // namespace
}  // namespace imbrex::detail
