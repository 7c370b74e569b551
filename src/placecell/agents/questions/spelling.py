"""How words are spelled and said: numbers, contractions, words for images, fixed phrases. Vocabulary only."""

from __future__ import annotations

from placecell.agents.questions.notation import words

NUMBERS = {
    word: number
    for number, word in enumerate(
        words("""
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
            sixteen seventeen eighteen nineteen twenty
        """)
    )
}
ORDINALS = {
    word: number
    for number, word in enumerate(words("first second third fourth fifth sixth seventh eighth ninth tenth"), start=1)
}
IMAGE_WORDS = "|".join(
    words("""
        image images img imgs photo photos photograph photographs picture pictures pic pics view views frame frames shot
        shots snap snaps snapshot snapshots screenshot
    """)
)

WHOLE = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "whats": ("what", "is"),
    "wheres": ("where", "is"),
    "hows": ("how", "is"),
    "im": ("i", "am"),
    "youre": ("you", "are"),
    "theres": ("there", "is"),
    "isnt": ("is", "not"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "didnt": ("did", "not"),
    "cant": ("can", "not"),
    "where'd": ("where", "did"),
    "how'd": ("how", "did"),
    "(": ("-lrb-",),
    ")": ("-rrb-",),
    "&": ("and",),
    "/": ("or",),
    "\u00b0": ("degrees",),
    "\u2013": (",",),
    "\u2014": (",",),
    "toward": ("towards",),
    "further": ("farther",),
    "furthest": ("farthest",),
    "furhter": ("farther",),
    "forwards": ("forward",),
    "backwards": ("backward",),
    "upwards": ("upward",),
    "downwards": ("downward",),
    "anticlockwise": ("counterclockwise",),
    "anti-clockwise": ("counterclockwise",),
    "counter-clockwise": ("counterclockwise",),
    "ccw": ("counterclockwise",),
    "cw": ("clockwise",),
    "degree": ("degrees",),
}
DROPPED = frozenset(
    words("""
        please kindly approximately approx approximate roughly exactly precisely actually currently just directly
        estimated pls plz
    """)
)
"""Words that change nothing a question asks."""
PHRASES = {
    "next to": "next_to",
    "close to": "close_to",
    "closest to": "closest_to",
    "nearest to": "nearest_to",
    "adjacent to": "next_to",
    "farthest from": "farthest_from",
    "furthest from": "farthest_from",
    "far from": "far_from",
    "in front of": "in_front_of",
    "on top of": "on_top_of",
    "with respect to": "relative_to",
    "with respective to": "relative_to",
    "respect to": "relative_to",
    "in relation to": "relative_to",
    "in comparison to": "relative_to",
    "in comparison with": "relative_to",
    "compared to": "relative_to",
    "compared with": "relative_to",
    "relative to": "relative_to",
    "counter clockwise": "counterclockwise",
    "anti clockwise": "counterclockwise",
    "point of view": "viewpoint",
    "points of view": "viewpoint",
    "vantage point": "viewpoint",
    "as compared to": "relative_to",
    "about how": "how",
    "around how": "how",
    "left hand side": "left",
    "right hand side": "right",
    "left-hand side": "left",
    "right-hand side": "right",
    "front left": "front-left",
    "front right": "front-right",
    "back left": "back-left",
    "back right": "back-right",
    "rear left": "back-left",
    "rear right": "back-right",
    "a couple of": "two",
    **{
        f"{hour} o'clock": side
        for hour, side in (
            ("3", "right"),
            ("three", "right"),
            ("6", "back"),
            ("six", "back"),
            ("9", "left"),
            ("nine", "left"),
            ("12", "front"),
            ("twelve", "front"),
        )
    },
    "who is": "who_is",
    "who are": "who_is",
    "that is": "that_is",
    "that are": "that_is",
    "that is being": "that_is",
    "which is": "which_is",
    "which are": "which_is",
    **dict.fromkeys(
        (
            "would you say",
            "do you think",
            "do you reckon",
            "would you guess",
            "do you suppose",
            "would you estimate",
            "if you had to guess",
            "if possible",
            "more or less",
            "give or take",
            "at a guess",
            "as the crow flies",
        ),
        "",
    ),
}
"""Several words that rules see as one, or, where they change nothing, not at all."""

CAN = frozenset(
    words("""
        trash garbage waste rubbish recycling watering tin soda beer coke cola paint spray oil gas litter dust
        aluminum aluminium metal food jerry pepsi drink the a an this that
    """)
)
"""Words after which "can" is a thing."""
