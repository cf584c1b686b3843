// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <imbrex/core/array/log.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::logs_test {

class logs : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, logs, ::testing::ValuesIn(machines()), name_of_machine);

class talker : public chare<talker, index<2>> {
 public:
  int say() {
    log(*this, log_level::info, "hello\x1b[2J");
    log(*this, log_level::debug, "not so important");
    return pe();
  }
};

TEST_P(logs, name_the_chare_and_its_pe) {
  const log_level before = current_log_level();
  for (options settings : GetParam().runs) {
    settings.log = log_level::info;
    int pe = -1;
    ::testing::internal::CaptureStderr();
    const int status = run_once(settings, [&pe]() -> task<int> {
      const auto all = make_array<talker>({2, 3});
      pe = co_await all[{1, 2}].call<&talker::say>();
      co_return 0;
    });
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, 0);
    EXPECT_NE(text.find("imbrex: talker(1, 2) on PE " + std::to_string(pe) + ": hello"), std::string::npos)
        << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("not so important"), std::string::npos) << text;
    set_log_level(before);
  }
}

}  // namespace imbrex::logs_test
