"""How the camera (I) moved or turned from one image to another, or during a video.

Slots: the two images, what is asked (the way moved, or turned). Decomposes to camera_motion, images=(from, to),
attribute=rotation for turns; relative_to for "towards or away from the people". Without image numbers: the only two
images there are, else the whole video.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, alternatives, choice_or, number_options
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function, Option

_GRAMMAR = Grammar(
    rules("""
        who := i | you | we | the camera | the photographer | the viewer | the cameraman | the camera view |
            the camera operator
        from-to := [( when | while | in | by | as )] [<who>] [( going | went | moving | moved | walking | walked )] from
            {m:image} to {n:image} | [( in going | going | to go | to get )] from {m:image} to {n:image} | between
            {m:image} and {n:image} | after {m:image} to get {n:image} | comparing {m:image} ( and | with | to )
            {n:image}
        end := [( towards | in | to )] [<from-to>] [<tail>]
        move := move | go | travel | walk | shift | step | head | moved | went | travelled | walked |
            shifted | stepped | gone | drift | get
        at := ( taken | shot | in | for | at )
        turn := turn | rotate | pan | swivel | look | turned | rotated | panned | tilt
        head := [<from-to> [,]]
        pick := [( , | : ) {alts:any}]

        move:
        <head> [( in | to | towards )] <wh> <dirway> ( did | does | do | have | has | had ) <who> <move> <end> <pick>
        <head> [( in | to | towards )] <wh> <dirway> ( did | does | do ) <who> ( have | need ) to <move> [in order] to (
            get to | reach | arrive at | end up at | be at ) [the <spot> of] {n:image}
        <head> [( in | to | towards )] <wh> <dirway> ( did | does ) <who> <move> to ( get to | reach | arrive at | take
            ) {n:image}
        <head> <ask> <dirway> [( that | in which )] <who> <move> [( in | to | towards )] <end>
        <head> <tell> where <who> <move> <end>
        where ( did <who> end up | ( am | was ) i [standing] ) <at> {n:image} relative_to {m:image}
        [( in | to | towards )] <wh> <dirway> ( did | do | must | should ) <who> <move> [in order] to ( get to | reach |
            arrive at ) {n:image}
        <head> [( in | to | towards )] <wh> <dirway> ( is | was | am | were ) <who> ( moving | going | heading |
            travelling ) <end>
        <head> [( in | to | towards )] <wh> <dirway> ( is | was ) ( that | it | this )
        <head> how ( did | has | have | does ) <who> <move> <end> <pick>
        <head> where ( did | have | has ) <who> <move> <end> <pick>
        <head> ( did | does | do ) <who> <move> {alts:any} [<from-to>]
        <head> ( is | was | am ) <who> ( moving | going | heading ) {alts:any} [<from-to>]
        <head> ( what ( <is> | was ) | describe | <tell> | the | my ) [( my | the | your )] [camera ['s]] [direction of]
            ( movement | motion | travel | displacement | translation ) [direction] [of the camera] <end>
        <head> <ask> direction of ( my | your | the camera 's | the camera ) ( movement | motion |
            displacement ) <end>
        [( in | to | on )] <wh> ( <dirway> | side ) [of {m:image}] ( is | was ) {n:image} [taken] [( from |
            relative_to | as seen from ) {m:image}]
        <head> <wh> <dirway> <is> ( my | your | the ) [camera ['s]] ( movement | motion | displacement )
            [of the camera] <end>
        relative_to {m:image} [,] ( is | was ) {n:image} [taken] [farther] {alts:dirs}
        relative_to {m:image} [,] [( in | to | on )] <wh> ( <dirway> | side ) ( is | was ) {n:image} [taken]
        ( is | was ) {n:image} [taken] [( to | on )] [the] {alts:dirs} of {m:image}
        did <who> end up {alts:dirs} [of where i was] [<from-to>]
        where ( is | was ) {n:image} ['s] [( camera | position | viewpoint )] relative_to {m:image} ['s] [( camera |
            position | viewpoint )]
        where ( is | was ) {n:image} [taken] ( from | relative_to | as seen from ) {m:image}
        <head> [( in | to | towards )] <wh> <dirway> <who> <move> <end>

        bare:
        [to the] {alts:dirs}

        turn:
        <head> [( in | to )] <wh> [rotational] <dirway> ( did | does | do | has ) <who> <turn> <end>
        <head> [( in | to )] <wh> [rotational] <dirway> ( is | was ) <who> ( turning | rotating | panning | tilting )
            <end>
        <head> how ( did | has | have ) <who> <turn> <end>
        <head> ( did | does | do | has ) <who> <turn> {alts:any} [<from-to>]
        <head> ( is | was ) <who> ( turning | rotating | panning ) {alts:any} [<from-to>]

        degrees:
        <head> ( by how many degrees | how many degrees | by how much | how much | how far ) ( did | does | do | has )
            <who> <turn> <end>
    """)
)


_LOOSE = Grammar(
    rules("""
        who := ( i | you | we | one | the viewpoint | my position | the camera | camera | the photographer | the
            cameraman | the viewer | the person taking the photos | the person taking the pictures )
        move := ( move | moved | moving | movement | motion | go | going | gone | went | walk | walked | walking |
            travel | travelled | travelling | shift | shifted | headed | heading | step | stepped | displacement |
            translation | changed | change )
        g := ( <aux> | <who> | <move> | <there> | . | <wh> | how | where | <dirway> | side | my | in | to | towards | on
            | of | have to | say | must )
        at := ( the | of | in | that | where | 's | position | place | spot | was | taken )
        place := ( from | between | comparing ) <at>*

        move:
        <g>* <move> <g>* [( , | : | to the | to )] [{alts:dirs}]
        <g>* <wh> <dirway> <g>*
        <g>* ( <move> | <dirway> ) <g>* <place> {m:image} <at>* ( to | and | with ) <at>* {n:image} <at>* [( , | : )
            {alts:dirs}]
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    images = _images(asked)
    if asked.loose and not images:
        return None
    if images is None:
        return Refusal("it is not clear between which images; name both")
    if asked.note == "bare" and asked.setup.images is None:
        return None
    if asked.note == "degrees":
        found = number_options(asked.options, "degrees")
        if found is None:
            return None
        form = choice_or("number", found[0])
        comparison = Comparison(function=Function.CAMERA_MOTION, attribute="rotation", images=images or None,
                                form=form, unit="degrees", options=found[0])  # fmt: skip
        return Reading(comparison)
    if asked.setup.reference.kind == "object" or ("when" in asked.match and images):
        return None
    named: tuple[Option, ...] | None = ()
    landmark = asked.setup.landmark
    if "alts" in asked.match:
        words, landmark = answers.cut_landmark(asked.match.quote("alts"))
        named = alternatives(words, answers.motion)
    if named is None:
        return None
    offered = answers.read(asked.options, answers.motion) if asked.options else named
    if offered is None:
        return Refusal("the options are not directions")
    if any(option.answer in ("clockwise", "counterclockwise") for option in offered) and images:
        return None  # circling is another family
    return Reading(
        Comparison(
            function=Function.CAMERA_MOTION,
            relative_to=landmark,
            attribute="rotation" if asked.note == "turn" else None,
            frame="camera",
            form=choice_or("open", offered),
            options=offered,
            images=images or None,
            during=asked.setup.during or "whole",
            when=asked.match.quote("when") or None,
        )
    )


def _images(asked: Asked) -> tuple[int, int] | tuple[()] | None:
    """The two images; () for a video; None when only one can be told."""
    first, second = asked.match.image("m"), asked.match.image("n")
    if asked.setup.images is not None:
        return None if "m" in asked.match or "n" in asked.match else asked.setup.images
    place = asked.setup.reference
    if "m" not in asked.match and "n" in asked.match and place.kind == "image":
        first = place.image
    elif place.kind == "image" and "n" not in asked.match:
        return None
    if first is not None and second is not None:
        return (first, second) if first != second else None
    if "m" in asked.match or "n" in asked.match:
        return None
    return asked.pair or ()


FAMILY = Family(
    "camera motion",
    "which way the camera moved or turned between two images, or during a video",
    _GRAMMAR,
    _build,
    loose=_LOOSE,
    example="Which way did I move from image 1 to image 2?",
    cues=("move", "moved", "camera", "motion", "direction", "pan", "way", "did i move", "i move", "between @"),
    takes=frozenset({"landmark", "during", "images"}),
)
