"""Codes of the MJCF export about shapes, materials, contact parameters and collision filters."""

from __future__ import annotations

from loaders.diagnostics import CodeInfo, Fate

CODES = {
    "mjcf.collide-without-contact": CodeInfo(
        (
            "A shape that reports contacts without forces is exported as a geom that collides with nothing, so MuJoCo"
            " reports no contacts."
        ),
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.contact-dissipation": CodeInfo(
        "The dissipation of a contact is exact at rest only, or cannot be written because no stiffness is stated.",
        "State a stiffness, or one kind of damping only.",
        (Fate.DROPPED, Fate.APPROXIMATED),
    ),
    "mjcf.contact-pair": CodeInfo("A contact pair names a collision that has no geom.", "", (Fate.DROPPED,)),
    "mjcf.contact-pairs": CodeInfo(
        "More than 2000 pairs of geoms may collide, or bounce off each other, so no explicit pairs are written.",
        "Reduce the number of shapes, or filter collisions.",
        (Fate.DROPPED,),
    ),
    "mjcf.contact-policy": CodeInfo(
        "The collision policy ignores bitmasks and `self_collide`, which the source states.",
        'Use `policy="sdformat"`.',
        (Fate.NOTED,),
    ),
    "mjcf.contact-solver": CodeInfo(
        "A contact parameter belongs to another contact solver and is left out.", "", (Fate.DROPPED,)
    ),
    "mjcf.contact-stiffness": CodeInfo(
        (
            "A contact stiffness is exact for one mass only, is limited by the time step, or cannot be written "
            "because the link has no moving mass."
        ),
        'Use `contacts="pairs"`, or reduce the time step.',
        (Fate.DROPPED, Fate.APPROXIMATED),
    ),
    "mjcf.density": CodeInfo(
        "The density of a shape does not change its mass: the inertia of the link is used.",
        'Use `inertia="from_geometry"`.',
        (Fate.NOTED,),
    ),
    "mjcf.empty-shape": CodeInfo(
        "A shape has no extent, so MuJoCo refuses it and it is left out.",
        "Give the shape a positive size.",
        (Fate.DROPPED,),
    ),
    "mjcf.filter-groups": CodeInfo(
        "Collision filter groups are exported as the pairs of links that they exclude.", "", (Fate.NOTED,)
    ),
    "mjcf.friction-combination": CodeInfo(
        "MuJoCo uses the larger friction of two shapes, unlike the simulator of the collision policy.",
        'Use `contacts="pairs"`.',
        (Fate.APPROXIMATED,),
    ),
    "mjcf.friction-direction": CodeInfo(
        "MuJoCo does not support different friction in two directions of a geom.",
        "Write a `<pair>`, which has two sliding coefficients.",
        (Fate.DROPPED,),
    ),
    "mjcf.heightmap": CodeInfo(
        "The image of a height map cannot be read, so the shape is left out.", "Use a PNG image.", (Fate.DROPPED,)
    ),
    "mjcf.hydroelastic": CodeInfo(
        "MuJoCo does not support hydroelastic contact; it uses point contact.", "", (Fate.DROPPED,)
    ),
    "mjcf.material": CodeInfo(
        "Some properties of a material, such as a texture map, are not supported by MuJoCo.", "", (Fate.NOTED,)
    ),
    "mjcf.moving-plane": CodeInfo(
        "A plane is on a link that moves, which MuJoCo does not support.", "Use a box.", (Fate.DROPPED,)
    ),
    "mjcf.no-shape": CodeInfo("A collision or visual has an empty geometry, so there is no geom.", "", (Fate.NOTED,)),
    "mjcf.no-texture-coordinates": CodeInfo(
        "A mesh with a texture has no texture coordinates; MuJoCo chooses them.",
        "Use a mesh with texture coordinates.",
        (Fate.NOTED,),
    ),
    "mjcf.pivoted-contact": CodeInfo(
        "Links that only turn about their center of mass touch one another, for which MuJoCo's solver fails.",
        'Set `solver="PGS"`, or `model.body_invweight0[body, 0]` to the inverse mass of the body.',
        (Fate.NOTED,),
    ),
    "mjcf.restitution": CodeInfo(
        "Restitution is exported as the damping of a soft contact; the message states the error.",
        "",
        (Fate.APPROXIMATED,),
    ),
    "mjcf.restitution-threshold": CodeInfo(
        "MuJoCo does not support a velocity threshold of restitution, so contacts bounce at any speed.",
        "",
        (Fate.DROPPED,),
    ),
    "mjcf.rolling-friction": CodeInfo(
        "Rolling friction is exact at fast rotation and viscous at slow rotation.", "", (Fate.APPROXIMATED,)
    ),
    "mjcf.slip": CodeInfo("MuJoCo does not support force-dependent slip.", "", (Fate.DROPPED,)),
    "mjcf.static-friction": CodeInfo(
        "MuJoCo has one coefficient of friction, so the static coefficient is left out.", "", (Fate.DROPPED,)
    ),
    "mjcf.surface-velocity": CodeInfo(
        "The surface velocity of a link is left out, because the source states an axis and no speed.",
        "Set `surfacevel` of its geoms, in MuJoCo 3.11 and later.",
        (Fate.DROPPED,),
    ),
    "mjcf.texture-transparency": CodeInfo(
        "MuJoCo draws the transparent parts of a texture as opaque.",
        "Split the mesh, and give the transparent part a transparent color.",
        (Fate.NOTED,),
    ),
    "mjcf.torsional-friction": CodeInfo(
        "A torsional friction coefficient and its patch radius are exported as a length.", "", (Fate.APPROXIMATED,)
    ),
    "mjcf.visual": CodeInfo("MuJoCo cannot choose shadows or renderers for a single visual.", "", (Fate.NOTED,)),
    "mjcf.visual-names": CodeInfo(
        "Visuals that share their name with another shape are exported without a name.",
        "Give each visual a unique name.",
        (Fate.NOTED,),
    ),
    "mjcf.welded-contact": CodeInfo(
        "Links that cannot move relative to each other do not collide in MuJoCo.", "", (Fate.NOTED,)
    ),
}
