# SPDX-License-Identifier: Apache-2.0
"""The programs, commands, options, paths and variables that documents name, compared with those of the tree.

The options come from the tables of the programs themselves: `{"--pes", "N", ...}` in C++, and add_argument in Python.
A line of a ```sh block, and a code span that begins with a program, may have the options of the programs that it names.
"""
import os
import pathlib
import re

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]*")
VARIABLE = re.compile(r"\bIMBREX_[A-Z][A-Z0-9_]*\b")
SETTING = re.compile(r"(?:^|\s)(?:export )?([A-Z][A-Z0-9_]{2,})=")
TABLE = re.compile(r'(?:\.words\s*=\s*\{|\.flag\(|\.option\(|\{|_argument\(|add_flag\(|add_option\()\s*'
                   r'"(?:-\w["|,\s]+)?(--[a-z][a-z0-9-]*)')
CONSTRUCTED = re.compile(r'[({]\s*"imbrex ([a-z]+(?: [a-z]+)?)",')
SUBCOMMAND = re.compile(r'\{"([a-z]+)", "[^"]*",\s*(?:parse_and_run|\[)')
CMAKE_PROGRAM = re.compile(r"^\s*(?:imbrex_program|imbrex_example|add_executable)\((\w+)", re.MULTILINE)
PREFIXED_PROGRAM = re.compile(r"^\s*(?:processes|gpu)_program\((\w+)", re.MULTILINE)
MACRO = re.compile(r"\b(IMBREX_[A-Z0-9_]+)\(")
CMAKE_OPTION = re.compile(r"\b(?:option\(|set\()\s*(IMBREX_\w+)|\$\{(IMBREX_\w+)\}|-D ?(IMBREX_\w+)")
CMAKE_SETTING = re.compile(r'\b(?:option\(|set\()(IMBREX_\w+)(?: \S+ CACHE STRING)?\s+"([^"]+)"')
RUNTIME = re.compile(r"imbrex/(core|trace|sched|net|device|mpi/launch|checkpoint)/")
DOCUMENT = re.compile(r"(?<![\w/])docs/[\w-]+\.md")
INCLUDED = re.compile(r"<(imbrex/[\w/]+\.hpp)>")
PATH = re.compile(r"(?<![\w./$<{-])(?:\./)?((?:apps|bench|cmake|docs|examples|imbrex|scripts|tests)/[\w./-]+)")
LANGUAGES = {"c", "cmake", "cpp", "cuda", "json", "python", "sh", "text", "toml"}
UNREAD = {"build", ".git", ".cache", "__pycache__"}

# Options that documents name of the programs of others.
FOREIGN = {
    "apt": set(), "export": set(), "head": set(), "pip": set(), "python": set(), "python3": set(), "sed": set(),
    "nsys": set(), "sudo": set(), "umask": set(), "scontrol": set(), "module": set(),
    "clang++-19": {"--cflags", "--libs"}, "pkg-config": {"--cflags", "--libs"},
    "cmake": {"--build", "--install", "--prefix", "--preset", "--target", "--component"},
    "ctest": {"--preset"},
    "mpirun": {"--n", "--np", "--oversubscribe"}, "srun": {"--mpi", "--kill-on-bad-exit", "--ntasks"}, "prterun": set(),
    "nanobind": {"--cmake-dir"},
    "torchrun": {"--no-python", "--nproc-per-node"},
    "docker": {"--shm-size", "--security-opt"},
    "valgrind": {"--tool", "--cache-sim"},
    "a test": {"--gtest_filter"},
    "a benchmark": {"--benchmark_filter", "--benchmark_min_time", "--benchmark_repetitions"},
    "a program of Charm++": {"--expected"},
}
# Options that documents name as mistakes, or as those of a reader's program.
EXAMPLES = {"--pse", "--priority"}
# Programs of the reader, for whom the documents use these names.
READERS = {"app", "ring", "solver", "prog.py", "program.py", "mine.py"}


def files_below(root, endings):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - UNREAD)
        for name in sorted(files):
            if pathlib.Path(name).suffix in endings:
                yield pathlib.Path(folder, name)


def variables_read(root):
    """The variables IMBREX_... that the library, the commands and the package name, with a file of each."""
    found = {}
    for path in files_below(root / "imbrex", {".cpp", ".hpp", ".py"}):
        if ".test." not in path.name and path.name != "conftest.py":
            for name in re.findall(r'"(IMBREX_[A-Z_]+)"', path.read_text()):
                found.setdefault(name, path.relative_to(root).as_posix())
    return found


def cmake_options(root):
    """The options of CMake with their descriptions."""
    found = {}
    for path in files_below(root, {".txt", ".cmake"}):
        for name, meaning in CMAKE_SETTING.findall(path.read_text()):
            found[name] = meaning
    return found


