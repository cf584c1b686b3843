// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/findings_text.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace imbrex::tools {
namespace {

nlohmann::ordered_json found_on_two_processors() {
  return nlohmann::ordered_json::parse(R"json({
    "version": "1.2.3", "compiler": "Clang 19", "build_type": "Debug", "ucx": "1.13.1", "pmix": null,
    "mpi": null, "cuda": "13.0", "otf2": "3.0.2", "device_models": ["v100", "h200"], "launcher": null,
    "processes": [{
      "rank": 0, "host": "here",
      "processors": {"of_host": 4, "allowed": [0, 1, 3], "control_group": 2, "usable": 2},
      "libraries": {"variable": null, "threads": 1},
      "hiding": {"CUDA_VISIBLE_DEVICES": "1"},
      "backends": [
        {"name": "cuda", "problem": null, "devices": [
          {"index": 0, "name": "H200", "memory": 150323855360, "pci_bus_id": "0000:1b:00.0",
           "near_processors": [0, 1], "stream_values": true, "graphs": true, "peer_copies": false,
           "priorities": 6, "concurrent_kernels": 128, "copy_engines": 1}]},
        {"name": "emulated", "problem": "it has gone", "devices": []}],
      "machine": "threads", "bound": true, "device": "cuda", "device_map": "near", "problem": null,
      "pes": [{"pe": 0, "processor": 3, "device": 0}, {"pe": 1, "processor": 0, "device": null}],
      "paths": {"wake": 44100, "spin": 88200, "spin_with_network": 150000, "left_to_ucx": false,
        "ucx": {"version": "1.13.1", "file": "/usr/lib/libucp.so.0", "problem": null},
        "long_messages": [
          {"longest": 16384, "by_kernel": 4900, "by_memory": 11800, "chosen": "kernel"},
          {"longest": 1048576, "by_kernel": 142000, "by_memory": 72540, "chosen": "memory"}],
        "device_memory": [
          {"between": "devices of a process", "way": "a copy from the other device", "why": null},
          {"between": "hosts", "way": "pinned memory of the host",
           "why": "nothing else is there"}],
        "symmetric_heaps": [
          {"between": "processes of a host", "way": "handles of memory", "why": null},
          {"between": "hosts", "way": "none", "why": "NVSHMEM does not load"}]}}]})json");
}

TEST(findings_text, says_everything_once) {
  EXPECT_EQ(text_of(found_on_two_processors()),
            "Imbrex 1.2.3, Debug, by Clang 19\n"
            "  built with UCX 1.13.1, CUDA 13.0, OTF2 3.0.2\n"
            "  built without PMIx, MPI\n"
            "  models of devices: v100 h200\n"
            "Started by itself: one process\n"
            "Process 0, on here\n"
            "  processors: 2 usable of 4; affinity allows 0-1,3; the control group's quota pays for 2\n"
            "  OpenMP and BLAS: 1 thread in each PE, as OMP_NUM_THREADS is not set\n"
            "  CUDA_VISIBLE_DEVICES=1: no other devices are shown to this process\n"
            "  cuda: 1 device\n"
            "    0: H200, 140.0 GiB, at 0000:1b:00.0, near processors 0-1\n"
            "       stream values, graphs, 6 priorities, 128 kernels at once, 1 copy engine\n"
            "  emulated: none: it has gone\n"
            "  2 PEs, bound; devices by --device-map near\n"
            "    PE 0: processor 3, cuda device 0\n"
            "    PE 1: processor 0, no device\n"
            "  paths: a wake takes 44.1 us; idle PEs poll for 88.2 us before they sleep, with other "
            "processes for 150.0 us\n"
            "    network: UCX 1.13.1, /usr/lib/libucp.so.0\n"
            "    long messages to processes of this host:\n"
            "      up to 16 KiB: 4.9 us copied by the kernel, 11.8 us through shared memory: kernel\n"
            "      up to 1024 KiB: 142.0 us copied by the kernel, 72.5 us through shared memory: memory\n"
            "    device memory in messages:\n"
            "      between devices of a process: a copy from the other device\n"
            "      between hosts: pinned memory of the host, as nothing else is there\n"
            "    symmetric heaps of chares inside GPUs:\n"
            "      between processes of a host: handles of memory\n"
            "      between hosts: none, as NVSHMEM does not load\n");
}

TEST(findings_text, tells_what_would_be_chosen) {
  auto found = found_on_two_processors();
  found["launcher"] = "imbrex run";
  auto& process = found["processes"][0];
  process["bound"] = false;
  process["device"] = nullptr;
  process["processors"]["control_group"] = nullptr;
  process["backends"][0]["devices"][0]["near_processors"] = nullptr;
  const std::string text = text_of(found);
  for (const char* line : {"Started by imbrex run: 1 process\n", "affinity allows 0-1,3; no quota known\n",
                           "at 0000:1b:00.0, near which processors is not known\n",
                           "  2 PEs, not bound; --bind core would bind them to these processors; without "
                           "--device they have no devices\n    PE 0: processor 3\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "not in\n" << text;
}

TEST(findings_text, tells_what_is_not_to_be_had_of_paths) {
  auto found = found_on_two_processors();
  auto& paths = found["processes"][0]["paths"];
  paths["wake"] = nullptr;
  paths["spin"] = 0;
  paths["left_to_ucx"] = true;
  paths["ucx"] = {{"version", nullptr}, {"file", nullptr}, {"problem", "it is too old"}};
  paths["device_memory"] = paths["symmetric_heaps"] = nullptr;
  paths["long_messages"][0]["by_kernel"] = nullptr;
  const std::string text = text_of(found);
  for (const char* line :
       {"  paths: a wake takes an unknown time; idle PEs sleep at once, as others need their ",
        "    network: none: it is too old\n", ", all left to UCX since UCX_RNDV_THRESH is set:\n",
        "KiB: not copied by the kernel, which refuses it, 11.8 us through shared memory"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "not in\n" << text;
  EXPECT_EQ(text.find("device memory"), std::string::npos);
  EXPECT_EQ(text.find("symmetric heaps"), std::string::npos);
  paths["long_messages"].clear();
  EXPECT_NE(text_of(found).find("this build cannot connect processes\n"), std::string::npos);
  found["processes"][0]["paths"] = nullptr;
  EXPECT_EQ(text_of(found).find("paths"), std::string::npos);
}

TEST(findings_text, joins_numbers_that_follow_each_other) {
  EXPECT_EQ(ranges(std::vector<int>{}), "");
  EXPECT_EQ(ranges(std::vector{5}), "5");
  EXPECT_EQ(ranges(std::vector{0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

}  // namespace
}  // namespace imbrex::tools
