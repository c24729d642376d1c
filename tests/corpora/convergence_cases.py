"""Models with one type of joint or one force element each, for the convergence of all engines to
Drake.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.support import drake_elements as elements

_SDF, _URDF = elements.FORMS["sdf"], elements.FORMS["urdf"]
_State = dict[str, float | tuple[float, ...]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A model and its initial state; other joints are at zero and at rest."""

    name: str
    body: str
    q: _State = field(default_factory=dict)
    v: _State = field(default_factory=dict)
    format: str = "sdf"

    @property
    def text(self) -> str:
        """The file."""
        return str(elements.FORMS[self.format].model(self.body))


def _links(*names: str) -> str:
    return "".join(_SDF.link(name) for name in names)


def _hinge(
    xyz: str = "0 1 0", parent: str = "world", child: str = "a", name: str = "ja", **dynamics: float
) -> str:
    return str(_SDF.joint(name, "revolute", parent, child, xyz, dynamics=dynamics))


def _planar(damping: str) -> str:
    ends = "<drake:parent>base</drake:parent><drake:child>a</drake:child>"
    hold = "<joint name='hold' type='fixed'><parent>world</parent><child>base</child></joint>"
    joint = (
        f"<drake:joint name='ja' "
        f"type='planar'>{ends}<drake:damping>{damping}</drake:damping></drake:joint>"
    )
    return _links("base", "a") + hold + joint


def _ball(damping: float = 0.0) -> str:
    axis = f"<axis><dynamics><damping>{damping}</damping></dynamics></axis>" if damping else ""
    return (
        _links("a")
        + f"<joint name='ja' type='ball'><parent>world</parent><child>a</child>{axis}</joint>"
    )


def _universal(damping: float = 0.0) -> str:
    dynamics = f"<dynamics><damping>{damping}</damping></dynamics>"
    first = f"<axis><xyz>1 0 0</xyz>{dynamics}<limit><effort>0</effort></limit></axis>"
    ends = "<parent>world</parent><child>a</child>"
    second = f"<axis2><xyz>0 1 0</xyz>{dynamics}</axis2>"
    return _links("a") + f"<joint name='ja' type='universal'>{ends}{first}{second}</joint>"


def _slide(**dynamics: float) -> str:
    return _links("a") + str(
        _SDF.joint("ja", "prismatic", "world", "a", "0 1 1", dynamics=dynamics)
    )


_SWING: tuple[_State, _State] = {"ja": 0.3}, {"ja": 0.8}
_FREE = _links("a", "b")
_WELD = "<joint name='w' type='fixed'><parent>a</parent><child>b</child></joint>"
_LINE = "<drake:line_segment><drake:length>2</drake:length></drake:line_segment>"
_ARC = "<drake:circular_arc><drake:radius>0.5</drake:radius><drake:angle>3.0</drake:angle></drake:circular_arc>"
_SWING_ON_ARC = (
    elements.arc(_SDF)
    .replace(
        "<xyz>1 0 0</xyz></drake:initial_tangent>", "<xyz>0 0 -1</xyz></drake:initial_tangent>"
    )
    .replace("<xyz>0 1 0</xyz></drake:plane_normal>", "<xyz>0 -1 0</xyz></drake:plane_normal>")
)
"""The arc begins downwards, so that its lowest point is in the middle."""

CASES = (
    Case(name="revolute, gravity", body=_links("a") + _hinge("1 2 3"), q=_SWING[0], v=_SWING[1]),
    Case(
        name="continuous (URDF)",
        format="urdf",
        q=_SWING[0],
        v=_SWING[1],
        body="<link name='world'/>"
        + _URDF.link("a")
        + _URDF.joint("ja", "revolute", "world", "a", "1 2 3"),
    ),
    Case(name="prismatic", body=_slide(), q=_SWING[0], v=_SWING[1]),
    Case(name="universal", body=_universal(), v={"ja": (0.5, 0.9)}),
    Case(name="ball", body=_ball(), v={"ja": (0.5, -0.4, 0.9)}),
    Case(
        name="planar", body=_planar("0 0 0"), q={"ja": (0.1, 0.2, 0.3)}, v={"ja": (0.1, 0.5, 0.8)}
    ),
    Case(name="screw", body=elements.screw(_SDF), q={"ja": 0.2}, v={"ja": 0.5}),
    Case(name="floating", body=_links("a"), v={"a": (0.3, -0.2, 0.5, 1.0, -2.0, 0.7)}),
    Case(
        name="fixed, on a floating base",
        body=_FREE + _WELD,
        v={"a": (0.3, -0.2, 0.5, 1.0, -2.0, 0.7)},
    ),
    Case(name="curvilinear, arc", body=_SWING_ON_ARC, q={"ja": 0.6}, v={"ja": 0.3}),
    Case(name="curvilinear, line", body=elements.arc(_SDF).replace(_ARC, _LINE), v={"ja": 0.3}),
    Case(
        name="double pendulum",
        body=elements.joints_in_a_row(_SDF),
        q={"ja": 0.3, "jb": -0.8},
        v={"ja": 0.8},
    ),
    Case(
        name="damping of a hinge", body=_links("a") + _hinge(damping=0.4), q=_SWING[0], v=_SWING[1]
    ),
    Case(name="damping of a universal joint", body=_universal(0.3), v={"ja": (0.5, 0.9)}),
    Case(name="damping of a ball joint", body=_ball(0.4), v={"ja": (0.5, -0.4, 0.9)}),
    Case(
        name="damping of a planar joint",
        body=_planar(".5 .6 .7"),
        q={"ja": (0.1, 0.2, 0.3)},
        v={"ja": (0.1, 0.5, 0.8)},
    ),
    Case(
        name="spring of a hinge",
        body=_links("a") + _hinge(damping=0.1, spring_stiffness=8, spring_reference=0.7),
        q=_SWING[0],
        v=_SWING[1],
    ),
    Case(
        name="spring of a slide",
        body=_slide(damping=0.5, spring_stiffness=60, spring_reference=0.2),
        q=_SWING[0],
        v=_SWING[1],
    ),
    Case(
        name="spring on a floating base",
        q={"jb": 0.3},
        v={"jb": 2.0},
        body=_FREE
        + _hinge("0 1 0", "a", "b", "jb", damping=0.2, spring_stiffness=5, spring_reference=0.6),
    ),
    Case(
        name="mimic (coupler)",
        body=elements.joints_in_a_row(_SDF, b=elements.MIMICS["sdf"]),
        q={"ja": 0.3, "jb": -0.25},
    ),
    Case(
        name="gear ratio and rotor inertia",
        body=elements.driven(_SDF, elements.ROTORS["sdf"], effort="10"),
        q={"ja": 0.3, "jb": 0.2},
        v={"jb": 1.0},
    ),
    Case(
        name="bushing",
        body=elements.tree(_SDF) + elements.bushing(_SDF),
        q=elements.Q,
        v=elements.V,
    ),
    Case(
        name="spring and damper between links",
        body=elements.tree(_SDF) + elements.spring(_SDF),
        q=elements.Q,
        v=elements.V,
    ),
    Case(name="ball constraint", body=elements.tree(_SDF) + elements.pin(_SDF)),
)
"""The rows of the table, in its order."""
