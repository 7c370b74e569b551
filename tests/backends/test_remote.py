"""A worker and its client over real sockets: the same result as here, and words for everything that goes wrong."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from placecell.backends.auto import build
from placecell.backends.remote import records
from placecell.backends.remote.client import RemoteReconstructor, RemoteSegmenter
from placecell.backends.remote.records import PictureRecord, ReconstructRequest
from placecell.backends.remote.server import CONTENT_TYPE, TOKEN_VARIABLE, Worker, WorkerSettings
from placecell.backends.remote.transport import Address, Patience
from placecell.backends.remote.wire import WireError, message, opened, picture_name
from placecell.backends.table import find_backend
from placecell.errors import BackendUnavailable, BudgetExhausted, UserError
from placecell.media.numbering import FrameTag, write_tags
from placecell.progress import silent

# A backend of another package, found through its entry points by the worker's process.
TINY = """
import os, time
from dataclasses import replace
from pathlib import Path
import numpy as np
from placecell.backends.posed.capture import Shot
from placecell.backends.posed.labels import read_labels
from placecell.backends.posed.reading import OpenShot
from placecell.backends.table import Backend
from placecell.backends.table import find_backend
from placecell.errors import BackendUnavailable, UserError
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.memory.pictures import ComputedPicture
from placecell.memory.ports import Proposal, Reconstruction
from placecell.memory.scene import DepthMap, Frame, Scale
from placecell.media.sources import Skipped, read_photos
from placecell.progress import Progress

ROW = Backend("tiny", "for tests", factory="tiny:Tiny")
LABELLED = Backend("labelled", "for tests", factory="tiny:Labelled")
FINDER = Backend("finder", "for tests", factory="tiny:Finder", kind="segmenter")

class Tiny:
    name = "tiny"
    def reconstruct(self, sources, *, frames, strict, progress):
        print("noise on stdout")
        photos, _ = read_photos(sources)
        mode = Path(__file__).with_name("mode").read_text()
        progress(Progress("thinking", 1, 2))
        if mode == "user":
            raise UserError("these pictures are too dull", hint="take others")
        if mode == "unavailable":
            raise BackendUnavailable("no weights", hint="get them")
        if mode == "bug":
            raise ZeroDivisionError("a bug")
        if mode == "pause":
            time.sleep(1.5)
        if mode == "slow":
            Path(__file__).with_name("started").write_text(str(os.getpid()))
            time.sleep(600)
        made = []
        for i, p in enumerate(photos, 1):
            camera = Camera.from_fov(60, p.width, p.height)
            depth = DepthMap(np.full((p.height, p.width), 2 + 1 / 3, np.float32), camera, None)
            pixels = (lambda p=p: p.rgb) if i != 2 else ComputedPicture(lambda p=p: p.rgb, lambda rgb: 255 - rgb)
            made.append(Frame(i, p.name, p.digest, p.width, p.height, pixels, camera, depth))
        cloud = Cloud(np.eye(3), np.eye(3, dtype=np.uint8), np.ones(3), np.array([1, 2, 2]), np.zeros((3, 2)))
        return Reconstruction(tuple(made), Scale("metric", "model", 0.05), "tiny", {"pid": os.getpid()}, points=cloud,
                              up=np.array([0.0, 1, 0]), skipped=(Skipped("x", "y"),), notes=("a note",))

class Labelled(Tiny):
    def reconstruct_pictures(self, sources, *, frames, sampling, labels, strict, progress):
        made = self.reconstruct(sources, frames=frames, strict=strict, progress=progress)
        shots = [OpenShot(f.number, Shot(f.name, sources[0] / f.name), f.digest, (f.width, f.height), None, None, ())
                 for f in made.frames]
        return replace(made, labels=read_labels(labels, shots).labels)

class Finder:
    name = "finder"
    settings = {"threshold": 0.5}
    def segment(self, frames, phrases):
        for frame in frames:
            bright = frame.rgb[..., 0] > 127
            yield [Proposal(frame.number, p, bright[1:, 2:], (2, 1), 0.25) for p in phrases]
