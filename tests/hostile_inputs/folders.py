"""Files outside the folders that may be read, and files that are not regular ones."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hostile_inputs.case import SECRET, Builder, Hostile, everywhere, link, sdf, shape

SECRET_SDF = sdf(link(name=SECRET)).replace("name='m'", f"name='{SECRET}'")
SECRET_OBJ = f"o {SECRET}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def include(uri: str) -> str:
    return sdf(f"{link()}<include><uri>{uri}</uri></include>")


def outside(
    main: str,
    *,
    target: str = SECRET_SDF,
    name: str = "secret.sdf",
    links: dict[str, str] | None = None,
) -> Builder:
    """Return a builder of a model in a folder beside a secret file, with symbolic links to it or
    its folder.
    """

    def build(folder: Path) -> str:
        (folder / "others").mkdir()
        (folder / "others" / name).write_text(target)
        (folder / "mine").mkdir()
        (folder / "mine" / "robot.sdf").write_text(
            main.replace("ABSOLUTE", str(folder / "others" / name))
        )
        for path, to in (links or {}).items():
            os.symlink(to.replace("ABSOLUTE", str(folder / "others")), folder / "mine" / path)
        return "mine/robot.sdf"

    return build


def config(entry: str, link_to: str = "") -> Builder:
    """Return a builder of a model whose ``model.config`` names a file outside its folder."""

    def build(folder: Path) -> str:
        (folder / "others").mkdir()
        (folder / "others" / "secret.sdf").write_text(SECRET_SDF)
        model = folder / "mine" / "model"
        model.mkdir(parents=True)
        entry_text = entry.replace("ABSOLUTE", str(folder / "others" / "secret.sdf"))
        (model / "model.config").write_text(
            f"<model><sdf version='1.11'>{entry_text}</sdf></model>"
        )
        if link_to:
            os.symlink(folder / "others" / "secret.sdf", model / link_to)
        (folder / "mine" / "robot.sdf").write_text(include("model://model"))
        return "mine/robot.sdf"

    return build


def special(main: str, name: str, kind: str) -> Builder:
    """Return a builder of a model that names a pipe, a device, a folder, a cycle of links, or a
    sparse file.
    """

    def build(folder: Path) -> str:
        path = folder / name
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind == "sparse":
            with open(path, "wb") as stream:
                stream.truncate(1 << 40)
        else:
            os.symlink(kind, path)
        (folder / "robot.sdf").write_text(main)
        return "robot.sdf"

    return build


def script(link_name: str) -> Builder:
    """Return a builder of a material script whose texture, or which itself, is a link out of the
    model.
    """

    def build(folder: Path) -> str:
        (folder / "others").mkdir()
        (folder / "others" / "secret").write_text(SECRET)
        scripts, textures = (
            folder / "mine" / "materials" / "scripts",
            folder / "mine" / "materials" / "textures",
        )
        scripts.mkdir(parents=True)
        textures.mkdir()
        if link_name == "x.png":
            (scripts / "m.material").write_text(
                "material M\n{ technique { pass { texture_unit { texture x.png\n } } } }"
            )
            os.symlink(folder / "others" / "secret", textures / link_name)
        else:
            os.symlink(folder / "others" / "secret", scripts / link_name)
        look = "<material><script><uri>materials/scripts</uri><name>M</name></script></material>"
        body = link(
            f"<visual name='v'><geometry><box><size>1 1 1</size></box></geometry>{look}</visual>"
        )
        (folder / "mine" / "robot.sdf").write_text(sdf(body))
        return "mine/robot.sdf"

    return build


def one_up(folder: Path) -> str:
    """Write a mesh that names a texture above the folder of the model."""
    (folder / "secret.png").write_text(SECRET)
    (folder / "secret.mtl").write_text(f"newmtl {SECRET}\nKd 1 0 0\n")
    (folder / "mine").mkdir()
    (folder / "mine" / "a.mtl").write_text("newmtl m\nmap_Kd ../secret.png\n")
    faces = "f 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 1/1 4/1 3/1\nf 2/1 3/1 4/1\n"
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\n"
    (folder / "mine" / "a.obj").write_text(
        f"mtllib a.mtl\nmtllib ../secret.mtl\nusemtl m\n{corners}{faces}"
    )
    (folder / "mine" / "robot.sdf").write_text(shape("<mesh><uri>a.obj</uri></mesh>"))
    return "mine/robot.sdf"


def directives(target: str) -> Builder:
    """Return a builder of directives that add a model outside the folder."""

    def build(folder: Path) -> str:
        (folder / "others").mkdir()
        (folder / "others" / "secret.sdf").write_text(SECRET_SDF)
        (folder / "mine").mkdir()
        place = target.replace("ABSOLUTE", str(folder / "others" / "secret.sdf"))
        (folder / "mine" / "a.dmd.yaml").write_text(
            f"directives:\n- add_model: {{name: x, file: '{place}'}}\n"
        )
        return "mine/a.dmd.yaml"

    return build


MESH = shape("<mesh><uri>{0}</uri></mesh>")
REFUSED = "!resource.outside"
NOT_FOUND = "!sdf.include-not-found"
PIPE = shape("<mesh><uri>x.stl</uri></mesh>")

CASES = {
    "config-path": Hostile(config("ABSOLUTE"), "!sdf.model-file-outside", file="robot.sdf"),
    "config-parent-path": Hostile(
        config("../../others/secret.sdf"), "!sdf.model-file-outside", file="robot.sdf"
    ),
    "config-link": Hostile(config("model.sdf", link_to="model.sdf"), "!sdf.model-file-outside"),
    "config-sparse": Hostile(
        special(include("model://."), "model.config", "sparse"), "!sdf.include-not-found"
    ),
    "uri-absolute": Hostile(outside(include("ABSOLUTE")), REFUSED, file="robot.sdf"),
    "uri-file": Hostile(outside(include("file://ABSOLUTE")), REFUSED, file="robot.sdf"),
    "uri-parent": Hostile(outside(include("../others/secret.sdf")), REFUSED, file="robot.sdf"),
    "uri-escaped": Hostile(outside(include("%2e%2e/others/secret.sdf")), REFUSED, file="robot.sdf"),
    "uri-dotdot": Hostile(
        outside(include("model://../others/secret.sdf")), NOT_FOUND, file="robot.sdf"
    ),
    "uri-ancestor": Hostile(outside(include("model://case/others/secret.sdf")), REFUSED),
    "uri-symlink": Hostile(
        outside(include("model://link/secret.sdf"), links={"link": "ABSOLUTE"}), REFUSED
    ),
    "uri-symlink-root": Hostile(
        outside(include("model://link/etc/passwd"), links={"link": "/"}), REFUSED
    ),
    "uri-link-to-file": Hostile(
        outside(include("x.sdf"), links={"x.sdf": "ABSOLUTE/secret.sdf"}), REFUSED
    ),
    "uri-proc": Hostile(outside(include("/proc/self/environ")), REFUSED),
    "uri-null": Hostile(outside(include("a%00b.sdf")), NOT_FOUND),
    "uri-long": Hostile(outside(include("a/" * 100_000 + "b.sdf")), NOT_FOUND),
    "mesh-outside": Hostile(
        outside(MESH.format("../others/secret.obj"), target=SECRET_OBJ, name="secret.obj"),
        REFUSED,
        file="robot.sdf",
    ),
    "mesh-link": Hostile(
        outside(
            MESH.format("x.obj"),
            target=SECRET_OBJ,
            name="secret.obj",
            links={"x.obj": "ABSOLUTE/secret.obj"},
        ),
        REFUSED,
    ),
    "mesh-one-up": Hostile(one_up, **everywhere("mesh.outside")),
    "directives-parent": Hostile(directives("../others/secret.sdf"), "!resource.outside"),
    "directives-absolute": Hostile(directives("ABSOLUTE"), "!resource.outside"),
    "script-symlink": Hostile(script("x.png"), "sdf.unknown-material"),
    "script-symlink-itself": Hostile(script("m.material"), "sdf.unknown-material"),
    "fifo": Hostile(special(PIPE, "x.stl", "pipe"), **everywhere("mesh.unreadable"), file="x.stl"),
    "fifo-include": Hostile(
        special(include("x.sdf"), "x.sdf", "pipe"), "!file.not-regular", file="x.sdf"
    ),
    "fifo-terrain": Hostile(
        special(
            sdf(
                "<static>1</static><link name='a'><collision "
                "name='c'><geometry><heightmap><uri>h.png</uri>"
                "<size>1 1 1</size></heightmap></geometry></collision></link>"
            ),
            "h.png",
            "pipe",
        ),
        mjcf="mjcf.heightmap",
        bullet="pybullet.shape-dropped",
    ),
    "fifo-package": Hostile(
        special(shape("<mesh><uri>package://p/x.stl</uri></mesh>"), "package.xml", "pipe"),
        "resource.not-found",
    ),
    "device-package-xml": Hostile(
        special(shape("<mesh><uri>package://p/x.stl</uri></mesh>"), "package.xml", "/dev/zero"),
        "resource.not-found",
    ),
    "sparse-package": Hostile(
        special(shape("<mesh><uri>package://p/x.stl</uri></mesh>"), "package.xml", "sparse"),
        "resource.not-found",
    ),
    "device-mesh": Hostile(special(PIPE, "x.stl", "/dev/zero"), REFUSED),
    "folder-mesh": Hostile(special(PIPE, "x.stl", "folder"), **everywhere("mesh.unreadable")),
    "sparse-mesh": Hostile(
        special(PIPE, "x.stl", "sparse"), **everywhere("!file.limit"), file="x.stl"
    ),
    "sparse-include": Hostile(
        special(include("x.sdf"), "x.sdf", "sparse"), "!file.too-large", file="x.sdf"
    ),
    "link-cycle": Hostile(special(include("x.sdf"), "x.sdf", "x.sdf"), NOT_FOUND),
    "include-itself": Hostile(
        special(include("x.sdf"), "x.sdf", "robot.sdf"), "!sdf.include-cycle"
    ),
}
