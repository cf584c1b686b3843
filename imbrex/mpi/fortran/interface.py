# SPDX-License-Identifier: Apache-2.0
"""Reads the headers of C: the functions and constants that Fortran has."""
import dataclasses
import re

HEADERS = ["mpi_functions.h", "mpi_io.h"]
ABSENT = "absent.cpp"

# Functions that only C has, and functions that Fortran has under another name or by hand.
NOT_IN_FORTRAN = re.compile(r"Device_\w+|Status_(c2f|f2c|f082c|c2f08|f082f|f2f08)|File_(c2f|f2c)|"
                            r"Query_cuda_support|Session_\w+|Group_from_session_pset|Comm_create_from_group|\w+_c$")
LOGICALS = {"flag", "reorder", "commute", "high", "periods", "remain_dims", "weighted"}
# Removed from MPI in its third version: they have default integers where C has addresses, and no f08 interface.
REMOVED = {"Attr_delete", "Attr_get", "Attr_put", "Keyval_create", "Keyval_free", "Address", "Type_extent", "Type_lb",
           "Type_ub", "Type_hindexed", "Type_hvector", "Type_struct", "Errhandler_create", "Errhandler_get",
           "Errhandler_set"}
UPDATED = re.compile(r"(Comm|Type|Win|Group|Op|Info|Request|Errhandler)_free|\w*_free_keyval|Comm_disconnect|Cancel|"
                     r"Start|Startall|Wait\w*|Test\w*|Type_commit|I?mrecv|Dims_create|File_close")
BUFFERS = {"buf", "sendbuf", "recvbuf", "buffer", "inbuf", "outbuf", "inoutbuf", "origin_addr", "result_addr",
           "compare_addr", "base", "location"}
POINTERS = {"baseptr", "buffer_addr"}
WEIGHTS = {"weights", "sourceweights", "destweights"}
ONE_SIDED = re.compile(r"R?(Put|Get|Accumulate|Get_accumulate)|Compare_and_swap|Fetch_and_op", re.IGNORECASE)
WITHOUT = {"Init": {"argc", "argv"}, "Init_thread": {"argc", "argv"}, "Info_create_env": {"argc", "argv"}}
RESULTS = {"double": ("double", "double precision"), "MPI_Aint": ("MPI_Aint", "integer(MPI_ADDRESS_KIND)")}
HANDLES = ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Win", "Session"]
KINDS = {"MPI_Aint": "address", "MPI_Count": "count", "MPI_Offset": "offset", "int": "integer",
         "double": "double"}
WIDTHS = {"integer": 4, "address": 8, "count": 8, "offset": 8}


@dataclasses.dataclass
class Parameter:
    name: str
    kind: str           # one of KINDS, "logical", a handle's name, or buffer, pointer, text, procedure, status
    intent: str = "in"
    is_array: bool = False
    type: str = ""      # type in C; for a procedure, the name of its type

    def is_of_handle(self):
        return self.kind in HANDLES


@dataclasses.dataclass
class Function:
    name: str           # without MPI_
    prefix: str         # "MPI", "MPIX" or "AMPI"
    result: str
    parameters: list
    is_absent: bool

    def has_buffers(self):
        return any(p.kind == "buffer" for p in self.parameters)


def read_parameter(function, text):
    text = " ".join(text.split())
    match = re.fullmatch(r"(.*?[\s*])(\w+)((?:\[\d*\])*)", text)
    type_, name, brackets = match[1].replace(" ", ""), match[2], match[3]
    is_constant = type_.startswith("const")
    type_ = type_.removeprefix("const")
    name = {"indx": "index"}.get(name, name)
    is_updated = UPDATED.fullmatch(function) or name in ("position", "buflen")
    intent = "in" if is_constant else "inout" if is_updated else "out"
    is_pointer = type_.endswith("*") or bool(brackets)
    base = type_.rstrip("*")
    is_old = function in REMOVED
    if base == "void":
        if name in BUFFERS:
            return Parameter(name, "buffer", intent)
        if name in POINTERS:
            return Parameter(name, "pointer", "out")
        kind = "integer" if is_old else "address"  # attributes, and arguments of callbacks
        return Parameter(name, kind, "out" if re.search(r"_get_attr|Attr_get", function) and name == "attribute_val"
                         else "in", False, "int" if is_old else "MPI_Aint")
    if base.endswith(("_function", "_function_c")):
        return Parameter(name, "procedure", "in", False, base.removeprefix("MPI_"))
    if base == "char":
        return Parameter(name, "text", intent, bool(brackets) and name != "datarep" or type_.count("*") > 1)
    if base == "MPI_Status":
        is_array = name == "array_of_statuses"
        return Parameter(name, "status", "in" if is_constant else "out", is_array)
    is_array = bool(brackets) or is_constant and is_pointer or name in {"coords", "dims"}
    if base.startswith("MPI_") and base not in KINDS:
        kind = base.removeprefix("MPI_")
    else:
        kind = KINDS[base]
        if kind == "integer" and name in LOGICALS:
            kind = "logical"
        if is_old and kind == "address":
            kind = "integer"
    return Parameter(name, kind, intent if is_pointer else "in", is_array, base)