class Names:
    """The names of the tree at `root`."""

    def __init__(self, root):
        self.root = root
        self.options = set()  # of all programs
        self.options_of = {}  # by program, or by "imbrex run"
        self.variables, self.documents_named = set(), []
        self.programs = {"imbrex", "imbrex-mpicc", "imbrex-mpicxx", "imbrex-mpifort", "imbrex-mpiexec", "./dev"}
        by_file, commands_of, folder_of = {}, {}, {}
        for path in files_below(root, {".cpp", ".hpp", ".py", ".txt", ".cmake", ".h", ".c", ".cu", ".in", ".sh"}):
            text, short = path.read_text(), path.relative_to(root).as_posix()
            if path.name == "document_names.py" or path.name.endswith("_test.py"):
                continue
            self.variables |= set(re.findall(r"[\"'${]([A-Z][A-Z0-9_]{2,})(?=[\"'=}:])", text))
            self.variables |= set(MACRO.findall(text))
            self.variables |= {name for found in CMAKE_OPTION.findall(text) for name in found if name}
            if path.suffix == ".txt":
                folder = short.rpartition("/")[0]
                folder_of.update({program: folder for program in CMAKE_PROGRAM.findall(text)})
                folder_of.update({f"{folder.rpartition('/')[2]}_{program}": folder
                                  for program in PREFIXED_PROGRAM.findall(text)})
            if path.suffix in {".cpp", ".hpp"} and ".test." not in path.name:
                self.documents_named += [(short, name) for name in DOCUMENT.findall(text)]
            if ".test." in path.name or "tests/" in short:
                continue
            by_file[short] = set(TABLE.findall(text))
            self.options |= by_file[short]
            for found in CONSTRUCTED.finditer(text):
                commands_of.setdefault(found[1] or found[2], []).append((short, text))
        self.programs |= set(folder_of)
        self.dev = set()
        dev = root / "dev"
        if dev.exists():
            self.dev = set(re.findall(r"^  ([a-z]+)  ?\s*", dev.read_text().split("TEXT")[1], re.MULTILINE))
            self.options |= set(OPTION.findall(dev.read_text()))
            self.options_of["./dev"] = set(OPTION.findall(dev.read_text())) | FOREIGN["a benchmark"] | {
                option for file, found in by_file.items() if file.startswith("bench/instructions/") for option in found}
        self.runtime = {"--help", "--version", "--options"}.union(
            *(found for file, found in by_file.items() if RUNTIME.match(file)))
        self.commands, self.subcommands = set(), {}
        self.read_commands(by_file, commands_of)
        for program, folder in folder_of.items():
            near = ("apps/", "bench/") if folder.startswith("bench") else (folder + "/", "apps/harness/")
            self.options_of[program] = {option for file, found in by_file.items() if file.startswith(near)
                                        for option in found}
        for file, found in by_file.items():
            if file.endswith(".py"):
                self.options_of[file] = found

    def read_commands(self, by_file, commands_of):
        listed = self.root / "imbrex/tools/commands.cpp"
        if not listed.exists():
            return
        self.commands = set(SUBCOMMAND.findall(listed.read_text()))
        for command, places in commands_of.items():
            for file, text in places:
                folder = file.rsplit("/", 1)[0]
                if "command_list " in text and command in self.commands:
                    self.subcommands[command] = set(SUBCOMMAND.findall(text))
                near = {option for other, found in by_file.items() for option in found
                        if (other == file if folder == "imbrex/tools" else other.startswith(folder + "/"))}
                more = self.runtime if re.search(r"runtime_options\(\)|\.others\(", text) else set()
                self.options_of.setdefault("imbrex " + command, {"--help", "--options"}).update(near | more)

    def has_path(self, path):
        return (self.root / path.rstrip("/.,")).exists()

    def program_in(self, word):
        """The program that this word of a command line names, or nothing."""
        name = word if word == "./dev" else word.rsplit("/", 1)[-1]
        return name if name in self.programs or name in READERS else None

    def line_complaints(self, line):
        """The complaints about a command line, without their places."""
        line = re.sub(r"(^|\s)#.*$", "", line)
        words = re.findall(r"(?:'[^']*'|\"[^\"]*\"|[^\s|;()'\"])+", line)
        words = [word.lstrip("(") for word in words if not re.fullmatch(r"[A-Z][A-Z0-9_]*=.*|&&|>\S*|2>\S*", word)]
        if not words:
            return
        allowed, readers_part = set(), ""
        for at, word in enumerate(words):
            following, deeper = (words[at + 1:at + 3] + ["", ""])[:2]
            name = self.program_in(word)
            is_known = bool(name) or word in FOREIGN or word.endswith(".py") or (
                word.startswith("./") and self.has_path(word))
            if at == 0 and not is_known and not (self.root / word).is_file():
                yield f"there is no program {word}"
                return
            if word == "imbrex" and re.fullmatch(r"[a-z]+", following):
                if following not in self.commands:
                    yield f"imbrex has no command {following}"
                command = following
                if following in self.subcommands and re.fullmatch("[a-z]+", deeper):
                    command += " " + deeper
                    if deeper not in self.subcommands[following]:
                        yield f"imbrex {following} has no command {deeper}"
                allowed |= self.options_of.get("imbrex " + command, set())
            elif word == "imbrex" and following == "--version":
                allowed.add("--json")
            elif word == "./dev" and following and not following.startswith("-") and following not in self.dev:
                yield f"./dev has no command {following}"
            if name == "imbrex-mpiexec":
                allowed |= self.options_of.get("imbrex mpiexec", set())
            elif name or word.endswith(".py"):
                allowed |= self.options_of.get(word.removeprefix("./"), set()) | self.options_of.get(name, set())
                allowed |= {"--help", "--version"} if word in {"imbrex", "./dev"} else self.runtime
            allowed |= FOREIGN.get(word, set()) | self.options_of.get(word, set())
            if name in READERS:  # its own options may follow
                readers_part = line[line.index(word):]
                break
        for option in OPTION.findall(line.removesuffix(readers_part)):
            if option not in allowed:
                yield f"{option} is no option of these programs"
        for option in OPTION.findall(readers_part):
            if option not in self.options and option not in self.runtime:
                yield f"{option} is no option of these programs"


