#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man page and the completion name every command and option of the help:
check_packaging.py VKRACE PACKAGING_FOLDER. The examples use only what there is.
"""
import pathlib
import re
import subprocess
import sys


def missing(words, text):
    return sorted(word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])",
                                                          text))


def main():
    vkrace, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    help_text = subprocess.check_output([vkrace, "help"], text=True)
    commands = set(re.findall(r"^vkrace (\w+) ", help_text, re.MULTILINE)) - {"finds", "help"}
    options = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_text))
    page = re.sub(r"\\f.", " ", (folder / "vkrace.1").read_text().replace("\\-", "-"))
    completion = (folder / "vkrace.bash").read_text()
    failed = []
    for name, text in (("vkrace.1", page), ("vkrace.bash", completion)):
        failed += [f"{name} lacks {word}" for word in missing(commands | options, text)]
    if subprocess.run(["bash", "-n", folder / "vkrace.bash"], check=False).returncode:
        failed.append("vkrace.bash is no valid script")
    for example in sorted((folder / "examples").glob("*.yml")):
        for words in re.findall(r"vkrace (?:run|replay|report|merge|diff) ([^\n|;]*)",
                                example.read_text()):
            used = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", words.split(" -- ")[0]))
            failed += [f"{example.name}: {option} is no option" for option in used - options]
    for script in sorted((folder / "schedulers").glob("vkrace-*")):
        if subprocess.run(["sh", "-n", script], check=False).returncode:
            failed.append(f"{script.name} is no valid script")
        for words in re.findall(r"vkrace (?:replay|merge) ([^\n|;]*)", script.read_text()):
            used = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", words))
            failed += [f"{script.name}: {option} is no option" for option in used - options]
    sys.exit("\n".join(failed) if failed else 0)


main()
