"""Word classes the rules use, and what words can do in a name. Vocabulary only: nothing here reads a question.

Each class is itself a pattern in the notation of ``grammar``. Adding a synonym is adding a word to one line.
"""

from __future__ import annotations

from placecell.agents.questions.notation import definitions, words

ARTICLES = words("the a an this that these those my your our his her its their any some")

NOT_IN_A_NAME = words("""
    and here is to from , . ; : ? ! -lrb- -rrb- __ what which how why when if then than who whose whom where
    whether will would should shall can could may might must do does did i you we me us myself yourself are was
    were be been am have has had or nor not between among towards relative_to facing looking look gazing while
    after before because so until as into there appear appears closer nearer farther respectively
""")
"""Words that never stand inside an object's name ("and" and "or" separate names)."""

NOT_FIRST = words("""
    in of one inside with without on at by near under over below above behind beneath beside besides beyond
    outside next_to close_to closest_to nearest_to in_front_of on_top_of across along against around through up
    down off for it they them he she him ones both either neither each other every all left-most straight ahead
    away apart who_is that_is which_is 's much many more most less far long tall wide high deep big large turn
    turns turned turning
""")
"""Words a name cannot begin with, articles aside."""

NOT_PLAIN = words("""
    left right front back side sides direction directions way ways object objects thing things item items one ones two
    distance gap space spacing separation height width depth length size dimension dimensions area number count total
    order sequence closest nearest farthest closer nearer closest_to nearest_to farthest_from far_from next_to close_to
    in_front_of largest biggest smallest tallest longest shortest widest highest lowest greater lesser clockwise
    counterclockwise meters meter metres metre cm centimeters centimetres feet inches ft m mm steps degrees degree
    square image images photo photos view camera scene room video really visible hidden seen shown found located placed
    positioned situated standing sitting lying stands sits lies see find look looks looked count counted exist exists
    live move moves moved moving go goes going went gone come comes came get gets got getting walk walks walked walking
    step turn throw throws take takes took taken put puts make makes made need needs want wants fit fits buy use uses
    hang hangs carry hold holds open opens close closes swing swings keep keeps cost costs work works sleep run runs
    start starts starting stop stops begin ended end ends reach reaches touch give gives gave show shows shot say said
    tell think know like likes love help play plays read reads eat eats fly flies jump jumps climb climbs lean leans
        roll rolls slide slides bounce bounces grow grows
    break breaks bend bends shine shines spread spreads weigh weighs belong belongs match matches support supports drive
        drives drop drops fall falls pick push pull
    same different similar equal enough too very quite always never often sometimes already yet still also only even
    better best worse worst else anything something nothing everything any none all both half again instead really
    estimate guess measure compare given than while during using
""")
"""Words that are no part of a plain name, whatever they do elsewhere."""

_MARKS = {
    **dict.fromkeys(NOT_FIRST, "f"),
    **dict.fromkeys(NOT_IN_A_NAME, "s"),
    "and": "d",
    "or": "o",
    "between": "b",
    ",": "c",
    **dict.fromkeys(words(". ; ? !"), "p"),
}


def mark(word: str) -> str:
    """One letter for what a word can do in a name: n begin or continue one, f only continue it, s end it.

    "and" (d), "or" (o), "," (c) and "between" (b) stand in some names and lists; sentence ends are p, images i.
    """
    return "i" if word.startswith("@") else _MARKS.get(word, "n")


