"""A kernel is spoken to as soon as it says that it is idle; one that has died is an error."""

import asyncio
import gc

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


def test_a_kernel_that_is_never_silent_is_ready_all_the_same(with_kernel):
    async def use(manager):
        first, second = manager.client(), manager.client()
        first.start_channels()
        await first.wait_for_ready(timeout=60)
        reply = await first.execute(CHATTERS, reply=True)
        assert reply["content"]["status"] == "ok"
        second.start_channels()
        await asyncio.wait_for(second.wait_for_ready(timeout=60), 30)
        for client in (first, second):
            client.stop_channels()

    with_kernel(use)


def test_a_kernel_that_is_never_silent_is_asked_again_where_its_first_status_was_lost(with_kernel):
    async def use(manager):
        first, second = manager.client(), manager.client()
        first.start_channels()
        await first.wait_for_ready(timeout=60)
        await first.execute(CHATTERS, reply=True)
        second.start_channels(iopub=False)  # connects when it is first looked at: too late
        await asyncio.wait_for(second.wait_for_ready(timeout=60), 30)
        for client in (first, second):
            client.stop_channels()

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
        first, second = manager.client(), manager.client()
        first.start_channels()
        await first.wait_for_ready(timeout=60)
        first.execute("import time; time.sleep(600)")
        second.start_channels()
        with pytest.raises(RuntimeError, match="Kernel didn't respond in 1 seconds"):
            await second.wait_for_ready(timeout=1)
        for client in (first, second):
            client.stop_channels()

    with_kernel(use)
