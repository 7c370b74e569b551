"""A room with a box in it, seen by exact ray casting, and writers of it in every capture layout."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from PIL import Image

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import convert_camera, invert, look_at, to_quat_wxyz

LOW, HIGH = np.array([-2.0, 0.0, -1.5]), np.array([2.0, 2.5, 1.5])
BOX_LOW, BOX_HIGH = np.array([-0.4, 0.0, -0.9]), np.array([0.5, 0.7, -0.2])
WIDTH, HEIGHT, FOCAL = 160, 120, 130.0


@dataclass(frozen=True)
class View:
    camera: Camera
    z: np.ndarray
    rgb: np.ndarray
    ids: np.ndarray  # 1 room, 2 the box


def cast(camera):
    """Exact z-depth (h, w) and which surface is seen: the room's inside (1) or the box (2)."""
    rays, eye = camera.rays(), camera.centre
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(rays > 0, (HIGH - eye) / rays, (LOW - eye) / rays).min(axis=-1)
        near, far = (BOX_LOW - eye) / rays, (BOX_HIGH - eye) / rays
        enter = np.minimum(near, far).max(axis=-1)
        leave = np.maximum(near, far).min(axis=-1)
    hit = (enter < leave) & (enter > 0) & (enter < room)
    return np.where(hit, enter, room), np.where(hit, 2, 1)


def view(eye, target, number):
    K = np.array([[FOCAL, 0, WIDTH / 2 + 3], [0, FOCAL + 2, HEIGHT / 2 - 2], [0, 0, 1]])
    camera = Camera(K, WIDTH, HEIGHT, look_at(eye, target))
    z, ids = cast(camera)
    points = camera.unproject(z)
    shade = (np.sin(points * [9, 7, 8]) * 50 + 120).astype(np.uint8)
    shade[ids == 2, 0] = 220
    shade[0, 0] = number
    return View(camera, z, shade, ids)


def views(count=5):
    angles = np.linspace(-0.7, 0.9, count)
    eyes = [(1.6 * np.sin(a), 1.3 + 0.1 * i, 1.3 * np.cos(a)) for i, a in enumerate(angles)]
    return [view(eye, (0.1, 0.5 + 0.02 * i, -0.6), i) for i, eye in enumerate(eyes)]


def integer_K(camera):
    """K for makers whose first pixel centre is at 0."""
    return camera.K - np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])


def steps(z, per_metre=1000, rotated=False):
    whole = np.rint(z * per_metre).astype(np.uint16)
    return (whole << 3 | whole >> 13).astype(np.uint16) if rotated else whole


def save_depth(path, raw):
    Image.fromarray(raw).save(path)


def save_matrix(path, matrix):
    np.savetxt(path, matrix, fmt="%.12g")


def seven_scenes(folder, shots, per_metre=1000, rotated=False):
    folder.mkdir(parents=True, exist_ok=True)
    for i, shot in enumerate(shots):
        stem = f"frame-{i:06d}"
        Image.fromarray(shot.rgb).save(folder / f"{stem}.color.png")
        save_depth(folder / f"{stem}.depth.png", steps(shot.z, per_metre, rotated))
        save_matrix(folder / f"{stem}.pose.txt", shot.camera.world_from_cam)
    save_matrix(folder / "camera-intrinsics.txt", integer_K(shots[0].camera))