"""
FAST = Patience(begin=0.5, busy=0.4, silent=8.0, lost=0.4)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The backends "tiny" and "finder" for child processes."""
    folder = tmp_path / "site"
    info = folder / "tiny-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "tiny.py").write_text(TINY)
    (folder / "mode").write_text("")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[placecell.backends]\ntiny = tiny:ROW\nlabelled = tiny:LABELLED\nfinder = tiny:FINDER\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    return folder


@pytest.fixture
def start(tiny):
    """Starts workers in this process; their work is done in processes of their own."""
    workers = []

    def begin(**settings):
        worker = Worker(WorkerSettings(("tiny", "labelled", "finder"), **({"port": 0} | settings)), lambda line: None)
        threading.Thread(target=worker.serve, daemon=True).start()
        workers.append(worker)
        return worker

    yield begin
    for worker in workers:
        worker.close()


@pytest.fixture
def photos(tmp_path):
    """Three small photos, as PNG, an upright JPEG and one on its side."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for i, suffix in enumerate(("png", "jpg", "jpg"), 1):
        rgb = np.random.default_rng(i).integers(0, 255, (24, 32, 3), dtype=np.uint8)
        exif = Image.Exif()
        if i == 3:
            exif[0x0112] = 6
        Image.fromarray(rgb).save(folder / f"{i}.{suffix}", exif=exif)
    return folder


def remote(worker, backend="tiny", **patience):
    return RemoteReconstructor(f"remote:http://127.0.0.1:{worker.port}/{backend}", patience=replace(FAST, **patience))


def ask(worker, method, path, body=b"", headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=10)
    connection.request(method, path, body, {"Content-Type": CONTENT_TYPE} | dict(headers))
    response = connection.getresponse()
    data = response.read()
    connection.close()
    record = opened(data, records.REPLY)[0] if data else None
    return response.status, record


def test_a_reconstruction_comes_back_whole_under_the_senders_numbers_and_names(start, photos, tiny):
    (tiny / "mode").write_text("pause")
    write_tags(photos, {f"{n}.{s}": FrameTag(number=10 * n, name=f"clip@{n}s", time_s=n / 3)
                        for n, s in ((1, "png"), (2, "jpg"), (3, "jpg"))})  # fmt: skip
    events = []
    made = remote(start()).reconstruct([photos], progress=events.append)
    assert [(f.number, f.name, f.time_s) for f in made.frames] == [(10 * n, f"clip@{n}s", n / 3) for n in (1, 2, 3)]
    assert made.frames[2].rgb.shape == (32, 24, 3)
    for frame, name in zip(made.frames, ("1.png", "2.jpg", "3.jpg"), strict=True):
        pixels = np.asarray(Image.open(photos / name).convert("RGB"))
        pixels = {30: np.rot90(pixels, -1), 20: 255 - pixels}.get(frame.number, pixels)
        np.testing.assert_array_equal(frame.rgb, pixels)
        assert frame.digest == hashlib.sha256((photos / name).read_bytes()).hexdigest()
        np.testing.assert_array_equal(frame.depth.z, np.float32(2 + 1 / 3))
        np.testing.assert_array_equal(frame.depth.camera.K, frame.camera.K)
    assert made.points.frame.tolist() == [10, 20, 20]
    assert made.scale.metric and made.scale.source == "model" and made.scale.relative_error == 0.05
    assert made.up.tolist() == [0, 1, 0]
    assert [s.name for s in made.skipped] == ["x"]
    assert made.notes[0].startswith("computed at 127.0.0.1:") and made.notes[-1] == "a note"
    assert any(e.stage == "thinking" and e.done == 1 for e in events)


def test_build_takes_the_address_of_a_worker_as_a_reconstructor(start, photos):
    address = f"remote:http://127.0.0.1:{start().port}/tiny"
    memory = build([photos], reconstructor=address, frames=2)
    assert memory.unit == "m" and len(memory.posed_frames) == 2
    assert memory.provenance.backend == "tiny"
    assert memory.provenance.notes[0] == f"made by {address}, as asked"
    assert find_backend(address, "segmenter").segmenter().settings == {"worker": address.removeprefix("remote:")}


def test_label_images_go_to_the_worker_and_come_back_as_they_would_be_read_here(start, photos, tmp_path):
    write_tags(photos, {f"{n}.{s}": FrameTag(number=10 * n, name=f"{n}.{s}")
                        for n, s in ((1, "png"), (2, "jpg"), (3, "jpg"))})  # fmt: skip
    folder = tmp_path / "labels"
    folder.mkdir()
    ids = np.random.default_rng(0).choice([0, 7, 40000], (24, 32)).astype(np.uint16)
    Image.fromarray(ids).save(folder / "2.png")
    Image.fromarray(np.rot90(ids, -1).copy()).save(folder / "3.png")
    (folder / "labels.json").write_text('{"kind": "class", "names": {"7": "chair", "40000": "lamp"}}')
    worker = start()
    made = remote(worker, "labelled").reconstruct_pictures(
        [photos], frames=None, sampling="uniform", labels=folder, strict=False, progress=silent
    )
    assert made.labels.kind == "class" and made.labels.names == {7: "chair", 40000: "lamp"}
    assert set(made.labels.frames) == {20, 30} and made.vocabulary == {"chair", "lamp"}
    np.testing.assert_array_equal(made.labels.frames[20].ids, ids)
    np.testing.assert_array_equal(made.labels.frames[30].ids, np.rot90(ids, -1))
    with pytest.raises(UserError, match="tiny takes no labels"):
        build([photos], reconstructor=f"remote:http://127.0.0.1:{worker.port}/tiny", labels=folder)


def test_the_process_and_its_loaded_models_are_kept_between_requests(start, photos):
    worker = start()
    first, second = (remote(worker).reconstruct([photos], frames=n).settings["pid"] for n in (2, 3))
    assert first == second != os.getpid()


def test_masks_come_back_bit_by_bit(start, photos):
    made = remote(start()).reconstruct([photos])
    worker = start()
    finder = RemoteSegmenter(f"remote:http://127.0.0.1:{worker.port}/finder", patience=FAST)
    found = list(finder.segment(made.frames, ["a lamp", "a chair"]))
    assert [[p.phrase for p in frame] for frame in found] == [["a lamp", "a chair"]] * 3
    for frame, proposals in zip(made.frames, found, strict=True):
        assert proposals[0].frame == frame.number and proposals[0].corner == (2, 1) and proposals[0].score == 0.25
        np.testing.assert_array_equal(proposals[0].mask, frame.rgb[1:, 2:, 0] > 127)


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        ("user", UserError, "these pictures are too dull .worker at .*take others"),
        ("unavailable", BackendUnavailable, "no weights .*get them"),
        ("bug", UserError, r"ended unexpectedly \(exit status 1: ZeroDivisionError: a bug\)"),
    ],
)
def test_an_error_of_the_backend_is_raised_here_by_who_must_act(start, photos, mode, kind, words, tiny):
    (tiny / "mode").write_text(mode)
    with pytest.raises(kind, match=words):
        remote(start()).reconstruct([photos])


def test_after_its_process_died_the_worker_serves_the_next_request(start, photos, tiny):
    worker = start()
    (tiny / "mode").write_text("bug")
    with pytest.raises(UserError, match="ended unexpectedly"):
        remote(worker).reconstruct([photos])
    (tiny / "mode").write_text("")
    assert len(remote(worker).reconstruct([photos]).frames) == 3


def test_work_beyond_the_time_limit_is_stopped_and_says_so(start, photos, tiny):
    worker = start()
    remote(worker).reconstruct([photos], frames=2)  # what takes its time to start has started
    worker.jobs.limit_s = 3
    (tiny / "mode").write_text("slow")
    with pytest.raises(BudgetExhausted, match=r"longer than the worker's limit of 3 s .*--time-limit"):
        remote(worker).reconstruct([photos])
    assert not is_running(int((tiny / "started").read_text()))


def wait_for(path):
    deadline = time.monotonic() + 120
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int(path.read_text())


def test_a_busy_worker_is_waited_for_and_then_said_to_be_busy(start, photos, tiny):
    (tiny / "mode").write_text("slow")
    worker = start()
    errors = []

    def first():
        try:
            remote(worker).reconstruct([photos], frames=2)
        except UserError as error:
            errors.append(error)
        except BudgetExhausted as error:
            errors.append(error)

    thread = threading.Thread(target=first)
    thread.start()
    wait_for(tiny / "started")
    events = []
    with pytest.raises(BudgetExhausted, match=r"was busy for 0\.4 s"):
        remote(worker).reconstruct([photos], progress=events.append)
    assert any(e.stage == "waiting for the worker" for e in events)
    running = next(iter(worker.jobs._running))
    assert ask(worker, "DELETE", f"/v1/jobs/{running}") == (204, None)
    thread.join(120)
    assert "stopped by the one who asked for it" in str(errors[0])


def is_running(pid):
    """Whether a process is there and not just waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def killed(tiny, photos):
    """What a client is told when the worker is killed while it works, and the process that did the work."""
    started = tiny / "started"
    (tiny / "mode").write_text("slow")
    command = [sys.executable, "-m", "placecell.apps.cli", "worker", "tiny", "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        port = json.loads(process.stdout.readline())["port"]
        threading.Thread(target=lambda: (wait_for(started), process.send_signal(signal.SIGKILL)), daemon=True).start()
        with pytest.raises(UserError) as caught:
            RemoteReconstructor(f"remote:http://127.0.0.1:{port}/tiny", patience=FAST).reconstruct([photos])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    return caught.value, int(started.read_text())


def test_a_worker_killed_in_mid_request_is_said_to_have_gone_away_and_leaves_no_process(killed):
    error, child = killed
    assert "went away while it was working" in error.message
    assert "start it again" in error.hint
    deadline = time.monotonic() + 120
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(child)


def test_a_wrong_or_missing_token_is_refused_before_anything_else(start, photos, monkeypatch):
    worker = start(token="correct horse battery staple")
    with pytest.raises(UserError, match=f"no token was given .*set {TOKEN_VARIABLE}"):
        remote(worker).reconstruct([photos])
    monkeypatch.setenv(TOKEN_VARIABLE, "correct horse battery stable")
    with pytest.raises(UserError, match="the token is not this worker's"):
        remote(worker).reconstruct([photos])
    assert ask(worker, "DELETE", "/v1/jobs/" + "0" * 64)[0] == 401
    monkeypatch.setenv(TOKEN_VARIABLE, "correct horse battery staple")
    assert len(remote(worker).reconstruct([photos]).frames) == 3


def test_other_machines_are_served_only_with_a_token():
    with pytest.raises(UserError, match=f"would serve whoever can reach it; set {TOKEN_VARIABLE}"):
        Worker(WorkerSettings(("tiny",), host="0.0.0.0", port=0), lambda line: None)
    with pytest.raises(UserError, match="shorter than 16 characters"):
        Worker(WorkerSettings(("tiny",), host="0.0.0.0", port=0, token="1234"), lambda line: None)


def test_a_page_in_a_browser_cannot_use_a_worker_without_a_token(start):
    worker = start()
    status, error = ask(worker, "GET", "/v1", headers=[("Host", "evil.example:8471")])
    assert status == 403 and "its own machine only" in error.message
    status, error = ask(worker, "PUT", "/v1/jobs/" + "0" * 64, b"x", [("Content-Type", "text/plain")])
    assert status == 415


def test_a_body_of_300_mb_is_refused_unread_and_the_client_knows_beforehand(start, photos):
    worker = start()
    status, error = ask(worker, "PUT", "/v1/jobs/" + "0" * 64, bytes(300 * 2**20))
    assert status == 413
    assert error.message == "the request has 300 MB, this worker takes 256 MB"
    small = start(max_bytes=1000)
    with pytest.raises(UserError, match=r"the worker at 127\.0\.0\.1:\d+ takes 0 MB; ask for fewer --frames"):
        remote(small).reconstruct([photos])


def request_of(folder, number=1):
    record = PictureRecord(number=number, name="a", suffix="png")
    data = np.frombuffer((folder / "1.png").read_bytes(), np.uint8)
    return message(ReconstructRequest(backend="tiny", pictures=(record,)), {picture_name(number): data})


def test_the_same_request_sent_again_is_the_same_job(start, photos):
    worker = start()
    body = request_of(photos)
    path = f"/v1/jobs/{hashlib.sha256(body).hexdigest()}"
    assert ask(worker, "GET", path)[0] == 404
    assert ask(worker, "PUT", path, body)[0] == 202
    assert ask(worker, "PUT", path, body)[0] in (200, 202)
    while ask(worker, "GET", path + "?wait=5")[0] != 200:
        pass
    status, first = ask(worker, "PUT", path, body)
    assert status == 200
    assert ask(worker, "DELETE", path)[0] == 204
    assert ask(worker, "GET", path)[0] == 404
    assert first.notes == ("a note",)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda body: body[:-9] + b"\0" * 9, "not the one its address says"),
        (lambda body: b"no message", "the request cannot be read: "),
        (lambda body: message(ReconstructRequest.model_construct(backend="tiny", pictures=())), "pictures: "),
        (lambda body: body.replace(b'"tiny"', b'"sfm."'), "this worker has no sfm."),
    ],
)
def test_a_request_that_is_not_what_it_should_be_takes_no_place(start, photos, change, words):
    worker = start()
    body = request_of(photos)
    changed = change(body)
    named = body if words.startswith("not the one") else changed
    status, error = ask(worker, "PUT", f"/v1/jobs/{hashlib.sha256(named).hexdigest()}", changed)
    assert status in (400, 404)
    assert words in error.message
    assert len(worker.jobs._free) == 1


