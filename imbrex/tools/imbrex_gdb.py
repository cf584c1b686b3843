# SPDX-License-Identifier: Apache-2.0
"""Commands of gdb for programs that use Imbrex, in a running process and in a core file.

    gdb -x share/imbrex/gdb/imbrex.py ./program core
    (gdb) imbrex chares          the chares of each PE of this process
    (gdb) imbrex waits           the waiting entries, numbered, and what they wait for
    (gdb) imbrex frame 3         the variables of the coroutine of wait 3

They only read memory, and call nothing in the program. They need the program's and Imbrex's debug information.
"""
import gdb

# Compilers give such names to what has none in the source.
UNNAMED = ("__", "_Coro_", "class_", "struct_", "union_", "enum_", "PointerType")
NO_RUN = ("no run goes on in this process, or the debug information of Imbrex is missing: build it with -g, and let "
          "gdb find it")


def pointer_in(owner, kind):
    """The pointer that an owner or a std::unique_ptr, which both have nothing else, keeps to a `kind`."""
    return owner.address.cast(gdb.lookup_type(kind).pointer().pointer()).dereference()


def vector_of(value):
    """The elements of a std::vector."""
    first, last = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    return [first[i] for i in range(int(last - first))]


def view_of(value):
    """The text of a std::string_view."""
    size = int(value["_M_len"])
    return value["_M_str"].string(length=size) if size else ""


def dynamic(pointer):
    """The same pointer, to the type that the object was made as."""
    return pointer.cast(pointer.dynamic_type)


def without_namespace(name):
    return name.replace("imbrex::detail::", "").replace("imbrex::", "").replace("(anonymous namespace)::", "")


def processors():
    """The PEs of all runs in this process."""
    receivers = gdb.lookup_static_symbol("imbrex::(anonymous namespace)::receivers")
    if receivers is None:
        raise gdb.GdbError(NO_RUN)
    found = []
    places = receivers.value()["_M_elems"]
    first, last = places.type.strip_typedefs().range()
    for i in range(first, last + 1):
        receiver = places[i]["_M_b"]["_M_p"]
        if int(receiver) == 0:
            continue
        run = dynamic(receiver)["run_"]
        found += [pointer_in(one, "imbrex::detail::processor") for one in vector_of(run["processors_"])]
    if not found:
        raise gdb.GdbError(NO_RUN)
    return found


class Chare:
    """One chare: its header, and what its class says."""

    def __init__(self, part, header):
        kind = part.dynamic_type.target()  # collection<block>
        self.type = kind.template_argument(0)
        index = next(f.type for f in kind.fields() if f.is_base_class).template_argument(0)
        whole = gdb.lookup_type(f"imbrex::detail::element_header<{index.name}>")
        self.header = header.cast(whole.pointer())
        alignment = max(self.type.alignof, whole.alignof)
        offset = (whole.sizeof + alignment - 1) // alignment * alignment
        self.address = int(header) + offset
        self.class_name = view_of(part.dereference()["names_"]["shown"])

    def index(self):
        where = self.header["where"]
        try:
            values = where["values_"]["_M_elems"]
            first, last = values.type.strip_typedefs().range()
            return "(" + ", ".join(str(int(values[i])) for i in range(first, last + 1)) + ")"
        except gdb.error:  # a key of another type
            return f"({self.header['key']})"

    def name(self):
        return without_namespace(self.class_name) + self.index()

    def member_at(self, address):
        """The name of the member at an address; None if there is none."""
        for field in self.type.fields():
            if not hasattr(field, "bitpos") or field.is_base_class:
                continue
            begin = self.address + field.bitpos // 8
            if begin <= address < begin + max(field.type.sizeof, 1):
                return field.name
        return None

    def entries(self):
        scope = self.header["entries"]
        while int(scope) != 0:
            yield scope
            scope = scope["next"]


def chares_of(pe):
    for table in ("arrays_", "singles_"):
        for slot in vector_of(pe.dereference()[table]):
            part = pointer_in(slot["part"], "imbrex::detail::collection_part")
            if int(part) == 0:
                continue
            part = dynamic(part)
            for header in vector_of(part.dereference()["locals_"]):
                yield Chare(part, header)


