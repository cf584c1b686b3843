// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

/// The error classes, codes and texts that a rank's program adds to those of the standard. A code of the
/// standard is its own class.
class error_codes {
 public:
  /// A new class, which is its own code; a new code of a class. Throws if `error_class` is none.
  int add_class();
  int add_code(int error_class);
  /// Throws mpi::error if the code is not of the program, or the text is longer than MPI_MAX_ERROR_STRING.
  void set_text(int code, const std::string& text);
  /// Throw unless there is such a one, and, for a class, no code of it.
  void remove_class(int error_class);
  void remove_code(int code);
  void remove_text(int code);

  /// The class of a code, MPI_ERR_UNKNOWN of a number that is none.
  int class_of(int code) const;
  /// What MPI_Error_string answers: the text of the class, for the standard's with what `note` said of it
  /// last. Each number has a text, also one that is no code.
  std::string text_of(int code) const;
  /// The last error of this rank.
  void note(const error& thrown) { last_code_ = thrown.code(), last_text_ = thrown.what(); }
  /// The attribute MPI_LASTUSEDCODE.
  int last_used() const;

 private:
  struct code {
    int error_class;
    bool is_there;
    std::string text;
  };
  const code* find(int number) const;
  code& own(int number);

  std::vector<code> codes_;  ///< the first has the number MPI_ERR_LASTCODE + 1
  int last_code_ = 0;
  std::string last_text_;
};

}  // namespace imbrex::mpi
