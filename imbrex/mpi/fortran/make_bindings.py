#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the interface of Fortran out of the headers of C: what each function of MPI is called by in Fortran, in C++,
and the constants and interfaces that Fortran programs see, in Fortran.

The names and the order of arguments are those of MPICH's libmpichfort, as gfortran makes them, so that programs that
were built for it find them: mpi_send_ and its spellings take addresses, mpi_send_f08ts_ takes descriptors for buffers,
mpi_send_f08ts_large_ counts of 64 bits.

usage: make_bindings.py HEADER_FOLDER OUTPUT_FOLDER    writes the files that are called as the functions below are
       make_bindings.py HEADER_FOLDER --names          prints the names of functions of Fortran
"""
import dataclasses
import pathlib
import re
import sys
import textwrap

HEADERS = ["mpi_functions.h", "mpi_io.h"]
ABSENT = "absent.cpp"

# What only C has, or what Fortran has under another name or by hand.
NOT_IN_FORTRAN = re.compile(r"Device_\w+|Status_(c2f|f2c|f082c|c2f08|f082f|f2f08)|File_(c2f|f2c)|"
                            r"Query_cuda_support|\w+_c$")
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
# Calls that C has otherwise, as text of C++ in which the arguments have their names.
CALLS = {
    "Init": "MPI_Init(nullptr, nullptr)",
    "Init_thread": "MPI_Init_thread(nullptr, nullptr, *required, provided)",
    "Info_create_env": "MPI_Info_create_env(0, nullptr, info)",
    "Info_get": "get_info(*info, info_text(key, key_length), *valuelen, value, value_length, flag)",
    "Info_get_string": "get_info_string(*info, info_text(key, key_length), buflen, value, value_length, flag)",
    "Op_create": "MPI_Op_create(reinterpret_cast<MPI_User_function*>(user_fn), *commute, op)",
    "Op_create_c": "MPI_Op_create_c(reinterpret_cast<MPI_User_function_c*>(user_fn), *commute, op)",
    "Comm_create_errhandler": "MPI_Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>("
                              "comm_errhandler_fn), errhandler)",
    "Errhandler_create": "MPI_Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>("
                         "comm_errhandler_fn), errhandler)",
    "Win_create_errhandler": "MPI_Win_create_errhandler(reinterpret_cast<MPI_Win_errhandler_function*>("
                             "win_errhandler_fn), errhandler)",
    "File_create_errhandler": "MPI_File_create_errhandler(reinterpret_cast<MPI_File_errhandler_function*>("
                              "file_errhandler_fn), errhandler)",
    "Grequest_start": "start_request(query_fn, free_fn, cancel_fn, *extra_state, request)",
    "Address": "get_old_address(buffer_of(location), address)",
    "Type_extent": "MPI_Type_extent(*datatype, narrow_result(extent))",
    "Type_lb": "MPI_Type_lb(*datatype, narrow_result(displacement))",
    "Type_ub": "MPI_Type_ub(*datatype, narrow_result(displacement))",
    "Type_hindexed": "MPI_Type_hindexed(*count, array_of_blocklengths, wide(array_of_displacements, *count), *oldtype, "
                     "newtype)",
    "Type_struct": "MPI_Type_struct(*count, array_of_blocklengths, wide(array_of_displacements, *count), "
                   "array_of_types, newtype)",
    "Keyval_create": 'create_keyval("MPI_Keyval_create", handle_kind::communicator, '
                     'keyval::language::fortran_default, copy_fn, delete_fn, keyval_, *extra_state)',
    "Attr_put": 'set_attribute("MPI_Attr_put", handle_kind::communicator, *comm, *keyval, *attribute_val)',
    "Attr_get": 'get_old_attribute(*comm, *keyval, attribute_val, flag)',
}
for kind, word in (("Comm", "communicator"), ("Type", "datatype"), ("Win", "window")):
    low, handle = kind.lower(), {"Comm": "comm", "Type": "datatype", "Win": "win"}[kind]
    CALLS[f"{kind}_create_keyval"] = (
        f'create_keyval("MPI_{kind}_create_keyval", handle_kind::{word}, keyval::language::fortran, '
        f"{low}_copy_attr_fn, {low}_delete_attr_fn, {low}_keyval, *extra_state)")
    CALLS[f"{kind}_set_attr"] = (f'set_attribute("MPI_{kind}_set_attr", handle_kind::{word}, *{handle}, *{low}_keyval, '
                                 "*attribute_val)")
    CALLS[f"{kind}_get_attr"] = (f'get_attribute("MPI_{kind}_get_attr", handle_kind::{word}, *{handle}, *{low}_keyval, '
                                 "attribute_val, flag)")
WITHOUT = {"Init": {"argc", "argv"}, "Init_thread": {"argc", "argv"}, "Info_create_env": {"argc", "argv"}}
RESULTS = {"double": ("double", "double precision"), "MPI_Aint": ("MPI_Aint", "integer(MPI_ADDRESS_KIND)")}
HANDLES = ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Win", "Session"]
KINDS = {"MPI_Aint": "address", "MPI_Count": "count", "MPI_Offset": "offset", "int": "integer"}
FORTRAN = {"integer": "integer", "logical": "logical", "address": "integer(MPI_ADDRESS_KIND)",
           "count": "integer(MPI_COUNT_KIND)", "offset": "integer(MPI_OFFSET_KIND)"}
WIDTHS = {"integer": 4, "address": 8, "count": 8, "offset": 8}


@dataclasses.dataclass
class Parameter:
    name: str
    kind: str           # of KINDS, "logical", a handle's name, or buffer, pointer, text, procedure, status
    intent: str = "in"
    is_array: bool = False
    type: str = ""      # of C; of a procedure, the name of its type

    def is_of_handle(self):
        return self.kind in HANDLES


@dataclasses.dataclass
class Function:
    name: str           # without MPI_
    prefix: str         # "MPI" or "MPIX"
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
        kind = "integer" if is_old else "address"  # of attributes, and what callbacks are given
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
    """The functions of Fortran, by their names without MPI_; those with large counts have the names of C."""
    absent = set(re.findall(r"^IMBREX_MPI_ABSENT\((\w+),", (folder / "../api" / ABSENT).read_text(), re.MULTILINE))
    functions = {}
    for header in HEADERS:
        text = (folder / header).read_text()
        for x, result, name, parameters in re.findall(r"^IMBREX_MPI(X?)\((\w+), (\w+), \(([^()]*)\)\)", text,
                                                      re.MULTILINE | re.DOTALL):
            if parameters == "void":
                parameters = ""
            if name == "Pcontrol":
                parameters = "int level"
            read = [read_parameter(name.removesuffix("_c"), p) for p in parameters.split(",") if p]
            read = [p for p in read if p.name not in WITHOUT.get(name, ())]
            functions[name] = Function(name, f"MPI{x}", result, read, name in absent)
    return functions


def of_fortran(functions):
    return [f for name, f in functions.items() if not NOT_IN_FORTRAN.fullmatch(name)]


def large_of(functions, function):
    """The function with large counts, if Fortran can tell it from the other: by the length of integers."""
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


# ---- C++

HEAD = """// SPDX-License-Identifier: Apache-2.0
// Made by make_bindings.py.
#include <imbrex/mpi/fortran/arguments.hpp>
#include <imbrex/mpi/fortran/callbacks.hpp>
#include <imbrex/mpi/fortran/names.hpp>
#include <imbrex/mpi/fortran/section.hpp>

