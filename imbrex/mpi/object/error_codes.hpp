// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

/// Error classes, codes and texts that a rank's program adds to the standard's. A code of the standard is its
/// own class.
class error_codes {
 public:
  /// Add a class, which is also a code, or a code of a class. Throws if `error_class` is not a class.
  int add_class();
  int add_code(int error_class);
  /// Throws mpi::error if the program has not added the code, or the text exceeds MPI_MAX_ERROR_STRING.
  void set_text(int code, const std::string& text);
  /// Throw unless the number has been added; `remove_class` also if the class still has codes.
  void remove_class(int error_class);
  void remove_code(int code);
  void remove_text(int code);

  /// The class of a code; MPI_ERR_UNKNOWN for any other number.
  int class_of(int code) const;
  /// The result of MPI_Error_string: the text of the code. If a standard class was the last error, the text
  /// of `note` is appended. Every number has a text, even if it is not a code.
  std::string text_of(int code) const;
  /// Records the last error of this rank, for `text_of`.
  void note(const error& thrown) { last_code_ = thrown.code(), last_text_ = thrown.what(); }
  /// The attribute MPI_LASTUSEDCODE.
  int last_used() const;
  void serialize(auto& ar) { ar(codes_, last_code_, last_text_); }

 private:
  struct code {
    int error_class;
    bool is_there;
    std::string text;
    void serialize(auto& ar) { ar(error_class, is_there, text); }
  };
  const code* find(int number) const;
  code& own(int number);

  std::vector<code> codes_;  ///< the first has the number MPI_ERR_LASTCODE + 1
  int last_code_ = 0;
  std::string last_text_;
};

}  // namespace imbrex::mpi
