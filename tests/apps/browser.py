"""A headless Chromium driven over its DevTools protocol, for tests of the viewer. WebGL is drawn in software."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

from websockets.sync.client import connect

_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--remote-debugging-port=0",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
)


def found() -> str | None:
    """The browser's program, None when there is none."""
    return next((b for name in ("chromium", "chromium-browser", "google-chrome") if (b := shutil.which(name))), None)


class Browser:
    """One page. Lengths are pixels of the page, ``patience`` seconds anything may take on a busy machine."""

    def __init__(self, url: str, profile: Path, *, size: tuple[int, int] = (1000, 640), patience: float = 120) -> None:
        self.patience = patience
        self.errors: list[str] = []
        self._number = 0
        window = f"--window-size={size[0]},{size[1]}"
        self._process = subprocess.Popen(
            [found() or "chromium", *_OPTIONS, window, f"--user-data-dir={profile}", url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = profile / "DevToolsActivePort"
        self.until(lambda: port_file.exists() and port_file.read_text().count("\n") > 0, "the browser to start")
        self._port = port_file.read_text().split()[0]
        page = self.until(self._page, "a page")
        self._socket = connect(page, max_size=None, open_timeout=patience)
        self._call("Runtime.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)

    def until(self, condition, what: str):
        """The first true value of ``condition()``; TimeoutError when it does not come."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.1)
        raise TimeoutError(f"waited {self.patience:g} s for {what}")

    def js(self, code: str):
        """The value of an expression; a promise is awaited."""
        result = self._call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", code))
        return result["result"].get("value")

    def text(self) -> str:
        return self.js("document.body?.innerText ?? ''")

    def waits_for(self, text: str) -> str:
        """The page's text once it holds ``text``."""
        return self.until(lambda: text in (said := self.text()) and said, repr(text))

    def press(self, text: str) -> None:
        """Click the button, tab or label with exactly this text, once it stands still; of several the last one."""

        def at_rest() -> tuple[float, float] | None:
            before = self._place(text)
            time.sleep(0.2)
            return before if before == self._place(text) else None

        self.click(*self.until(at_rest, f"something called {text!r}"))

    def type(self, label: str, text: str) -> None:
        """Put text into the field of that label."""
        find = f"""(() => {{
            const named = [...document.querySelectorAll('*')].find(
                e => !e.children.length && e.textContent === {label!r} && e.getBoundingClientRect().width > 0);
            for (let around = named; around; around = around.parentElement) {{
                const field = around.querySelector('input, textarea');
                if (field) {{ field.focus(); field.select(); return true; }}
            }}
            return false;
        }})()"""
        self.until(lambda: self.js(find), f"the field {label!r}")
        self._call("Input.insertText", text=text)

    def click(self, x: float, y: float, *, shift: bool = False) -> None:
        keys = 8 if shift else 0
        self._mouse("mouseMoved", x, y, keys, button="none")
        self._mouse("mousePressed", x, y, keys, buttons=1, clickCount=1)
        self._mouse("mouseReleased", x, y, keys, clickCount=1)

    def drag(self, x: float, y: float, to_x: float, to_y: float, steps: int = 5) -> None:
        self._mouse("mouseMoved", x, y, button="none")
        self._mouse("mousePressed", x, y, buttons=1, clickCount=1)
        for k in range(1, steps + 1):
            self._mouse("mouseMoved", x + (to_x - x) * k / steps, y + (to_y - y) * k / steps, buttons=1)
        self._mouse("mouseReleased", to_x, to_y, clickCount=1)

    def slide(self, share: float) -> None:
        """Drag the page's one slider to a share of its length."""
        x, y, to_x = self.js(
            f"""(() => {{
                const thumb = document.querySelector('[role=slider]'), r = thumb.getBoundingClientRect();
                const track = thumb.parentElement.getBoundingClientRect();
                return [r.x + r.width / 2, r.y + r.height / 2, track.x + {share} * track.width];
            }})()"""
        )
        self.drag(x, y, to_x, y)

    def picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def frame_ms(self) -> float:
        """The mean time between two pictures of the page in milliseconds, while the scene is turned by hand."""
        self.js("window.__at = []; (function next(t) { window.__at.push(t); requestAnimationFrame(next) })(0); 0")
        for turn in (40, -40):
            self.drag(400, 400, 400 + turn, 400, steps=8)
        first, last, count = self.js("[window.__at[1], window.__at.at(-1), window.__at.length]")
        return (last - first) / (count - 2)

    def _place(self, text: str) -> tuple[float, float] | None:
        place = self.js(
            f"""(() => {{
                const named = [...document.querySelectorAll('button, label, [role=tab], legend, span, div')]
                    .filter(e => e.innerText?.trim() === {text!r} && e.getBoundingClientRect().width > 0);
                if (!named.length) return null;
                const one = named.at(-1);
                one.scrollIntoView({{block: 'nearest'}});
                const r = one.getBoundingClientRect();
                return [r.x + r.width / 2, r.y + r.height / 2];
            }})()"""
        )
        return tuple(place) if place else None

    def _page(self) -> str | None:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/json", timeout=self.patience) as answer:
            pages = [p for p in json.load(answer) if p["type"] == "page"]
        return pages[0]["webSocketDebuggerUrl"] if pages else None

    def _mouse(self, kind: str, x: float, y: float, modifiers: int = 0, **more: object) -> None:
        more = {"button": "left", **more}
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, modifiers=modifiers, **more)

    def _call(self, method: str, **params: object) -> dict:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            said = json.loads(self._socket.recv(timeout=self.patience))
            if said.get("method") == "Runtime.exceptionThrown":
                self.errors.append(said["params"]["exceptionDetails"].get("text", ""))
            if said.get("id") == self._number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']['message']}")
                return said["result"]