using namespace imbrex::mpi;
using namespace imbrex::mpi::fortran;
"""


def c_declaration(p, is_f08):
    name = argument_name(p.name)
    if p.kind == "buffer":
        return f"const array_descriptor* {name}" if is_f08 else f"void* {name}"
    if p.kind == "pointer":
        return f"void* {name}"
    if p.kind == "procedure":
        return f"procedure {name}"
    if p.kind == "text":
        return f"{'const ' if p.intent == 'in' else ''}char* {name}"
    constant = "const " if p.intent == "in" else ""
    if p.kind == "status":
        return f"{constant}MPI_Status* {name}"
    type_ = {"address": "MPI_Aint", "count": "MPI_Count", "offset": "MPI_Offset"}.get(p.kind, "int")
    return f"{constant}{type_}* {name}"


def c_argument(function, p):
    name = argument_name(p.name)
    if p.kind == "buffer":
        return f"buffer_of({name})"
    if p.kind == "text":
        word = "info_text" if function.name.startswith("Info_") else "text"
        return f"{word if p.intent == 'in' else 'text_result'}({name}, {name}_length)"
    if p.kind == "status":
        return name if p.intent == "in" or function.name.startswith("Status_") else f"status_of({name})"
    if p.name in WEIGHTS:
        return f"weights_of({name})"
    if p.name == "index" and function.name in ("Waitany", "Testany"):
        return f"index_result({name})"
    if p.name == "array_of_indices":
        return f"index_results(outcount, {name})"
    if p.name == "ranges":
        return f"reinterpret_cast<int(*)[3]>(const_cast<int*>({name}))"
    if function.name in ("Type_hindexed", "Type_hvector", "Type_struct") and p.is_array:
        return f"const_cast<int*>({name})"
    return f"*{name}" if p.intent == "in" and not p.is_array and p.kind != "pointer" else name


def c_call(function, arguments):
    return f"{function.prefix}_{function.name}({', '.join(arguments)})"


def lengths(function):
    return [f"std::size_t {p.name}_length" for p in function.parameters if p.kind == "text" and not p.is_array]


def c_function(function):
    """The function that takes addresses: of mpif.h and of the module mpi."""
    low, prefix = function.name.lower(), function.prefix.lower()
    names = f"IMBREX_FORTRAN_NAMES({prefix}, {prefix.upper()}, {low}, {function.name.upper()})\n"
    if function.result != "int":
        call = c_call(function, [c_argument(function, p) for p in function.parameters])
        parameters = ", ".join(c_declaration(p, False) for p in function.parameters) or "void"
        return f'extern "C" {RESULTS[function.result][0]} p{prefix}_{low}_({parameters}) {{ return {call}; }}\n{names}'
    if function.is_absent:
        parameters = ", ".join(["void*"] * len(function.parameters) + ["int* ierror"])
        return (f'extern "C" void p{prefix}_{low}_({parameters}) {{\n  *ierror = call_absent(&{function.prefix}_'
                f"{function.name});\n}}\n{names}")
    call = CALLS.get(function.name) or c_call(function, [c_argument(function, p) for p in function.parameters])
    if function.name in ("Attr_put", "Attr_get"):
        call = call.replace("*keyval,", "*keyval_,")
    if function.name == "Buffer_detach":
        call = "detach_buffer(size)"
    parameters = ", ".join([c_declaration(p, False) for p in function.parameters] + ["int* ierror"] + lengths(function))
    if any(p.name == "baseptr" for p in function.parameters):  # by the type c_ptr, too
        names += f'extern "C" decltype(pmpi_{low}_) mpi_{low}_cptr_ IMBREX_FORTRAN_ALIAS(pmpi_{low}_);\n'
    unused = "(void)buffer_addr;\n  " if function.name == "Buffer_detach" else ""
    return f'extern "C" void p{prefix}_{low}_({parameters}) {{\n  {unused}*ierror = {call};\n}}\n{names}'


# Buffers that hold a block for each rank, so that a datatype cannot describe the whole of a section.
BLOCKS = {"Gather": "recvbuf", "Gatherv": "recvbuf", "Allgather": "recvbuf", "Allgatherv": "recvbuf",
          "Scatter": "sendbuf", "Scatterv": "sendbuf", "Neighbor_allgather": "recvbuf",
          "Neighbor_allgatherv": "recvbuf"}
ONE_SIDED = re.compile(r"R?(Put|Get|Accumulate|Get_accumulate)|Compare_and_swap|Fetch_and_op", re.IGNORECASE)


def is_nonblocking(name):
    return (ONE_SIDED.fullmatch(name) or name.endswith("_init") or
            re.match(r"I(?!nfo|nter|nit|s_)", name) or name in ("Win_create", "Win_attach", "Buffer_attach"))


def has_triple(function, i):
    """Whether the buffer at place i is followed by its count and its datatype, which describe it as a whole."""
    name = function.name.removesuffix("_c")
    base = name.removesuffix("_init")
    base = base[1:].capitalize() if re.match(r"I(?!nfo|nter|nit|s_|m)", base) else base
    parameters, buffer = function.parameters, function.parameters[i].name
    if base.startswith("Alltoall") or base.startswith("Neighbor_alltoall") or BLOCKS.get(base) == buffer:
        return False
    if any(p.name == "op" for p in parameters) and not ONE_SIDED.fullmatch(name):
        return False
    following = parameters[i + 1:i + 3]
    return (len(following) == 2 and following[0].kind in ("integer", "count") and following[1].kind == "Datatype" and
            all(p.intent == "in" and not p.is_array for p in following))


def f08_function(function, is_large):
    """The function that takes descriptors for buffers, and whose error code may be left out."""
    own, profiled = f08_name(function, is_large) + "_", f08_name(function, is_large, "pmpir") + "_"
    names = (f'extern "C" decltype({profiled}) {own} __attribute__((weak, alias("{profiled}")));\n')
    parameters = [c_declaration(p, True) for p in function.parameters]
    if function.result != "int":
        call = c_call(function, [c_argument(function, p) for p in function.parameters])
        return (f'extern "C" {RESULTS[function.result][0]} {profiled}({", ".join(parameters) or "void"}) '
                f"{{ return {call}; }}\n{names}")
    if function.is_absent:
        parameters = ", ".join(["void*"] * len(function.parameters) + ["int* ierror"])
        return (f'extern "C" void {profiled}({parameters}) {{\n  give(ierror, call_absent(&{function.prefix}_'
                f"{function.name}));\n}}\n{names}")
    parameters = ", ".join(parameters + ["int* ierror"] + lengths(function))
    if function.name in CALLS or not function.has_buffers():
        call = CALLS.get(function.name) or c_call(function, [c_argument(function, p) for p in function.parameters])
        return f'extern "C" void {profiled}({parameters}) {{\n  give(ierror, {call});\n}}\n{names}'
    sections, arguments, skip = [], [], 0
    nonblocking = is_nonblocking(function.name.removesuffix("_c"))
    use = "ends_later" if nonblocking else "ends_here"
    for i, p in enumerate(function.parameters):
        if skip:
            skip -= 1
        elif p.kind != "buffer":
            arguments.append(c_argument(function, p))
        elif function.name.removesuffix("_c") in ("Get_address", "Free_mem", "Win_detach", "Compare_and_swap",
                                                  "Fetch_and_op"):
            arguments.append(f"buffer_of({p.name}->base)")
        elif has_triple(function, i):
            count, type_ = function.parameters[i + 1:i + 3]
            access = "read" if p.intent == "in" else "read_and_written"
            sections.append(f"const section {p.name}_section(*{p.name}, *{count.name}, *{type_.name}, use::{use}, "
                            f"access::{access});")
            narrow = "static_cast<int>" if count.kind == "integer" else ""
            arguments += [f"{p.name}_section.address()", f"{narrow}({p.name}_section.count())",
                          f"{p.name}_section.type()"]
            skip = 2
        else:
            access = "read" if p.intent == "in" else "read_and_written"
            sections.append(f"const section {p.name}_section(*{p.name}, use::{use}, access::{access});")
            arguments.append(f"{p.name}_section.address()")
    lines = "".join(f"    {line}\n" for line in sections)
    return (f'extern "C" void {profiled}({parameters}) {{\n  give(ierror, guarded("{function.prefix}_{function.name}", '
            f"[&] {{\n{lines}    return {c_call(function, arguments)};\n  }}));\n}}\n{names}")


def functions_cpp(functions):
    return HEAD + "".join("\n" + c_function(f) for f in of_fortran(functions))


def functions_f08_cpp(functions):
    text = HEAD
    for f in of_fortran(functions):
        if f.name not in REMOVED:
            text += "\n" + f08_function(f, False)
            if large := large_of(functions, f):
                text += "\n" + f08_function(large, True)
    return text


# ---- Constants

NOT_CONSTANTS = re.compile(r"\w+_FN|\w*(STATUS|STATUSES|ERRCODES)_IGNORE|ARGVS?_NULL|BOTTOM|IN_PLACE|F_\w+|T_\w+|"
                           r"INCLUDED|CONVERSION_FN_NULL|\w+_(f2c|c2f)")
SHORTER = re.compile(r"MAX_(ERROR_STRING|PORT_NAME|OBJECT_NAME|INFO_KEY|INFO_VAL|PROCESSOR_NAME|DATAREP_STRING|"
                     r"LIBRARY_VERSION_STRING|STRINGTAG_LEN)")
KEYVALS = re.compile(r"TAG_UB|HOST|IO|WTIME_IS_GLOBAL|UNIVERSE_SIZE|LASTUSEDCODE|APPNUM|"
                     r"WIN_(BASE|SIZE|DISP_UNIT|CREATE_FLAVOR|MODEL)")
WIDE = {"DISPLACEMENT_CURRENT": "MPI_OFFSET_KIND"}


def read_constants(folder):
    """(name without MPI_, value, handle or None) in the order of the headers."""
    text = (folder / "mpi.h").read_text() + (folder / "mpi_io.h").read_text()
    found = {}
    for name, value in re.findall(r"^#define MPI_(\w+)[ ](.*)$", text, re.MULTILINE):
        if not NOT_CONSTANTS.fullmatch(name):
            found[name] = value
    for body in re.findall(r"^enum \{(.*?)\};", text, re.MULTILINE | re.DOTALL):
        found.update(re.findall(r"MPI_(\w+) = (\d+)", body))

    def evaluate(value):
        handle = re.search(r"\(MPI_(\w+)\)", value)
        plain = re.sub(r"\(MPI_\w+\)", "", value).strip("() ")
        if plain.startswith("MPI_"):
            number, other = evaluate(found[plain[4:]])
            return number, handle[1] if handle else other
        number = int(plain, 0)
        return number - (1 << 32) if number >= 1 << 31 else number, handle[1] if handle else None

    constants = []
    for name, value in found.items():
        number, handle = evaluate(value)
        if SHORTER.fullmatch(name):
            number -= 1  # no place for an end
        elif KEYVALS.fullmatch(name):
            number += 1  # so that values, and not pointers to them, are asked for
        constants.append((name, number, handle))
    return constants


PLAIN = [("STATUS_SIZE", 5), ("SOURCE", 3), ("TAG", 4), ("ERROR", 5), ("ADDRESS_KIND", 8), ("OFFSET_KIND", 8),
         ("COUNT_KIND", 8), ("INTEGER_KIND", 4)]
NULL_FUNCTIONS = ["DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"]
EXTERNALS = NULL_FUNCTIONS + [f"{o}_{n}" for o in ("COMM", "TYPE", "WIN") for n in NULL_FUNCTIONS] + [
    "CONVERSION_FN_NULL"]


def mpif_h(constants):
    """Lines that are valid in the fixed and in the free form of source."""
    lines = ["! SPDX-License-Identifier: Apache-2.0", "! Made by make_bindings.py."]

    def constant(type_, name, value):
        lines.extend([f"      {type_} {name}", f"      PARAMETER ({name}={value})"])

    for name, value in PLAIN:
        constant("INTEGER", f"MPI_{name}", value)
    for name, value, _ in constants:
        constant(f"INTEGER(KIND={WIDE[name]})" if name in WIDE else "INTEGER", f"MPI_{name}", value)
    constant("LOGICAL", "MPI_SUBARRAYS_SUPPORTED", ".FALSE.")
    constant("LOGICAL", "MPI_ASYNC_PROTECTS_NONBLOCKING", ".FALSE.")
    lines += [f"      {line}" for line in (
        "INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE(5)", "INTEGER MPI_STATUSES_IGNORE(5,1)",
        "INTEGER MPI_ERRCODES_IGNORE(1)", "INTEGER MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY",
        "CHARACTER*1 MPI_ARGVS_NULL(1,1), MPI_ARGV_NULL(1)",
        "COMMON /MPIFCMB5/ MPI_UNWEIGHTED", "COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY",
        "COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE",
        "COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE", "COMMON /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL",
        "SAVE /MPIFCMB5/, /MPIFCMB9/", "SAVE /MPIPRIV1/, /MPIPRIV2/, /MPIPRIVC/",
        "DOUBLE PRECISION MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK",
        "EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK")]
    lines += [f"      EXTERNAL MPI_{name}" for name in EXTERNALS]
    return "\n".join(lines) + "\n"


def integer_constants(constants):
    return "".join(f"integer{f'({WIDE[name]})' if name in WIDE else ''}, parameter :: MPI_{name} = {value}\n"
                   for name, value, _ in constants)


FREE = "! SPDX-License-Identifier: Apache-2.0\n! Made by make_bindings.py.\n"


def handle_operators(names):
    """Comparisons of handles, by (type, operation, procedure)."""
    text = ""
    for handle, operation, procedure in names:
        text += f"""logical function {procedure}(lhs, rhs)
  type(MPI_{handle}), intent(in) :: lhs, rhs
  {procedure} = lhs%MPI_VAL {operation} rhs%MPI_VAL
