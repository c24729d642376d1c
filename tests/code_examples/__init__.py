"""A minimal input for each diagnostic code, by the prefix of the code."""

from __future__ import annotations

from tests.code_examples import (
    accelerated,
    checking,
    dart,
    directives_writer,
    drake,
    files,
    from_mjcf,
    gazebo,
    logs,
    lowering,
    mjcf,
    mjcf_reader,
    pybullet,
    robot,
    sdf,
    sdf_writer,
    urdf,
    urdf_writer,
)
from tests.support.code_example import Example

EXAMPLES: dict[str, Example] = {
    **accelerated.EXAMPLES,
    **checking.EXAMPLES,
    **dart.EXAMPLES,
    **directives_writer.EXAMPLES,
    **drake.EXAMPLES,
    **files.EXAMPLES,
    **from_mjcf.EXAMPLES,
    **gazebo.EXAMPLES,
    **logs.EXAMPLES,
    **lowering.EXAMPLES,
    **mjcf.EXAMPLES,
    **mjcf_reader.EXAMPLES,
    **pybullet.EXAMPLES,
    **robot.EXAMPLES,
    **sdf.EXAMPLES,
    **sdf_writer.EXAMPLES,
    **urdf.EXAMPLES,
    **urdf_writer.EXAMPLES,
}
