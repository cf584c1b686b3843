# SPDX-License-Identifier: Apache-2.0
"""Functions that run while a PE or a process waits: how often depends on the machine and on who else uses it, so what
they cost is left out where PEs or processes wait for each other. All else is counted."""
import re

START = r"ucs_x86_init_tsc_freq"
# Beginnings of callgrind's names, and the reasons for leaving them out.
LEFT_OUT = [
    (r"imbrex::detail::thread_machine::",
     "the loop of a PE: it spins, polls and sleeps until there is something to do"),
    (r"imbrex::detail::scheduler::(step|poll|take_in|exchange|look_at_sources|look_at_device)\b",
     "a turn of that loop, also one that finds nothing; what it costs one PE shows that never waits"),
    (r"imbrex::detail::(processor_claims::|processors_in|affinity_of_this_thread|set_affinity|mask_of)",
     "a PE that waits or wakes sees whether another has its processor, which valgrind's threads all share"),
    (r"imbrex::detail::pool::flush\b", "before each sleep"),
    (r"imbrex::detail::inbox::(park|sleep|wake)\b", "sleeps, and wakes of those that sleep"),
    (r"imbrex::detail::real_clock::|std::chrono::", "the clock is asked again and again by who waits"),
    (r"imbrex::detail::device_completions::(.*look|notice::is_due)|imbrex::event::done",
     "a PE asks its device until it is done"),
    (r"imbrex::emulated::", "an emulated device works by threads of its own, in the place of a GPU"),
    (r".*imbrex::endpoints::(network_endpoint|outbox|connector|message_receiver)<.*?>::"
     r"(progress|send_batches|greet_others|sending|departing|congested|flushed|arm|may_accept|accept_offers)\b",
     "asked in each turn, whether something came or not"),
    (r"imbrex::endpoints::fabric_network::flush|.*imbrex::detail::job::leave",
     "at the end processes wait for each other"),
    (r"ucp_worker_(progress|arm)|uct_(iface_event_arm|worker_progress)|\(without a name\) libuct",
     "UCX's progress, which polls its queues in functions that Debian's libuct does not name"),
    (START, "UCX measures the clock when it starts, for a time and not a number of turns"),
    (r"opal_progress|ompi_request_default_wait|mca_pml_ob1_recv$|\(without a name\) (mca_btl|libopen)",
     "MPI's progress, and what asks it"),
    (r"_*(pthread|lll|futex|sched|nanosleep|clock|condvar|gettimeofday|ppoll|poll|epoll|read|write|recv|send|syscall)",
     "locks, sleeps and system calls of the C library"),
    (r"event_|evutil_|usleep|\(without a name\) lib(event|pmix)", "the threads of a launcher's library"),
]


def waits(name):
    return any(re.match(pattern, name) for pattern, _ in LEFT_OUT)


def starts(name):
    """Functions that differ from one start to the next, also without waiting PEs."""
    return re.match(START, name) is not None