end function
"""
    return text


def mpi_constants_f90(constants):
    """The module of constants of the module mpi."""
    handles = [h for h in HANDLES if h != "Session"]
    operators = [(h, o, f"{h.lower()}{w}") for o, w in (("==", "eq"), ("/=", "neq")) for h in handles]
    text = FREE + "module mpi_constants\nimplicit none\n"
    text += "".join(f"integer, parameter :: MPI_{name} = {value}\n" for name, value in PLAIN)
    text += integer_constants(constants)
    text += """logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.
logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.
integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE(MPI_STATUS_SIZE), MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1)
integer :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
character(len=1) :: MPI_ARGVS_NULL(1, 1), MPI_ARGV_NULL(1)
common /mpifcmb5/ MPI_UNWEIGHTED
common /mpifcmb9/ MPI_WEIGHTS_EMPTY
common /mpipriv1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
common /mpipriv2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
common /mpiprivc/ MPI_ARGVS_NULL, MPI_ARGV_NULL
save /mpifcmb5/, /mpifcmb9/, /mpipriv1/, /mpipriv2/, /mpiprivc/
type :: MPI_Status
  sequence
  integer :: count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR
end type
"""
    text += "".join(f"type :: MPI_{h}\n  sequence\n  integer :: MPI_VAL\nend type\n" for h in handles)
    for operation in ("==", "/="):
        text += f"interface operator({operation})\n" + "".join(
            f"  module procedure {p}\n" for _, o, p in operators if o == operation) + "end interface\n"
    return text + "contains\n" + handle_operators(operators) + "end module\n"


def mpi_f08_types_f90(_):
    """The types of the module mpi_f08, with their comparisons among themselves and with the handles of mpif.h."""
    text = FREE + """module mpi_f08_types
