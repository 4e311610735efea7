#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program under vkrace again and again, where each time one thing fails.

The program's command line follows "--". It ends with 1, and tells "COMMAND failed: VkResult N", where
a call of its own fails. What fails is with --layers each call of the driver's that may, with
--memory an allocation at each place of the layer's, with --kinds a mapping, memory file, socket,
pipe, thread or allocation of the layer's, the judge's or the run's. What must hold each time:

- nothing crashes or hangs;
- the program is told of a failure only where the failed command is one of its own, as often as it
  calls it: what the layer does on its own account is never the program's affair;
- a program that goes on prints what it prints otherwise, and what is no longer observed is said:
  its races are reported, or something is listed as not observed;
- no other races are reported, and the trace is judged the same again.

Exit status: 0 as expected, 1 not, 77 skipped.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FAILURE, UNJUDGED, SKIPPED = 2, 67, 77
SECONDS = 120
HOST_MEMORY, DEVICE_LOST = -1, -4
VKRACE, FAULTS = "VK_LAYER_VKRACE_race", "VK_LAYER_VKRACE_test_faults"
TOLD = re.compile(r"^(\w+) failed: VkResult (-\d+)$", re.MULTILINE)

# Why a judge has no verdict, and why there may be no report.
NO_VERDICT = re.compile(r"^vkrace: (nothing is recorded|the run could not be judged): ",
                        re.MULTILINE)
NO_REPORT = re.compile(r"^vkrace: (.*: out of memory for the .*report|no memory for the report|"
                       r".*report: Cannot allocate memory)", re.MULTILINE)

# Commands that a program may succeed with although one call of theirs failed: the layer asks again
# for what the program asked for, without what was the layer's own.
ASKED_AGAIN = re.compile(r"vkCreateDevice$|vkAllocateMemory$|vkCreate\w*(Pipelines|Shaders)\w*$")
# How often these are called depends on how fast the device is, or is nobody's choice: a few stand
# for all.
ALIKE = re.compile(r"vkWaitForFences|vkGetFenceStatus|vkGetEventStatus|vkEnumerate\w+|"
                   r"vkGetPhysicalDevice\w+")
ALIKE_MOST = 2
EACH_MOST = 12

# A call of the driver's, or an allocation, that fails: the one of this number, with this result.
Fault = collections.namedtuple("Fault", "what number result")


class Calls:
    """What fails is a call of the driver's."""

    def __init__(self, options, folder):
        self.folder = folder
        self.base = {"VK_LAYER_PATH": options.layers}
        self.told = collections.Counter()

    def environment(self, name, layered, fault):
        layers = [VKRACE, FAULTS] if layered else [FAULTS]
        asked = {**self.base, "VK_INSTANCE_LAYERS": ":".join(layers),
                 "VKRACE_TEST_CALLS": str(self.folder / f"{name}.calls")}
        if fault:
            asked["VKRACE_TEST_FAULT"] = ":".join(str(part) for part in fault)
        return asked

    def calls(self, name):
        """Command -> what it may return, a list of results for each of its calls."""
        calls = collections.defaultdict(list)
        for line in (self.folder / f"{name}.calls").read_text().splitlines():
            command, *results = line.split()
            calls[command].append([int(result) for result in results])
        return calls

    def faults(self):
        """Each call once, with its results in turn; of very many calls of a command some."""
        for command, each in sorted(self.calls("none").items()):
            numbers = list(range(1, len(each) + 1))
            if ALIKE.match(command):
                numbers = numbers[:ALIKE_MOST]
            elif len(numbers) > EACH_MOST:
                numbers = numbers[:EACH_MOST - 2] + numbers[-2:]
            for turn, number in enumerate(numbers):
                results = each[number - 1]
                yield Fault(command, number, results[turn % len(results)])

    def may_tell(self, fault, command, result):
        if fault.result == DEVICE_LOST:
            return result == DEVICE_LOST  # whatever the program did next
        self.told[command] += 1
        return (command, result) == (fault.what, fault.result)

    def breaches(self, faults):
        """Own calls are told of, and no others."""
        own, calls = self.calls("alone"), self.calls("none")
        for command in sorted({fault.what for fault in faults}):
            of_command = [fault for fault in faults if fault.what == command]
            told, made = self.told[command], len(own.get(command, []))
            lost = sum(fault.result == DEVICE_LOST for fault in of_command)
            if told > made:
                yield f"{command}: told {told} times, called {made} times"
            if (len(of_command) == len(calls[command]) and told + lost < made
                    and not ASKED_AGAIN.match(command) and not ALIKE.match(command)):
                yield f"{command}: told {told} times only, called {made} times"


