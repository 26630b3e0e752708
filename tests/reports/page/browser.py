# SPDX-License-Identifier: Apache-2.0
"""A page in Chromium without a window, over its debugging pipe: commands are JSON
that end with a zero byte, on descriptors 3 and 4 of the browser. Standard library
alone.

    with Browser(program) as browser:
        page = browser.open(path)
        page.evaluate("document.title")
        page.messages     # what the console got: errors, refused loads
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    def __init__(self, program, seconds=60):
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="diffcheck-browser-")
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()
        command = [program, "--headless=new", "--disable-gpu", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking",
                   "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--user-data-dir=" + self.folder,
                   "--remote-debugging-pipe", "about:blank"]
        if os.getuid() == 0:
            command.insert(1, "--no-sandbox")
        # The shell moves the ends to 3 and 4, wherever they are here.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec 3<&%d 4>&%d; exec "$@"' % (to_read, from_write),
             "sh"] + command,
            pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.source], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self.source, 1 << 16)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + self.seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method, session):
        until = time.monotonic() + self.seconds
        while True:
            for i, event in enumerate(self.events):
                if event["method"] == method and \
                        event.get("sessionId") == session:
                    return self.events.pop(i)
            self.events.append(self.receive(until))

    def open(self, path, width=1280, height=900, dark=False, mobile=False,
             scripts=True):
        return Page(self, path, width, height, dark, mobile, scripts)


class Page:
    def __init__(self, browser, path, width, height, dark, mobile, scripts):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")
        self.target = target["targetId"]
        self.session = browser.call("Target.attachToTarget", flatten=True,
                                    targetId=self.target)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        started = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        browser.wait_for("Page.loadEventFired", self.session)
        self.seconds = time.monotonic() - started

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.events.clear()

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Tab": 9}[name])

    @property
    def messages(self):
        """Of the console, and what was asked for beside the page itself."""
        self.evaluate("0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled":
                found.append(json.dumps(params["args"]))
            elif method == "Log.entryAdded":
                found.append(json.dumps(params["entry"]))
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("file://"):
                    found.append("asks for " + url)
        return found

    def picture(self, path, whole=False):
        answer = self.call("Page.captureScreenshot", format="png",
                           captureBeyondViewport=whole)
        with open(path, "wb") as f:
            f.write(base64.b64decode(answer["data"]))

    def paper(self, path):
        answer = self.call("Page.printToPDF", preferCSSPageSize=True,
                           printBackground=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(answer["data"]))