implicit none
type, bind(C) :: MPI_Status
  integer :: count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR
end type
integer, parameter :: MPI_SOURCE = 3, MPI_TAG = 4, MPI_ERROR = 5, MPI_STATUS_SIZE = 5
"""
    text += "".join(f"type, bind(C) :: MPI_{h}\n  integer :: MPI_VAL\nend type\n" for h in HANDLES)
    procedures = ""
    for operation, word in (("==", "eq"), ("/=", "neq")):
        text += f"interface operator({operation})\n"
        for h in HANDLES:
            for name, left, right in ((f"MPI_{h}_{word}", h, h), (f"MPI_{h}_f08_{word}_f", h, None),
                                      (f"MPI_{h}_f_{word}_f08", None, h)):
                text += f"  module procedure {name}\n"
                arguments, values = ("x, y", ("x", "y")) if left and right else (
                    ("f08, f", ("f08", "f")) if left else ("f, f08", ("f", "f08")))
                sides = [f"{v}%MPI_VAL" if side else v for v, side in zip(values, (left, right))]
                procedures += f"elemental logical function {name}({arguments})\n"
                for value, side in zip(values, (left, right)):
                    procedures += f"  {f'type(MPI_{h})' if side else 'integer'}, intent(in) :: {value}\n"
                procedures += f"  {name} = {sides[0]} {operation} {sides[1]}\nend function\n"
        text += "end interface\n"
    for h in HANDLES:
        if h != "File":
            for way in ("f2c", "c2f"):
                procedures += (f"integer function MPI_{h}_{way}(x)\n  integer, value :: x\n  MPI_{h}_{way} = x\n"
                               "end function\n")
    for name, type_ in SIZES:
        procedures += f"""subroutine MPI_Sizeof_{name}(x, size, ierror)
  {type_}, dimension(..) :: x
  integer, intent(out) :: size
  integer, optional, intent(out) :: ierror
  size = storage_size(x) / 8
  if (present(ierror)) ierror = 0
