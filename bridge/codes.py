"""Codes of geometry, lowering, the directives target and parity."""

from __future__ import annotations

from loaders.code import (
    Chosen,
    Condition,
    Fate,
    Lost,
    approximated,
    assumed,
    dropped,
    invalid,
    noted,
    repaired,
)

_NO_VOLUME = "; the mesh encloses no volume to compare with"
"""End of the message about a mesh that is not closed."""
_DISTANCE = ", which lies up to {distance:.2g} m from its surface"
"""Part of a message that states the largest distance of what collides from the mesh."""
_VOLUMES = ", of {volume:.3g} m^3 instead of {exact:.3g} m^3 ({percent:+.1f} %)"
"""End of a message that compares the volume that collides with that of the mesh."""

ACCELERATIONS_WITHIN_LIMITS = Condition(
    "accelerations stay within the limits of the model, which no engine enforces"
)
"""Effect of a limit of acceleration."""
SPEEDS_WITHIN_LIMITS = Condition(
    "speeds stay within the limits of the model, which no engine enforces"
)
"""Effect of a limit of speed."""

ACCELERATED_SHAPES = dropped(
    "accelerated.shapes",
    "{engine} gets the model without shapes: {reason}",
    meaning="MJX or MuJoCo Warp refuses the shapes of the model, for example pairs of types that "
    "it has no collisions for; the message states what it says. The rest of the model is compared.",
    remedy="Use other shapes, or exclude the pairs of links.",
    effect=Lost("shapes"),
)
CHECK_IGNORE_REASON = dropped(
    "check.ignore-reason",
    "a comment ignores {codes} without a reason, so that it ignores nothing",
    meaning="A comment that ignores findings states no reason, so that it ignores nothing.",
    remedy="Write the reason: `<!-- sdfbridge: ignore CODE because REASON -->`.",
    hint="write the reason: ignore CODE because REASON",
)
CHECK_IGNORE_UNKNOWN = dropped(
    "check.ignore-unknown",
    "a comment ignores {codes}, which no finding has, so that it ignores nothing",
    meaning="A comment ignores findings of a code that does not exist.",
    remedy="Write a code of this page, or its beginning, such as `robot`.",
    hint="see sdfbridge check --rules",
)
COMPARE_CHANGE = invalid(
    "compare.change",
    "{change}",
    meaning="Two files that were compared differ, so that they do not move alike; as a note, so "
    "that they move alike.",
    remedy="Undo the change if it was a mistake, or allow it where the comparison is asserted.",
    also=(Fate.NOTED,),
)
COMPARE_CHANGE_NOTED = COMPARE_CHANGE.variant(fate=Fate.NOTED)
DART_CONSTRAINT = dropped(
    "dart.constraint",
    "DART has no constraint of the kind {kind}",
    meaning="DART has no distance constraints and no tendons.",
    remedy="Compare other engines.",
    effect=Lost("constraints"),
)
DART_COUPLING = dropped(
    "dart.coupling",
    "DART does not couple joint {follower} to joint {leader}: it couples joints with one axis, by "
    "a line",
    meaning="DART couples joints with one axis only, and only by a line.",
    remedy="Compare other engines.",
    effect=Lost("couplings"),
)
DART_FORCE_ELEMENT = dropped(
    "dart.force-element",
    "DART has no force of the kind {kind}",
    meaning="DART has no bushings, no springs between links, and no springs of ball joints.",
    remedy="Compare other engines.",
    effect=Lost("forces between links"),
)
DART_FORCE_ELEMENT_BALL_SPRING = DART_FORCE_ELEMENT.variant(
    "DART has no spring of joint {joint}, which has several directions"
)
DART_ONE_WAY_COUPLING = dropped(
    "dart.one-way-coupling",
    "in DART, joint {follower} follows joint {leader} without a reaction on joint {leader}",
    meaning="In DART a joint follows another one like a motor of any strength, without a reaction "
    "on the other one.",
    remedy="Compare other engines.",
    effect=Lost("couplings"),
)
DART_ROTOR_INERTIA = dropped(
    "dart.rotor-inertia",
    "DART has no inertia of rotors; joint {joint} lacks {inertia}",
    meaning="DART has no inertia of rotors.",
    remedy="Add it to the inertia of the links.",
    effect=Lost("rotor inertia"),
)
DART_FRICTION_RULE = approximated(
    "dart.friction-rule",
    "links {link_a} and {link_b} slide on each other with a friction of {found:g}, the smaller, "
    "and by the rule of the source, {rule_name}, with {wanted:g}; the friction of no other pair "
    "differs by more than {difference:g}",
    meaning="DART takes the smaller friction of two shapes, unlike the engine whose elements the "
    "source states.",
    remedy="Give all shapes the same friction.",
)
DART_SHAPE = dropped(
    "dart.shape",
    "DART gets no {kind}, the shape of collision {collision} of link {link}",
    meaning="DART gets no mesh, height map or polyline, which it would read from files itself.",
    remedy="Use primitive shapes for collision.",
    effect=Lost("shapes"),
)
DMDOUT_FRICTION_RULE = approximated(
    "dmdout.friction-rule",
    "{link_a} and {link_b} slide on each other with a friction of {found:g}, Drake's 2ab/(a+b), "
    "and by the rule of the source, {rule_name}, with {wanted:g}; the friction of other pairs of "
    "two models differs by at most as much",
    meaning="The friction of the surfaces of two models is 2ab/(a+b) in Drake, the smaller "
    "coefficient in SDFormat and the larger one in MuJoCo; the message states the largest "
    "difference.",
    remedy="State the coefficient of the pair for both surfaces.",
    hint="state the coefficient of the pair for both",
)
DMDOUT_JOINED_LINKS = dropped(
    "dmdout.joined-links",
    "links {a} and {b} may touch by the rule of the source, {policy}; by Drake's rules links that "
    "a joint connects never do",
    meaning="Two links may touch by the rule of the source, and never do by Drake's: one joint "
    "connects them.",
    remedy="Write SDFormat.",
)
DMDOUT_NAME = noted(
    "dmdout.name",
    "names start with that of their model; the export renames {names:%s to %s}",
    meaning="Names in directives start with that of their model.",
)
DMDOUT_OUT_OF_SCOPE = dropped(
    "dmdout.out-of-scope",
    "directives cannot connect models by {kind} {item}; it is left out",
    meaning="Directives connect models by welds only; another joint or element between models is "
    "left out.",
    hint="write SDFormat",
)
DMDOUT_READ_BACK = invalid(
    "dmdout.read-back",
    "the written file, read back, is not the exported model (A is the model, B the file): "
    "{problem}",
    meaning="The written files, read back, are not the exported scene; nothing is written.",
    remedy="Report a bug.",
    hint="report a bug; check=False writes the files all the same",
)
DMDOUT_SPLIT_MODEL = approximated(
    "dmdout.split-model",
    "model {model} becomes {parts}, to whose links SDFormat's rule for collisions in a model does "
    "not apply",
    meaning="One model becomes several, between whose links SDFormat's rule for collisions in a "
    "model does not hold.",
    remedy="Write SDFormat.",
)
DMDOUT_WORLD_SETTINGS = dropped(
    "dmdout.world-settings",
    "directives have no place for {settings} of the scene; Drake's gravity is 9.81 m/s^2 along -z",
    meaning="Directives have no place for gravity, physics, lights and other settings of a world.",
    hint="write SDFormat",
)
DMDOUT_WORLD_SETTINGS_GRAVITY = DMDOUT_WORLD_SETTINGS.variant(fate=Fate.NOTED)
DMDOUT_WORLD_SETTINGS_OF_MOTION = DMDOUT_WORLD_SETTINGS.variant(
    "directives have no place for {setting}{of}, which acts on the motion", hint=""
)
DMDOUT_WORLD_SETTINGS_OF_CONTACT = DMDOUT_WORLD_SETTINGS.variant(
    "directives have no place for {setting}{of}, which acts on contacts", hint=""
)
DMDOUT_WORLD_SETTINGS_OF_SOLVER = DMDOUT_WORLD_SETTINGS.variant(
    "directives have no place for settings of MuJoCo that act on its accuracy alone, or on no "
    "motion: {names}",
    fate=Fate.NOTED,
    hint="",
)
DRAKE_CONTINUOUS_LIMITS = approximated(
    "drake.continuous-limits",
    "Drake keeps the limits of joint {joint}; a continuous joint has none",
    meaning="Drake keeps the limits of a continuous joint.",
    remedy="Remove the limits, or make the joint revolute.",
)
DRAKE_COUPLING = dropped(
    "drake.coupling",
    "Drake reads {count:constraint|constraints}, not the coupling of joint {follower} to joint "
    "{leader}; of SDFormat it reads drake:mimic, not mimic",
    meaning="Drake does not read a coupling of joints, such as `<mimic>` of SDFormat.",
    remedy="State it as `<drake:mimic>`, too.",
    effect=Lost("couplings"),
)
DRAKE_FRAME_ON_FRAME = approximated(
    "drake.frame-on-frame",
    "Drake places frame {frame} in link {link} as it is in frame {base}, to which it is attached",
    meaning="Drake takes the pose of a frame in the frame to which it is attached for that in the "
    "link, where the link is of a nested model and the other frame is not.",
    remedy="Attach the frame to the link of the nested model.",
)
DRAKE_FRICTION = approximated(
    "drake.friction",
    "Drake takes mu2 for the dynamic friction of link {link}; its coefficients differ by up to "
    "{difference:g}",
    meaning="Drake takes mu2 of SDFormat for the dynamic friction of a shape, and 1 where URDF "
    "states the friction in elements of Gazebo or PyBullet only.",
    remedy="State mu_dynamic among the proximity properties of Drake.",
)
DRAKE_FRICTION_UNSTATED = DRAKE_FRICTION.variant(
    "Drake finds no friction of link {link} and takes 1; its coefficients differ by up to "
    "{difference:g}"
)
DRAKE_LINK_WITHOUT_GRAVITY = approximated(
    "drake.link-without-gravity",
    "Drake applies gravity to link {link}, which has none",
    meaning="Drake applies gravity to a link that is declared without gravity.",
)
DRAKE_ONE_HULL = dropped(
    "drake.one-hull",
    "Drake makes {hulls:hull|hulls} of the meshes of link {link}, which have "
    "{parts:separate convex part|separate convex parts}",
    meaning="Drake collides with one convex hull of a mesh, also if that consists of separate "
    "convex parts.",
    remedy="State each part as a collision of its own.",
    effect=Lost("shapes"),
)
DRAKE_REPLACED_INERTIA = approximated(
    "drake.replaced-inertia",
    "Drake finds the inertia of link {link} invalid and replaces it",
    meaning="Drake replaces an inertia that no body can have, and gives a massless link an "
    "inertia.",
    remedy="State the true inertia of the link.",
    effect=Chosen("inertia"),
)
DRAKE_SCREW_LIMITS = dropped(
    "drake.screw-limits",
    "Drake ignores the limits of screw {joint}",
    meaning="Drake ignores the limits of a screw joint.",
    effect=Lost("limits"),
)
DRAKE_SHAPE = dropped(
    "drake.shape",
    "Drake gives collision {collision} of link {link} no shape, because it reads no {kind}",
    meaning="Drake reads neither cones nor height maps nor polylines of SDFormat.",
    remedy="Use another shape for collision.",
    effect=Lost("shapes"),
)
DRAKE_SHARED_DAMPING = dropped(
    "drake.shared-damping",
    "Drake gives the second axis of universal joint {joint} the damping of the first one",
    meaning="Drake has one coefficient of damping for both axes of a universal joint, that of the "
    "first one.",
    remedy="Give both axes the same damping.",
    effect=Lost("damping"),
)
DRAKE_UNIVERSAL_LIMITS = dropped(
    "drake.universal-limits",
    "Drake ignores the limits of universal joint {joint}",
    meaning="Drake ignores the limits of a universal joint.",
    effect=Lost("limits"),
)
DRAKE_UNREAD = dropped(
    "drake.unread",
    "Drake does not read the {element} of {names}",
    meaning="Drake's parser reads over something that acts on motion.",
    remedy="Nothing can be done in the file; this part of the model has no witness.",
    effect=Lost("what Drake does not read"),
)
DRAKE_UNREAD_CONTACT = dropped(
    "drake.unread-contact",
    DRAKE_UNREAD.message,
    meaning="Drake's parser reads over something that acts on contact.",
    remedy="State it among the proximity properties or filter groups of Drake, if they have it.",
    effect=Lost("contact parameters"),
)
DRAKE_UNREAD_DETAIL = noted(
    "drake.unread-detail",
    DRAKE_UNREAD.message,
    meaning="Drake's parser reads over something that acts on neither motion nor contact.",
)
LOG_COLUMN = dropped(
    "log.column",
    "column {column} belongs to no joint of the model and is left out",
    meaning="A column of the log names a quantity of a joint that the model does not have.",
    remedy="Correct the name, or map it with `--map LOG_NAME=JOINT`.",
    hint="map it: --map NAME=JOINT",
)
LOG_COLUMN_TWICE = invalid(
    "log.column-twice",
    "columns {first} and {second} both hold the {quantity} of joint {joint}",
    meaning="Two columns of the log hold the same quantity of one joint.",
    hint="remove one of them",
)
LOG_FORM = invalid(
    "log.form",
    "the log cannot be read: {reason}",
    meaning="The file is no CSV with a header, no npz archive of plain arrays and no MCAP file of "
    "ROS 2 messages, or lacks times, measured positions or commands.",
    remedy="Write a CSV with a header: `time` in seconds, and columns such as `elbow.position` and "
    "`elbow.command_position`.",
    hint="write columns time, JOINT.position, and JOINT.command_position or JOINT.command_effort",
)
LOG_GAINS = invalid(
    "log.gains",
    "joint {joint} has commanded {quantity} but no gains in the option, the log or the model",
    meaning="A position or velocity is commanded, and nothing states the gains of its controller.",
    remedy="State them: `--gains JOINT=P,D`, columns `JOINT.p_gain` and `JOINT.d_gain`, or "
    "overrides.",
    hint="state them: --gains JOINT=P,D",
)
LOG_JOINT = assumed(
    "log.joint",
    "the log has no measured position of joint {joint}, which starts at {start:g} and gets "
    "{effort}",
    meaning="A joint of the model is not in the log, so that its initial state is assumed.",
    remedy="Log the joint, or map its column with `--map LOG_NAME=JOINT`.",
    hint="log it, or map its column: --map NAME=JOINT",
)
LOG_TIMES = invalid(
    "log.times",
    "the time {time} in row {row} does not follow {before}{others}; expected increasing times",
    meaning="Times of the log decrease from row to row, or two different values have the same "
    "time.",
    remedy="Sort the rows, and remove all but one of those with the same time.",
    hint="sort the rows by time, and remove all but one of those with the same time",
)
LOG_VALUE = invalid(
    "log.value",
    "column {column} holds {value} in row {row}{others}; expected a finite number",
    meaning="A cell of the log is infinite or no number, a time is missing, or a whole column is "
    "empty.",
    remedy="Remove the rows, or fill the cells with a value that was measured.",
    hint="remove the row, or write a number",
)
LOWER_COUPLING_WITHOUT_FREEDOM = dropped(
    "lower.coupling-without-freedom",
    "joint {follower} cannot follow joint {leader}: joint {immobile} has no degree of freedom in "
    "the spanning tree",
    meaning="A coupling names a joint that is not a degree of freedom of the spanning tree, "
    "because it is fixed or cut.",
    remedy="Couple joints that are part of the tree.",
    effect=Lost("couplings"),
    harm=2,
)
LOWER_CURVE_OF_SEVERAL_PIECES = dropped(
    "lower.curve-of-several-pieces",
    "no engine supports a curve of several pieces; joint {joint} is fixed at the start of its "
    "curve",
    meaning="A curvilinear joint along more than one line or arc is held at its start.",
    hint="use a single line or arc",
    effect=Lost("joint motion"),
)
LOWER_GEARBOX_WITHOUT_HINGES = dropped(
    "lower.gearbox-without-hinges",
    "gearbox {gearbox} needs a revolute joint from its reference link {reference} to each of "
    "{parent} and {child}",
    meaning="A gearbox couples nothing, because its reference link is not connected to both of its "
    "links by hinges.",
    remedy="Add a hinge from the reference link to each of the two links.",
    hint="add the missing revolute joint, or correct gearbox_reference_body",
    effect=Lost("couplings"),
)
LOWER_KINEMATIC = noted(
    "lower.kinematic",
    "link {link} is kinematic; forces do not move it",
    meaning="A kinematic link stays where it is placed, because no force moves it.",
)
LOWER_KINEMATIC_IN_JOINT = dropped(
    "lower.kinematic-in-joint",
    "link {link} is kinematic, but joint {joint} carries it; forces move it",
    meaning="A kinematic link is the child of a joint, so forces move it like any other link.",
    remedy="Remove the joint, or the kinematic flag.",
    hint="detach the link from the joint, or make the joint fixed",
    effect=Lost("kinematic links"),
)
LOWER_LOOP = noted(
    "lower.loop",
    "joint {joint} closes a kinematic loop; it becomes a constraint and has no position",
    meaning="A joint closes a kinematic loop: it becomes a constraint, or connects the two halves "
    "of a split link.",
)
LOWER_LOOP_OF_SPLIT_LINK = LOWER_LOOP.variant(
    "joint {joint} closes a kinematic loop; link {link} is split, and a constraint welds its "
    "parts together"
)
LOWER_MASSLESS_FREE_LINK = assumed(
    "lower.massless-free-link",
    "link {link} moves freely, and neither it nor a link welded to it has mass; it falls, with "
    "{mass:g} kg",
    meaning="A link that moves freely has no mass; it gets 1e-9 kg.",
    remedy='Hold the link, with `base="fixed"`, or give it mass and inertia.',
    hint="hold it with base='fixed' (--base fixed; in load_into_pybullet useFixedBase=True), or "
    "add <inertial> with mass and inertia",
    harm=2,
)
LOWER_OVERLAP = assumed(
    "lower.overlap",
    "links that may collide overlap initially and push each other apart: {pairs}",
    meaning="Links that may collide lie in each other at the zero configuration or at the initial "
    "positions; they fly apart in the first steps.",
    remedy="Exclude the pairs: in a URDF with an SRDF file of MoveIt (`srdf=`, `--srdf`), in "
    "SDFormat with `<self_collide>` or `<drake:collision_filter_group>`, in MJCF with `<exclude>`.",
    harm=3,
)
LOWER_OVERLAP_EXCLUDED = assumed(
    "lower.overlap-excluded",
    "links that overlap initially, or touch within PyBullet's margins, do not collide, because "
    "the file does not state which links do: {pairs}",
    meaning="A URDF does not state which links collide. Links that touch at the zero configuration "
    "or at the initial positions are excluded from contact; PyBullet enlarges hulls by 1 mm.",
    remedy='Nothing, or `overlaps="keep"` (`--overlaps keep`) to let them collide.',
    hint="overlaps='keep' (--overlaps keep) lets them collide",
    harm=1,
)
LOWER_OVERLAP_IN_MOTION = noted(
    "lower.overlap-in-motion",
    "links that may collide overlap at some of {samples:random position|random positions} (seed "
    "{seed}): {pairs}",
    meaning="As requested, random positions within the limits of the joints were examined; at some "
    "of them links that may collide lie in each other. Pairs that overlap at most positions are "
    "rarely meant to collide.",
)
LOWER_REPAIRED_INERTIA = repaired(
    "lower.repaired-inertia",
    "the inertia of link {link} is not physical: {defects}; using mass {mass:g} kg and principal "
    "moments {moments:%.6g} kg m^2",
    meaning="An inertia that no body can have is replaced by the nearest valid one, as requested "
    'by `inertia="repair"`.',
    remedy="State the true inertia in the source.",
)
LOWER_SAMPLED_PAIRS = assumed(
    "lower.sampled-pairs",
    "{count:pair of links is|pairs of links are} excluded from contact: {adjacent} adjacent, "
    "{default} overlapping initially, {always} always touching and {never} never touching at "
    "{samples:random position|random positions} (seed {seed}), nor where a search led them "
    "together; each of the latter touches with a probability below {bound:.2g} at a random "
    "position, at a confidence of 95 %",
    meaning="As requested, links that are adjacent, that overlap initially, or that touch at all "
    "or at none of a number of random positions within the limits of the joints are excluded from "
    "contact; not so those of the latter that a search for the least distance leads together. "
    "After n positions without contact, the probability of contact at a random position is below "
    "3/n at a confidence of 95 %, for each pair by itself.",
    remedy="Nothing, or raise `exclude_samples` (`--exclude-samples`); name pairs that must "
    "collide in the file, with an SRDF file in place of the sampling.",
    hint="exclude_samples= (--exclude-samples) takes more positions",
)
LOWER_STATIC_JOINT = noted(
    "lower.static-joint",
    "joint {joint} cannot move: its links are static or welded together",
    meaning="A joint cannot move, because its links are static or welded together.",
)
LOWER_TENDON_INERTIA = approximated(
    "lower.tendon-inertia",
    "tendon {tendon} has an inertia of {inertia:g} and connects different branches of the tree of "
    "bodies; MuJoCo neglects the inertia between them, and the reference does not",
    meaning="A tendon with inertia connects branches of the tree; MuJoCo neglects the inertia "
    "between them.",
)
LOWER_SINGULAR_POSITION = assumed(
    "lower.singular-position",
    "joints can move together without moving any mass, so that small forces accelerate them "
    "without bound, in every simulator: {positions:%s}; links without mass, or without inertia "
    "about an axis: {links}",
    meaning="At the zero configuration, or where a hinge aligns the axes of the hinges before and "
    "after it, joints can move together without moving any mass. The mass matrix is singular "
    "there, and velocities grow without bound near this position, at any time step.",
    remedy="Give the links between the joints their true mass and inertia, keep the joints away "
    "from the position by limits, or use a ball joint in place of three hinges.",
    hint="give the links their mass and inertia, or exclude the positions by limits",
    harm=3,
)
LOWER_THIN_LINK = assumed(
    "lower.thin-link",
    "link {link} can turn about an axis about which it has no inertia; adding {moment:g} kg m^2 to "
    "link {bearer}",
    meaning="A link can turn about an axis about which nothing has inertia, such as a point mass; "
    "it gets 1e-9 kg m² more.",
    remedy="Give the link its true inertia.",
)
MESH_CONE = approximated(
    "mesh.cone",
    "a cone becomes a mesh of {sides:side|sides}, which lies up to {share} of the radius inside",
    meaning="A cone is exported as a mesh with 64 sides.",
)
MESH_SKIN = noted(
    "mesh.skin",
    "skins are left out, which only MuJoCo draws: {names}",
    meaning="A skin, which the bodies move and which is only drawn, is left out.",
)
MESH_CONVEX_HULL = approximated(
    "mesh.convex-hull",
    "mesh {mesh} is not convex; it collides as its convex hull",
    meaning="A mesh that is not convex collides as its convex hull, which lies away from its "
    "surface by the distance that the message states.",
    remedy='Use `collision_meshes="decompose"`, or build the shape from convex parts.',
    hint='decompose it with collision_meshes="decompose"',
)
MESH_CONVEX_HULL_OF_OPEN = MESH_CONVEX_HULL.variant(
    MESH_CONVEX_HULL.message + _DISTANCE + _NO_VOLUME
)
MESH_CONVEX_HULL_VOLUME = MESH_CONVEX_HULL.variant(MESH_CONVEX_HULL.message + _VOLUMES + _DISTANCE)
MESH_CONVEX_PARTS = approximated(
    "mesh.convex-parts",
    "mesh {mesh} is not convex; it collides as {count:convex part|convex parts}",
    meaning="A mesh that is not convex collides as several convex parts.",
    remedy="Raise the number of convex parts if the error in the message is too large.",
)
MESH_CONVEX_PARTS_OF_OPEN = MESH_CONVEX_PARTS.variant(MESH_CONVEX_PARTS.message + _NO_VOLUME)
MESH_CONVEX_PARTS_VOLUME = MESH_CONVEX_PARTS.variant(MESH_CONVEX_PARTS.message + _VOLUMES)
MESH_DECOMPOSITION = approximated(
    "mesh.decomposition",
    "mesh {mesh} cannot be decomposed into up to {count:convex part|convex parts} "
    "({voxels:voxel|voxels}): {reason}; it collides as its convex hull",
    meaning="A mesh could not be decomposed into convex parts and collides as its convex hull.",
    remedy="Read the reason in the message, or build the shape from convex parts yourself.",
    hint="use several convex shapes; clear the cache to try again",
)
MESH_DEGENERATE = dropped(
    "mesh.degenerate",
    "{shape} is left out: {reason}",
    meaning="A cone or an outline of a polyline has no volume, or is too large or too intricate; "
    "it is left out.",
    remedy="Correct its dimensions or points.",
    hint="correct the dimensions",
    effect=Lost("shapes"),
)
MESH_FLAT = approximated(
    "mesh.flat",
    "mesh {mesh} is flat; to collide it gets a thickness of {thickness:.2g} m",
    meaning="A flat mesh is given a small thickness so that it can collide.",
    remedy="Use a box instead.",
    hint="use a box",
)
MESH_SHAPE = repaired(
    "mesh.shape",
    "collision {collision} of link {link}: mesh {mesh} becomes {shape} ({parts:shape|shapes}, "
    "{vertices:vertex|vertices}), which lies up to {outward:.3g} m (error {outward_error:.1g}) "
    "beyond the mesh, at {p_LOutward}; the mesh lies up to {inward:.3g} m (error "
    "{inward_error:.1g}) beyond it, at {p_LInward}; the mesh is open and has no volume",
    meaning="A collision mesh became the shape that the caller chose with `shapes`. The message "
    "states the largest distances between both, their errors and places in the link's frame, and "
    "the ratio of the volumes.",
    remedy="Choose another shape for the link if a distance is too large.",
)
MESH_SHAPE_VOLUME = MESH_SHAPE.variant(
    MESH_SHAPE.message.replace(
        "the mesh is open and has no volume", "the ratio of the volumes is {volume_ratio:.4g}"
    )
)
MESH_SHAPE_NONE = repaired(
    "mesh.shape-none",
    "collision {collision} of link {link} is left out with its mesh {mesh}",
    meaning='A collision mesh is left out, as the caller chose with `shapes="none"`.',
)
MESH_SHAPE_UNKNOWN = approximated(
    "mesh.shape-unknown",
    "collision {collision} of link {link} keeps its mesh {mesh}, which is flat or cannot be read: "
    "no shape can be made of it",
    meaning="The caller chose a shape for a mesh of which none can be made; the mesh stays.",
    remedy="Choose `mesh` or `none` for the link, or correct the mesh.",
)
MESH_LARGE_HULL = noted(
    "mesh.large-hull",
    "the hull of mesh {mesh} has {count:vertex|vertices}, which collisions are computed with; "
    "{fewer:of them lies|of them lie} within {error:.2g} m of it, {percent:.2g} % of its size",
    meaning="The convex hull with which a mesh collides has more than 1,000 vertices. The message "
    "states how many of them, the farthest in directions spread over the sphere, lie within 1 % of "
    "its size.",
    remedy="Let MuJoCo make a hull of fewer vertices with `maxhullvert`, or choose a shape of few "
    "numbers with `shapes`.",
    hint="state maxhullvert, or choose another shape with shapes",
)
MESH_NO_COACD = invalid(
    "mesh.no-coacd",
    "cannot decompose meshes: the package coacd is not installed",
    meaning="Meshes are to be decomposed into convex parts, but the package coacd is not "
    "installed.",
    remedy='Run `pip install "sdfbridge[convex]"`.',
    hint='pip install "sdfbridge[convex]"',
)
MESH_POLYLINE = approximated(
    "mesh.polyline",
    "a polyline becomes a mesh, which collides as its convex hull",
    meaning="An extruded polyline becomes a mesh, which collides as its convex hull.",
    remedy="Split the outline into convex shapes.",
)
MESH_POLYLINE_OUTLINES = MESH_POLYLINE.variant(
    "a polyline becomes {count:mesh|meshes}, one for each outline; each collides as its convex "
    "hull, filled"
)
MESH_POLYLINE_NOT_SIMPLE = approximated(
    "mesh.polyline-not-simple",
    "an outline of a polyline intersects itself or is too intricate; its mesh does not have the "
    "area that the outline encloses",
    meaning="An outline of an extruded polyline intersects itself or is too intricate, so its mesh "
    "does not have its area.",
    hint="correct the order of the points",
)
MESH_SEPARATE_PARTS = noted(
    "mesh.separate-parts",
    "mesh {mesh} collides as {count:convex hull|convex hulls}, one for each of its separate "
    "convex parts",
    meaning="A mesh consists of separate convex parts, and collides as exactly these. If parts are "
    "open, their hulls lie away from the surface by the distance that the message states.",
    also=(Fate.APPROXIMATED,),
)
MESH_SEPARATE_PARTS_OPEN = MESH_SEPARATE_PARTS.variant(
    MESH_SEPARATE_PARTS.message
    + "; they are open, and their hulls lie up to {distance:.2g} m from the surface",
    fate=Fate.APPROXIMATED,
)
TEXTURE_FORMAT = noted(
    "texture.format",
    "cannot convert texture {file} to PNG; it is left out",
    meaning="The image is not a PNG file and could not be converted, so the texture is left out.",
    hint="convert the image to PNG",
)
TEXTURE_UNREADABLE = noted(
    "texture.unreadable",
    "cannot read texture {file}: {reason}; it is left out",
    meaning="The image file of a texture cannot be read, so the texture is left out.",
    remedy="Check the path and the permissions of the image.",
)

