# SPDX-License-Identifier: Apache-2.0
"""The functions that programs of Fortran call, in C++."""
import re

from interface import (
    ONE_SIDED, REMOVED, RESULTS, WEIGHTS, argument_name, f08_name, is_nonblocking, large_of, of_fortran)

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
    "Register_datarep": "MPI_Register_datarep(text(datarep, datarep_length), "
                        "reinterpret_cast<MPI_Datarep_conversion_function*>(read_conversion_fn), "
                        "reinterpret_cast<MPI_Datarep_conversion_function*>(write_conversion_fn), "
                        "reinterpret_cast<MPI_Datarep_extent_function*>(dtype_file_extent_fn), "
                        "reinterpret_cast<void*>(*extra_state))",
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
    type_ = {"address": "MPI_Aint", "count": "MPI_Count", "offset": "MPI_Offset", "double": "double"}.get(p.kind, "int")
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
    if p.kind == "File":
        return f"MPI_File_f2c(*{name})" if p.intent == "in" else f"file_result({name})"
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
        elif (function.name.removesuffix("_c") in ("Get_address", "Free_mem", "Win_detach", "Compare_and_swap",
                                                   "Fetch_and_op") or function.name.endswith("_end")):
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