end subroutine
"""
    text += "interface MPI_Sizeof\n" + "".join(f"  module procedure MPI_Sizeof_{n}\n" for n, _ in SIZES)
    text += "end interface\ncontains\n"
    for way, old, new in (("f082f", "type(MPI_Status)", "integer"), ("f2f08", "integer", "type(MPI_Status)")):
        one, other = way.split("2", 1) if way != "f082f" else ("f08", "f")
        fields = ["count_lo", "count_hi_and_cancelled", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]
        shape = {"f": "(MPI_STATUS_SIZE)", "f08": ""}
        procedures += f"subroutine MPI_Status_{way}({one}_status, {other}_status, ierror)\n"
        procedures += f"  {old}, intent(in) :: {one}_status{shape[one]}\n"
        procedures += f"  {new}, intent(out) :: {other}_status{shape[other]}\n"
        procedures += "  integer, optional, intent(out) :: ierror\n"
        for i, field in enumerate(fields, 1):
            place = {"f": f"f_status({i})", "f08": f"f08_status%{field}"}
            procedures += f"  {place[other]} = {place[one]}\n"
        procedures += "  if (present(ierror)) ierror = 0\nend subroutine\n"
    return text + procedures + "end module\n"


SIZES = [("character", "character(len=*)"), ("logical", "logical")] + [
    (f"xint{8 * n}", f"integer({n})") for n in (1, 2, 4, 8)] + [
    (f"x{t}{8 * n}", f"{t}({n})") for t in ("real", "complex") for n in (4, 8, 16)]


def mpi_f08_compile_constants_f90(constants):
    text = FREE + "module mpi_f08_compile_constants\nuse mpi_f08_types\nimplicit none\n"
    text += "private :: MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_STATUS_SIZE\n"
    text += "".join(f"integer, parameter :: MPI_{name} = {value}\n" for name, value in PLAIN if "KIND" in name)
    for name, value, handle in constants:
        if name == "INTEGER16":
            handle = "Datatype"
        text += (f"type(MPI_{handle}), parameter :: MPI_{name} = MPI_{handle}({value})\n" if handle else
                 integer_constants([(name, value, None)]))
    return text + """logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.
logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .true.
end module
"""


# ---- Interfaces

PROCEDURES = {"User_function": "MPI_User_function"}


def fortran_declaration(function, p, is_f08):
    name = argument_name(p.name)
    intent = f", intent({p.intent})"
    shape = "(3, *)" if p.name == "ranges" else "(*)" if p.is_array else ""
    if p.kind == "buffer":
        if not is_f08:
            return f"type(*), dimension(*) :: {name}\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"
        is_later = is_nonblocking(function.name.removesuffix("_c")) or p.name == "location"
        constant = ", intent(in)" if p.intent == "in" and p.name != "location" else ""
        asynchronous = ", asynchronous" if is_later else ""
        return f"type(*), dimension(..){constant}{asynchronous} :: {name}"
    if p.kind == "pointer":
        if is_f08:
            return f"type(c_ptr){intent} :: {name}"
        return (f"type(*), dimension(*) :: {name}\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"
                if p.name == "buffer_addr" else f"integer(MPI_ADDRESS_KIND) :: {name}")
    if p.kind == "procedure":
        return f"procedure(MPI_{p.type}) :: {name}" if is_f08 else f"external :: {name}"
    if p.kind == "text":
        shape = {"array_of_argv": "(*)", "argv": "(*)", "array_of_commands": "(*)"}.get(p.name, shape)
        return f"character(len=*){intent} :: {name}{shape}"
    if p.kind == "status":
        if not is_f08:
            return f"integer :: {name}(MPI_STATUS_SIZE{', *' if p.is_array else ''})"
        return f"type(MPI_Status){', intent(in)' if p.intent == 'in' else ''} :: {name}{'(*)' if p.is_array else ''}"
    if p.is_of_handle():
        if is_f08:
            return f"type(MPI_{p.kind}){intent} :: {name}{shape}"
        return f"integer{intent} :: {name}{shape}"
    if p.name in WEIGHTS or p.name == "array_of_errcodes":
        if not is_f08:  # what means something else, MPI_UNWEIGHTED, is no array there
            return f"integer :: {name}(*)\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"
        return f"integer :: {name}(*)"
    return f"{FORTRAN[p.kind]}{intent} :: {name}{shape}"


def fortran_interface(function, name, is_f08):
    """The interface block of a procedure."""
    arguments = [argument_name(p.name) for p in function.parameters]
    declarations = [fortran_declaration(function, p, is_f08) for p in function.parameters]
    if function.result != "int":
        head, end = f"function {name}({', '.join(arguments)})", "end function"
        declarations.append(f"{RESULTS[function.result][1]} :: {name}")
    else:
        head, end = f"subroutine {name}({', '.join(arguments + ['ierror'])})", "end subroutine"
        declarations.append(f"integer{', optional' if is_f08 else ''}, intent(out) :: ierror")
    body = "\n".join(declarations)
    imported = sorted(set(re.findall(r"(?:type|procedure)\((MPI_\w+|c_ptr)\)", body)) |
                      set(re.findall(r"MPI_\w+_KIND|MPI_STATUS_SIZE", body)))
    uses = f"import :: {', '.join(imported)}\n" if imported else ""
    head = "&\n    ".join(textwrap.wrap(head, 100)) if len(head) > 100 else head
    return f"{head}\n{uses}implicit none\n{body}\n{end}\n"


def mpi_base_f90(functions):
    """The interfaces of the module mpi; buffers of any type and shape are taken by their address."""
    text = FREE + "module mpi_base\nuse, intrinsic :: iso_c_binding, only: c_ptr\nuse mpi_constants\nimplicit none\n"
    text += "private :: c_ptr\ninterface\n"
    generic = ""
    for f in of_fortran(functions):
        block = fortran_interface(f, f"{f.prefix}_{f.name}", False)
        if not any(p.name == "baseptr" for p in f.parameters):
            text += block
        if f.result != "int":
            text += fortran_interface(f, f"P{f.prefix}_{f.name}", False)
        if any(p.name == "baseptr" for p in f.parameters):
            pointer = fortran_interface(f, f"{f.prefix}_{f.name}_cptr", False)
            pointer = pointer.replace("integer(MPI_ADDRESS_KIND) :: baseptr", "type(c_ptr), intent(out) :: baseptr")
            pointer = pointer.replace("implicit none\n", "import :: c_ptr\nimplicit none\n", 1)
            generic += f"interface MPI_{f.name}\n{block}{pointer}end interface\n"
    text += """subroutine MPI_F_sync_reg(buf)
