#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens an HTML report of many races in headless Chromium and uses it: check_page.py VKRACE REPORT.

Filters by text and by class and sorts, and looks at what the page shows then, and whether words of the list
stay whole in a narrow window. Exit status 77 without
Chromium.
"""
import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RACES = 1000
USE = """
<script>
const body = document.querySelector('.list tbody'), said = [];
const shown = () => [...body.rows].filter(row => !row.hidden).length;
said.push(shown());
find.value = 'vkcmdcopybuffer'; find.oninput();
said.push(shown());
find.value = ''; find.oninput();
boxes.find(box => box.value === 'unordered').click();
said.push(shown());
document.querySelector('.list th:nth-child(6)').click();
said.push(body.rows[0].cells[5].textContent);
document.body.style.width = '400px';
const lines = document.createRange();
lines.selectNodeContents(body.rows[0].cells[1]);
said.push(lines.getClientRects().length);
document.getElementById('open').click();
said.push(document.querySelectorAll('details.race[open]').length);
location.hash = body.rows[0].dataset.id;
said.push(document.querySelectorAll('svg').length);
document.title = JSON.stringify(said);
</script>
"""


def many(report):
    """The report with its races again and again, each with an id and a count of its own."""
    races = []
    for number in range(RACES):
        race = copy.deepcopy(report["races"][number % len(report["races"])])
        race["id"] = f"{number:016x}"
        race["count"] = RACES - number
        races.append(race)
    report["races"] = races
    report["changes"] = []
    return report


def main():
    vkrace, path = sys.argv[1], pathlib.Path(sys.argv[2])
    browser = shutil.which("chromium")
    if not browser:
        print("skipped: there is no chromium")
        sys.exit(77)
    report = many(json.loads(path.read_text(encoding="utf-8")))
    wanted = [RACES, sum("vkCmdCopyBuffer" in json.dumps(race) for race in report["races"]),
              sum(race["class"] != "unordered" for race in report["races"]), "1", 1, RACES, RACES]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
        page = folder / "report.html"
        subprocess.run([vkrace, "report", "--html", "-o", page, folder / "report.json"], check=True)
        page.write_text(page.read_text(encoding="utf-8") + USE, encoding="utf-8")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu",
                               "--disable-background-networking", "--disable-component-update",
                               "--disable-sync", "--no-first-run", f"--user-data-dir={folder}/user",
                               "--dump-dom", page.as_uri()], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True)
    title = re.search(r"<title>(.*?)</title>", done.stdout.decode())
    found = json.loads(title[1].replace("&quot;", '"')) if title and title[1][0] == "[" else title
    if found != wanted:
        sys.exit(f"expected {wanted}, found {found}")


main()