def tum(folder, shots):
    (folder / "rgb").mkdir(parents=True)
    (folder / "depth").mkdir()
    rgb, depth, poses = ["# color images"], ["# depth maps"], ["# timestamp tx ty tz qx qy qz qw"]
    for i, shot in enumerate(shots):
        t = 1305031102.175 + i / 10
        Image.fromarray(shot.rgb).save(folder / "rgb" / f"{t:.6f}.png")
        save_depth(folder / "depth" / f"{t + 0.006:.6f}.png", steps(shot.z, 5000))
        rgb.append(f"{t:.6f} rgb/{t:.6f}.png")
        depth.append(f"{t + 0.006:.6f} depth/{t + 0.006:.6f}.png")
        w, x, y, z = to_quat_wxyz(shot.camera.world_from_cam)
        a, b, c = shot.camera.centre
        poses.append(f"{t - 0.004:.4f} {a:.9f} {b:.9f} {c:.9f} {x:.9f} {y:.9f} {z:.9f} {w:.9f}")
    for name, lines in (("rgb.txt", rgb), ("depth.txt", depth), ("groundtruth.txt", poses)):
        (folder / name).write_text("\n".join(lines) + "\n")
    K = integer_K(shots[0].camera)
    (folder / "camera-intrinsics.txt").write_text(f"{K[0, 0]} {K[1, 1]} {K[0, 2]} {K[1, 2]}\n")


def open3d(folder, shots):
    (folder / "color").mkdir(parents=True)
    (folder / "depth").mkdir()
    log = []
    for i, shot in enumerate(shots):
        Image.fromarray(shot.rgb).save(folder / "color" / f"{i:05d}.png")
        save_depth(folder / "depth" / f"{i:05d}.png", steps(shot.z))
        log += [f"{i} {i} {i + 1}", *(" ".join(f"{v:.12g}" for v in row) for row in shot.camera.world_from_cam)]
    (folder / "trajectory.log").write_text("\n".join(log))
    K = integer_K(shots[0].camera)
    record = {"width": WIDTH, "height": HEIGHT, "intrinsic_matrix": K.T.ravel().tolist()}
    (folder / "camera.json").write_text(json.dumps(record))


def slambook(folder, shots):
    (folder / "color").mkdir(parents=True)
    (folder / "depth").mkdir()
    lines = []
    for i, shot in enumerate(shots, 1):
        Image.fromarray(shot.rgb).save(folder / "color" / f"{i}.png")
        raw = steps(shot.z).astype(">u2")
        (folder / "depth" / f"{i}.pgm").write_bytes(f"P5 {WIDTH} {HEIGHT} 65535\n".encode() + raw.tobytes())
        w, x, y, z = to_quat_wxyz(shot.camera.world_from_cam)
        lines.append(" ".join(f"{v:.12g}" for v in (*shot.camera.centre, x, y, z, w)))
    (folder / "pose.txt").write_text("\n".join(lines))
    K = integer_K(shots[0].camera)
    text = f"# test\nfx {K[0, 0]}\nfy {K[1, 1]}\ncx {K[0, 2]}\ncy {K[1, 2]}\ndepthScale 1000.0\n"
    (folder / "intrinsics.txt").write_text(text)


def record3d(folder, shots, times=4):
    """Photos ``times`` as large as the depth, K column by column for the photo."""
    import OpenEXR

    (folder / "rgb").mkdir(parents=True)
    (folder / "depth").mkdir()
    poses = []
    for i, shot in enumerate(shots):
        large = np.repeat(np.repeat(shot.rgb, times, axis=0), times, axis=1)
        Image.fromarray(large).save(folder / "rgb" / f"{i}.jpg", quality=95)
        header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
        OpenEXR.File(header, {"R": shot.z.astype(np.float32)}).write(str(folder / "depth" / f"{i}.exr"))
        arkit = convert_camera(shot.camera.world_from_cam, "opencv", "arkit")
        w, x, y, z = to_quat_wxyz(arkit).tolist()
        poses.append([x, y, z, w, *arkit[:3, 3].tolist()])
    camera = shots[0].camera.resized(WIDTH * times, HEIGHT * times)
    record = {
        "w": WIDTH * times,
        "h": HEIGHT * times,
        "dw": WIDTH,
        "dh": HEIGHT,
        "K": integer_K(camera).T.ravel().tolist(),
        "poses": poses,
        "frameTimestamps": [i / 60 for i in range(len(shots))],
    }
    (folder / "metadata.json").write_text(json.dumps(record))