implicit none
type(*), dimension(*) :: buf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
end subroutine
"""
    for word, kind in (("", "integer"), ("Comm_", "integer(MPI_ADDRESS_KIND)"), ("Type_", "integer(MPI_ADDRESS_KIND)"),
                       ("Win_", "integer(MPI_ADDRESS_KIND)")):
        for name in ("DUP_FN", "NULL_COPY_FN"):
            text += f"""subroutine MPI_{word}{name}(object, keyval, extra_state, value_in, value_out, flag, ierror)
import :: MPI_ADDRESS_KIND
implicit none
integer :: object, keyval, ierror
{kind} :: extra_state, value_in, value_out
logical :: flag
end subroutine
"""
        text += f"""subroutine MPI_{word}NULL_DELETE_FN(object, keyval, value, extra_state, ierror)
import :: MPI_ADDRESS_KIND
implicit none
integer :: object, keyval, ierror
{kind} :: value, extra_state
end subroutine
"""
    return text + "end interface\nexternal :: MPI_CONVERSION_FN_NULL\n" + generic + "end module\n"


def mpi_f08_f90(functions):
    """The interfaces of the module mpi_f08, and those of pmpi_f08, which it has too."""
    text = FREE
    for module, prefix, P in (("pmpi_f08", "pmpir", "P"), ("mpi_f08", "mpi", "")):
        text += f"module {module}\nuse, intrinsic :: iso_c_binding, only: c_ptr\nuse mpi_f08_types\n"
        text += "use mpi_f08_compile_constants\nuse mpi_f08_link_constants\nuse mpi_f08_callbacks\n"
        text += ("use pmpi_f08\n" if not P else "") + "implicit none\nprivate :: c_ptr\n"
        for f in of_fortran(functions):
            if f.name in REMOVED:
                continue
            text += f"interface {P}{f.prefix}_{f.name}\n" + fortran_interface(f, f08_name(f, False, prefix), True)
            if large := large_of(functions, f):
                text += fortran_interface(large, f08_name(f, False, prefix) + "_large", True)
            text += "end interface\n"
        text += f"""interface {P}MPI_F_sync_reg