class Memory:
    """What fails is an allocation of the layer's, alone or with all behind it."""

    # Without memory the layer has nothing to know an instance, a device or a command buffer by, nor
    # pipelines that log by their libraries.
    MAY_FAIL = {"vkCreateInstance", "vkCreateDevice", "vkAllocateCommandBuffers",
                "vkCreateGraphicsPipelines"}

    def __init__(self, options, folder):
        self.folder, self.known = folder, options.known
        self.base = {"VK_INSTANCE_LAYERS": VKRACE, "LD_PRELOAD": options.memory}

    def environment(self, name, layered, fault):
        if not layered:
            return {}
        asked = {**self.base, "VKRACE_TEST_PLACES": str(self.folder / f"{name}.places")}
        if fault:
            asked["VKRACE_TEST_MEMORY"] = f"{fault.what}:{fault.number}"
        return asked

    def places(self, name):
        return collections.Counter((self.folder / f"{name}.places").read_text().split())

    def faults(self):
        """The first allocations of each place, and then ever fewer of them; of places that make
        no more than in the known program, the first one."""
        known = self.places("known") if self.known else collections.Counter()
        for place, count in sorted(self.places("none").items()):
            number = 1
            if count <= known[place]:
                yield Fault(place, number, HOST_MEMORY)
                continue
            while number <= count:
                yield Fault(place, number, HOST_MEMORY)
                number += 1 + number // 2
            yield Fault(place, f"{(count + 1) // 2}:all", HOST_MEMORY)

    def may_tell(self, fault, command, result):
        return command in self.MAY_FAIL and result == fault.result

    def breaches(self, faults):
        del faults
        return []


class Kinds:
    """What fails is a call of the layer's, the judge's or the run's to the system or for memory:
    each there is, but of allocations, without --whole, ever fewer."""

    def __init__(self, options, folder):
        self.folder, self.whole = folder, options.whole
        self.base = {"VK_INSTANCE_LAYERS": VKRACE, "LD_PRELOAD": options.kinds}

    def environment(self, name, layered, fault):
        if not layered:
            return {}
        if fault:
            return {**self.base, "VKRACE_TEST_CALL": f"{fault.what}:{fault.number}"}
        return {**self.base, "VKRACE_TEST_MADE": str(self.folder / f"{name}.made")}

    def faults(self):
        made = collections.Counter((self.folder / "none.made").read_text().splitlines())
        for call, count in sorted(made.items()):
            who, kind = call.split()
            number = 1
            while number <= count:
                yield Fault(f"{who}:{kind}", number, HOST_MEMORY)
                number += 1 if self.whole or kind != "memory" else 1 + number // 4

    def may_tell(self, fault, command, result):
        return (fault.what.startswith("layer:") and command in Memory.MAY_FAIL
                and result == fault.result)

    def breaches(self, faults):
        del faults
        return []


