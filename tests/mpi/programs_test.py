#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of MPI as users build and run them: by imbrex-mpicc and imbrex-mpicxx, as ranks of one process and of two.

usage: programs_test.py BUILD_FOLDER TWO_RUNTIMES [unittest's arguments]
TWO_RUNTIMES is a program that is linked with the static libraries as well.
"""
import array
import pathlib
import re
import sys
import unittest

import make_abi_table
from program_runs import BIN, BUILD, PLACES, PROGRAMS, ProgramCase, execute

TWO_RUNTIMES = sys.argv[2]


class Programs(ProgramCase):
    def test_globals_differ_by_rank(self):
        program = self.build("globals.c")
        for lines in self.everywhere(6, program, "a", "--ranks", "9", "--pes"):
            expected = [f"rank {r} of 6: counter {5 + 10 * r}, of thread {1 + 10 * r}, sum 180, arguments "
                        "a --ranks 9 --pes" for r in range(6)]
            self.assertEqual(sorted(lines), expected)

    def test_messages_go_around(self):
        program = self.build("ring.c")
        for lines in self.everywhere(5, program):
            self.assertEqual(lines, ["token 12"])

    def test_files_are_written_and_read_by_all(self):
        program = self.build("files.c")
        for lines in self.everywhere(5, program, "data"):
            self.assertEqual(lines, ["0 wrong"])
        done = self.run_ranks(2, PLACES["two PEs"], program, "missing/data")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('no such file: cannot open "missing/data": No such file or directory; check the', done.stderr)

    def test_blocks_are_whole_when_a_process_dies_in_a_collective_write(self):
        program = self.build("files.c")
        done = self.run_ranks(4, PLACES["two processes"], program, "data", 5)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ended by signal 9 (Killed)", done.stderr)
        numbers = array.array("i", (self.folder / "data").read_bytes()[:5 * 1000 * 4 * 4])
        self.assertEqual(numbers.tolist(), list(range(5 * 1000 * 4)))

    def test_memory_of_devices(self):
        program = self.build("device.c")
        for name, place in PLACES.items():
            with self.subTest(place=name):
                done = self.run_ranks(5, [*place, "--device", "emulated", "--devices", "1"], program)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(done.stdout.splitlines()), [f"rank {r}: 0 wrong" for r in range(5)])
        done = self.run_ranks(2, ["--pes", "2", "--device", "emulated", "--mpi-check"], program, "leave one")
        self.assertIn("1 x block of device memory", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_ranks(2, PLACES["two PEs"], program)
        self.assertIn("has no device: start the program with --device cuda, or --device emulated", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_ranks_are_balanced(self):
        program = self.build("balanced.c")
        done = execute(BIN / "imbrex-mpiexec", "-n", 4, "--pes", 2, "--balance", "greedy", "--balance-every", 2,
                       program)
        self.assertEqual((done.returncode, done.stdout), (0, "the heavy ranks are apart\n"), done.stderr)
        done = execute(BIN / "imbrex-mpiexec", "-n", 4, "--pes", 2, "--balance", "auto", self.build("uneven.c"))
        self.assertEqual((done.returncode, done.stdout), (0, "the heavy ranks are apart, sum 6\n"), done.stderr)
        done = execute(BIN / "imbrex-mpiexec", "-n", 4, "--balance", "gredy", program)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no strategy 'gredy'", done.stderr)

    def test_pi_in_cpp(self):
        program = self.build("pi.cpp")
        for lines in self.everywhere(7, program):
            self.assertEqual(lines, ["pi 3.14159265 by 7 ranks"])

    def test_a_thousand_ranks_on_a_pe(self):
        done = self.run_ranks(1000, PLACES["one PE"], self.build("ring.c"))
        self.assertEqual((done.returncode, done.stdout), (0, "token 2997\n"), done.stderr)

    def test_one_rank_in_each_process(self):
        program = self.build("globals.c")
        done = execute(program, "x")
        self.assertEqual(done.stdout, "rank 0 of 1: counter 5, of thread 1, sum 5, arguments x\n")
        done = execute(BIN / "imbrex", "run", "-n", 2, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["rank 0 of 2: counter 5, of thread 1, sum 20, arguments",
                          "rank 1 of 2: counter 15, of thread 11, sum 20, arguments"])

    def test_mpiexec_and_the_environment(self):
        program = self.build("globals.c")
        done = execute(BIN / "imbrex-mpiexec", "-n", 3, program, "-n", "4")
        self.assertEqual(len(done.stdout.splitlines()), 3, done.stderr)
        self.assertIn("arguments -n 4\n", done.stdout)
        done = execute(program, environment={"IMBREX_OPTIONS": "--ranks 4 --pes 1 --prefix"})
        self.assertRegex(done.stdout, r"(?m)^\[2\] rank 2 of 4: ")

    def test_options_that_cannot_be(self):
        program = self.build("globals.c")
        for options, words in {"--ranks 0": "--ranks 0: the number of ranks", "--rankz 2": "did you mean --ranks?",
                               "--rank-stack 8": "with their unit", "--pes two": "--pes two",
                               "--privatise nothing --ranks 2": "does not use a library nothing"}.items():
            done = execute(program, environment={"IMBREX_OPTIONS": options})
            self.assertIn(words, done.stderr)
            self.assertEqual(done.returncode, 1 if "nothing" in options else 2)

    def ends(self, how, status, *words, place="two PEs", errors=True):
        done = self.run_ranks(4, PLACES[place], self.build("ends.cpp", "-g"), how)
        self.assertEqual(done.returncode, status, done.stderr)
        for word in words:
            self.assertRegex(done.stderr, word)
        if not errors:
            self.assertEqual(done.stderr, "")
        return sorted(done.stdout.splitlines())

    def test_exit_statuses(self):
        for place in PLACES:
            with self.subTest(place=place):
                begun = [f"rank {r} has begun" for r in range(4)]
                self.assertEqual(self.ends("return", 3, place=place, errors=False),
                                 sorted(f"{line}destroyed" for line in begun))
                self.assertEqual(self.ends("exit", 7, place=place, errors=False),
                                 sorted(f"{line}destroyed" for line in begun))
        self.ends("early", 3, "rank 1 has ended with the status 3 before it called MPI_Finalize")
        self.ends("at once", 4, "rank 1 has ended with the status 4 before it called MPI_Finalize")

    def test_abort_ends_all_and_loses_no_output(self):
        for place in PLACES:
            with self.subTest(place=place):
                lines = self.ends("abort", 9, "rank 1 called MPI_Abort on MPI_COMM_WORLD with the error code 9",
                                  place=place)
                self.assertIn("rank 1 has begun", lines)

    def test_crashes_name_rank_and_function(self):
        for place in ("one PE", "two PEs"):
            self.ends("crash", 128 + 11, r"rank\(1\), entry run, on PE 0: crash by SIGSEGV", "at the address 0x8",
                      r"write_to\(int\*\)", "ends.cpp:1", place=place)
        self.ends("stop", 128 + 6, r"rank\(1\), entry run, on PE 0: crash by SIGABRT", "end_badly")

    def test_mpi_is_called_where_main_does_not_run(self):
        library = self.folder / "libearly.so"
        done = execute(BIN / "imbrex-mpicxx", PROGRAMS / "outside_main.cpp", "-DLIBRARY", "-shared", "-fPIC", "-o",
                       library)
        self.assertEqual(done.returncode, 0, done.stderr)
        program = self.build("outside_main.cpp", links=(library, f"-Wl,-rpath,{self.folder}"))
        begun = "initialised 0, the time is known\n"
        done = execute(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, begun + "finalised 1\n", ""))
        done = execute(program, "late")
        self.assertEqual((done.returncode, done.stdout), (1, begun + "finalised 1\n"))
        self.assertIn("a function of MPI was called after main has returned", done.stderr)
        done = execute(program, environment={"CALLS_EARLY": "1"})
        self.assertEqual((done.returncode, done.stdout), (1, begun))
        self.assertIn("a function of MPI was called before main", done.stderr)
        done = execute(program, environment={"IMBREX_OPTIONS": "--ranks 2 --pes 1"})  # copies end as ranks
        self.assertEqual((done.returncode, done.stdout), (0, begun + 2 * "finalised 1\n"), done.stderr)

    def test_operations_end_the_run(self):
        for place in PLACES:
            with self.subTest(place=place):
                self.ends("abort in operation", 6, "called MPI_Abort on MPI_COMM_WORLD with the error code 6",
                          place=place)
                self.ends("exit in operation", 5, "has ended with the status 5 before it called MPI_Finalize",
                          place=place)

    def test_full_stacks_are_told_of_in_words(self):
        full = "below the stack of rank 1, which is full: it has 8388608 bytes; give ranks more by --rank-stack"
        self.ends("overflow", 128 + 11, full, r"deep\(int\)")
        self.ends("array", 128 + 11, full, "large_array")
        done = execute(BIN / "imbrex", "run", "--ranks", 4, "--rank-stack", "64MB", self.build("ends.cpp", "-g"),
                       "array")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_deadlocks_list_what_each_rank_waits_for(self):
        for place in PLACES:
            with self.subTest(place=place):
                self.ends("deadlock", 1, "deadlock", r"rank\(1\), .* waits for MPI_Recv from rank 0, tag 42",
                          r"rank\(3\), .* waits for MPI_Barrier in MPI_COMM_WORLD", place=place)

    def test_errors_name_rank_and_function(self):
        self.ends("throw", 1, "rank 1, main: std::runtime_error: a bad day")
        self.ends("wrong", 1, "MPI_Send", "the count is -1")
        self.ends("absent", 1, "rank 1: MPI_Open_port in MPI_COMM_WORLD: the function is not there in this MPI")

    def test_what_was_not_freed_is_told(self):
        program = self.build("leaks.c")
        for name, place in PLACES.items():
            with self.subTest(place=name):
                done = self.run_ranks(3, [*place, "--mpi-check"], program)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "imbrex: warning: rank 1 has called MPI_Finalize, but has not "
                                 "freed or received: 1 x communicator (rows), 1 x datatype, 1 x message, 1 x request\n")
        self.assertEqual(self.run_ranks(3, PLACES["two PEs"], program).stderr, "")

    def test_finalize_is_where_all_meet(self):
        done = self.run_ranks(3, [*PLACES["deterministic"], "--seed", "3"], self.build("leaks.c"))
        self.assertEqual(done.stdout.splitlines(), ["late", "end", "end"], done.stderr)
        self.ends("no finalize", 1, "deadlock", r"rank\(2\), .* waits for MPI_Finalize")

    def test_programs_of_one_place_need_a_process_for_each_rank(self):
        program = self.build("globals.c", "-no-pie")
        done = self.run_ranks(2, PLACES["one PE"], program)
        self.assertEqual(done.returncode, 1)
        self.assertIn("linked for a fixed address", done.stderr)
        done = execute(BIN / "imbrex", "run", "-n", 2, program)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2), done.stderr)

    def test_second_runtime_is_refused(self):
        done = execute(TWO_RUNTIMES)
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds Imbrex's static libraries, and libimbrex_mpi.so has the runtime too", done.stderr)

    def test_programs_that_were_built_for_mpich(self):
        stub = self.folder / "libmpich.so.12"
        symbols = execute("nm", "-D", "--defined-only", BUILD / "lib/libimbrex_mpi.so").stdout
        source = self.folder / "stub.c"
        source.write_text("".join(f"void {name}(void) {{}}\n" for name in re.findall(r" W (MPI_\w+)", symbols)))
        execute("cc", "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{stub.name}", "-o", stub, source, check=True)
        program = self.folder / "of_mpich.out"
        execute("cc", PROGRAMS / "globals.c", f"-I{PROGRAMS.parents[2]}/imbrex/mpi/include", "-o", program, stub,
                check=True)
        done = execute(BIN / "imbrex", "run", "--ranks", 2, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 1 of 2: counter 15, of thread 11, sum 20", done.stdout)
        done = execute(BIN / "imbrex", "run", program)  # recognised by its libraries
        self.assertEqual(done.stdout, "rank 0 of 1: counter 5, of thread 1, sum 5, arguments\n")

    def test_programs_that_load_mpi_later(self):
        library = self.folder / "libadd_ranks.so"
        done = execute(BIN / "imbrex-mpicc", PROGRAMS / "loaded_late.c", "-DLIBRARY", "-shared", "-fPIC", "-o", library)
        self.assertEqual(done.returncode, 0, done.stderr)
        program = self.folder / "loaded_late.out"
        execute("cc", PROGRAMS / "loaded_late.c", "-o", program, "-ldl", check=True)
        done = execute(BIN / "imbrex", "run", "-n", 3, "--preload", program, library)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())),
                         (0, [f"rank {r}, sum 3" for r in range(3)]), done.stderr)
        done = execute(BIN / "imbrex-mpiexec", "-n", 2, "--preload", program, library)
        self.assertEqual(sorted(done.stdout.splitlines()), ["rank 0, sum 1", "rank 1, sum 1"], done.stderr)
        script = self.folder / "script.sh"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        done = execute(BIN / "imbrex", "run", "-n", 3, "--preload", script)
        self.assertEqual(done.returncode, 2)
        self.assertIn("name the program that it starts", done.stderr)

    def fortran(self, ranks, source, *options):
        if not (BIN / "imbrex-mpifort").exists():
            self.skipTest("no gfortran")
        program = self.build(source, *options)
        for lines in self.everywhere(ranks, program):
            self.assertEqual(sorted(lines), [f"rank {r} of {ranks} failures 0" for r in range(ranks)])

    def test_fortran_by_three_interfaces(self):
        for interface in ("-DBY_HEADER", "-DBY_MODULE", "-DBY_MODULE_2008"):
            for ranks, level in ((2, "-O0"), (5, "-O3")):
                with self.subTest(interface=interface, ranks=ranks):
                    self.fortran(ranks, "fortran.F90", interface, level, "-w")

    def test_ranks_are_balanced_by_fortran(self):
        if not (BIN / "imbrex-mpifort").exists():
            self.skipTest("no gfortran")
        for interface in ("-DBY_HEADER", "-DBY_MODULE", "-DBY_MODULE_2008"):
            with self.subTest(interface=interface):
                program = self.build("balanced.F90", interface)
                done = execute(BIN / "imbrex-mpiexec", "-n", 4, "--pes", 2, "--balance", "greedy", "--balance-every", 2,
                               program)
                self.assertEqual((done.returncode, done.stdout), (0, "the heavy ranks are apart\n"), done.stderr)

    def test_sections_of_fortran_arrays(self):
        for ranks, level in ((1, "-O3"), (3, "-O0")):
            self.fortran(ranks, "sections.f90", level)

    def test_fixed_form_of_fortran(self):
        if not (BIN / "imbrex-mpifort").exists():
            self.skipTest("no gfortran")
        for lines in self.everywhere(5, self.build("ring_f77.f")):
            self.assertEqual(lines, ["TOKEN 12 FROM 4"])

    def test_constants_of_fortran_are_those_of_mpich(self):
        if not (BIN / "imbrex-mpifort").exists():
            self.skipTest("no gfortran")
        table = (PROGRAMS.parent / "fortran_abi_table.txt").read_text().splitlines()
        values = [line for line in table if not line.startswith("COMMON")]
        source = self.folder / "values.f"
        source.write_text(make_abi_table.fortran_program([line.split()[0] for line in values]))
        done = execute(BIN / "imbrex-mpifort", source, "-o", self.folder / "values.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = execute(self.folder / "values.out").stdout.splitlines()
        self.assertEqual([" ".join(line.split()) for line in written], values)
        self.assertEqual(make_abi_table.common_blocks_of(BUILD / "lib/imbrex/mpi/fortran"),
                         [line for line in table if line.startswith("COMMON")])

    def test_units_of_fortran_write_whole_lines(self):
        if not (BIN / "imbrex-mpifort").exists():
            self.skipTest("no gfortran")
        wanted = [f"first of rank {r}, second {i}" for r in range(3) for i in (1, 2, 3)] + [c * 20000 for c in "abc"]
        for lines in self.everywhere(3, self.build("output.f90")):
            self.assertEqual(sorted(lines), sorted(wanted))

    def test_wrappers_say_what_they_do(self):
        show = execute(BIN / "imbrex-mpicc", "-show", "x.c").stdout
        self.assertRegex(show, r"^cc x.c -I\S+/include -L\S+ -Wl,-rpath,\S+ -limbrex_mpi\n")
        self.assertNotIn("-L", execute(BIN / "imbrex-mpicc", "-compile_info").stdout)
        self.assertIn("-limbrex_mpi", execute(BIN / "imbrex-mpicxx", "-link_info").stdout)
        self.assertNotIn("-L", execute(BIN / "imbrex-mpicxx", "-show", "-c", "x.cpp").stdout)
        self.assertRegex(execute(BIN / "imbrex-mpicxx", "-show", "-cxx=clang++", "x.o").stdout, "^clang[+][+] x.o ")
        self.assertEqual(execute(BIN / "imbrex-mpicc", "--showme", "x.c").stdout, show)
        self.assertRegex(execute(BIN / "imbrex-mpicc", "--showme:compile").stdout, r"^-I\S+/include\n$")
        self.assertRegex(execute(BIN / "imbrex-mpicc", "-showme:link").stdout, r"^-L\S+ -Wl,-rpath,\S+ -limbrex_mpi\n$")
        self.assertEqual(execute(BIN / "imbrex-mpicc", "-showme:libs").stdout, "imbrex_mpi\n")
        unknown = execute(BIN / "imbrex-mpicc", "-showme:cost")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("imbrex-mpicc: error: -showme:cost: one of command, ", unknown.stderr)
        version = execute(BIN / "imbrex-mpicc", "--version")
        self.assertEqual(version.stdout, execute("cc", "--version").stdout)

    def test_cmake_finds_it(self):
        project = self.folder / "project"
        project.mkdir()
        has_fortran = (BIN / "imbrex-mpifort").exists()
        of_fortran = f"""
enable_language(Fortran)
find_package(MPI REQUIRED COMPONENTS Fortran)
if(NOT MPI_Fortran_HAVE_F77_HEADER OR NOT MPI_Fortran_HAVE_F90_MODULE OR NOT MPI_Fortran_HAVE_F08_MODULE)
  message(FATAL_ERROR "an interface of Fortran is missing")
endif()
add_executable(fortran {PROGRAMS}/fortran.F90)
target_compile_definitions(fortran PRIVATE BY_MODULE_2008)
target_link_libraries(fortran PRIVATE MPI::MPI_Fortran)
add_custom_target(run_fortran ALL COMMAND ${{MPIEXEC_EXECUTABLE}} ${{MPIEXEC_NUMPROC_FLAG}} 2 $<TARGET_FILE:fortran>)
add_dependencies(run_fortran fortran)
""" if has_fortran else ""
        (project / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.16)
project(uses_mpi C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(globals {PROGRAMS}/globals.c)
target_link_libraries(globals PRIVATE MPI::MPI_C)
add_executable(pi {PROGRAMS}/pi.cpp)
target_link_libraries(pi PRIVATE MPI::MPI_CXX)
add_custom_target(run_pi ALL COMMAND ${{MPIEXEC_EXECUTABLE}} ${{MPIEXEC_NUMPROC_FLAG}} 3 $<TARGET_FILE:pi>)
add_dependencies(run_pi pi)
{of_fortran}""")
        for how in ([f"-DMPI_HOME={BUILD}/lib/imbrex/mpi"],
                    [f"-DMPI_C_COMPILER={BIN}/imbrex-mpicc", f"-DMPI_CXX_COMPILER={BIN}/imbrex-mpicxx",
                     f"-DMPI_Fortran_COMPILER={BIN}/imbrex-mpifort", f"-DMPIEXEC_EXECUTABLE={BIN}/imbrex-mpiexec"]):
            build = self.folder / f"build{len(how)}"
            made = execute("cmake", "-S", project, "-B", build, *how)
            self.assertEqual(made.returncode, 0, made.stderr)
            built = execute("cmake", "--build", build)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            self.assertIn("pi 3.14159265 by 3 ranks", built.stdout)
            if has_fortran:
                self.assertIn("rank 1 of 2 failures 0", built.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