subroutine {prefix}_f_sync_reg_f08ts(buf)
implicit none
type(*), dimension(..), asynchronous :: buf
end subroutine
end interface
end module
"""
    return text


ABI_SIZES = [("i", "integer"), ("r", "real"), ("d", "double precision"), ("l", "logical"), ("ch", "character"),
             ("cx", "complex"), ("i1", "integer(1)"), ("i2", "integer(2)"), ("i8", "integer(8)")]


def mpi_sizeofs_f90(_):
    """MPI_Sizeof of the module mpi; and what programs that were built for MPICH call for it."""
    text = FREE + "module mpi_sizeofs\nuse mpi_f08_types, only: MPI_Sizeof\nimplicit none\n"
    text += "contains\n"
    for name, type_ in ABI_SIZES:
        for suffix, shape in (("", ""), ("v", "(*)")):
            text += f"""subroutine mpi_sizeof_{name}{suffix}(x, size, ierror)
  {type_} :: x{shape}
  integer :: size, ierror
  size = storage_size(x) / 8
  ierror = 0
end subroutine
"""
    return text + "end module\n"


def function_names(functions):
    """The names of Fortran as the compiler spells them, without what is the same but for its underscores."""
    names = []
    for f in of_fortran(functions):
        names.append(f"{f.prefix.lower()}_{f.name.lower()}")
        if f.name not in REMOVED:
            names.append(f08_name(f, False))
            if large_of(functions, f):
                names.append(f08_name(f, False) + "_large")
    return names


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    functions, constants = read_functions(folder), read_constants(folder)
    if sys.argv[2] == "--names":
        print("\n".join(function_names(functions)))
        return
    output = pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    for name, text in (("functions.cpp", functions_cpp(functions)),
                       ("functions_f08.cpp", functions_f08_cpp(functions)),
                       ("mpif.h", mpif_h(constants)), ("mpi_constants.f90", mpi_constants_f90(constants)),
                       ("mpi_base.f90", mpi_base_f90(functions)), ("mpi_sizeofs.f90", mpi_sizeofs_f90(functions)),
                       ("mpi_f08_types.f90", mpi_f08_types_f90(functions)),
                       ("mpi_f08_compile_constants.f90", mpi_f08_compile_constants_f90(constants)),
                       ("mpi_f08.f90", mpi_f08_f90(functions))):
        (output / name).write_text(text)


if __name__ == "__main__":
    main()