def scannet(folder, shots):
    """Colour twice the depth's size; the world turned z up."""
    z_up = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    for name in ("color", "depth", "pose", "intrinsic"):
        (folder / name).mkdir(parents=True)
    for i, shot in enumerate(shots):
        large = np.repeat(np.repeat(shot.rgb, 2, axis=0), 2, axis=1)
        Image.fromarray(large).save(folder / "color" / f"{i}.jpg", quality=95)
        save_depth(folder / "depth" / f"{i}.png", steps(shot.z))
        save_matrix(folder / "pose" / f"{i}.txt", z_up @ shot.camera.world_from_cam)
    for name, camera in (("color", shots[0].camera.resized(2 * WIDTH, 2 * HEIGHT)), ("depth", shots[0].camera)):
        K = np.eye(4)
        K[:3, :3] = integer_K(camera)
        save_matrix(folder / "intrinsic" / f"intrinsic_{name}.txt", K)


def transforms_json(folder, shots, depth=False, **top):
    (folder / "images").mkdir(parents=True)
    frames = []
    for i, shot in enumerate(shots, 1):
        Image.fromarray(shot.rgb).save(folder / "images" / f"{i:04d}.png")
        matrix = convert_camera(shot.camera.world_from_cam, "opencv", "nerfstudio").tolist()
        frame = {"file_path": f"images/{i:04d}.png", "transform_matrix": matrix}
        if depth:
            save_depth(folder / "images" / f"{i:04d}_depth.png", steps(shot.z))
            frame["depth_file_path"] = f"images/{i:04d}_depth.png"
        frames.append(frame)
    K = shots[0].camera.K
    record = {"fl_x": K[0, 0], "fl_y": K[1, 1], "cx": K[0, 2], "cy": K[1, 2], "w": WIDTH, "h": HEIGHT}
    (folder / "transforms.json").write_text(json.dumps({**record, **top, "frames": frames}))


def colmap(folder, shots, text=True):
    """A workspace with a text or binary model and 300 points."""
    import pycolmap

    (folder / "images").mkdir(parents=True)
    (folder / "sparse" / "0").mkdir(parents=True)
    K = shots[0].camera.K
    cameras = [f"1 PINHOLE {WIDTH} {HEIGHT} {K[0, 0]} {K[1, 1]} {K[0, 2]} {K[1, 2]}"]
    images, tracks = [], {}
    rng = np.random.default_rng(0)
    points = np.concatenate([s.camera.unproject(s.z).reshape(-1, 3) for s in shots])
    points = points[rng.choice(len(points), 300, replace=False)]
    for i, shot in enumerate(shots, 1):
        Image.fromarray(shot.rgb).save(folder / "images" / f"{i:03d}.png")
        cam_from_world = invert(shot.camera.world_from_cam)
        quat, t = to_quat_wxyz(cam_from_world), cam_from_world[:3, 3]
        seen = shot.camera.project(points)
        numbers = np.nonzero(seen.in_view)[0]
        for k, number in enumerate(numbers.tolist()):
            tracks.setdefault(number, []).append((i, k))
        images.append(" ".join(map(str, (i, *quat, *t, 1, f"{i:03d}.png"))))
        images.append(" ".join(f"{seen.pixels[n, 0]} {seen.pixels[n, 1]} {n + 1}" for n in numbers))
    lines = []
    for number, track in sorted(tracks.items()):
        x, y, z = points[number]
        lines.append(f"{number + 1} {x} {y} {z} 200 100 50 0.1 " + " ".join(f"{i} {k}" for i, k in track))
    model = folder / "sparse" / "0"
    for name, content in (("cameras", cameras), ("images", images), ("points3D", lines)):
        (model / f"{name}.txt").write_text("\n".join(content) + "\n")
    if not text:
        pycolmap.Reconstruction(str(model)).write_binary(str(model))
        for path in model.glob("*.txt"):
            path.unlink()
    return points[sorted(tracks)]


def recon_from_cam(shot):
    return invert(invert(shot.camera.world_from_cam))
