# SPDX-License-Identifier: Apache-2.0
"""The constants and interfaces that programs of Fortran see, in Fortran."""
import re
import textwrap

from interface import (
    HANDLES, REMOVED, RESULTS, WEIGHTS, argument_name, f08_name, is_nonblocking, large_of, of_fortran)

FORTRAN = {"integer": "integer", "logical": "logical", "address": "integer(MPI_ADDRESS_KIND)",
           "count": "integer(MPI_COUNT_KIND)", "offset": "integer(MPI_OFFSET_KIND)", "double": "double precision"}
WIDE = {"MPI_DISPLACEMENT_CURRENT": "MPI_OFFSET_KIND"}
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
        constant(f"INTEGER(KIND={WIDE[name]})" if name in WIDE else "INTEGER", name, value)
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
    return "".join(f"integer{f'({WIDE[name]})' if name in WIDE else ''}, parameter :: {name} = {value}\n"
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
        if name == "MPI_INTEGER16":
            handle = "Datatype"
        text += (f"type(MPI_{handle}), parameter :: {name} = MPI_{handle}({value})\n" if handle else
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
        if not is_f08:  # MPI_UNWEIGHTED, which has another meaning, is no array there
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
