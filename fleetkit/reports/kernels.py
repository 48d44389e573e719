"""Kernels for section notebooks: this very Python, without the key, stopped when the report is."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

__all__ = ["Kernels", "kernels"]

# A notebook reads a mirror; what opens the service stays outside.
_SECRETS = ("FLEETKIT_API_KEY", "FLEETKIT_BASE_URL")


class Kernels(AsyncKernelManager):
    """Kernels of the interpreter that runs the report, whatever "python3" is registered as."""

    started: ClassVar[list[Kernels]]
    stopped: ClassVar[bool]

    @property
    def kernel_spec(self) -> KernelSpec:
        """What starts a kernel."""
        return KernelSpec(**get_kernel_dict(["--log-level=ERROR"]))

    async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
        """Start a kernel in an environment that holds no key."""
        environ = {name: value for name, value in os.environ.items() if name not in _SECRETS}
        await super().start_kernel(**options, env=environ)
        self.started.append(self)
        if self.stopped:
            self.stop_all()

    @classmethod
    def stop_all(cls) -> None:
        """Kill every kernel that runs, and each that is about to."""
        cls.stopped = True
        for kernel in cls.started:
            process = getattr(kernel.provisioner, "process", None)
            if process is not None:
                process.kill()


def kernels() -> type[Kernels]:
    """Return a class whose kernels are stopped together."""
    return type("ReportKernels", (Kernels,), {"started": [], "stopped": False})