class Sweep:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.kind = (Kinds if options.kinds else Memory if options.memory else Calls)(options,
                                                                                      folder)
        self.wrong = []

    def run(self, name, command, fault=None):
        """Exit status, output and errors."""
        environment = self.kind.environment(name, name != "alone", fault)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})
        return (done.returncode, done.stdout.decode(errors="backslashreplace"),
                done.stderr.decode(errors="backslashreplace"))

    def watched(self, name, fault=None):
        trace, report = self.folder / f"{name}.trace", self.folder / f"{name}.json"
        done = self.run(name, [self.options.vkrace, "run", "--exit-code", "0", "--trace", trace,
                               "--json", report, "--", *self.options.command], fault)
        return done, trace, report

    def complain(self, fault, what, text=""):
        self.wrong.append(f"{fault.what} {fault.number}, result {fault.result}: {what}\n{text}")

    def check(self, index, fault):
        try:
            (status, output, errors), trace, report = self.watched(f"fault{index}", fault)
        except subprocess.TimeoutExpired:
            self.complain(fault, "hangs")
            return
        if status == FAILURE and re.search("^vkrace run: ", errors, re.MULTILINE):
            if fault.what.split(":")[0] != "run":
                self.complain(fault, "the run failed", errors)
            return
        if "ended without a verdict" in errors and not NO_VERDICT.search(errors):
            self.complain(fault, "the judge crashed", errors)
        told = TOLD.search(errors)
        failed = status == FAILURE
        unjudged = "vkrace: nothing was judged: " in errors
        if status in (UNJUDGED, FAILURE):
            status = 0  # the program's own
        if status not in (0, 1):
            self.complain(fault, f"exit status {status}", errors)
        elif status == 1 and not told:
            self.complain(fault, "ended without a word", errors)
        elif status == 1 and not self.kind.may_tell(fault, told.group(1), int(told.group(2))):
            self.complain(fault, "what fails is not the program's affair", errors)
        elif status == 0 and output != self.output:
            self.complain(fault, "another output", output + errors)
        elif not report.exists():
            if not (failed and NO_REPORT.search(errors)):
                self.complain(fault, "no report", errors)
        elif not unjudged:
            # What a judge could not judge, or name, a replay can.
            again = not failed and not fault.what.startswith("judge:")
            self.check_report(fault, trace if again else None, report, status, errors)
        elif races_of(report) != (set(), True):
            self.complain(fault, "a report of nothing", errors)

    def check_report(self, fault, trace, report, status, errors):
        races, incomplete = races_of(report)
        if races - self.races:
            self.complain(fault, f"reported {races - self.races}", errors)
        if status == 0 and races != self.races and not incomplete:
            self.complain(fault, "lost a race without a word", errors)
        if not trace:
            return
        again = report.with_suffix(".again")
        subprocess.run([self.options.vkrace, "replay", "--quiet", "--json", again, trace],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        if not again.exists() or again.read_bytes() != report.read_bytes():
            self.complain(fault, "the replay differs", errors)

    def sweep(self):
        status, self.output, errors = self.run("alone", self.options.command)
        if status == SKIPPED:
            print(errors)
            sys.exit(SKIPPED)
        (under, output, errors), _, report = self.watched("none")
        if status != 0 or (under, output) != (status, self.output):
            sys.exit(f"exit status {status}, under the layer {under}\n{errors}")
        self.races, _ = races_of(report)
        if self.options.known:
            program, _, variant = self.options.command
            self.run("known", [self.options.vkrace, "run", "--quiet", "--exit-code", "0", "--",
                               program, self.options.known, variant])
        faults = list(self.kind.faults())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            list(workers.map(self.check, range(len(faults)), faults))
        self.wrong += self.kind.breaches(faults)
        print(f"{len(faults)} faults")
        if self.wrong:
            sys.exit("\n".join(self.wrong))


def races_of(report):
    found = json.loads(report.read_text())
    return ({(race["class"], race["first"]["object"]) for race in found["races"]},
            bool(found["coverage"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--layers", help="the folder of the layers for tests")
    parser.add_argument("--memory", help="the library that lets allocations fail")
    parser.add_argument("--known", help="with --memory: a twin that is checked by itself")
    parser.add_argument("--kinds", help="the library that lets calls of each kind fail")
    parser.add_argument("--whole", action="store_true", help="with --kinds: every allocation")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Sweep(options, pathlib.Path(folder)).sweep()


main()