def read_functions(folder):
    """The functions of Fortran, by their names without MPI_ or MPIX_; those with large counts have the names of C."""
    absent = set(re.findall(r"^IMBREX_MPI_ABSENT\((\w+),", (folder / "../api" / ABSENT).read_text(), re.MULTILINE))
    functions = {}
    for header in HEADERS:
        text = (folder / header).read_text()
        for prefix, result, name, parameters in re.findall(r"^IMBREX_(A?MPIX?)\((\w+), (\w+), \(([^()]*)\)\)", text,
                                                           re.MULTILINE | re.DOTALL):
            if parameters == "void":
                parameters = ""
            if name == "Pcontrol":
                parameters = "int level"
            read = [read_parameter(name.removesuffix("_c"), p) for p in parameters.split(",") if p]
            read = [p for p in read if p.name not in WITHOUT.get(name, ())]
            key = f"AMPI_{name}" if prefix == "AMPI" else name
            functions[key] = Function(name, prefix, result, read, key in absent)
    return functions


def of_fortran(functions):
    return [f for name, f in functions.items() if not NOT_IN_FORTRAN.fullmatch(name)]


def large_of(functions, function):
    """The function with large counts, if Fortran can distinguish it from the other by the length of integers."""
    large = functions.get(function.name + "_c")
    if large is None or function.name in REMOVED:
        return None
    differ = any(WIDTHS.get(a.kind) != WIDTHS.get(b.kind) or a.is_array != b.is_array
                                                 for a, b in zip(function.parameters, large.parameters))
    return large if differ or len(function.parameters) != len(large.parameters) else None


def argument_name(name):
    """In C++ and in Fortran: a name that is neither a word of C++ nor of a type here."""
    return {"assert": "assertion", "keyval": "keyval_", "text": "text_"}.get(name, name)


def f08_name(function, is_large, prefix="mpi"):
    """Without the compiler's underscore."""
    suffix = "f08ts" if function.has_buffers() else "f08"
    word = function.prefix.lower().replace("mpi", prefix, 1)
    name = function.name.removesuffix("_c").lower() if is_large else function.name.lower()
    return f"{word}_{name}_{suffix}" + ("_large" if is_large else "")


def is_nonblocking(name):
    return (ONE_SIDED.fullmatch(name) or name.endswith("_init") or
            re.match(r"I(?!nfo|nter|nit|s_)|File_(i(read|write)|\w+_begin)", name) or
            name in ("Win_create", "Win_attach", "Buffer_attach"))


def function_names(functions):
    """The names of Fortran as the compiler spells them, without names that differ only in their underscores."""
    names = []
    for f in of_fortran(functions):
        names.append(f"{f.prefix.lower()}_{f.name.lower()}")
        if f.name not in REMOVED:
            names.append(f08_name(f, False))
            if large_of(functions, f):
                names.append(f08_name(f, False) + "_large")
    return names


NOT_CONSTANTS = re.compile(r"A?MPI_(\w+_FN|\w*(STATUS|STATUSES|ERRCODES)_IGNORE|ARGVS?_NULL|BOTTOM|IN_PLACE|F_\w+|"
                           r"T_\w+|INCLUDED|CONVERSION_FN_NULL|\w+_(f2c|c2f))")
SHORTER = re.compile(r"MPI_MAX_(ERROR_STRING|PORT_NAME|OBJECT_NAME|INFO_KEY|INFO_VAL|PROCESSOR_NAME|DATAREP_STRING|"
                     r"LIBRARY_VERSION_STRING|STRINGTAG_LEN)")
KEYVALS = re.compile(r"MPI_(TAG_UB|HOST|IO|WTIME_IS_GLOBAL|UNIVERSE_SIZE|LASTUSEDCODE|APPNUM|"
                     r"WIN_(BASE|SIZE|DISP_UNIT|CREATE_FLAVOR|MODEL))")


def read_constants(folder):
    """(name, value, handle or None) in the order of the headers."""
    text = (folder / "mpi.h").read_text() + (folder / "mpi_io.h").read_text()
    found = {}
    for name, value in re.findall(r"^#define (A?MPI_\w+)[ ](.*)$", text, re.MULTILINE):
        if not NOT_CONSTANTS.fullmatch(name):
            found[name] = value
    for body in re.findall(r"^enum \{(.*?)\};", text, re.MULTILINE | re.DOTALL):
        found.update(re.findall(r"(MPI_\w+) = (\d+)", body))

    def evaluate(value):
        handle = re.search(r"\(MPI_(\w+)\)", value)
        plain = re.sub(r"\(MPI_\w+\)", "", value).strip("() ")
        if plain.startswith("MPI_"):
            number, other = evaluate(found[plain])
            return number, handle[1] if handle else other
        number = int(plain, 0)
        return number - (1 << 32) if number >= 1 << 31 else number, handle[1] if handle else None

    constants = []
    for name, value in found.items():
        number, handle = evaluate(value)
        if SHORTER.fullmatch(name):
            number -= 1  # no place for an end
        elif KEYVALS.fullmatch(name):
            number += 1  # so that values, and not pointers to them, are passed
        constants.append((name, number, handle))
    return constants