CLASSES = definitions("""
    # people and verbs of being
    i := i | you | we | one | someone | somebody | a person | a viewer | the viewer | an observer | the observer
    me := me | you | us | myself | yourself | ourselves | the viewer | the observer | the camera
    my := my | your | our
    be := is | are | was | were | would be | will be | should be | could be | might be | does lie | lies | lie | sits
        | stands
    is := is | are | was | were
    am := am | are | is | was | were | stand as | be
    suppose := being | given that | suppose | supposing | assume | assuming | imagine | imagining | putting | placing |
        say | pretend | picture | if | when | while | as | given | now | whenever | once | let us say | let 's say |
        consider
    cond := ([<suppose>] [that] [<suppose>] [( <i> | yourself )] [( <am> | will be | were to be | was to | were to |
        will | would )])
    wh := what | which

    # standing and facing
    standing := standing | stand | stands | stood | ( position | place | put ) ( yourself | myself ) | <my> ( position |
        location | viewpoint ) is | positioned | situated | located | placed | sitting | seated | sit |
        stationed | lying | lie
    at := at | by | beside | next_to | near | close_to | in | on | against | with | right by | right at | right
        next_to | over by | over at | adjacent to | alongside | by the side of
    facing := (watching | [directly] ( facing | face | faced | faces ) [( towards | into | out | out of | to )] | (
        looking | look | looked | looks | gazing | gaze | staring | oriented | turned | pointing | heading ) ( at |
        towards | to | out | into | in the direction of ) [at] | ( looking | gazing | turning ) towards | with ( <my> )
        ( eyes | gaze | face ) ( on | towards | turned to ))
    facing-away := [with] <my> back [is] ( to | towards | turned to | turned towards | facing ) | ( facing | looking |
        turned ) away from
    spot := [same | exact] ( spot | place | position | location | point | standpoint | viewpoint )
    same-way := [and | , and | ,] ( [also] [<i>] [<am>] ( facing | face | faced | looking | look | looked | oriented |
        heading | turned ) [in | towards] ( the | that ) ( same | identical ) ( direction | way ) | ( with | in | having
        ) the same ( orientation | heading | direction ) | facing the way it ( faces | does | is facing ) | facing (
        where | the way ) it ( faces | points | looks ) | oriented like it | looking where it ( looks | faces ) |
        sharing its ( orientation | heading ) | ( looking | facing | look | face ) in its direction )
    shown := shown | seen | depicted | pictured | presented | given | captured | displayed | visible | taken |
        photographed
    viewpoint := viewpoint | view | perspective | perspectives | position | standpoint | vantage | camera | camera
        position | camera viewpoint | place | angle | pose

    # sides of the viewer or of a thing
    lr := left | right
    side-of-me := ( to | on | at | towards | toward ) [( <my> | the )] [immediate] ( left | right | rear | back | behind
        | front | front-left | front-right | back-left | back-right ) [hand] [side] [of <me>] | ( left | right ) of
        <me> | ( behind | in_front_of | in back of | ahead of | before | above | over | below | under | beneath |
        opposite ) <me> | [straight | right | directly] ( ahead | in front | behind | overhead ) [of <me>]
    side-of := ( ( to | on | at | towards ) the | immediately ) ( left | right | front | back | rear | front-left |
        front-right | back-left | back-right ) [side] ( of | from ) | ( left | right ) of | ( behind | in back of |
        in_front_of | ahead of | above | over | below | under | underneath | beneath ) | further back than | past |
        beyond

    # units
    length-unit := meters | meter | metres | metre | m | centimeters | centimeter | centimetres | centimetre | cm |
        cms | millimeters | millimetres | millimeter | millimetre | mm | kilometers | kilometres | km | inches | inch
        | feet | foot | ft
    steps := steps | paces
    other-unit := steps | degrees | seconds
    area-unit := square ( meters | metres | meter | metre | feet | foot ) | sq ( m | meters | metres | ft | feet ) [.]
        | m2 | sqm | sqft | ft2

    # end of a clause: what may follow a set-up
    clause-end := , | . | ! | ; | : | ? | i | you | and | then | what | where | which | who | how | is | are | am | was
        | were | will | would | can | could | do | does | did | should | from | relative_to | throughout | during | so |
        now | between | if | when | while | as | after | once | at the | tell | name | describe | estimate | determine |
        give | find | count | measure | calculate | say | ( in | to | on ) <wh> | ( in | at | of | on ) {ahead:image}

    # motion verbs
    image-place := [( where | [the] [camera] <spot> ( of | in ) | that of | the camera ( of | in | at ) )]
    turn := turn | rotates | turns | turned | spun | turning | rotate | rotating | rotated | spin | spinning | pivot |
        pivoting | swivel | swiveling | swing | face | facing | look | looking
    so := (( then | next | after that | afterwards | now | first | also | so | if | when | after | once | upon | and |
        by | suppose | supposing | assume | imagine | say | that | having )* [( were i to | were you to )] [( i | you |
        we | the camera )] [( will | am to | are to | would | should | were to | have | had | decide to | am going to )]
        [then])
    make := make | makes | making | made | take | takes | taking | took | do | doing | perform | performing | execute
    turn-sense := clockwise | counterclockwise | left | right
    sense := clockwise | counterclockwise
    twice := twice | two times
    ud := up | down | upward | downward
    step-way := <forward> | <backward> | left | right | up | down | upward | downward
    step := moves | walks | goes | steps | walk | walking | walked | go | going | went | move | moving | moved | step |
        stepping | stepped | head | heading | headed | proceed | proceeding | advance | advancing | travel | travelling
        | traveling | march | stride
    forward := forward | ahead | straight | straight ahead | straight on | straight forward | onward | onwards
    retreat := back up | back off | back away | backing up | backing away | retreat | retreating | reverse
    backward := backward | back | rearward | in reverse
    scene := [all] ( in | within | from | on | throughout | of | around | across ) ( the | this | that | my | our | your
        ) [shown | given | whole | entire | same | particular | full] ( <room> | scene | video | image | picture | photo
        | photograph | clip | footage | area | view | frame | recording | scan | model | reconstruction ) | [around | in
        | over] here | over there | in view
    room := room | space | house | apartment | flat | place | home | building | kitchen | bedroom | bathroom | office |
        living room | lounge | dining room | classroom | lab | studio | hall

    # asking
    tell := tell me | say | describe | determine | estimate | give [me] | name | state | work out | report | measure |
        find [out] | calculate | compute | guess | figure out | let me know | provide | identify | pick [out] | list | i
        ( need | want ) [to know] | i would ( like | love ) [to know] | i am looking for
    ask := ([( ( what ( <is> | would be | could be | might be ) | <tell> ) [( the | your [best] guess for the )] | the
        )])
    those := (( : | , | ? | -lrb- ) [-lrb-] {items:list} [-rrb-])
    among := ( among | amongst | of | out of | between | from | comparing | considering | given ) [<these>] [( : | , )]
        {items:list} [( , | : )]
    dimension := lengthy | tall | high | wide | broad | deep | long | big | large | height | width | depth | length |
        size
    extent := height | width | depth | length
    upright := tall | high | wide | broad | deep
    placed := located | positioned | placed | situated | found | to be found | standing | sitting | lying | set
    dirway := [general] ( direction | directions | way | ways )
    around := around | back around | the other way
    one := one | object | thing | item | objects | things | items | piece of furniture
    these := ([of] ( these | those | the | the following | the listed | the given | all [the] ) [following] [( objects
        | things | items | options | categories | ones )])
    lie := ( is | are | was | were | would be | will be ) ( now | then | right now ) | is | are | was | were | would be
        | will be | might be | could be | should be | lies | lie | stands | stand | sits | can be seen | can be found |
        would be found | is located | are located | is found | is there | is placed | is situated | is positioned | (
        have | has ) <i> got | ( do | can | would | will | could | should | might | did ) <i> ( see | find | have |
        expect [to see] | notice )
    see := find | see | expect | expect to find | expect to see | look for | locate | spot | notice | encounter | look
        to find
    nearest-to := closest_to | nearest_to | most close_to | nearest | nearest in distance to | closest in distance to
        | least far_from | the least distance from | at the shortest distance from
    nearest := closest | nearest
    farthest-from := farthest_from | farthest away from | most distant from | farthest to | most far_from | at the
        greatest distance from
    farthest := farthest [away] | most distant
    closer-to := closer to | nearer to | nearer | less far_from
    farther-from := farther [away] from | more distant from
    distance := [rough | estimated | exact | actual | shortest | straight-line | minimum | smallest | closest | total |
        horizontal | euclidean] ( distance | clearance | gap | separation | space | spacing )
    appear := appear | appears | comes up | pop up | pops up | turns up | show up | shows up | come into view | comes
        into view | become visible | becomes visible | turn up | be seen | is seen | are seen | enter the view | come up
        | occur
    end := first | last | earliest | the earliest | at first

    superlative := largest | biggest | tallest | highest | longest | widest | deepest | smallest | shortest | lowest |
        narrowest | tiniest
    comparative := greater | larger | bigger | taller | higher | longer | wider | deeper | smaller | shorter | lower |
        narrower

    # words that change nothing, in front of and between telling words (loose lines)
    aux := is | are | was | were | be | been | being | would | could | might | will | can | may | does | do | did | has
        | have | had
    being := is | are | was | were | be | would | could | might | has | have
    asks := what | which | how | at | by | of | in | the | a | an | and | so | , | :
    there := there | here | it | its | they | that | this | now | then | really | you | , | the | a

    # what moves in a video
    camera := the camera | the camera view | the view | the viewer | the photographer | the cameraman | the camera
        itself
    ing := moving | going | heading | traveling | travelling | walking | running | driving | flying | swimming |
        riding | rolling | sliding | jumping | crawling | sailing | floating | drifting | skating | skiing | cycling |
        headed | bouncing | climbing | falling | swinging | paddling | stepping | marching | racing | galloping |
        shifting | sliding | approaching
    approach-ing := coming | getting | moving | going | walking | running | driving | flying | swimming | heading |
        riding
    verb := move | moves | go | goes | head | travel | travels | walk | walks | run | runs | drive | fly | flies |
        swim | ride | roll | slide | jump | crawl | step | steps | shift | fall | moved | went | come | comes | get |
        gets | open
    turning := turning | veering | swerving | curving | steering | bending
    turns := turn | turns | turned | veer | veers | swerve | steer | lean | leans
    spinning := spinning | rotating | circling | revolving | flipping | twirling | whirling | orbiting | pedalling |
        stirring | cutting
    spins := spin | spins | rotate | rotates | circle | circles | revolve | revolves | flip | twirl | orbit | spun |
        rotated
    handle := move | moves | moved | push | pushes | pushed | pull | pulls | pulled | drag | drags | dragged | slide |
        slides | throw | throws | threw | kick | kicks | kicked | hit | hits | roll | rolls | swing | swings | lift |
        carry | carries | toss | tosses | shift | shifts | rotate | rotates | rotated | turn | turns | turned | spin |
        bring | pan | pans | put | take | takes | shake
    handling := moving | pushing | pulling | dragging | sliding | throwing | kicking | hitting | rolling | swinging |
        lifting | carrying | tossing | shifting | rotating | turning | scooping | pouring | stirring | spinning |
        cutting
    handled := moved | pushed | pulled | dragged | slid | thrown | kicked | rolled | lifted | carried | shifted |
        rotated | turned | brought | swung
    tail := {when:when}
    slope := uphill | downhill | sideways
    times := once | twice | thrice | not at all | never | none
    him := him | her | them
    they := he | she | they | it
    count-noun := steps | step | flips | spins | turns | revolutions | rotations | somersaults | laps | jumps |
        circles | loops
    pass := pass [by] | go past | drive past | walk past | move past | run past | ride past | overtake
    passing := passing [by] | going past | driving past | walking past | moving past | running past | riding past |
        overtaking
    passed := passed [by] | went past | gone past | drove past | walked past | moved past | ran past | overtook |
        overtaken
    touch := touch | hit | strike | bump into | bump against | crash into | run into | collide with |
        make contact with | come into contact with
    touching := touching | hitting | striking | bumping into | bumping against | crashing into | running into |
        colliding with
    touched := touched | hit | bumped into | bumped against | crashed into | ran into | collided with
    event := not moving | standing {x:deed} | standing still | ( parked | stationary | still ) [{x:deed}] |
        <event-ing>
    event-ing := <any-ing> [{x:deed}]
    any-ing := moving | going | walking | running | flying | swimming | driving | rolling | riding | traveling |
        heading | coming | turning | spinning | rotating | facing | jumping | dancing | picking | sweeping | sitting |
        holding | crossing | climbing | falling | skating | playing | being | swinging | waiting | staying | throwing
        | kicking | carrying | pushing | pulling | entering | leaving | passing | looking | approaching | sliding
    event-past := ( moved | went | turned | exited | entered | left | passed | jumped | fell | came | stopped |
        crossed | walked | ran | drove | flew | hit | thrown | kicked | shot | placed | plucked | put | poured |
        dropped | picked | opened | closed ) [{x:deed}]
    event-verb := ( jump | turn | hit | spin | look | pan | pull | push | somersault | dribble | bounce | throw | kick
        | rotate | move | go | walk | run | step | flip | wave | pick | put | take | place | dive | cross | pass |
        stop | swing | drop | catch | shoot | touch | blink | nod | lift | open | close | strike | stir | pour | change
        direction | reverse )
        [{x:deed}]
""")