def describe_wait(wait, chare):
    """What a suspension waits for."""
    exact = dynamic(wait)
    kind = str(exact.type.target())
    if "mailbox" in kind and "receiver" in kind:
        receiver = wait.cast(gdb.lookup_type("imbrex::detail::mailbox_base::receiver").pointer())
        port = int(receiver["from_"].address)
        name = (chare.member_at(port) if chare else None) or "a mailbox"
        if int(receiver["expected_reference_"]) == 0:
            return f"{name} with any reference"
        return f"{name} with reference {int(receiver['expected_reference_'].dereference())}"
    if "pending" in kind:
        state = wait.cast(gdb.lookup_type("imbrex::detail::pending_wait").pointer())["state_"]
        text = state["what_"].string()
        if int(state["entry_"]) != 0:
            entry = state["entry_"].dereference()
            text += f" {without_namespace(view_of(entry['chare_name']))}::{view_of(entry['entry_name'])}"
        return text
    if "sleep" in kind:
        try:
            return f"the end of a sleep of {int(exact['time_']['__r']) / 1e9:g} s"
        except gdb.error:
            return "the end of a sleep"
    return without_namespace(kind)


class Waits:
    """The waiting entries of the last `imbrex waits`, by number: each with its chare, or None."""

    scopes = []

    @classmethod
    def list(cls):
        cls.scopes = []
        for pe in processors():
            number = int(pe["pe_"])
            main = pe["main"]
            if int(main["body"]) != 0:
                yield from cls.of(main.address, "the main task", None)
            for chare in chares_of(pe):
                for scope in chare.entries():
                    entry = scope["request"]["type"]["name"].string()
                    yield from cls.of(scope, f"{chare.name()}, {entry}, on PE {number}", chare)

    @classmethod
    def of(cls, scope, who, chare):
        wait = scope["waits"]
        if int(wait) == 0:
            yield f"{len(cls.scopes):3} {who} runs, or waits for an awaitable that is not the runtime's"
            cls.scopes.append((scope, chare))
        while int(wait) != 0:
            yield f"{len(cls.scopes):3} {who} waits for {describe_wait(wait, chare)}"
            cls.scopes.append((scope, chare))
            wait = wait["next_"]


def frame_of(body):
    """The frame of a coroutine as its compiler describes it."""
    resume = int(body.cast(gdb.lookup_type("unsigned long").pointer()).dereference())
    block = gdb.block_for_pc(resume)
    if block is None:
        raise gdb.GdbError("the coroutine's code has no debug information")
    while block is not None and block.function is None:
        block = block.superblock
    for symbol in block:
        if symbol.name in ("__coro_frame", "frame_ptr", "_Coro_frame_ptr"):
            kind = symbol.type
            kind = kind.target() if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF) else kind
            return block.function, body.cast(kind.pointer()).dereference()
    raise gdb.GdbError(f"the debug information of {block.function} does not describe its frame; compile with -Og")


class Command(gdb.Command):
    """Chares, waiting entries and coroutines of a program that uses Imbrex."""

    def __init__(self):
        super().__init__("imbrex", gdb.COMMAND_DATA, prefix=True)


class CharesCommand(gdb.Command):
    """Print the chares of each PE."""

    def __init__(self):
        super().__init__("imbrex chares", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        for pe in processors():
            print(f"PE {int(pe['pe_'])}")
            for chare in chares_of(pe):
                print(f"  {chare.name()} at ({chare.type} *) {chare.address:#x}")


class WaitsCommand(gdb.Command):
    """Print the waiting entries, and what they wait for."""

    def __init__(self):
        super().__init__("imbrex waits", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        for line in Waits.list():
            print(line)


class FrameCommand(gdb.Command):
    """Print the variables of the coroutine with this number in `imbrex waits`."""

    def __init__(self):
        super().__init__("imbrex frame", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if not Waits.scopes:
            list(Waits.list())
        if not argument.isdigit() or int(argument) >= len(Waits.scopes):
            raise gdb.GdbError(f"imbrex frame: give a number of `imbrex waits`, 0 to {len(Waits.scopes) - 1}")
        scope, chare = Waits.scopes[int(argument)]
        body = scope["body"]
        if int(body) == 0:
            raise gdb.GdbError("this entry has no coroutine that waits")
        function, frame = frame_of(body)
        print(function)
        if chare is not None:
            print(f"  *this = {gdb.Value(chare.address).cast(chare.type.pointer()).dereference()}")
        for field in frame.type.fields():
            if field.name and not field.name.startswith(UNNAMED):
                print(f"  {field.name} = {frame[field.name]}")


Command()
CharesCommand()
WaitsCommand()
FrameCommand()
