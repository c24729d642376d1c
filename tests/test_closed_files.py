"""Nothing outside the folders that a model may read is opened, listed or changed, wherever in a format
its name stands, by no reader and no writer.

Each place names a file that lies in the current folder only, or one outside. Python tells of each
file that it opens and each folder that it lists; the libraries in C get the contents that Python
read. It does not tell of looks at the status of a file, so that its functions for these are
replaced: only the search itself may look whether there is a file.
"""

from __future__ import annotations

import base64
import json
import os
import re
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pybullet
import pytest
from PIL import Image

import bridge
import loaders
from benchmarks import mjcf_schema
from bridge.viewer.viewer import DrawnModel
from loaders.diagnostics import ModelError
from loaders.picture import surfaces
from tests.support.seeds import spread

CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
OBJ = f"{CORNERS}usemtl skin\nf 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 3/1 1/2 4/3\n"
MAPS = (
    "albedo_map",
    "normal_map",
    "environment_map",
    "ambient_occlusion_map",
    "emissive_map",
    "light_map",
    "roughness_map",
    "metalness_map",
    "glossiness_map",
    "specular_map",
)

WORDS = [
    "map_Ka",
    "map_Ks",
    "map_Ns",
    "map_d",
    "map_bump",
    "disp",
    "decal",
    "norm",
    "refl",
    "map_Pr",
    "map_Pm",
    "map_Ke",
]


def sdf(
    look: str = "", *, shape: str = "<box><size>1 1 1</size></box>", link: str = "", model: str = ""
) -> str:
    """Return a model with a visual."""
    visual = f"<visual name='v'><geometry>{shape}</geometry><material>{look}</material></visual>"
    return (
        f"<sdf version='1.9' xmlns:drake='http://drake.mit.edu'><model name='m'><link "
        f"name='l'>{visual}{link}"
        f"</link>{model}</model></sdf>"
    )


def urdf(visual: str, *, more: str = "") -> str:
    return f"<robot name='r'><link name='l'><visual>{visual}</visual></link>{more}</robot>"


def mjcf(asset: str, geom: str = "type='box' size='1 1 1'", *, more: str = "") -> str:
    body = f"<worldbody><body><geom {geom}/></body></worldbody>"
    return f"<mujoco><asset>{asset}</asset>{body}{more}</mujoco>"


def gltf(buffer: str, image: str = "") -> str:
    """Return a triangle, with its corners in a buffer and with an image."""
    accessor = {
        "bufferView": 0,
        "componentType": 5126,
        "count": 3,
        "type": "VEC3",
        "min": [0, 0, 0],
        "max": [1, 1, 0],
    }
    texture = {"baseColorTexture": {"index": 0}}
    document: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "accessors": [accessor],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": buffer, "byteLength": 36}],
        "materials": [{"name": "skin", "pbrMetallicRoughness": texture if image else {}}],
    }
    if image:
        document |= {"textures": [{"source": 0}], "images": [{"uri": image}]}
    return json.dumps(document)


BUFFER = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
INLINE = f"data:application/octet-stream;base64,{base64.b64encode(BUFFER).decode()}"
DAE = (
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
    "version='1.4.1'><asset><up_axis>Z_UP</up_axis></asset>"
    "<library_images><image "
    "id='i'><init_from>FILE</init_from></image></library_images><library_effects><effect id='e'>"
    "<profile_COMMON><newparam sid='f'><surface "
    "type='2D'><init_from>i</init_from></surface></newparam><newparam sid='s'>"
    "<sampler2D><source>f</source></sampler2D></newparam><technique sid='t'><lambert><diffuse>"
    "<texture texture='s' "
    "texcoord='u'/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>"
    "<library_materials><material id='m'><instance_effect "
    "url='#e'/></material></library_materials><library_geometries>"
    "<geometry id='g'><mesh><source id='p'><float_array id='a' count='9'>0 0 0 1 0 0 0 1 "
    "0</float_array>"
    "<technique_common><accessor source='#a' count='3' stride='3'><param name='X' type='float'/>"
    "<param name='Y' type='float'/><param name='Z' "
    "type='float'/></accessor></technique_common></source>"
    "<vertices id='w'><input semantic='POSITION' source='#p'/></vertices><triangles count='1' "
    "material='k'>"
    "<input semantic='VERTEX' source='#w' offset='0'/><p>0 1 "
    "2</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id='c'><node><instance_geometry "
    "url='#g'><bind_material><technique_common>"
    "<instance_material symbol='k' "
    "target='#m'/></technique_common></bind_material></instance_geometry></node>"
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
    "url='#c'/></scene></COLLADA>"
)


