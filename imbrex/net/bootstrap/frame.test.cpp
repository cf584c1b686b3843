// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/bootstrap/frame.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>

namespace {

using imbrex::frame_kind;

TEST(frame, arrives_in_any_pieces) {
  const std::string text("with a zero \0 inside", 20);
  const std::string bytes = encode_frame(frame_kind::gather, text) + encode_frame(frame_kind::finish, "") +
                            encode_frame(frame_kind::failed, "why");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    imbrex::frame_reader in;
    std::vector<imbrex::frame> frames;
    for (std::size_t i = 0; i < bytes.size(); i += piece) {
      in.append(std::string_view(bytes).substr(i, piece));
      while (auto complete = in.next()) frames.push_back(*std::move(complete));
    }
    ASSERT_EQ(frames.size(), 3U) << "in pieces of " << piece;
    EXPECT_EQ(frames[0].kind, frame_kind::gather);
    EXPECT_EQ(frames[0].payload, text);
    EXPECT_EQ(frames[1].payload, "");
    EXPECT_EQ(frames[2].kind, frame_kind::failed);
    EXPECT_EQ(frames[2].payload, "why");
  }
}

TEST(frame, refuses_another_protocol_before_its_length_is_believed) {
  const std::string good = encode_frame(frame_kind::gather, "text");
  for (const std::size_t changed : {0U, 3U, 4U, 7U, 15U}) {  // magic, version, kind twice, length
    std::string bytes = good.substr(0, 16);
    bytes[changed] = '\x7f';
    imbrex::frame_reader in;
    in.append(bytes);
    EXPECT_THROW(in.next(), imbrex::error) << "byte " << changed;
  }
}

TEST(frame, carries_texts_of_all_lengths) {
  const std::vector<std::string> texts{"", std::string(1 << 20, 'x'), "a", std::string(3, '\0')};
  const std::string payload = imbrex::encode_texts(texts);
  EXPECT_EQ(imbrex::decode_texts(payload, 4), texts);
  EXPECT_THROW(imbrex::decode_texts(payload, 3), imbrex::error);
  EXPECT_THROW(imbrex::decode_texts(payload.substr(0, payload.size() - 1), 4), imbrex::error);
  EXPECT_THROW(imbrex::decode_texts(payload + "x", 4), imbrex::error);
}

TEST(frame, carries_a_status) {
  for (const int status : {0, 3, 255, -1})
    EXPECT_EQ(imbrex::decode_status(imbrex::encode_status(status)), status);
  EXPECT_THROW(imbrex::decode_status("abc"), imbrex::error);
  EXPECT_THROW(imbrex::decode_status("abcde"), imbrex::error);
}

}  // namespace
