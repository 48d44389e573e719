"""A kernel is spoken to as soon as it says that it is idle; one that has died is an error."""

import asyncio
import gc
from contextlib import asynccontextmanager

import pytest

from fleetkit.reports.kernels import kernels

pytestmark = pytest.mark.slow

# What writes all the time, so that the kernel is never silent.
CHATTERS = """
import threading, time
def chatter():
    while True:
        print("still here", flush=True)
        time.sleep(0.02)
threading.Thread(target=chatter, daemon=True).start()
"""
SLEEPS = """
import time
print("good night", flush=True)
time.sleep(600)
"""


@pytest.fixture
def with_kernel(warm_kernels):
    """Return what runs a coroutine with the manager of a kernel that has been started."""

    async def run(use):
        with kernels() as manager_class:
            manager = manager_class()
            await manager.start_kernel()
            try:
                return await use(manager)
            finally:
                await manager.shutdown_kernel(now=True)

    return lambda use: asyncio.run(run(use))


@asynccontextmanager
async def second_client(manager, code, *, is_idle, **channels):
    """Give a second client of a kernel that runs code of a first one, or has run it."""
    first, second = manager.client(), manager.client()
    first.start_channels()
    await first.wait_for_ready(timeout=60)
    first.execute(code)
    if is_idle:
        await first.get_shell_msg(timeout=60)
    while (await first.get_iopub_msg(timeout=60))["msg_type"] != "stream":
        pass  # it has not yet printed what its code begins with
    second.start_channels(**channels)
    try:
        yield second
    finally:
        for client in (first, second):
            client.stop_channels()


# Without iopub it connects when it is first looked at: too late for the first status.
@pytest.mark.parametrize("channels", [{}, {"iopub": False}])
def test_a_kernel_that_is_never_silent_is_ready_all_the_same(with_kernel, channels):
    async def use(manager):
        async with second_client(manager, CHATTERS, is_idle=True, **channels) as client:
            await asyncio.wait_for(client.wait_for_ready(timeout=60), 30)

    with_kernel(use)


def test_a_client_that_is_let_go_ends_its_context(with_kernel):
    async def use(manager):
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=60)
        context = client.context
        client.stop_channels()
        del client
        gc.collect()
        assert context.closed

    with_kernel(use)


def test_a_kernel_that_has_died_is_an_error_and_not_waited_for(with_kernel):
    async def use(manager):
        client = manager.client()
        client.start_channels()
        manager.provisioner.process.kill()
        with pytest.raises(RuntimeError, match="Kernel died before replying"):
            await client.wait_for_ready(timeout=60)
        client.stop_channels()

    with_kernel(use)


def test_a_kernel_that_does_not_answer_in_time_is_an_error(with_kernel):
    async def use(manager):
        async with second_client(manager, SLEEPS, is_idle=False) as client:
            with pytest.raises(RuntimeError, match="Kernel didn't respond in 1 seconds"):
                await client.wait_for_ready(timeout=1)

    with_kernel(use)
