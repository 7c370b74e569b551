"""The tabs "Ask" and "Replay": a question with its answer's evidence shown, and a recorded run step by step."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import numpy as np
from viser import ClientHandle

from placecell.agents.log import Log
from placecell.agents.trace_page import page
from placecell.apps.viewer.board import PHOTO, Board
from placecell.apps.viewer.cards import answer_card, moment_card, note_card
from placecell.apps.viewer.moments import Moment, moments
from placecell.apps.viewer.photos import recorded
from placecell.errors import UserError

_STEP_S = 2.0
_BLANK = np.full((2, 2, 3), 255, np.uint8)


class Asking:
    """The tab's widgets. ``on_log`` gets the log of every question."""

    def __init__(self, board: Board, on_log: Callable[[Log], None]) -> None:
        self._board, self._on_log = board, on_log
        gui = board.server.gui
        self._question = gui.add_text("Question", "", multiline=True)
        self._options = gui.add_text("Options", "", multiline=True, hint="The offered answers, one a line; or none.")
        board.button("Ask", self._ask)
        how = board.session.how
        self._answer = gui.add_html(note_card(f"Answered with the strategy {how.strategy} by {how.model}."))

    def _ask(self, _: ClientHandle | None) -> None:
        board = self._board
        self._answer.content = note_card("Working on it ...")
        try:
            options = [line.strip() for line in self._options.value.splitlines() if line.strip()]
            answer, log = board.session.ask(self._question.value, options)
        except BaseException:
            self._answer.content = note_card("")
            raise
        self._answer.content = answer_card(answer)
        board.evidence, board.evidence_images = answer.evidence.instances, answer.evidence.images
        board.draw()
        self._on_log(log)


class Replay:
    """The tab's widgets, the log, and which of its moments is shown."""

    def __init__(self, board: Board, log: Log | None) -> None:
        self._board = board
        self._log = Log()
        self._moments: tuple[Moment, ...] = ()
        self._at = 0
        self._playing = threading.Event()
        gui = board.server.gui
        self._follow = gui.add_checkbox("Look through its eyes", True)
        board.button("Next", lambda _: self._show(self._at + 1))
        board.button("Back", lambda _: self._show(self._at - 1))
        play = gui.add_button("Play", hint="Again to stop.")
        play.on_click(lambda event: self._play(event.client))
        board.button("Whole trace", self._page)
        self._card = gui.add_html(note_card("Ask something, or open the viewer with --log."))
        self._picture = gui.add_image(_BLANK, visible=False)
        if log is not None:
            self.open(log)

    def open(self, log: Log) -> None:
        """Make a log the one to step through."""
        self._log, self._moments, self._at = log, moments(log), -1
        self._playing.clear()
        self._board.stage.draw_viewpoint(None)
        self._picture.visible = False
        self._card.content = note_card(f"{len(self._moments)} steps. Next shows the first.")

    def pause(self) -> None:
        """No further step by itself; returns when none is being shown."""
        self._playing.clear()
        self._board.do(None, lambda: None)

    def _show(self, index: int) -> None:
        if not self._moments:
            raise UserError("there is nothing to replay", hint="ask something first")
        self._at = min(max(index, 0), len(self._moments) - 1)
        moment, board = self._moments[self._at], self._board
        self._card.content = moment_card(moment, self._at + 1, len(self._moments))
        self._picture.visible = moment.picture is not None
        if moment.picture is not None:
            self._picture.image = recorded(self._log, moment.picture, PHOTO)
        board.image = moment.image
        board.evidence, board.evidence_images = moment.instances, moment.images
        board.draw()
        eye = moment.eye if moment.eye is not None else board.stage.eye_of(board.session.memory, moment.image)
        if eye is not None:
            board.stage.draw_viewpoint(None if self._follow.value else eye)
            if self._follow.value:
                board.fly(eye)

    def _play(self, client: ClientHandle | None) -> None:
        """From here, or from the start when at the end, a step every two seconds; again to stop."""
        if self._playing.is_set():
            self._playing.clear()
            return
        self._playing.set()
        at = -1 if self._at >= len(self._moments) - 1 else self._at
        while self._playing.is_set() and at < len(self._moments) - 1:
            at += 1
            self._board.do(client, partial(self._play_step, at))
            threading.Event().wait(_STEP_S)
        self._playing.clear()

    def _play_step(self, index: int) -> None:
        if self._playing.is_set():  # it may have been paused while this waited for its turn
            self._show(index)

    def _page(self, client: ClientHandle | None) -> None:
        if not self._moments:
            raise UserError("there is no trace yet", hint="ask something first")
        if client is not None:
            client.send_file_download("trace.html", page(self._log).encode("utf-8"))
