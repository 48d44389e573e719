"""What native libraries print while they panic doesn't reach the user; what they say does."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from interrupting import interrupt_at, lines_of
from processes import open_files

from fleetkit import panics

PRINTED = b"thread '<unnamed>' panicked at src/lib.rs:1:1:\nNo space left on device\n"


class PanicException(BaseException):
    """As PyO3 raises it; each library brings a class of its own by this name."""


def _in_a_block(write, problem=None):
    with panics.contained():
        os.write(2, write)
        if problem is not None:
            raise problem


def test_a_panic_becomes_an_exception_with_the_panics_own_words(capfd):
    with pytest.raises(panics.Panic, match="No space left") as caught:
        _in_a_block(PRINTED, PanicException("No space left on device"))
    assert isinstance(caught.value.__cause__, PanicException)
    assert panics.is_panic(caught.value)
    assert caught.value.__notes__ == [PRINTED.decode().strip()]
    assert capfd.readouterr().err == ""


def test_what_a_failing_library_prints_goes_with_its_error(capfd):
    with pytest.raises(OSError, match="full") as caught:
        _in_a_block(PRINTED, OSError("full"))
    assert "panicked" in caught.value.__notes__[0]
    with pytest.raises(OSError, match="full") as silent:
        _in_a_block(b"", OSError("full"))
    assert not hasattr(silent.value, "__notes__")
    assert capfd.readouterr().err == ""


def test_what_is_printed_where_nothing_fails_is_shown_afterwards(capfd):
    _in_a_block(b"harmless\n")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "harmless\nafter\n"


def test_a_panic_that_the_library_got_over_is_not_shown(capfd):
    _in_a_block(PRINTED)
    assert capfd.readouterr().err == ""


def test_whichever_line_before_a_block_ctrl_c_interrupts_stderr_is_the_real_one(capfd):
    def block():
        with panics.contained():
            sys.settrace(None)  # what ends it isn't interrupted

    lines = lines_of(block, "/fleetkit/panics.py", "/tempfile.py")
    assert len(lines) > 15
    for line in lines:
        interrupt_at(line, block)
        os.write(2, b".")
    assert capfd.readouterr().err == "." * len(lines)
    with ThreadPoolExecutor(1) as pool:  # the lock is held for no thread
        assert pool.submit(panics._lock.acquire, timeout=20).result()
        pool.submit(panics._lock.release).result()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows doesn't fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_process_that_is_forked_in_a_block_has_the_real_stderr_and_its_parent_keeps_the_block():
    real = os.fstat(2)
    with panics.contained():
        child = os.fork()
        if child == 0:
            os._exit(not os.path.samestat(os.fstat(2), real))
        assert os.waitpid(child, 0)[1] == 0
        assert not os.path.samestat(os.fstat(2), real)
    assert os.path.samestat(os.fstat(2), real)


def test_blocks_inside_each_other_give_stderr_back_with_the_last_one(capfd):
    before = open_files()
    with panics.contained():
        os.write(2, b"1")
        _in_a_block(b"2")
        os.write(2, b"3")
    os.write(2, b"4")
    assert capfd.readouterr().err.replace("2", "", 1) == "1234"
    assert open_files() <= before


def test_where_nothing_can_be_held_back_a_panic_is_an_exception_all_the_same(
    capfd, monkeypatch, tmp_path
):
    with monkeypatch.context() as full:
        full.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        with pytest.raises(panics.Panic, match="No space left"):
            _in_a_block(PRINTED, PanicException("No space left on device"))
    assert capfd.readouterr().err == PRINTED.decode()


@pytest.mark.slow
def test_a_process_without_stderr_may_contain_panics():
    code = "from fleetkit import panics\nwith panics.contained(): print('done')"
    command = ["sh", "-c", 'exec "$0" -c "$1" 2>&-', sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n")