ROBOT_AXIS = assumed(
    "robot.axis",
    "the axis of joint {joint} passes {distance:.3g} m beside {parent} or {child}, which it "
    "connects; those of all other joints pass through both of their links",
    meaning="The axis of one rotation misses a link that it connects, as no other of the robot.",
    remedy="Correct the origin of the joint, or that of the shapes.",
    hint="check the origin of the joint",
    harm=2,
)
ROBOT_CENTER_OF_MASS = assumed(
    "robot.center-of-mass",
    "the center of mass of link {link} lies {distance:.3g} m outside the hull of its shapes, which "
    "is {extent:.3g} m large",
    meaning="The center of mass of a body lies within the convex hull of the body.",
    remedy="State the center of mass in the frame of the link, in meters.",
    hint="state it in the frame of the link, in meters",
    harm=2,
)
ROBOT_COLLISION_APART = assumed(
    "robot.collision-apart",
    "what collides of link {link} lies {distance:.3g} m from what is drawn; the larger of both is "
    "{size:.3g} m large",
    meaning="The boxes around the collisions and the visuals of a link lie apart.",
    remedy="Give the collisions the poses of the visuals.",
    hint="check the origins of its collisions and visuals",
    harm=2,
)
ROBOT_COLLISION_SIZE = assumed(
    "robot.collision-size",
    "what collides of link {link} is {collides:.3g} m large, what is drawn {drawn:.3g} m: a ratio "
    "of {ratio:.3g}",
    meaning="The boxes around the collisions and the visuals of a link differ much in size.",
    remedy="Check the unit of the shapes.",
    hint="check the unit of its shapes",
    also=(Fate.NOTED,),
    harm=2,
)
ROBOT_COLLISION_SIZE_NOTED = ROBOT_COLLISION_SIZE.variant(fate=Fate.NOTED)
ROBOT_DEGREES = assumed(
    "robot.degrees",
    "the limits of joint {joint}, {lower:g} and {upper:g} rad, are those of several turns; read as "
    "degrees they are {lower_in_rad:.4g} and {upper_in_rad:.4g} rad",
    meaning="A limit of a joint of rotation exceeds two turns, so that it is probably in degrees.",
    remedy="Write the limits in radians; or make the joint continuous.",
    hint="write them in radians",
    harm=2,
)
ROBOT_DENSITY = assumed(
    "robot.density",
    "link {link} has {mass:.4g} kg in the hull of its shapes: a density of {density:.3g} kg/m^3, "
    "outside {lower:g} to {upper:g}",
    meaning="The mass of a link over the volume of the hull of its shapes is that of no material.",
    remedy="Check the mass, in kg, and the size of the shapes, in m.",
    hint="check its mass and the size of its shapes",
    harm=2,
)
ROBOT_DENSITY_GRAMS = ROBOT_DENSITY.variant(
    hint="divide its mass and moments by 1000 if they are in grams"
)
ROBOT_DENSITY_OF_MOST = ROBOT_DENSITY.variant(
    "the median density of the links is {density:.3g} kg/m^3, outside {lower:g} to {upper:g}",
    hint="check the units of masses and shapes",
)
ROBOT_GAP = assumed(
    "robot.gap",
    "{child} lies {distance:.3g} m away from {parent}, with which joint {joint} connects it; the "
    "links of all other joints touch or nearly do",
    meaning="The two sides of one joint lie apart, while those of all others touch or nearly do.",
    remedy="Correct the origin of the joint, or that of the shapes.",
    hint="check the origin of the joint",
    harm=2,
)
ROBOT_GYRATION = assumed(
    "robot.gyration",
    "the largest moment of inertia of link {link}, {moment:.3g} kg m^2, needs its mass "
    "{radius:.3g} m from its center; its shapes reach {reach:.3g} m, for which the largest is "
    "{most:.3g}",
    meaning="The radius of gyration of a body is smaller than the distance from its center of mass "
    "to its farthest point.",
    remedy="State the moments about the center of mass, in kg m^2.",
    hint="check its unit and the point about which it is stated",
    also=(Fate.NOTED,),
    harm=2,
)
ROBOT_GYRATION_SMALL = ROBOT_GYRATION.variant(fate=Fate.NOTED)
ROBOT_GYRATION_COMPACT = ROBOT_GYRATION.variant(
    "the largest moment of inertia of link {link}, {moment:.3g} kg m^2, is that of its mass "
    "{radius:.3g} m from its center; its shapes reach {reach:.3g} m",
    fate=Fate.NOTED,
)
ROBOT_NO_COLLISION = assumed(
    "robot.no-collision",
    "link {link} moves and is drawn, but nothing of it collides",
    meaning="A link that moves has visuals and no collision, while most links have both.",
    remedy="Give it a collision.",
    hint="give it a collision, or none on purpose",
    also=(Fate.NOTED,),
    harm=2,
)
ROBOT_NO_COLLISION_NOTED = ROBOT_NO_COLLISION.variant(fate=Fate.NOTED)
ROBOT_NO_EFFORT = assumed(
    "robot.no-effort",
    "the drive of joint {joint} has an effort of 0, so that nothing moves it; others have more",
    meaning="The limit of effort of a joint is 0, while other joints have a positive one.",
    remedy="State the effort of the drive, or make the joint passive by leaving out the limit.",
    hint="state the effort of the drive",
    harm=2,
)
ROBOT_NO_MASS = noted(
    "robot.no-mass",
    "link {link} moves and has shapes, but no mass",
    meaning="A link that moves on its own and has shapes has no mass.",
    remedy="State its mass and moments of inertia.",
    hint="state its mass and moments",
    harm=2,
)
ROBOT_NO_MOMENTS = assumed(
    "robot.no-moments",
    "link {link} has {mass:.3g} kg and moments of inertia of 0",
    meaning="A link that moves has a mass in a point.",
    hint="state its moments of inertia",
    also=(Fate.NOTED,),
    harm=3,
)
ROBOT_NO_MOMENTS_NOTED = ROBOT_NO_MOMENTS.variant(fate=Fate.NOTED)
ROBOT_NO_VELOCITY = assumed(
    "robot.no-velocity",
    "the velocity of joint {joint} is limited to 0; that of others is not",
    meaning="The limit of velocity of a joint is 0, while other joints have a positive one.",
    hint="state the velocity of the drive",
    harm=2,
)
ROBOT_OFFSET = assumed(
    "robot.offset",
    "joint {joint} lies {offset:.4g} m from its parent, {ratio:.3g} times the size of a usual "
    "link, which is {typical:.3g} m",
    meaning="The offset of a joint is much larger than the links of the robot.",
    remedy="Write the origin of the joint in meters.",
    hint="write its origin in meters",
    harm=2,
)
ROBOT_SHAPE_UNIT = assumed(
    "robot.shape-unit",
    "shape {shape} is {size:.4g} m large, a usual link {typical:.3g} m: its size may be in {unit}",
    meaning="A shape is larger than the others by the ratio of two units of length.",
    remedy="Write the size in meters.",
    hint="write its size in meters",
    harm=2,
)
ROBOT_SIBLINGS = noted(
    "robot.siblings",
    "the {field} of joint {first} is {value:g}, that of joint {second} {other:g}; in all else they "
    "agree; others of the kind that agree in everything: {others}",
    meaning="One value differs between the two sides of a robot, or between one of three or more "
    "equal parts such as wheels and the others.",
    remedy="Give both the same value, if the two are alike.",
    hint="check which is right",
    harm=1,
)
ROBOT_SIZE = assumed(
    "robot.size",
    "a usual link is {size:.3g} m large, outside {lower:g} to {upper:g} m",
    meaning="The links of the robot are larger or smaller than those of any robot.",
    hint="write all lengths in meters",
    harm=2,
)
ROBOT_SLOW = assumed(
    "robot.slow",
    "the drive of joint {joint} moves it by {speed:.3g} rad/s or m/s at most: its effort is "
    "{effort:g}, its damping {damping:g}",
    meaning="The damping of a joint stops its drive, which reaches less than 0.01 rad/s or m/s.",
    remedy="Write the damping in N m s/rad or N s/m.",
    hint="check the unit of its damping",
    harm=2,
)
ROBOT_TRAVEL = assumed(
    "robot.travel",
    "joint {joint} slides by {travel:.4g} m, {ratio:.3g} times the size of the robot, which is "
    "{size:.3g} m",
    meaning="A limit of a prismatic joint is much larger than the robot.",
    remedy="Write the limits in meters.",
    hint="write its limits in meters",
    harm=2,
)
ROBOT_WEAK = noted(
    "robot.weak",
    "joint {joint} needs {needed:.3g} N m or N to hold what it carries at its zero position; its "
    "effort is {effort:.3g}",
    meaning="The drive of a joint cannot hold the weight that it carries.",
    remedy="Check the masses and the limit of effort.",
    hint="check the masses behind it and its effort",
    harm=1,
)
