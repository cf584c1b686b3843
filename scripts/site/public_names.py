# SPDX-License-Identifier: Apache-2.0
"""The public names of C++: by Doxygen, from the public headers and those that they pass on to."""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check_words  # noqa: E402  divides C++ into code and comments

# Headers of types that programs get from public names and do not include by themselves.
PASSED_ON = ["imbrex/core/array/proxy.hpp", "imbrex/core/name/placement.hpp", "imbrex/core/name/slice.hpp",
             "imbrex/core/pe/pending.hpp", "imbrex/serial/reader.hpp", "imbrex/serial/writer.hpp"]
# Names that must be public for our own code and are nothing for programs.
HIDDEN = """*detail* await_ready await_suspend await_resume collect_unread add_event_pools add_graphs shared_events
    registry refuse_use imbrex::serializer* imbrex::observer_list imbrex::observers imbrex::event_pool
    imbrex::extension::fiber::sanitizers imbrex::extension::fiber::float_control
    imbrex::python::native_* imbrex::python::with_many_of imbrex::mpi::rank_wait imbrex::mpi::awaited_by_rank""".split()
DOXYFILE = """PROJECT_NAME = Imbrex
INPUT = {headers}
RECURSIVE = YES
FILE_PATTERNS = *.hpp
STRIP_FROM_PATH = {root}
OUTPUT_DIRECTORY = {output}
XML_OUTPUT = xml
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXCLUDE_SYMBOLS = {hidden}
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = IMBREX_DEVICE= IMBREX_HOST_AND_DEVICE= IMBREX_SELDOM= IMBREX_UNSEEN_BY_SANITIZERS=
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_LOGFILE = {output}/warnings.txt
"""
# Doxygen cannot place specialisations of templates of other namespaces, nor some functions of ours that are not public.
ABOUT_OTHERS = re.compile(r"scope for class|no uniquely matching class member found for \n(.*\n)?.*detail::")
# A deduction guide looks like a function to Doxygen.
GUIDE = re.compile(r"^template <[^\n]*>\s[a-z_]+\([^;{}]*\) -> [^;{}]*;", re.MULTILINE)


def is_passing_on(text):
    """True if a header has nothing but includes."""
    return not re.sub(r"//.*|^ *#.*", "", text, flags=re.MULTILINE).strip()


def headers_of(root):
    """The headers with public names, each with the headers by which programs include it."""
    listed = re.findall(r"^  (imbrex/\S+\.hpp)$", (root / "cmake/PublicHeaders.cmake").read_text(), re.MULTILINE)
    found = {}

    def add(header, by):
        text = (root / header).read_text()
        if not is_passing_on(text):
            found.setdefault(header, set()).add(by)
            return
        for inner in re.findall(r"#include <(imbrex/[^>]+)>", text):
            if inner not in listed or is_passing_on((root / inner).read_text()):
                add(inner, by)

    for header in listed:
        add(header, header)
    for header in PASSED_ON:
        found.setdefault(header, {"imbrex/imbrex.hpp"})
    return found


def open_bracket(text):
    """The line of a bracket without its counterpart, which Doxygen would pass over; nothing if there is none."""
    code = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', "", check_words.split_cpp(text)[0])
    unclosed = []
    for number, line in enumerate(code.split("\n"), 1):
        for bracket in re.findall(r"[()\[\]{}]", "" if line.lstrip().startswith("#") else line):
            if bracket in "([{":
                unclosed.append((bracket, number))
            elif not unclosed or unclosed.pop()[0] + bracket not in ("()", "[]", "{}"):
                return number
    return unclosed[-1][1] if unclosed else None


def run_doxygen(root, output):
    """Writes the XML of the public headers below `output`; returns the complaints about the headers."""
    copies, complaints = output / "headers", []
    for name in headers_of(root):
        if line := open_bracket((root / name).read_text()):
            complaints.append(f"{name}:{line}: a bracket has no counterpart")
        copy = copies / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(GUIDE.sub(lambda found: "\n" * found.group().count("\n"), (root / name).read_text()))
    settings = DOXYFILE.format(root=copies, output=output, headers=copies, hidden=" ".join(HIDDEN))
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=copies)
    log = (output / "warnings.txt").read_text().replace(f"{copies}/", "")
    warnings = re.split(r"\n(?=\S+:\d+: )", log.strip())
    return complaints + [warning for warning in warnings if warning and not ABOUT_OTHERS.search(warning)]


def description_of(element):
    parts = [part for name in ("briefdescription", "detaileddescription", "inbodydescription")
             for part in element.findall(name)]
    return " ".join("".join(part.itertext()).strip() for part in parts).strip()


# Names to which the standard library, or the rules of serialisation, give the meaning: a comment would repeat it.
CONVENTIONAL = set("""
    begin end size empty data clear value_type element_type reference pointer difference_type size_type iterator
    iterator_category iterator_concept extents_type index_type strides_type layout_type mapping_type data_handle_type
    rank extent extents stride strides mapping data_handle is_exhaustive size_bytes serialize min max result_type
    promise_type what reading
""".split())


def needs_no_comment(member):
    """Operators, destructors, conventional names, and what is defaulted need none."""
    name = member.findtext("name", "")
    arguments = member.findtext("argsstring", "") or ""
    return (name in CONVENTIONAL or name.startswith(("operator", "~", "@")) or member.get("kind") == "friend"
            or re.search(r"= ?(default|delete)$", arguments) is not None)


def names_of(folder):
    """Each public name with its file, its line, and its description."""
    for path in sorted((folder / "xml").glob("*.xml")):
        if path.name == "index.xml":
            continue
        for compound in xml.parse(path).getroot().findall("compounddef"):
            name = compound.findtext("compoundname", "")
            if compound.get("kind") not in {"namespace", "class", "struct", "union"} or "detail" in name:
                continue
            if not name.startswith("imbrex") or compound.get("prot", "public") != "public":
                continue
            where = compound.find("location")
            if compound.get("kind") != "namespace" and compound.get("prot") == "public":
                yield name, where.get("file"), where.get("line"), description_of(compound)
            overloads, comments = {}, {}  # one comment may be for all names of a line, or for all overloads
            for member in compound.iter("memberdef"):
                if member.get("prot") == "public" and not needs_no_comment(member):
                    place = member.find("location")
                    line = (place.get("file"), place.get("line"))
                    overloads.setdefault((member.findtext("name"), line[0]), []).append(line)
                    comments[line] = comments.get(line) or description_of(member)
            for (member, file), lines in overloads.items():
                comment = next((comments[line] for line in lines if comments[line]), "")
                yield f"{name}::{member}", file, lines[0][1], comment


def without_comment(folder, headers):
    """The public names of these headers that have no comment, or one that only repeats the name."""
    names = list(names_of(folder))
    # A function that is defined apart has its comment where it is declared.
    commented = {name for name, _, _, comment in names if comment}
    for name, file, line, comment in names:
        if file not in headers or (not comment and name in commented):
            continue
        words = re.findall(r"\w+", comment.lower())
        repeated = set(re.findall(r"[a-z0-9]+", name.lower())) | {"the", "a", "an", "of", "this", "it", "s"}
        if not set(words) - repeated:
            yield name, file, line