def test_a_request_without_its_picture_says_so(start, photos):
    worker = start()
    body = message(ReconstructRequest(backend="tiny", pictures=(PictureRecord(number=1, name="a", suffix="png"),)))
    path = f"/v1/jobs/{hashlib.sha256(body).hexdigest()}"
    ask(worker, "PUT", path, body)
    while (answer := ask(worker, "GET", path + "?wait=5"))[0] != 200:
        pass
    assert answer[1].message == "the request cannot be read: array 'picture/1' is missing"


def test_nobody_there_or_somebody_else_is_said_plainly(photos):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=rf"no worker answers at 127\.0\.0\.1:{port}; start one"):
            RemoteReconstructor(f"remote:http://127.0.0.1:{port}/tiny", patience=FAST).reconstruct([photos])
        taken.listen()

        def another_server():
            connection, _ = taken.accept()
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            connection.close()
            silent, _ = taken.accept()
            silent.recv(1000)
            time.sleep(1.5)
            silent.close()

        threading.Thread(target=another_server, daemon=True).start()
        with pytest.raises(UserError, match="is no placecell worker"):
            RemoteReconstructor(f"remote:http://127.0.0.1:{port}/tiny", patience=FAST).reconstruct([photos])
        quick = Patience(begin=0.2, silent=0.5)
        with pytest.raises(UserError, match="did not answer in time"):
            RemoteReconstructor(f"remote:http://127.0.0.1:{port}/tiny", patience=quick).reconstruct([photos])


def test_a_backend_the_worker_does_not_offer_is_named_with_those_it_does(start, photos):
    with pytest.raises(UserError, match="has no pi3; it offers tiny, labelled, finder"):
        remote(start(), "pi3").reconstruct([photos])


@pytest.mark.parametrize("spec", ["remote:", "remote:host/pi3", "remote:http://host", "remote:ftp://h/x", "http://[/x"])
def test_an_address_that_is_none_says_how_it_is_written(spec):
    with pytest.raises(UserError, match="write it as remote:http://HOST:PORT/BACKEND"):
        Address.of(spec)


def test_an_address_has_a_default_port_and_may_be_secure():
    assert Address.of("remote:http://box/pi3") == Address(False, "box", 8471, "pi3")
    assert Address.of("remote:https://box/pi3x") == Address(True, "box", 443, "pi3x")


NO_REQUEST = message(PictureRecord(number=1, name="a", suffix="png"))


@pytest.mark.parametrize("data", [b"", b"\0" * 8, bytes(range(200)), NO_REQUEST])
def test_bytes_that_are_no_message_are_refused(data):
    with pytest.raises(WireError):
        opened(data, records.REQUEST)
