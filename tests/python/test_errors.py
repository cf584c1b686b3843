# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys
import warnings

import pytest

import imbrex as ix

HERE = pathlib.Path(__file__).name


class OwnError(Exception):
    def __init__(self, code, words):
        super().__init__(code, words)
        self.code = code


class OfTwo(Exception):
    """An exception whose constructor has other parameters than it passes to the base. Pickle cannot restore it."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")
        self.both = a, b


class OfOneOrTwo(Exception):
    """An exception whose constructor uses the arguments of the base for another purpose."""

    def __init__(self, code, text="none"):
        super().__init__(f"{code}: {text}")
        self.code = code


class Unpicklable(Exception):
    def __reduce__(self):
        raise TypeError("never")


def group_of_all_kinds():
    return ExceptionGroup("many", [ValueError(1), OfTwo("one", [2]), OfOneOrTwo(7, "seven"), Unpicklable("kept"),
                                   ExceptionGroup("inner", [OfTwo(3, 4), KeyError("k")])])


class Unborn(ix.Chare):
    def __init__(self, missing):
        if self.where == missing:
            raise OwnError(8, "no birth")

    @ix.entry
    async def join(self, members):
        return await self.all_reduce(members, 1, ix.sum)

    @ix.entry
    def end(self):
        self.destroy()


class Faulty(ix.Chare):
    port = ix.Mailbox()

    def __init__(self, fails=False):
        if fails:
            raise ValueError("no constructor today")

    @ix.entry
    def me(self):
        return self

    @ix.entry
    def fail(self, kind):
        if kind == "own":
            raise OwnError(7, "seven")
        if kind == "of two":
            raise OfTwo("one", [2])
        if kind == "of one or two":
            raise OfOneOrTwo(7, "seven")
        if kind == "group":
            raise group_of_all_kinds()
        if kind == "unpicklable":
            raise Unpicklable("kept to itself")
        raise ValueError(kind)

    @ix.entry
    async def fail_later(self, kind):
        await ix.sleep(0)
        await self.helper(kind)

    async def helper(self, kind):
        await ix.sleep(0)
        self.fail(kind)

    @ix.entry
    async def wait(self):
        await self.wait_inside()

    async def wait_inside(self):
        return await self.port.receive(3)  # a value that never arrives

    @ix.entry
    async def pass_on(self, other):
        await other.fail_later.call("passed on")

    @ix.entry
    def not_sendable(self):
        return lambda: 1


def test_exceptions_travel_to_the_awaiter(run):
    async def main():
        chares = ix.array(Faulty, 4)
        for i in range(4):
            for entry in (chares[i].fail, chares[i].fail_later):
                with pytest.raises(OwnError) as raised:
                    await entry.call("own")
                assert raised.value.code == 7
                cause = str(raised.value.__cause__)
                assert f"Faulty({i}), entry fail" in cause and "on PE" in cause
                assert HERE in cause and 'raise OwnError(7, "seven")' in cause
        with pytest.raises(OfTwo, match=r"one and \[2\]") as raised:
            await chares[2].fail.call("of two")
        assert raised.value.both == ("one", [2])
        with pytest.raises(OfOneOrTwo) as raised:
            await chares[1].fail.call("of one or two")
        assert (raised.value.args, raised.value.code) == (("7: seven",), 7)
        with pytest.raises(ExceptionGroup) as raised:
            await chares[3].fail.call("group")
        first, of_two, of_one_or_two, kept, inner = raised.value.exceptions
        assert type(first) is ValueError and (of_two.both, of_one_or_two.code) == (("one", [2]), 7)
        assert type(kept) is ix.RemoteError and "Unpicklable: kept" in str(kept)
        assert inner.message == "inner" and inner.exceptions[0].both == (3, 4)
        with pytest.raises(ix.RemoteError, match="Unpicklable: kept to itself"):
            await chares[3].fail.call("unpicklable")
        for odd in ("a zero: \0", "half a character: \udc80"):
            with pytest.raises(ValueError) as raised:
                await chares[3].fail.call(odd)
            assert raised.value.args == (odd,)
        with pytest.raises(TypeError, match="a Faulty cannot be sent or pickled: give others its proxy, self.proxy"):
            await chares[1].me.call()
        with pytest.raises(ValueError, match="passed on"):
            await chares[0].pass_on.call(chares[3])
        with pytest.raises((AttributeError, TypeError), match="pickle|local object"):
            await chares[2].not_sendable.call()
    run(main)


def test_what_is_over_a_missing_member_of_a_section_raises_what_its_constructor_did(run):
    async def main():
        last = ix.num_pes() - 1
        if last == 0:
            return  # where the array is not made at all
        chares = ix.array(Unborn, last + 1, last)
        with pytest.raises(OwnError):
            await chares.created()
        assert await chares[0].join.call(chares.section([0])) == 1
        for members in ([0, last], range(last + 1)):
            members = chares.section(members)
            for _ in range(2):
                with pytest.raises(OwnError, match="no birth"):
                    await chares[0].join.call(members)
    run(main)


def test_a_deadlock_names_the_missing_members_of_sections(failure):
    async def main():
        growing = ix.sparse_array(Unborn, 100)
        whole = ix.array(Unborn, 4, None)
        for i in (1, 2):
            growing.insert(i, None)
        await whole[3].end.call()
        await ix.when_all(growing[1].join.call(growing.section([1, 2, 50])), whole[0].join.call(whole.section([0, 3])))
    text = failure(main)
    assert "Unborn(50) belongs to a section whose members reduce, and was never created" in text
    assert "Unborn(3) belongs to a section whose members reduce, and has been destroyed" in text


def test_what_nobody_awaits_ends_the_run(failure):
    async def main():
        chares = ix.array(Faulty, 4)
        chares[2].fail_later.send("out of order")
        await ix.quiescence()
    text = failure(main)
    assert "Faulty(2), entry fail_later, on PE" in text and "ValueError: out of order" in text
    assert f"{HERE}\", line" in text and "in helper" in text
    assert text.count("ValueError: out of order") == 2  # in the first line, and at the end of the traceback


def test_the_main_task_fails(failure):
    async def main():
        raise OwnError(3, "three")
    text = failure(main)
    assert "the main task" in text and "OwnError: (3, 'three')" in text and "in main" in text


def test_constructors_fail(failure):
    async def main():
        ix.array(Faulty, 4, True)
        await ix.quiescence()
    text = failure(main)
    assert "Faulty(" in text and "no constructor today" in text


class OnLast(ix.Chare):
    def __init__(self, kind):
        if ix.pe() == ix.num_pes() - 1:
            if kind == "own":
                raise OwnError(7, "seven")
            raise ValueError(f"{kind} on the last")

    @ix.entry
    def one(self):
        return 1

    @ix.entry
    async def all(self):
        return await self.all_reduce(1, ix.sum)


def test_constructors_raise_where_they_are_awaited(run):
    async def main():
        for kind, make in (("array", lambda: ix.array(Faulty, 6, True)), ("group", lambda: ix.group(Faulty, True))):
            with pytest.raises(ValueError, match="no constructor today") as raised:
                make()
            cause = str(raised.value.__cause__)
            assert "Faulty(0), entry __init__, on PE 0:" in cause and f'{HERE}", line' in cause, kind
        for make in (lambda kind: ix.array(OnLast, (3, 4), kind), lambda kind: ix.group(OnLast, kind)):
            with pytest.raises(ValueError, match="one on the last") as raised:
                await make("one").created()
            assert f"entry __init__, on PE {ix.num_pes() - 1}:" in str(raised.value.__cause__)
            with pytest.raises(OwnError) as raised:
                await make("own").created()
            assert raised.value.code == 7
        await ix.array(Faulty, 6).created()
        with pytest.raises(ValueError):
            failed = ix.array(OnLast, 6, "again")
            await failed.created()
        if ix.num_pes() > 1:
            with pytest.raises(ValueError):
                await failed.created()
            assert await failed[0].one.call() == 1
            for use in (lambda: failed[5].one.call(), lambda: failed.one.reduce(ix.sum),
                        lambda: failed.one.reduce(ix.gather), lambda: failed[0].all.call(),
                        lambda: failed.all.reduce(ix.sum)):
                with pytest.raises(ValueError, match="again on the last"):
                    await use()
            await failed.destroy()
        assert await ix.array(Worker, 6).one.reduce(ix.sum) == 6
    run(main)


class Worker(ix.Chare):
    @ix.entry
    def one(self):
        return 1


class Kept(ix.Chare):
    alive = 0

    def __init__(self, fails_at):
        if self.where == fails_at:
            raise ValueError("one too many")
        self.counted = True
        Kept.alive += 1

    def __del__(self):
        if hasattr(self, "counted"):
            Kept.alive -= 1

    @ix.entry
    def one(self):
        return 1


class Counter(ix.Chare):
    @ix.entry
    def count(self):
        return Kept.alive


def test_arrays_whose_constructors_fail_are_not_kept(run):
    async def main():
        counters = ix.group(Counter)
        for again in range(5):
            with pytest.raises(ValueError, match="one too many"):
                ix.array(Kept, 6, 1)
        await ix.quiescence()
        assert await counters.count.reduce(ix.gather) == [0] * ix.num_pes()
    run(main)


def test_a_creation_that_nobody_awaits_is_not_called_a_reduction(failure, machine):
    if machine == "alone":
        pytest.skip("the creator itself hears of it at once")

    async def main():
        ix.array(OnLast, 6, "unheard").created()
        await ix.sleep(100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = failure(main)
    assert "the creation of an array" in text and "unheard on the last" in text and "reduction" not in text


def test_constructors_elsewhere_end_the_run_if_nobody_awaits_them(failure):
    async def main():
        ix.array(OnLast, 6, "nobody")
        await ix.sleep(100)
    text = failure(main)
    assert "OnLast(" in text and "ValueError: nobody on the last" in text
    assert f'{HERE}", line' in text


def test_deadlocks_name_class_entry_and_line(failure):
    async def main():
        chares = ix.array(Faulty, 2)
        chares[0].port.send(4, "another")
        await chares[0].wait.call()
    text = failure(main)
    assert "deadlock" in text
    lines = pathlib.Path(__file__).read_text().split("\n")
    inside = 1 + next(i for i, line in enumerate(lines) if "# a value that never arrives" in line)
    assert re.search(r"Faulty\(0\), entry wait, on PE \d waits for port with reference 3 \(1 unread with", text)
    assert f"{HERE}:{inside}, in wait_inside" in text
    outside = 1 + next(i for i, line in enumerate(lines) if "await chares[0].wait.call()" in line)
    assert "the main task waits for the result of" in text and f"{HERE}:{outside}, in main" in text


def test_messages_for_nobody_are_told(failure):
    async def main():
        a = ix.sparse_array(Faulty, 5)
        await a[3].fail.call("x")
    assert "Faulty(3), entry fail, sent by PE 0: that element was never created" in failure(main)


def test_an_exit_status_is_the_programs(run):
    async def main():
        ix.exit(7)
        await ix.sleep(100)
    with pytest.raises(SystemExit) as ended:
        run(main)
    assert ended.value.code == 7


def stops(status):
    sys.exit(status)


class Leaver(ix.Chare):
    @ix.entry
    def leave(self, status):
        sys.exit(status)

    @ix.entry
    async def leave_later(self, status):
        await ix.sleep(0)
        raise SystemExit(status)


@pytest.mark.parametrize("status, code", [(7, 7), (None, 0), (256 + 3, 3), ("too late", 1)])
@pytest.mark.parametrize("how", ["main", "plain", "later", "send"])
def test_sys_exit_ends_the_run_with_its_status(run, capfd, status, code, how):
    async def main():
        chares = ix.array(Leaver, 2)
        if how == "main":
            sys.exit(status)
        if how == "send":
            chares[1].leave.send(status)
        else:
            await (chares[1].leave if how == "plain" else chares[1].leave_later).call(status)
        await ix.sleep(100)
    if code == 0:
        assert run(main) is None
        return
    with pytest.raises(SystemExit) as ended:
        run(main)
    assert ended.value.code == code
    text = capfd.readouterr().err
    assert "Traceback" not in text
    if isinstance(status, str) and ix.num_processes() == 1:
        assert text.startswith(status + "\n")


def test_a_main_task_that_is_no_coroutine_exits(run):
    with pytest.raises(SystemExit) as ended:
        run(lambda: stops(5))
    assert ended.value.code == 5


def has_global_lock():
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def test_wrong_settings_are_refused(capfd, machine):
    if machine != "alone":
        pytest.skip("they are refused before a run")
    wrong = [({"machine": "wrong"}, "--machine"),
             ({"sed": 1}, "sed=1: the runtime has no option --sed; did you mean seed?"),
             ({"foo": 2}, "foo=2: the runtime has no option --foo")]
    if has_global_lock():
        wrong.append(({"pes": 2}, "this Python has a global lock, so a process has one PE"))
    for options, words in wrong:
        with pytest.raises(SystemExit) as ended:
            ix.run(None, argv=[], **options)
        assert ended.value.code == 2
        assert words in capfd.readouterr().err


def test_what_is_no_function_is_refused():
    async def main():
        pass
    with pytest.raises(TypeError, match=r"imbrex.run takes a function: give .*main, not .*main\(\)"):
        ix.run(main(), argv=[])
    with pytest.raises(TypeError, match="imbrex.run takes a function, most often async def, not 3"):
        ix.run(3, argv=[])

    def generator():
        yield 1

    async def asynchronous():
        yield 1
    for each in (generator, asynchronous):
        with pytest.raises(TypeError, match=rf"{each.__name__} is a generator: imbrex.run takes a plain function"):
            ix.run(each, argv=[])


def test_names_of_chares_are_kept():
    with pytest.raises(TypeError, match="Bad: no attribute of the class can be called where"):
        class Bad(ix.Chare):
            where = 3