@dataclass(frozen=True)
class Place:
    """A place for the name of a file.

    Attributes:
        main: The document; ``FILE`` stands for the name.
        suffix: Suffix of the file.
        format: Suffix of the document.
        files: Further files beside the document, in which ``FILE`` stands for the name, too.
    """

    main: str
    suffix: str = ".png"
    format: str = "sdf"
    files: dict[str, str] = field(default_factory=dict)


def of_mesh(name: str, suffix: str, **files: str) -> Place:
    """Return the place in a mesh, or in a file that belongs to one."""
    contents = {file.replace("_", "."): text for file, text in files.items()}
    return Place(urdf(f"<geometry><mesh filename='{name}'/></geometry>"), suffix, "urdf", contents)


def mjcf_documents() -> Iterator[tuple[str, str]]:
    """Yield a document for each attribute of MuJoCo's schema whose name says that it names a file,
    a folder, a model or a plugin.
    """
    pattern = re.compile(r"file|dir$|^model$|^plugin$|^path$|^content_type$")
    for path, key in mjcf_schema.attributes():
        if not pattern.search(key):
            continue
        tags = path.strip("/").split("/")
        inner = f"<{tags[-1]} {key}='FILE'/>"
        for tag in reversed(tags[:-1]):
            inner = f"<{tag}>{inner}</{tag}>"
        used = "<asset><mesh name='o' file='secret.obj'/></asset><worldbody><geom type='mesh' mesh='o'/>"
        yield f"{path}-{key}", f"<mujoco>{inner}{used}</worldbody></mujoco>"


MESH = "<mesh><uri>FILE</uri></mesh>"
TERRAIN = "<heightmap><uri>FILE</uri><size>1 1 1</size></heightmap>"
SCRIPT = "<script><uri>URI</uri><name>M</name></script>"
URDF_BOX = "<geometry><box size='1 1 1'/></geometry>"
OGRE = "material M\n{ technique { pass { texture_unit { texture FILE\n } } } }"
MODEL = "<sdf version='1.9'><model name='n'><link name='a'/></model></sdf>"
SECRETS = {
    ".obj": OBJ,
    ".mtl": "newmtl skin\nKd 1 0 0\n",
    ".bin": BUFFER,
    ".material": OGRE,
    ".sdf": MODEL,
    ".xml": "<mujoco><worldbody/></mujoco>",
    ".urdf": "<robot name='s'><link name='a'/></robot>",
    ".dae": DAE,
    ".yaml": "directives: []\n",
}
"""Content of the files, by suffix; each is one that the reader of the place would take."""

