#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_classes.py itself: what it counts as a member, and what it complains about."""
import pathlib
import tempfile
import unittest

from check_classes import Source, check


class CheckClasses(unittest.TestCase):
    def members(self, text, name="a"):
        found = {made.name: made for made in Source(pathlib.Path("a.hpp"), text).classes}
        return len(found[name].data), found[name].functions

    def complaints(self, files, wider={}):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, "imbrex", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return "\n".join(check(pathlib.Path(folder), wider))

    def test_data(self):
        self.assertEqual(self.members("""
            class a : public b<int>, c::d {
              int one_ = 1, two_{2}, three_;
              static constexpr int none_ = 3;
              std::map<int, std::function<void(int)>> four_;  // int comment_;
              void (*five_)(int value) = nullptr;
              unsigned six_ : 3 = 0;
              union { int seven_; struct { char eight_; }; };
              struct { int inner; } nine_;
              struct nested { int inner; };
              enum class kind { x, y };
              using type = int;
              friend class other;
              std::array<int, (2 > 1)> ten_{};
              const char* eleven_ = "int text_;";
              alignas(64) mutable std::atomic<bool> twelve_ = limit < 3;
            };"""), (12, []))

    def test_functions(self):
        self.assertEqual(self.members("""
            struct [[nodiscard]] a final : b {
              a() : x_{1}, y_(2) { int local; }
              explicit a(int);
              ~a() override;
              a& operator=(const a&) = delete;
              bool operator()(int) const { return true; }
              explicit operator bool() const { return x_; }
              int one() const noexcept { return x_; }
              template <class T> requires std::same_as<T, int> && (sizeof(T) > 2)
              static auto two(T value = {}) -> decltype(value) { if (value) { f(); } return value; }
              virtual void three(void (*f)(int)) = 0;
              [[noreturn]] void three();
              std::pair<int, int> four(int = 0), *five();
              template <class T> using other = T;
              int x_;
            };"""), (1, ["one", "two", "three", "three", "four"]))

    def test_names_are_whole(self):
        self.assertEqual(self.members("namespace i::j { namespace { class b { struct a { int x; }; }; } }",
                                      "i::j::b::a"), (1, []))

    def test_wide_class(self):
        data = "class a { %s };" % " ".join(f"int x{i}_;" for i in range(21))
        self.assertIn("a has 21 data members and 0 functions", self.complaints({"a.hpp": data}))
        functions = "class a { %s };" % " ".join(f"void f{i}();" for i in range(41))
        self.assertIn("a has 0 data members and 41 functions", self.complaints({"a.hpp": functions}))
        self.assertEqual("", self.complaints({"a.test.hpp": data, "b.hpp": "class a { int x; };"}))

    def test_base_that_is_a_part(self):
        half = " ".join(f"int x{i}_;" for i in range(11))
        parts = {"b/a.hpp": "class base { %s }; class a : public base { %s };" % (half, half)}
        self.assertIn("a has 22 data members", self.complaints(parts))
        self.assertEqual("", self.complaints({**parts, "b/c.hpp": "struct c : base {};"}))

    def test_figures_only_sink(self):
        text = {"a.hpp": "class a { %s };" % " ".join(f"int x{i}_;" for i in range(25))}
        self.assertEqual("", self.complaints(text, {"a": (25, 0)}))
        self.assertIn("of at most 24 and 0", self.complaints(text, {"a": (24, 0)}))
        self.assertIn("b is no longer wide", self.complaints(text, {"a": (25, 0), "b": (30, 1)}))


if __name__ == "__main__":
    unittest.main()
