// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/measurement.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <string>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>
#include <imbrex/serial/file.hpp>
#include <imbrex/testing/error_of.hpp>

#include "apps/minimd/device_store.hpp"
#include "apps/minimd/report.hpp"
#include "apps/minimd/synthetic_potential.test.hpp"

namespace minimd {
namespace {

using imbrex::testing::error_of;

settings of_size(imbrex::index<3> lattice, int pes) {
  settings setup;
  setup.machine.pes = pes;
  setup.parameters.what.lattice = lattice;
  setup.parameters.steps = 100;
  return setup;
}

measurement run(const settings& setup, std::int64_t odf, const restart_file* from = nullptr) {
  measurement m;
  EXPECT_EQ(measure(setup, odf, from, [](const thermo&, const std::vector<atom>&) {}, m), 0);
  return m;
}

// Checks values for 4,000 atoms on which independent programs agree.
void expect_known_values(const measurement& m, double tolerance) {
  ASSERT_EQ(m.outputs.size(), 2U);
  EXPECT_NEAR(m.outputs[0].temperature, 1.44, 1e-13);
  EXPECT_NEAR(m.outputs[0].potential, -6.77336805325925, 1e-11);
  EXPECT_NEAR(m.outputs[0].pressure, -5.01997318208561, 1e-11);
  EXPECT_NEAR(m.outputs[1].temperature, 0.720859868640854, tolerance);
  EXPECT_NEAR(m.outputs[1].potential, -5.7012614825328, tolerance);
  EXPECT_NEAR(m.outputs[1].pressure, 0.523692610999761, tolerance);
}

TEST(minimd, meets_known_values_with_full_lists) {
  expect_known_values(run(of_size({10, 10, 10}, 2), 3), 5e-12);
}

// LAMMPS's benchmark in.lj has the command: velocity all create 1.44 87287 loop geom.
TEST(minimd, meets_known_values_with_velocities_of_lammps) {
  settings setup = of_size({20, 20, 20}, 2);
  setup.parameters.what.velocities = {
      {random_velocities{.temperature = 1.44, .seed = 87287, .source = number_source::position}, 1}};
  const measurement m = run(setup, 2);
  EXPECT_NEAR(m.outputs[1].temperature, 0.757453103239936, 5e-12);
  EXPECT_NEAR(m.outputs[1].potential, -5.75850548601596, 5e-12);
  EXPECT_NEAR(m.outputs[1].pressure, 0.207261053624723, 5e-12);
}

TEST(minimd, meets_known_values_with_half_lists) {
  settings setup = of_size({10, 10, 10}, 2);
  setup.machine.shuffle = 5;
  setup.parameters.what.lists = list_kind::half;
  expect_known_values(run(setup, 2), 5e-12);
  setup.parameters.what.newton = false;
  expect_known_values(run(setup, 4), 5e-12);
}

// A problem with the synthetic potential, in reduced units.
settings of_eam(imbrex::index<3> lattice, int pes) {
  settings setup = of_size(lattice, pes);
  problem& what = setup.parameters.what;
  what.field = force_field::eam;
  what.potential = synthetic_potential::text();
  what.cutoff = synthetic_potential::cutoff;
  what.mass = synthetic_potential::mass;
  what.cell = unit_cell::of_density(0.2);
  what.temperature = 0.2;
  what.renewal = 10;
  return setup;
}

void expect_the_same_bits(settings setup) {
  problem& what = setup.parameters.what;
  setup.parameters.steps = 40;
  setup.parameters.thermo = 20;
  setup.write_restart = "kept";
  const measurement rounded = run(setup, 2);
  what.reproducible = true;
  setup.machine.pes = 1;
  const measurement first = run(setup, 1);
  EXPECT_NEAR(first.outputs.back().temperature, rounded.outputs.back().temperature, 1e-8);
  EXPECT_NEAR(first.outputs.back().potential, rounded.outputs.back().potential, 1e-8);
  EXPECT_NEAR(first.outputs.back().pressure, rounded.outputs.back().pressure, 1e-8);
  struct cut {
    int pes;
    std::int64_t odf;
    list_kind lists;
    bool newton;
  };
  for (const cut& c : {cut{1, 4, list_kind::full, true},
                       {3, 1, list_kind::half, true},
                       {2, 4, list_kind::half, false},
                       {3, 4, list_kind::half, true},
                       {3, 20, list_kind::full, true},
                       {4, 6, list_kind::half, true}}) {
    setup.machine.pes = c.pes;
    setup.machine.shuffle = static_cast<std::uint64_t>(c.odf);
    what.lists = c.lists;
    what.newton = c.newton;
    const measurement other = run(setup, c.odf);
    for (std::size_t i = 0; i < first.outputs.size(); ++i)
      EXPECT_EQ(json_line(other.outputs[i]), json_line(first.outputs[i]));
    ASSERT_EQ(other.last.atoms.size(), first.last.atoms.size());
    for (std::size_t i = 0; i < first.last.atoms.size(); ++i) {
      ASSERT_EQ(other.last.atoms[i].id, first.last.atoms[i].id);
      ASSERT_EQ(other.last.atoms[i].position, first.last.atoms[i].position);
      ASSERT_EQ(other.last.atoms[i].velocity, first.last.atoms[i].velocity);
    }
  }
}

TEST(minimd, gives_the_same_bits_however_it_is_cut) { expect_the_same_bits(of_size({5, 6, 5}, 3)); }
TEST(minimd, gives_the_same_bits_of_embedded_atoms_however_they_are_cut) {
  expect_the_same_bits(of_eam({4, 5, 4}, 3));
}

// Lists renewed when needed contain all pairs, like lists with a skin that no atom crosses.
// A ball that lies across the sides of the box, and grows.
void expect_the_same_bits_of_a_droplet(settings setup) {
  setup.parameters.what.be_droplet(2);
  setup.parameters.what.reproducible = true;
  setup.parameters.what.renewal = 4;
  setup.parameters.thermo = 25;
  const measurement alone = run(setup, 1);
  ASSERT_EQ(alone.outputs.size(), 5U);
  setup.machine.pes = 3;
  for (const char* const strategy : {"random", "rotate", "auto"})
    for (const auto lists : {list_kind::full, list_kind::half}) {
      setup.machine.balance = {.strategy = strategy, .every_points = 1};
      setup.machine.serialize_always = lists == list_kind::half;
      setup.parameters.what.lists = lists;
      const measurement moved = run(setup, 4);
      for (std::size_t i = 0; i < alone.outputs.size(); ++i)
        EXPECT_EQ(json_line(moved.outputs[i]), json_line(alone.outputs[i])) << strategy << i;
    }
}

TEST(minimd, gives_the_same_bits_of_a_droplet_that_migrates) {
  expect_the_same_bits_of_a_droplet(of_size({5, 6, 5}, 1));
}
TEST(minimd, gives_the_same_bits_of_embedded_atoms_that_migrate) {
  expect_the_same_bits_of_a_droplet(of_eam({4, 5, 4}, 1));
}

TEST(minimd, has_as_many_atoms_in_a_droplet_as_in_its_volume) {
  problem what;
  what.lattice = {20, 20, 20};
  what.be_droplet(8);
  EXPECT_NEAR(static_cast<double>(what.atoms()), 4 * 4.0 / 3 * 3.14159265 * 512, 100);
}

TEST(minimd, renews_lists_where_they_must_be) {
  settings checked = of_size({6, 6, 6}, 3), every_step = checked;
  checked.parameters.what.renewal = 1;
  checked.parameters.what.renews_if_needed = true;
  checked.parameters.what.delay = 2;
  checked.machine.shuffle = 3;
  every_step.parameters.what.renewal = 1;
  const measurement got = run(checked, 4), expected = run(every_step, 1);
  EXPECT_NEAR(got.outputs.back().temperature, expected.outputs.back().temperature, 1e-10);
  EXPECT_NEAR(got.outputs.back().potential, expected.outputs.back().potential, 1e-10);
  EXPECT_NEAR(got.outputs.back().pressure, expected.outputs.back().pressure, 1e-9);
  // With almost no skin, lists must be renewed at each step; a missing renewal would miss pairs.
  checked.parameters.what.skin = 0.01;
  checked.parameters.what.delay = 0;
  EXPECT_NEAR(run(checked, 4).outputs.back().potential, expected.outputs.back().potential, 1e-10);
  checked.parameters.what.delay = 80;
  EXPECT_GT(std::abs(run(checked, 4).outputs.back().potential - expected.outputs.back().potential), 1e-3);
}

TEST(minimd, gives_the_same_bits_with_renewals_where_they_must_be) {
  settings setup = of_size({5, 6, 5}, 3);
  setup.parameters.what.renewal = 2;
  setup.parameters.what.renews_if_needed = true;
  expect_the_same_bits(setup);
}

TEST(minimd, refuses_more_chares_than_cells) {
  EXPECT_EQ(error_of<imbrex::usage_error>([&] { chares_of(of_size({1, 1, 1}, 2), 1); }),
            "more chares than cells: 2 chares, but the grid 1 x 1 x 1 has 1 cells; take fewer --pes, a "
            "smaller --odf or a larger problem");
}

settings on_device(imbrex::index<3> lattice, int pes, communication comm) {
  settings setup = of_size(lattice, pes);
  setup.machine.device = "emulated";
  setup.machine.streams = imbrex::stream_policy::five;
  setup.comm = comm;
  return setup;
}

TEST(minimd, meets_known_values_on_devices) {
  for (const communication comm : {communication::host, communication::message}) {
    settings setup = on_device({10, 10, 10}, 2, comm);
    setup.machine.devices = 2;
    setup.machine.shuffle = 3;
    expect_known_values(run(setup, 4), 5e-12);
  }
}

TEST(minimd, refuses_buffers_of_devices_that_are_too_short) {
  imbrex::options how;
  how.device = "emulated";
  EXPECT_EQ(imbrex::run(how,
                        []() -> imbrex::task<> {
                          device_store store({}, communication::message, "a test");
                          halo_plan plan{.own = 1, .copies = 2, .number_of_sources = 1};
                          plan.parts = {{}, {.with = {1, 0, 2}, .sources = 1, .copies = 2}};
                          store.reserve(std::move(plan));
                          const std::string text = error_of<imbrex::error>(
                              [&] { store.put(store.partners().front(), {imbrex::gpu(), 5}); });
                          EXPECT_NE(text.find("of 6 numbers of copies from block (1, 0, 2), which sent 5"),
                                    std::string::npos)
                              << text;
                          co_return;
                        }),
            0);
}

void expect_the_same_on_devices(settings there, settings here, std::int64_t odf) {
  for (settings* setup : {&there, &here}) {
    setup->parameters.thermo = 30;  // not a multiple of the steps between renewals
    setup->write_restart = "kept";
  }
  const measurement got = run(there, odf), expected = run(here, 3);
  ASSERT_EQ(got.outputs.size(), expected.outputs.size());
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
    EXPECT_NEAR(got.outputs[i].potential, expected.outputs[i].potential, 1e-10);
    EXPECT_NEAR(got.outputs[i].pressure, expected.outputs[i].pressure, 1e-9);
  }
  for (std::size_t i = 0; i < expected.last.atoms.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(got.last.atoms[i].velocity[d], expected.last.atoms[i].velocity[d], 1e-9);
}

TEST(minimd, goes_on_from_what_its_device_has) {
  for (const communication comm : {communication::host, communication::message}) {
    settings there = on_device({3, 4, 5}, 1, comm);
    there.machine.streams = imbrex::stream_policy::two;
    expect_the_same_on_devices(there, of_size({3, 4, 5}, 1), 5);
  }
}

TEST(minimd, has_embedded_atoms_on_devices) {
  for (const communication comm : {communication::host, communication::message})
    for (const int devices : {1, 2})
      for (const int pes : {1, 3}) {
        settings there = of_eam({4, 5, 4}, pes);
        there.machine.device = "emulated";
        there.machine.devices = devices;
        there.machine.streams = imbrex::stream_policy::five;
        there.machine.shuffle = 7;
        there.comm = comm;
        expect_the_same_on_devices(there, of_eam({4, 5, 4}, 1), 3);
      }
}

TEST(minimd, has_embedded_atoms_on_devices_in_any_order) {
  for (const communication comm : {communication::host, communication::message})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      settings there = of_eam({4, 5, 4}, 3);
      there.machine.machine = imbrex::machine_kind::deterministic;
      there.machine.seed = seed;
      there.machine.device = "emulated";
      there.machine.devices = 2;
      there.machine.streams = seed % 2 == 0 ? imbrex::stream_policy::five : imbrex::stream_policy::four;
      there.comm = comm;
      expect_the_same_on_devices(there, of_eam({4, 5, 4}, 1), 3);
    }
}

// Expects equal modelled times with atoms and without data, since the expected numbers of atoms are right.
void expect_as_long_without_data(settings setup) {
  setup.machine.machine = imbrex::machine_kind::simulated;
  setup.machine.device = "emulated";
  setup.machine.device_model = "summit";
  setup.parameters.steps = 10;
  const measurement with = run(setup, 2);
  setup.machine.device_data = false;
  const measurement without = run(setup, 2);
  EXPECT_TRUE(without.outputs.empty());
  EXPECT_NEAR(without.seconds / with.seconds, 1, 0.05);
}

TEST(minimd, takes_as_long_on_a_model_without_data) {
  expect_as_long_without_data(on_device({20, 20, 20}, 2, communication::host));
  settings embedded = of_eam({16, 16, 16}, 2);
  embedded.parameters.what.renewal = 20;
  expect_as_long_without_data(embedded);
}

TEST(minimd, conserves_energy_and_momentum) {
  settings setup = of_size({4, 4, 4}, 1);
  setup.parameters.steps = 10'000;
  setup.parameters.thermo = 5'000;
  setup.parameters.what.renewal = 5;
  setup.write_restart = "kept";
  const measurement m = run(setup, 2);
  const auto energy = [](const thermo& t) { return t.kinetic + t.potential; };
  // After the first steps, in which the lattice melts; the potential is cut off, so it is not smooth.
  EXPECT_NEAR(energy(m.outputs.back()), energy(m.outputs.front()), 0.01);
  for (std::size_t d = 0; d < 3; ++d) {
    double sum = 0;
    for (const atom& a : m.last.atoms) sum += a.velocity[d];
    EXPECT_NEAR(sum, 0, 1e-9);
  }
}

TEST(minimd, goes_on_from_a_file_that_other_pes_have_written) {
  const auto folder = std::filesystem::temp_directory_path() / ("minimd." + std::to_string(::getpid()));
  settings setup = of_size({6, 6, 6}, 4);
  setup.parameters.what.renewal = 10;
  const measurement whole = run(setup, 1);
  setup.parameters.steps = 50;
  setup.write_restart = folder.string();
  imbrex::to_file(folder.string(), run(setup, 1).last);
  const auto file = imbrex::from_file<restart_file>(folder.string());
  std::filesystem::remove(folder);
  EXPECT_EQ(file.step, 50);
  setup.machine.pes = 3;
  setup.write_restart.clear();
  const measurement rest = run(setup, 2, &file);
  EXPECT_EQ(rest.outputs.back().step, 100);
  EXPECT_NEAR(rest.outputs.back().temperature, whole.outputs.back().temperature, 1e-10);
  EXPECT_NEAR(rest.outputs.back().pressure, whole.outputs.back().pressure, 1e-9);
}

TEST(minimd, sees_images_in_a_box_smaller_than_the_cutoff) {
  // The large box is the small one repeated twice in each direction, so an atom has the same energy.
  settings small = of_size({1, 1, 1}, 1), large = of_size({2, 2, 2}, 2);
  for (settings* setup : {&small, &large}) {
    setup->parameters.steps = 0;
    setup->parameters.what.temperature = 1e-9;
  }
  const measurement one = run(small, 1), eight = run(large, 4);
  EXPECT_NEAR(one.outputs[0].potential, -6.77336805325925, 1e-9);
  EXPECT_NEAR(eight.outputs[0].potential, one.outputs[0].potential, 1e-11);
  EXPECT_NEAR(eight.outputs[0].pressure, one.outputs[0].pressure, 1e-6);
}

TEST(report, has_what_others_read) {
  settings setup = of_size({1, 1, 1}, 1);
  setup.parameters.what.cell = unit_cell::of_density(0.5);
  const thermo at{.step = 20, .temperature = 1.5, .potential = -2.25, .pressure = 0.125};
  EXPECT_EQ(json_line(at), R"({"step":20,"T":1.5,"U":-2.25,"P":0.125})");
  const std::vector<atom> atoms{{{0.5, 0, 1}, {1, 2, 3}, 7}};
  EXPECT_EQ(xyz_frame(setup.parameters.what, at, atoms),
            "1\nLattice=\"2 0 0 0 2 0 0 0 2\" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 Step=20 "
            "Time=0.10000000000000001 pbc=\"T T T\"\nAr 0.5 0 1 1 2 3 7\n");
  measurement m;
  m.outputs.push_back(at);
  EXPECT_NE(yaml_document(setup, 1, m).find("  - {step: 20, T: 1.5, U: -2.25, P: 0.125}\n"),
            std::string::npos);
}

}  // namespace
}  // namespace minimd
