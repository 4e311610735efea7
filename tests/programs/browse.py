#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves a page to a browser and prints what the page answers. Knows processes and HTTP; nothing of Vulkan.

The browser's command line follows "--"; in it @URL is the page's address, @FOLDER an empty profile.
A line NAME=VALUE of --preference goes to the profile's user.js. Exit status: 0, or 1 where the page answers
no number within the time.
"""
import argparse
import http.server
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

SECONDS = 90
SECONDS_TO_END = 20


class Page(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_arguments):
        pass

    def do_GET(self):
        asked, _, query = self.path.partition("?")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        if asked == "/answer":
            self.server.answer = query
            self.server.answered.set()
        elif asked == "/":
            self.wfile.write(self.server.page)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--preference", action="append", default=[])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.page = options.page.read_bytes()
    server.answer, server.answered = "nothing", threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        lines = (re.sub("(.*?)=(.*)", r'user_pref("\1", \2);\n', line)
                 for line in options.preference)
        pathlib.Path(folder, "user.js").write_text("".join(lines))
        words = {"@URL": f"http://127.0.0.1:{server.server_port}/", "@FOLDER": folder}
        browser = subprocess.Popen([words.get(word, word) for word in options.command],
                                   stdout=sys.stderr, start_new_session=True,
                                   env={**os.environ, "HOME": folder})
        server.answered.wait(SECONDS)
        browser.terminate()
        try:
            browser.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(browser.pid, signal.SIGKILL)  # helpers of its own
        except ProcessLookupError:
            pass
    print(server.answer)
    return 0 if server.answer.isdecimal() else 1


sys.exit(main())
