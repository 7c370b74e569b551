"""The tab "Look": what is shown, what was clicked, measuring, moving things, corrections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from viser import ClientHandle, GuiEvent, SceneClickEvent

from placecell.apps.viewer.board import PHOTO, Board
from placecell.apps.viewer.cards import distance_card, frame_card, note_card, object_card, objects_card
from placecell.apps.viewer.photos import small, views_of
from placecell.apps.viewer.picking import Hit, Ray, between, pick
from placecell.apps.viewer.tracks import span_s
from placecell.errors import UserError

_REACH_PX = 4
"""How far beside a point a click may go."""

_HOW = "Click an object or a camera. Hold Shift to select several objects."


class Looking:
    """The tab's widgets, and the points that are being measured."""

    def __init__(self, board: Board, on_ceiling: Callable[[bool], None] | None) -> None:
        """``on_ceiling`` is told whether to show the ceiling; None where there is none to hide."""
        self._board = board
        self._measured: list[np.ndarray] = []
        gui = board.server.gui
        if on_ceiling is not None:
            ceiling = gui.add_checkbox("Ceiling", False, hint="Show what is above the heads.")
            ceiling.on_update(lambda _: on_ceiling(ceiling.value))
        for label, node in (("Cameras", "/cameras"), ("Boxes", "/objects"), ("Names", "/objects/names")):
            self._toggle(label, node)
        self._measuring = gui.add_checkbox("Measure", False, hint="Click two points.")
        self._measuring.on_update(lambda event: board.do(event.client, self._start_measuring))
        self._time()
        self._card = gui.add_html(note_card(_HOW))
        self._photo = gui.add_image(np.full((2, 2, 3), 255, np.uint8), visible=False)
        with gui.add_folder("Correct", expand_by_default=False):
            self._name = gui.add_text("New name", "")
            for text, action in (
                ("Rename", self._rename),
                ("Merge selected", self._merge),
                ("Remove selected", self._remove),
                ("Undo", self._undo),
                ("Save", self._save),
            ):
                board.button(text, action)
            self._changes = gui.add_html(note_card("no changes"))
        for modifier in (None, "shift"):
            board.server.scene.on_click(modifier=modifier)(
                lambda event: board.do(event.client, lambda: self._clicked(event))
            )

    def _toggle(self, label: str, node: str) -> None:
        box = self._board.server.gui.add_checkbox(label, True)

        @box.on_update
        def _(_: GuiEvent[Any]) -> None:
            self._board.stage.show(node, box.value)

    def _time(self) -> None:
        memory, board = self._board.session.memory, self._board
        span = span_s(memory)
        if span is None:
            return
        first, last = span
        time_s = board.server.gui.add_slider("Time, s", first, last, (last - first) / 200 or 1.0, first)
        time_s.on_update(lambda event: board.do(event.client, lambda: board.stage.draw_tracks(memory, time_s.value)))
        board.stage.draw_tracks(memory, first)

    def _clicked(self, event: SceneClickEvent) -> None:
        board, camera = self._board, event.client.camera
        slope = _REACH_PX * 2 * float(np.tan(camera.fov / 2)) / max(camera.image_height, 1)
        ray = Ray(np.array(event.ray_origin), np.array(event.ray_direction), slope)
        cameras = [] if self._measuring.value else board.stage.clickable
        hit = pick(board.session.memory, board.surface, cameras, board.stage.depth, ray)
        if self._measuring.value:
            self._measure(hit)
        elif hit.frame is not None:
            self._show_frame(hit.frame)
        else:
            self._select(hit.instance, more=event.modifier == "shift")

    def _select(self, id_: int | None, *, more: bool) -> None:
        kept = self._board.selected if more else ()
        if id_ is not None:
            kept = tuple(i for i in kept if i != id_) if id_ in kept else (*kept, id_)
        self._board.selected, self._board.image = kept, None
        self._show_selected()

    def _show_selected(self) -> None:
        board, memory = self._board, self._board.session.memory
        things = [i for i in memory.instances if i.id in board.selected]
        board.selected = tuple(i.id for i in things)
        photo = views_of(memory, things[0], PHOTO) if len(things) == 1 else None
        if len(things) == 1:
            self._card.content = object_card(memory, things[0])
            self._name.value = things[0].name  # type: ignore[misc]  # its setter is not seen by mypy
        else:
            self._card.content = objects_card(things) if things else note_card(_HOW)
        self._show_photo(photo)
        board.draw()

    def _show_frame(self, number: int) -> None:
        board, memory = self._board, self._board.session.memory
        frame = memory.frame(number)
        board.selected, board.image = (), number
        self._card.content = frame_card(memory, frame)
        self._show_photo(small(frame, PHOTO, [v.bbox for i in memory.instances for v in i.views if v.frame == number]))
        board.draw()

    def _show_photo(self, photo: np.ndarray | None) -> None:
        self._photo.visible = photo is not None
        if photo is not None:
            self._photo.image = photo

    def _start_measuring(self) -> None:
        self._measured = []
        self._show_photo(None)
        self._board.stage.draw_measure([], None)
        self._card.content = note_card("Click two points." if self._measuring.value else _HOW)

    def _measure(self, hit: Hit) -> None:
        if hit.point is None:
            return
        self._measured = [*self._measured, hit.point] if len(self._measured) == 1 else [hit.point]
        board, length = self._board, None
        if len(self._measured) == 2:
            length = between(board.session.memory, self._measured[0], self._measured[1], board.surface.spacing)
        board.stage.draw_measure(self._measured, length)
        self._card.content = note_card("Click the other end.") if length is None else distance_card(length)

    def _rename(self, _: ClientHandle | None) -> None:
        if len(self._board.selected) != 1:
            raise UserError("renaming needs one selected object", hint="click it")
        self._board.session.rename(self._board.selected[0], self._name.value)
        self._changed()

    def _merge(self, _: ClientHandle | None) -> None:
        merged = self._board.session.merge(self._board.selected)
        self._board.selected = (merged,)
        self._changed()

    def _remove(self, _: ClientHandle | None) -> None:
        if not self._board.selected:
            raise UserError("nothing is selected", hint="click an object")
        self._board.session.remove(self._board.selected)
        self._changed()

    def _undo(self, _: ClientHandle | None) -> None:
        self._board.session.undo()
        self._changed()

    def _save(self, client: ClientHandle | None) -> None:
        path = self._board.session.save()
        self._changed()
        if client is not None:
            client.add_notification("Saved", str(path), auto_close_seconds=6)

    def _changed(self) -> None:
        session = self._board.session
        last = session.memory.edits[-1] if session.memory.edits else None
        said = f"{session.unsaved} not saved. " if session.unsaved else "all saved. "
        self._changes.content = note_card(said + (f"Last: {last.action} {last.detail}" if last else ""))
        self._show_selected()