PLACES = {
    "sdf-maps": Place(
        sdf(f"<pbr><metal>{''.join(f'<{kind}>FILE</{kind}>' for kind in MAPS)}</metal></pbr>")
    ),
    "sdf-specular-workflow": Place(
        sdf("<pbr><specular><albedo_map>FILE</albedo_map></specular></pbr>")
    ),
    "sdf-shader": Place(
        sdf("<shader type='normal_map_object_space'><normal_map>FILE</normal_map></shader>")
    ),
    "sdf-shader-pixel": Place(sdf("<shader type='pixel'><normal_map>FILE</normal_map></shader>")),
    "sdf-any-file": Place(sdf("<pbr><metal><albedo_map>FILE</albedo_map></metal></pbr>"), ".txt"),
    "sdf-drake-map": Place(sdf("<drake:diffuse_map>FILE</drake:diffuse_map>")),
    "sdf-script": Place(sdf(SCRIPT.replace("URI", "FILE")), ".material"),
    "sdf-script-texture": Place(
        sdf(SCRIPT.replace("URI", "m.material")), files={"m.material": OGRE}
    ),
    "sdf-visual-mesh": Place(sdf(shape=MESH), ".obj"),
    "sdf-collision-mesh": Place(
        sdf(link=f"<collision name='c'><geometry>{MESH}</geometry></collision>"), ".obj"
    ),
    "sdf-terrain": Place(sdf(shape=TERRAIN)),
    "sdf-collision-terrain": Place(
        sdf(link=f"<collision name='c'><geometry>{TERRAIN}</geometry></collision>")
    ),
    "sdf-terrain-texture": Place(
        sdf(
            shape=TERRAIN.replace("FILE", "no.png").replace(
                "<size>", "<texture><diffuse>FILE</diffuse></texture><size>"
            )
        )
    ),
    "sdf-image": Place(sdf(shape="<image><uri>FILE</uri></image>")),
    "sdf-projector": Place(sdf(link="<projector name='p'><texture>FILE</texture></projector>")),
    "sdf-include": Place(sdf(model="<include><uri>FILE</uri></include>"), ".sdf"),
    "sdf-plugin": Place(
        sdf(model="<plugin name='p' filename='FILE'><file>FILE</file></plugin>"), ".xml"
    ),
    "sdf-sky": Place(
        "<sdf version='1.9'><world "
        "name='w'><scene><sky><cubemap_uri>FILE</cubemap_uri></sky></scene>"
        "<actor name='a'><skin><filename>FILE</filename></skin><animation "
        "name='b'><filename>FILE</filename></animation>"
        "</actor></world></sdf>"
    ),
    "urdf-texture": Place(
        urdf(f"{URDF_BOX}<material name='x'><texture filename='FILE'/></material>"), format="urdf"
    ),
    "urdf-robot-texture": Place(
        urdf(
            f"{URDF_BOX}<material name='x'/>",
            more="<material name='x'><texture filename='FILE'/></material>",
        ),
        format="urdf",
    ),
    "urdf-mesh": Place(urdf("<geometry><mesh filename='FILE'/></geometry>"), ".obj", "urdf"),
    "urdf-gazebo": Place(
        urdf(
            URDF_BOX,
            more=f"<gazebo "
            f"reference='l'><visual><material>{SCRIPT.replace('URI', 'FILE')}</material>"
            "</visual></gazebo>",
        ),
        ".material",
        "urdf",
    ),
    "mjcf-texture": Place(
        mjcf(
            "<texture name='t' type='2d' file='FILE'/><material name='x' texture='t'/>",
            "type='box' size='1 1 1' material='x'",
        ),
        format="xml",
    ),
    "mjcf-cube": Place(
        mjcf(
            "<texture name='t' type='cube' fileright='FILE' fileleft='FILE' fileup='FILE' "
            "filedown='FILE' filefront='FILE'"
            " fileback='FILE'/><material name='x' texture='t'/>",
            "type='box' size='1 1 1' material='x'",
        ),
        format="xml",
    ),
    "mjcf-sky": Place(mjcf("<texture type='skybox' file='FILE'/>"), format="xml"),
    "mjcf-mesh": Place(mjcf("<mesh name='o' file='FILE'/>", "type='mesh' mesh='o'"), ".obj", "xml"),
    "mjcf-terrain": Place(
        mjcf("<hfield name='o' file='FILE' size='1 1 1 1'/>", "type='hfield' hfield='o'"),
        format="xml",
    ),
    "mjcf-model": Place(mjcf("<model name='o' file='FILE'/>"), ".xml", "xml"),
    "mjcf-include": Place(mjcf("", more="<include file='FILE'/>"), ".xml", "xml"),
    "mjcf-skin": Place(mjcf("<skin file='FILE'/>"), ".xml", "xml"),
    "sdf-world": Place(
        "<sdf version='1.9'><world name='w'><audio><device>FILE</device></audio><include><uri>FILE"
        "</uri></include><road name='r'><material><script><uri>FILE</uri><name>M</name></script>"
        "</material></road><gui><plugin name='p' filename='FILE'/><camera name='c'/></gui><plugin "
        "name='q' filename='FILE'/><population name='n'><model name='m'><include><uri>FILE</uri>"
        "</include></model></population></world></sdf>",
        ".sdf",
    ),
    "sdf-sensor": Place(
        sdf(
            link="<sensor name='s' type='camera'><camera><save enabled='1'><path>FILE</path></save>"
            "<lens><type>FILE</type></lens></camera><plugin name='p' filename='FILE'/></sensor>"
            "<audio_source><uri>FILE</uri></audio_source><particle_emitter name='e' type='point'>"
            "<color_range_image>FILE</color_range_image><material><pbr><metal><albedo_map>FILE"
            "</albedo_map></metal></pbr></material></particle_emitter>"
        )
    ),
    "sdf-light-map": Place(
        sdf(
            "<pbr><metal><light_map uv_set='1'>FILE</light_map></metal></pbr><script><name>FILE"
            "</name></script>"
        )
    ),
    "sdf-manifest": Place(
        sdf(model="<include><uri>model://n</uri></include>"),
        ".sdf",
        files={"n/model.config": "<model><sdf version='1.9'>FILE</sdf></model>"},
    ),
    "sdf-exported-folder": Place(
        sdf(model="<include><uri>model://secret</uri></include>"),
        ".sdf",
        files={
            "package.xml": "<package><name>mine</name><export><gazebo_ros gazebo_model_path='FILE' "
            "gazebo_media_path='FILE/..'/></export></package>"
        },
    ),
    "urdf-mujoco": Place(
        urdf(
            "<geometry><mesh filename='secret.obj'/></geometry>",
            more="<mujoco><compiler meshdir='FILE/..' texturedir='FILE/..' assetdir='FILE/..'/>"
            "</mujoco><gazebo><plugin name='p' filename='FILE'><file>FILE</file></plugin></gazebo>",
        ),
        ".obj",
        "urdf",
    ),
    **{
        f"mjcf-schema-{place}": Place(document, ".xml", "xml")
        for place, document in mjcf_documents()
    },
    "directives-directives": Place(
        "directives:\n- add_directives: {file: 'file://FILE'}\n- add_model: {name: a, file: "
        "'package://FILE'}\n- add_directives: {file: FILE}\n",
        ".dmd.yaml",
        "dmd.yaml",
    ),
    "mtl-words": of_mesh(
        "a.obj",
        ".png",
        a_obj=f"mtllib a.mtl\n{OBJ}",
        a_mtl="newmtl skin\nKd 1 1 1\n"
        + "".join(f"{word} -s 1 1 1 FILE\n{word} FILE\n" for word in WORDS),
    ),
    "collada-others": of_mesh(
        "a.dae",
        ".dae",
        a_dae=DAE.replace("'#g'", "'FILE#g'")
        .replace("'#e'", "'FILE#e'")
        .replace("'#p'", "'FILE#p'"),
    ),
    "collada-ref": of_mesh("a.dae", ".png", a_dae=DAE.replace("FILE", "<ref>FILE</ref>")),
    "ply-texture": of_mesh(
        "a.ply",
        ".png",
        a_ply="ply\nformat ascii 1.0\ncomment TextureFile FILE\nelement vertex 3\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\nproperty list uchar int "
        "vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    ),
    "directives-model": Place(
        "directives:\n- add_model: {name: a, file: 'file://FILE'}\n", ".sdf", "dmd.yaml"
    ),
    "obj-library": of_mesh("a.obj", ".mtl", a_obj=f"mtllib FILE\n{OBJ}"),
    "obj-second-library": of_mesh("a.obj", ".mtl", a_obj=f"mtllib a.mtl\nmtllib FILE\n{OBJ}"),
    "obj-any-library": of_mesh("a.obj", ".txt", a_obj=f"mtllib FILE\n{OBJ}"),
    "obj-texture": of_mesh(
        "a.obj", ".png", a_obj=f"mtllib a.mtl\n{OBJ}", a_mtl="newmtl skin\nmap_Kd FILE\n"
    ),
    "obj-bump": of_mesh(
        "a.obj", ".png", a_obj=f"mtllib a.mtl\n{OBJ}", a_mtl="newmtl skin\nbump FILE\n"
    ),
    "gltf-buffer": of_mesh("a.gltf", ".bin", a_gltf=gltf("FILE")),
    "gltf-image": of_mesh("a.gltf", ".png", a_gltf=gltf(INLINE, "FILE")),
    "collada-image": of_mesh("a.dae", ".png", a_dae=DAE),
}

_EVENTS = frozenset(
    {
        "glob.glob", "open", "os.chdir", "os.chmod", "os.link", "os.listdir", "os.mkdir", "os.remove",
        "os.rename", "os.rmdir", "os.scandir", "os.symlink", "os.truncate", "os.utime", "os.walk",
        "pathlib.Path.glob", "shutil.copyfile", "shutil.copytree", "shutil.move", "shutil.rmtree",
    }
)  # fmt: skip
"""Events of Python about files, of which the first argument is a path."""
_observed: list[Callable[[str, str], None]] = []
"""Hears of the real paths in these events; empty outside of `read_and_write`."""
ROOT = Path(__file__).parents[1]
LOOKING = ("loaders/files/", "loaders/context.py", "loaders/mjcf/asset.py")
"""The modules that may look whether there is a file: the door, and the search for files."""


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _observed and event in _EVENTS and isinstance(arguments[0], str | bytes | os.PathLike):
        path = os.fsdecode(arguments[0])
        if os.path.isabs(path):  # the others are relative to an open folder
            _observed[0](event, path)


sys.addaudithook(_note)


@pytest.fixture(autouse=True)
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell of looks at the status of a file as of events."""
    for name in ("stat", "lstat", "access", "readlink"):
        original = getattr(os, name)

        def look(path: Any, *more: Any, original: Any = original, **how: Any) -> Any:
            if _observed and isinstance(path, str | os.PathLike):
                _observed[0]("look", os.path.abspath(os.fspath(path)))
            return original(path, *more, **how)

        monkeypatch.setattr(os, name, look)


def module_of_ours() -> str:
    """Return the innermost module of the project that is running; empty if none is."""
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith((f"{ROOT}/loaders/", f"{ROOT}/bridge/")):
            return file.removeprefix(f"{ROOT}/")
        frame = frame.f_back  # type: ignore[assignment]
    return ""


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[Any, int]]:
    """Return a server of the viewer, and a client of PyBullet."""
    viser = pytest.importorskip("viser")
    server, client = (
        viser.ViserServer(host="127.0.0.1", port=0, verbose=False),
        pybullet.connect(pybullet.DIRECT),
    )
    yield server, client
    server.stop()
    pybullet.disconnect(client)


def secret_file(path: Path) -> None:
    """Write the file that stays closed."""
    content = SECRETS.get(path.suffix, "top secret")
    if path.suffix == ".png":
        Image.new("RGB", (5, 5), (200, 100, 50)).save(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


MANIFESTS = {
    "model.config": "<model><name>n</name><sdf version='1.9'>model.sdf</sdf></model>",
    "manifest.xml": "<model><name>n</name><sdf version='1.9'>model.sdf</sdf></model>",
    "model.sdf": MODEL,
    "package.xml": "<package><name>n</name></package>",
}
"""Files that are found by their names in the folder of a model, with a content that has a meaning."""


def uses(out: Path, engines: tuple[Any, int]) -> tuple[Callable[[loaders.Scene], object], ...]:
    """Return everything that opens the files of a scene."""
    server, client = engines
    return (
        lambda scene: bridge.export_mjcf(scene, out / "mjcf"),
        lambda scene: bridge.export_sdf(scene, out / "sdf"),
        lambda scene: bridge.export_urdf(scene, out / "urdf"),
        lambda scene: bridge.load_world_into_pybullet(scene, physicsClientId=client),
        lambda scene: DrawnModel(server, f"/{out.name}", bridge.lower(scene)),
        lambda scene: [
            list(surfaces(shape))
            for link in scene.links
            for shape in (*link.visuals, *link.collisions)
        ],
    )


def read_and_write(
    main: Path, out: Path, engines: tuple[Any, int], *, lenient: bool
) -> set[tuple[str, str]]:
    """Load a model, give it to everything that opens its files, and return the kinds and the paths
    of what was done to files.

    An error of the model is an honest outcome.
    """
    seen: set[tuple[str, str]] = set()

    def note(event: str, path: str) -> None:
        if event != "look" or not module_of_ours().startswith((*LOOKING, "bridge/output/")):
            seen.add((event, path))

    _observed.append(note)
    try:
        with suppress(ModelError):
            scene = loaders.load(main, lenient=lenient, quiet=True)
            for use in uses(out, engines):
                with suppress(ModelError):
                    use(scene)
    finally:
        _observed.clear()
    return seen


def opened(seen: set[tuple[str, str]]) -> set[str]:
    """Return the real paths of the files that were opened."""
    return {os.path.realpath(path) for event, path in seen if event == "open"}


def outside(seen: set[tuple[str, str]], folder: Path, roots: list[Path]) -> list[tuple[str, str]]:
    """Return what was done to files of the test that may not be touched.

    Args:
        seen: What was done.
        folder: The folder of the test; what lies elsewhere belongs to Python, its libraries and the
            system, if it is no folder around this one.
        roots: The folders that may be read or written.
    """
    found = []
    for event, path in sorted(seen):
        real = Path(os.path.realpath(path))
        is_here = real.is_relative_to(folder) or folder.is_relative_to(real)
        if event != "look" and real == Path(tempfile.gettempdir()):  # what killed processes left
            continue
        if is_here and not any(real.is_relative_to(root) for root in roots):
            found.append((event, path))
    return found


def name_of(secret: Path, folder: Path, where: str) -> str:
    """Return the name that a file gives to the one that stays closed."""
    way = os.path.relpath(secret, folder)
    names = {
        "absolute": str(secret),
        "case": str(secret.with_name(secret.name.upper())),
        "up": way,
        "file": f"file://{secret}",
        "package": f"package://mine/{way}",
        "model": f"model://mine/x/../{way}",
        "escaped": "file://" + way.replace("..", "%2e%2e"),
        "backslash": way.replace("/", "\\"),
        "nul": f"file://{secret}%00",
        "double": "file://" + way.replace("..", "%252e%252e"),
        "undecodable": f"file://{secret.parent}/%ff{secret.name}",
        "device": "/dev/zero",
    }
    return names.get(where, secret.name)


QUICK = ("current",)
STRICT = ("current", "absolute")
"""Names that are given to a strict load too; it ends where a lenient one goes on."""
SLOW = ("absolute", "link", "case", "up", "file", "package", "any")
ANY = ("model", "escaped", "backslash", "nul", "double", "undecodable", "device", "pipe")
"""Names of which each place gets one."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "where", [*QUICK, *(pytest.param(where, marks=pytest.mark.slow) for where in SLOW)]
)
@pytest.mark.parametrize("name", PLACES)
def test_a_file_that_may_not_be_read_is_never_touched(
    name: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engines: tuple[Any, int]
) -> None:
    place = PLACES[name]
    if where == "any":
        where = ANY[list(PLACES).index(name) % len(ANY)]
    others, start = tmp_path / "others", tmp_path / "start"
    folder = tmp_path / "mine" / "meshes" if where == "link" else tmp_path / "mine"
    for made in (others, start, folder):
        made.mkdir(parents=True)
    hidden = "." if name.startswith("mjcf-") and where in {"up", "backslash"} else ""
    # MJCF may name what lies above it, unless it is hidden
    secret = (start if where == "current" else others) / f"{hidden}secret{place.suffix}"
    secret_file(secret)
    if where == "link":
        (folder / secret.name).symlink_to(secret)
    if where == "pipe":
        os.mkfifo(folder / secret.name)
    uri = name_of(secret, folder, where)
    for file, text in place.files.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text.replace("FILE", uri))
    main = folder / f"main.{place.format}"
    main.write_text(place.main.replace("FILE", uri))
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(start)
    for lenient in (False, True) if where in STRICT else (True,):
        out = tmp_path / f"out-{lenient}"
        seen = read_and_write(main, out, engines, lenient=lenient)
        assert str(main) in opened(seen)
        roots = [tmp_path / "mine", tmp_path / "cache", out]
        assert outside(seen, tmp_path, roots) == []
        assert "/dev/zero" not in opened(seen)
    kept = [
        path.read_bytes()
        for root in tmp_path.glob("out*")
        for path in root.rglob("*")
        if path.is_file()
    ]
    assert secret.read_bytes() not in kept


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("linked", MANIFESTS)
def test_a_manifest_is_not_read_through_a_link_that_leads_outside(
    linked: str,
    lenient: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engines: tuple[Any, int],
) -> None:
    others, folder = tmp_path / "others", tmp_path / "mine" / "n"
    others.mkdir()
    folder.mkdir(parents=True)
    if linked == "manifest.xml":
        (folder / "model.sdf").write_text(MODEL)
    elif linked == "package.xml":
        (folder / "model.config").write_text(MANIFESTS["model.config"])
        (folder / "model.sdf").write_text(MODEL)
    secret = others / f"secret.{linked}"
    secret.write_text(MANIFESTS[linked])
    (folder / linked).symlink_to(secret)
    main = folder.parent / "main.sdf"
    main.write_text(sdf(model="<include><uri>model://n</uri></include>"))
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    seen = read_and_write(main, tmp_path / "out", engines, lenient=lenient)
    assert outside(seen, tmp_path, [tmp_path / name for name in ("mine", "cache", "out")]) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", spread([name for name in PLACES if not name.startswith("mjcf-")], 3)
)
def test_a_link_before_two_dots_means_one_file_to_all(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engines: tuple[Any, int]
) -> None:
    """The file in the model may be read; the one outside has its path if ``link/..`` is canceled as
    text.
    """
    place = PLACES[name]
    mine = tmp_path / "mine"
    (mine / "deep" / "deeper").mkdir(parents=True)
    (mine / "link").symlink_to(mine / "deep" / "deeper")
    secret, allowed = tmp_path / f"secret{place.suffix}", mine / f"secret{place.suffix}"
    for file in (secret, allowed):
        secret_file(file)
    for file_name, text in place.files.items():
        (mine / file_name).parent.mkdir(exist_ok=True)
        (mine / file_name).write_text(text.replace("FILE", f"link/../../{secret.name}"))
    main = mine / f"main.{place.format}"
    main.write_text(place.main.replace("FILE", f"link/../../{secret.name}"))
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    seen = read_and_write(main, tmp_path / f"out-{name}-detour", engines, lenient=True)
    assert str(secret) not in opened(seen)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [n for n in PLACES if n.startswith("obj-") or n in {"sdf-maps", "gltf-buffer"}]
)
def test_the_recorder_hears_of_a_file_that_may_be_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engines: tuple[Any, int]
) -> None:
    place = PLACES[name]
    secret = tmp_path / f"secret{place.suffix}"
    secret_file(secret)
    for file, text in place.files.items():
        (tmp_path / file).write_text(text.replace("FILE", secret.name))
    main = tmp_path / f"main.{place.format}"
    main.write_text(place.main.replace("FILE", secret.name))
    monkeypatch.setenv("SDFBRIDGE_CACHE", str(tmp_path / "cache"))
    seen = read_and_write(main, tmp_path / "out", engines, lenient=False)
    assert (str(secret) in opened(seen)) == (name != "obj-any-library")