def lines_of(block):
    """The command lines of a block with the numbers of their first lines; a backslash continues one."""
    begun, first = "", 0
    for number, line in enumerate(block.split("\n")):
        first = first if begun else number
        if line.endswith("\\"):
            begun += line[:-1] + " "
            continue
        if (begun + line).strip():
            yield first, begun + line
        begun = ""


def document_complaints(names, text):
    """Pairs of a line number and a complaint about a document with this text."""
    everyone = names.options | EXAMPLES | {"--help", "--version"} | set().union(*FOREIGN.values())
    for block in FENCE.finditer(text):
        first = text[:block.start()].count("\n") + 1
        if block["language"] not in LANGUAGES:
            yield first, f"a block of code is of one of these languages: {' '.join(sorted(LANGUAGES))}"
        if block["language"] == "sh":
            for number, line in lines_of(block["text"]):
                for complaint in names.line_complaints(line):
                    yield first + 1 + number, complaint
                for path in PATH.findall(re.sub(r"#.*", "", line)):
                    if not names.has_path(path):
                        yield first + 1 + number, f"the tree has no {path}"
                for variable in SETTING.findall(line):
                    if variable not in names.variables:
                        yield first + 1 + number, f"no program reads the variable {variable}"
        if block["language"] in {"sh", "text"}:
            for option in OPTION.findall(re.sub(r"(^|\s)#.*", "", block["text"])):
                if option not in everyone:
                    yield first, f"{option} is an option of no program"
            for variable in VARIABLE.findall(block["text"]):
                if variable not in names.variables:
                    yield first, f"no program reads the variable {variable}"
    rest = FENCE.sub(lambda found: "\n" * found.group().count("\n"), text)
    for paragraph in re.finditer(r"(?:[^\n]+\n?)+", rest):
        for span in SPAN.finditer(paragraph.group()):
            line = rest[:paragraph.start() + span.start()].count("\n") + 1
            inside = span[1]
            if "\n" in inside:
                yield line, f"a code span has a line end: `{inside.replace(chr(10), ' ')}`"
                continue
            begins = inside.split()[0] if inside.split() else ""
            is_line = " " in inside and (names.program_in(begins) or begins in {"imbrex", "./dev"})
            if is_line and not re.search(r"\.\.\.|[{}<>\[\]|]", inside):
                for complaint in names.line_complaints(inside):
                    yield line, f"`{inside}`: {complaint}"
            for option in OPTION.findall(inside):
                if option not in everyone:
                    yield line, f"`{inside}`: {option} is an option of no program"
            for variable in VARIABLE.findall(inside):
                if variable not in names.variables and not inside.endswith("*"):
                    yield line, f"`{inside}`: no program reads the variable {variable}"


def tree_complaints(root, documents):
    """The complaints about the names in `documents` of the tree at `root`."""
    names = Names(root)
    for document in documents:
        for line, complaint in document_complaints(names, document.read_text()):
            yield f"{document.relative_to(root)}:{line}: {complaint}"
    for file, document in names.documents_named:
        if not (root / document).exists():
            yield f"{file}: there is no {document}"


def installed_complaints(prefix, documents):
    """The complaints about what installed documents and headers name, and is not installed."""
    folder = prefix / "share/doc/imbrex"
    for document in documents:
        text = document.read_text()
        for block in FENCE.finditer(text):
            if block["language"] != "sh":
                continue
            first = text[:block.start()].count("\n") + 2
            for number, line in lines_of(block["text"]):
                for path in PATH.findall(re.sub(r"#.*", "", line)):
                    if not (folder / path).exists():
                        yield f"{document.relative_to(prefix)}:{first + number}: {path} is not installed"
    for header in files_below(prefix / "include", {".hpp", ".h", ".cuh"}):
        text = header.read_text()
        for name in sorted(set(INCLUDED.findall(text))):
            if not (prefix / "include" / name).exists():
                yield f"{header.relative_to(prefix)}: {name} is not installed"
        for name in sorted(set(DOCUMENT.findall(text))):
            if not (folder / name).exists():
                yield f"{header.relative_to(prefix)}: {name} is not installed"
