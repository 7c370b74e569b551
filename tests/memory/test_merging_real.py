"""Objects of real captures: one for each thing that is there, of a size that a hand knows."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import KDTree

from placecell.backends import oracle
from placecell.backends.posed.backend import need_capture, read_capture
from placecell.geometry.camera import Camera
from placecell.geometry.proximity import box_distances
from placecell.memory.instances import from_labels, from_proposals
from placecell.memory.ports import FrameLabels, Labels, Proposal
from placecell.memory.scene import DepthMap, Frame


def single_frame(z, K):
    camera = Camera(K, z.shape[1], z.shape[0], np.diag([1.0, -1.0, -1.0, 1.0]))
    blank = np.zeros((*z.shape, 3), np.uint8)
    depth = DepthMap(np.nan_to_num(z).astype(np.float32), camera)
    return Frame(1, "1", "0" * 64, camera.width, camera.height, lambda: blank, camera=camera, depth=depth)


def proposal(mask, phrase):
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    cut = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return Proposal(1, phrase, cut, (int(columns[0]), int(rows[0])))


@pytest.fixture(scope="module")
def shelf(shared_data, tmp_path_factory):
    names = tmp_path_factory.mktemp("names") / "labels.json"
    names.write_text(json.dumps({"kind": "class", "names": {"48": "straws", "132": "tissue box"}}))
    return read_capture(need_capture(shared_data / "apc_label_fusion"), labels=names)


def shelf_things(shelf, frames):
    found = from_labels(frames, shelf.labels, depth_sd=shelf.depth_sd)
    return {i.name: i for i in found.instances}, len(found.instances)


def test_the_shelf_has_the_same_two_things_whichever_view_is_left_out(shelf):
    whole, count = shelf_things(shelf, shelf.frames)
    assert count == 2
    for left_out in shelf.frames:
        things, count = shelf_things(shelf, tuple(f for f in shelf.frames if f is not left_out))
        assert count == 2
        for name, thing in things.items():
            assert np.linalg.norm(thing.box.centre - whole[name].box.centre) < 0.015
            np.testing.assert_allclose(thing.box.size, whole[name].box.size, atol=0.03)


def test_the_shelf_seen_as_masks_of_two_phrases_has_two_things(shelf):
    proposals = []
    for frame in shelf.frames:
        ids = shelf.labels.frames[frame.number].ids
        proposals += [
            replace(proposal(ids == label, name), frame=frame.number)
            for label, name in shelf.labels.names.items()
            if (ids == label).any()
        ]
    found = from_proposals(shelf.frames, proposals, depth_sd=shelf.depth_sd)
    labelled, _ = shelf_things(shelf, shelf.frames)
    assert [i.name for i in found.instances] == ["straws", "tissue box"]
    for thing in found.instances:
        assert thing.certain
        assert len(thing.views) == 8
        assert np.linalg.norm(thing.box.centre - labelled[thing.name].box.centre) < 0.02


def test_the_bin_of_one_picture_has_its_eight_things_of_hand_size(shared_data):
    folder = shared_data / "arc2017_instances"
    data = np.load(folder / "data.npz")
    names = (folder / "class_names.txt").read_text().split()
    K = np.array(json.loads((folder / "camera_info.json").read_text())["K"]).reshape(3, 3)
    frame = single_frame(
        np.where(data["depth"] < 3, data["depth"], 0), K + np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
    )
    seen = [proposal(mask == 1, names[label]) for mask, label in zip(data["masks"], data["labels"], strict=True)]
    found = from_proposals([frame], seen, depth_sd=0.01)
    assert sorted(i.name for i in found.instances) == sorted(names[label] for label in data["labels"])
    for thing in found.instances:
        assert thing.certain
        assert 0.03 < thing.box.longest < 0.4
        assert 0.3 < -thing.box.centre[2] < 1.2
    boxes = {names[label]: box for label, box in zip(data["labels"], data["bboxes"], strict=True)}
    for thing in found.instances:
        top, left, bottom, right = boxes[thing.name]
        (view,) = thing.views
        assert view.bbox[0] >= left - 2
        assert view.bbox[1] >= top - 2
        assert view.bbox[2] <= right + 2
        assert view.bbox[3] <= bottom + 2


def unpacked(data, size):
    """LZF, as PCL writes it."""
    out, i = bytearray(), 0
    while i < len(data):
        control = data[i]
        i += 1
        if control < 32:
            out += data[i : i + control + 1]
            i += control + 1
            continue
        length = control >> 5
        if length == 7:
            length += data[i]
            i += 1
        start = len(out) - ((control & 31) << 8) - data[i] - 1
        i += 1
        while length >= 0 or len(out) < size:
            chunk = bytes(out[start : start + length + 2])
            out += chunk
            length -= len(chunk)
            start += len(chunk)
            if length <= -2:
                break
    assert len(out) == size
    return bytes(out)


def test_the_labelled_cloud_has_its_two_things_on_a_table(shared_data):
    raw = (shared_data / "osd_labelled_clouds" / "learn10.pcd").read_bytes()
    _, _, body = raw.partition(b"DATA binary_compressed\n")
    packed, size = struct.unpack("<II", body[:8])
    fields = np.frombuffer(unpacked(body[8 : 8 + packed], size), np.uint32).reshape(5, 480, 640)
    ids, z = fields[0].astype(np.int32), fields[3].view(np.float32)
    frame = single_frame(z, np.array([[525, 0, 320], [0, 525, 240], [0, 0, 1.0]]))
    labels = Labels("instance", {1: "table", 20: "thing a", 30: "thing b"}, {1: FrameLabels(ids)})
    table, a, b = from_labels((frame,), labels, depth_sd=0.01).instances
    for thing in (a, b):
        assert 0.05 < thing.box.longest < 0.35
        assert thing.box.longest < table.box.longest / 2
        assert box_distances([thing.box], [table.box])[0, 0] < 0.02
    masks = [proposal(ids == label, name) for label, name in labels.names.items()]
    for one, other in zip(
        (table, a, b),
        sorted(from_proposals([frame], masks, depth_sd=0.01).instances, key=lambda i: i.name != "table"),
        strict=True,
    ):
        assert one.name == other.name
        np.testing.assert_allclose(one.centre, other.centre, atol=0.02)


def test_distances_between_annotated_boxes_are_those_of_their_surfaces(shared_data):
    path = shared_data / "sunrgbd_boxes" / "sunrgbd_trainval" / "label" / "000001.txt"
    memory = oracle.load_oracle(path)
    surfaces = []
    for line in path.read_text().splitlines():
        x, y, z, half_w, half_l, half_h, cosine, sine = map(float, line.split()[5:13])
        grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 25)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        grid = grid[(np.abs(grid) == 1).any(axis=1)] * [half_l, half_w, half_h]
        along, across = np.array([cosine, sine]), np.array([-sine, cosine])
        flat = grid[:, :1] * along + grid[:, 1:2] * across + [x, y]
        surfaces.append(np.column_stack([flat, grid[:, 2] + z]))
    distances = box_distances([i.box for i in memory.instances], [i.box for i in memory.instances])
    apart = 0
    for i, one in enumerate(surfaces):
        for j in range(i):
            sampled = KDTree(one).query(surfaces[j])[0].min()
            if distances[i, j] > 0:
                apart += 1
                assert distances[i, j] <= sampled + 1e-6
                assert sampled - distances[i, j] < 0.1
    assert apart >= 5
