"""Codes of the MJCF reader."""

from __future__ import annotations

from loaders.code import Lost, approximated, dropped, invalid, noted

ACTUATOR = dropped(
    "mjcf-in.actuator",
    "actuator {name} is left out: {reason}",
    meaning="An actuator is left out: a plugin is its law, or what it drives is of an unknown "
    "type.",
    effect=Lost("actuators"),
)
CONTROLS = approximated(
    "mjcf-in.controls",
    "actuator {name} has {count:control|controls}; its range is that of the first, and only MuJoCo "
    "has the others",
    meaning="An actuator has several controls; the scene states the range of the first.",
)
FILE = invalid(
    "mjcf-in.file",
    "<{tag}> cannot name a file",
    meaning="An element names a file that MJCF has no meaning for; MuJoCo would open it.",
    remedy="Remove the attribute.",
)
INCLUDE = invalid(
    "mjcf-in.include",
    "<include> has no elements of its own",
    meaning="An included or attached file cannot be read, or an include has no content.",
    remedy="Check its name; it counts from the main file.",
    hint="put the elements beside it",
)
INCLUDE_UNREADABLE = INCLUDE.variant("the included file {file!r} cannot be read", hint="")
INCLUDE_EMPTY = INCLUDE.variant(
    "the included file {file!r} has no elements below its root; MuJoCo includes those alone",
    hint="put them into a root element <mujocoinclude>",
)
INCLUDED_TWICE = invalid(
    "mjcf-in.included-twice",
    "{file!r} is included twice, or includes itself; MuJoCo allows a file once",
    meaning="A file is included twice, or includes itself.",
    hint="remove one of the includes",
)
MESH_FRAME = approximated(
    "mjcf-in.mesh-frame",
    "mesh {mesh} has a refquat and a scale that differs by axis; it is scaled along the axes of "
    "its file",
    meaning="A mesh is rotated by `refquat` and scaled by different factors, in another order than "
    "MuJoCo's.",
    remedy="Apply the rotation to the file.",
)
NOT_CARRIED = noted(
    "mjcf-in.not-carried",
    "sizes of memory, which MuJoCo chooses itself, are left out: {names}",
    meaning="Elements of a kind that a scene does not hold.",
)
NOT_CARRIED_LIGHT = NOT_CARRIED.variant(
    "{count:element is|elements are} left out: light {names}, of the type image"
)
NOT_CARRIED_STILL = NOT_CARRIED.variant(
    "elements and attributes that change no motion are left out: {names}"
)
NOT_CARRIED_RANGE = NOT_CARRIED.variant("ranges that are switched off are left out: {kind} {names}")
NOT_FINITE = invalid(
    "mjcf-in.not-finite",
    "{key} of <{tag}> must be finite",
    meaning="A number is NaN, or infinite and no limit.",
    remedy="Write a number.",
)
NOT_FINITE_NAN = NOT_FINITE.variant("{key} of <{tag}> must not be NaN")
OPTIONS = noted(
    "mjcf-in.options",
    "the options of an included file are left out: {names}; those of the file that includes it "
    "count",
    meaning="Options of a file that SDFormat or directives include are left out, such as its "
    "gravity and time step.",
    remedy="State them in the file that includes it.",
    hint="state gravity and time step in the file that includes this one",
)
PLUGIN = dropped(
    "mjcf-in.plugin",
    "sensor {name} is left out: a plugin or a mesh is a part of it",
    meaning="Plugins of the engine, and sensors that depend on one, on a mesh or on a site with a "
    "mesh, are left out.",
    effect=Lost("plugins"),
)
PLUGIN_OF_ITEMS = PLUGIN.variant("{count:plugin is|plugins are} left out: {plugins}, of {items}")
REFUSED = invalid(
    "mjcf-in.refused",
    "MuJoCo crashes on a flex with nodes and one body for all vertices",
    meaning="MuJoCo's compiler refuses the model, or crashes on it.",
    remedy="Correct what the message names.",
    hint="state the name of the body once for each vertex",
)
REFUSED_NO_SIZE = REFUSED.variant("MuJoCo refuses {plugin}: it has no size", hint="add it")
SHAPE = approximated(
    "mjcf-in.shape",
    "geom {geom} is {shape}",
    meaning="The shape of a geom is approximated: a signed distance field by its mesh, a convex "
    "hull of few corners by the whole one, the heights of a field by gray levels, and its base by "
    "one that is 0.01 m thick.",
)
SKIN = noted(
    "mjcf-in.skin",
    "the skin {name} is left out: its file is missing, or not that of a skin",
    meaning="The file of a skin cannot be read; the skin has no effect on the motion.",
)
TOO_LARGE = invalid(
    "mjcf-in.too-large",
    "{depth:body is|bodies are} nested, with those of attached models; MuJoCo refuses more than "
    "{limit}",
    meaning="The document makes too many elements or nests them too deeply.",
    remedy="Reduce the counts.",
    hint="attach fewer models",
)
TOO_LARGE_FIELD = TOO_LARGE.variant(
    "{key} of a signed distance field must be from {smallest} to {largest}", hint=""
)
TOO_LARGE_CELLS = TOO_LARGE.variant(
    "{key} of a plugin asks for {size:g} cells; the limit is {limit}", hint=""
)
TOO_LARGE_DEPTH = TOO_LARGE.variant(
    "elements are nested more than {limit} deep", hint="use fewer levels of bodies"
)
TOO_LARGE_ELEMENTS = TOO_LARGE.variant(
    "the document makes more than {limit:element|elements} by replication, composition and "
    "attachment",
    hint="",
)
TOO_LARGE_CABLE = TOO_LARGE.variant(
    "the cable has {parts:part|parts}; MuJoCo refuses bodies nested more than {limit} deep",
    hint="use fewer parts",
)
TOO_LARGE_DATA = TOO_LARGE.variant(
    "sensors, actuators, keyframes and data of the user ask for {size:g} numbers; the limit is "
    "{limit}",
    hint="",
)
TOO_LARGE_ATTRIBUTES = TOO_LARGE.variant(
    "<{tag}> has {count:attribute|attributes}; the limit is {limit}", hint=""
)
TOO_LARGE_ITEMS = TOO_LARGE.variant(
    "{keys} of <{tag}> ask for {size:g} items; the limit is {limit}", hint=""
)
TOO_LARGE_VERTICES = TOO_LARGE.variant(
    "{builtin} asks for {size:g} vertices; the limit is {limit}", hint=""
)
TOO_LARGE_STEPS = TOO_LARGE.variant(
    "inttotal and timestep of <lengthrange> ask for more than {limit:step|steps}, or are not "
    "positive",
    hint="",
)
UNUSED_ASSET = noted(
    "mjcf-in.unused-asset",
    "assets that no shape uses are left out: {names}",
    meaning="Meshes, height fields, materials and textures that no shape uses are left out.",
)
WARNING = noted("mjcf-in.warning", "MuJoCo warns: {message}", meaning="MuJoCo's compiler warns.")
