"""Rate limits: any hint is understood, and one gate holds everybody back."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from math import ceil, inf
from time import monotonic, sleep, time, tzset

import pytest
from hostile import hostile, page, records, reply

import fleetkit as fk
from fleetkit.client import Client
from fleetkit.client.deadline import StoppedError
from fleetkit.client.hints import Hint, read, seconds_until
from fleetkit.client.limiter import RequestLimiter
from fleetkit.client.quota import Quota as LearnedQuota
from fleetkit.errors import ApiError, Forbidden, RateLimited

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
# The service's own clock, far from this machine's: what counts for moments that it names.
AT_NOON = {"Date": format_datetime(NOON, usegmt=True)}
IN_A_MINUTE = NOON + timedelta(seconds=60)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60", 60.0),
        ("0.25", 0.25),
        ("0", 0.0),
        ("-5", 0.0),
        ("60, 60;w=60", 60.0),
        ("5, 60;w=60", 5.0),
        (str(int(IN_A_MINUTE.timestamp())), 60.0),
        (str(int(IN_A_MINUTE.timestamp() * 1000)), 60.0),
        ("2026-11-20T12:01:00Z", 60.0),
        ("2026-11-20T12:01:00.500+00:00", 60.5),
        ("2026-11-20T13:01:00+01:00", 60.0),
        ("2026-11-20T12:01:00", 60.0),
        ("Fri, 20 Nov 2026 12:01:00 GMT", 60.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("1m0s", 60.0),
        ("1h2m3s", 3723.0),
        ("250ms", 0.25),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("9" * 400, None),
        ("1e300", 1e11),
        ("9999-12-31T23:59:59-23:59", None),
        ("0001-01-01T00:00:00+23:59", None),
    ],
)
def test_a_moment_is_read_in_any_form_and_on_the_services_clock(text, seconds):
    assert seconds_until(text, AT_NOON) == seconds


def test_a_moment_without_a_zone_is_one_of_utc_wherever_this_machine_is(monkeypatch):
    with monkeypatch.context() as there:
        there.setenv("TZ", "Asia/Tokyo")
        tzset()
        seconds = seconds_until("2026-11-20T12:00:07", AT_NOON)
    tzset()
    assert seconds == 7


@pytest.mark.parametrize(
    "headers",
    [
        {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "60"},
        {"x-ratelimit-remaining": "3", "x-ratelimit-reset-after": "60"},
        {"X-RateLimit-Requests-Remaining": "3", "X-RateLimit-Requests-Reset": "60"},
        {"X-RateLimit-Remaining-Minute": "3", "X-RateLimit-Reset": "60"},
        {"X-RateLimit-Remaining": " 3, 3;w=60", "X-RateLimit-Reset": "60"},
        {"X-Rate-Limit-Remaining": "3", "X-Rate-Limit-Reset": "60"},
        {"RateLimit-Remaining": "3", "RateLimit-Reset": "60"},
        {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset-Ms": "60000"},
        {
            "X-RateLimit-Remaining-Hour": "900",
            "X-RateLimit-Reset-Hour": "3000",
            "X-RateLimit-Remaining-Minute": "3",
            "X-RateLimit-Reset-Minute": "60",
        },
    ],
)
def test_requests_left_and_reset_are_found_under_any_name(headers):
    hint = read({"X-RateLimit-Limit": "1000", **headers})
    assert (hint.left, hint.reset) == (3, 60.0)


def test_requests_left_are_found_where_no_reset_is_named():
    assert read({"X-RateLimit-Remaining": "3"}) == Hint(left=3)


def test_a_reset_in_milliseconds_since_1970_is_not_rounded_and_one_in_seconds_is():
    second = int(IN_A_MINUTE.timestamp())
    hints = [read({"X-RateLimit-Reset": str(text), **AT_NOON}) for text in (second, second * 1000)]
    assert [(hint.reset, hint.rounded) for hint in hints] == [(60, True), (60, False)]


def test_of_several_resets_the_last_counts_where_no_name_says_which():
    minute = {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset-Minute": "60"}
    assert read({**minute, "X-RateLimit-Reset-Hour": "3000"}).reset == 3000


@pytest.mark.parametrize(("behind", "seconds"), [(0.5, 60.0), (1.5, 60.0), (2.5, 62.5)])
def test_a_service_whose_clock_differs_by_less_than_2_seconds_is_taken_to_have_this_one(
    behind, seconds, monkeypatch
):
    now = NOON.timestamp() + 0.5
    monkeypatch.setattr("fleetkit.client.hints.time", lambda: now)
    date = format_datetime(datetime.fromtimestamp(now - behind, UTC), usegmt=True)
    assert seconds_until(str(now + 60), {"Date": date}) == seconds


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"}, 7.0),
        ({"X-RateLimit-Reset": "7", "X-RateLimit-Remaining": "0", "Retry-After": "60"}, 60.0),
        ({"X-RateLimit-Reset": "60", "Retry-After": "0"}, 0.0),
        ({"X-RateLimit-Reset": "60", "Retry-After": "soon"}, 60.0),
        ({"X-RateLimit-Reset": "60", "X-RateLimit-Retry-After": "7"}, 7.0),
        ({"Retry-After": "7", "X-RateLimit-Retry-After": "9"}, 9.0),
        ({"X-RateLimit-Retry-After": "9", "Retry-After": "7"}, 9.0),
        ({"X-RateLimit-Remaining": "3"}, None),
        ({"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "60"}, None),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"}, 60.0),
        ({"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "60", "Retry-After": "7"}, 7.0),
        ({"Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": "1", "Retry-After-Ms": "700"}, 1.0),
        ({"X-RateLimit-Reset-Ms": "60s"}, 60.0),
    ],
)
def test_retry_after_outranks_the_reset_beside_it_and_the_longer_of_two_counts(headers, wait):
    assert read(headers).wait == wait


@pytest.mark.parametrize(("after", "reset", "seconds"), [(3600, 1, 3600), (1800, 86400, 1800)])
def test_who_is_turned_away_is_told_the_retry_after_and_not_the_reset(after, reset, seconds):
    hints = {"Retry_After": str(after), "X_RateLimit_Reset": str(reset)}
    with (
        hostile(lambda asked: reply(status=429, **hints)) as server,
        Client(server.base_url, "key_abc", patience=60) as client,
        pytest.raises(RateLimited) as caught,
    ):
        client.pages("equipment_list")
    assert (caught.value.retry_after, len(server.asked)) == (seconds, 1)


@pytest.mark.parametrize("odd", ["9" * 5000, "9999-12-31T23:59:59-23:59", "-1", "1e300", "\x7f"])
def test_hints_without_sense_are_no_error(odd):
    names = ("X_RateLimit_Remaining", "X_RateLimit_Reset", "X_RateLimit_Limit", "Date")
    hints = dict.fromkeys(names, odd)
    with (
        hostile(lambda asked: reply({"success": True, "data": []}, **hints)) as server,
        Client(server.base_url, "key_abc") as client,
    ):
        assert [len(client.pages("service_list")) for _ in range(2)] == [1, 1]


def found(asked):
    return reply({"success": True, "data": {"id": asked.path.rsplit("/")[-1]}})


class Quota:
    """A server's own counting: so many requests in windows that begin with their first one.

    Without a reset to tell, they begin with the first one too many: however slow a client is, it
    meets one.
    """

    def __init__(self, quota, window, reset=None, refusal=429, **hints):
        self.quota, self.window, self.refusal = quota, window, refusal
        self.begins_with = 1 if reset else quota + 1
        self.reset, self.hints = reset, hints
        self.lock = threading.Lock()
        self.ends, self.used, self.refused = inf, 0, 0

    def __call__(self, asked):
        """Answer, or turn away."""
        with self.lock:
            now = time()
            if now >= self.ends:
                self.ends, self.used = inf, 0
            self.used += 1
            if self.used == self.begins_with:
                self.ends = now + self.window
            over = self.used > self.quota
            self.refused += over
            headers = dict(self.hints)
            if self.reset:
                headers["X_RateLimit_Remaining"] = str(max(0, self.quota - self.used))
                headers["X_RateLimit_Reset"] = self.reset(self.ends)
        if over:
            return reply({"message": "no"}, self.refusal, **headers)
        return reply({"success": True, "data": {"id": asked.path.rsplit("/")[-1]}}, **headers)


def read_many(quota, count, concurrency=16):
    ids = [f"proj_{n}" for n in range(count)]
    with (
        hostile(quota) as server,
        Client(server.base_url, "key_abc", concurrency=concurrency) as client,
    ):
        received = sorted(id for id, _ in client.records("project", ids))
    assert received == sorted(ids)
    return quota.refused


@pytest.mark.slow
def test_a_quota_is_waited_for_before_it_is_exceeded_in_every_style_of_reset():
    styles = [
        lambda ends: f"{ends - time():.3f}",
        lambda ends: str(ceil(ends - time())),
        lambda ends: str(ceil(ends)),
        lambda ends: str(ceil(ends * 1000)),
        lambda ends: datetime.fromtimestamp(ends, UTC).isoformat(),
    ]
    quotas = [Quota(40, 1.0, style) for style in styles]
    with ThreadPoolExecutor(len(quotas)) as pool:
        refused = list(pool.map(lambda client: read_many(client, 100), quotas))
    assert [count <= 2 for count in refused] == [True] * len(styles)


@pytest.mark.slow
def test_being_turned_away_is_waited_out_whatever_the_status_and_the_hint():
    quotas = [
        Quota(15, 0.3),
        Quota(15, 0.3, Retry_After="0"),
        Quota(15, 0.3, Retry_After="soon"),
        Quota(15, 0.3, Retry_After="0.1"),
        Quota(15, 0.3, X_RateLimit_Retry_After="0.1"),
        Quota(15, 0.3, refusal=403, Retry_After="0.1"),
        Quota(15, 0.3, refusal=420, Retry_After="0.1"),
        Quota(15, 0.3, refusal=503, Retry_After="0.1"),
    ]
    with ThreadPoolExecutor(len(quotas)) as pool:
        refused = list(pool.map(lambda client: read_many(client, 40, concurrency=4), quotas))
    assert min(refused) > 0
    assert max(refused) <= 40


@pytest.mark.slow
@pytest.mark.parametrize("quota", [1, 15])
def test_a_service_that_never_says_when_its_quota_is_back_is_asked_less_and_less_often(quota):
    # Each of four requests that are under way may be refused, and one again and again.
    assert read_many(Quota(quota, 3.0), quota + 1, concurrency=4) <= 16


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 503])
def test_everybody_waits_when_one_is_turned_away(status):
    refusals = []

    def answer(asked):
        if asked.n == 1 or (refusals and time() < refusals[0] + 0.4):
            refusals.append(time())
            return reply(status=status, Retry_After="0.4")
        return found(asked)

    with hostile(answer) as server, Client(server.base_url, "k", concurrency=16) as client:
        assert len(list(client.records("project", [f"proj_{n}" for n in range(60)]))) == 60
    assert len(refusals) <= 9  # those under way, and one that asks whether it is over


@pytest.mark.parametrize(
    ("status", "hints"),
    [
        (429, {"Retry_After": "3600"}),
        (429, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "3600"}),
        (503, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "3600"}),
        (429, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "the epoch second in an hour"}),
    ],
)
def test_a_wait_longer_than_the_patience_is_an_error_that_says_until_when(status, hints):
    in_an_hour = str(int(time()) + 3600)
    hints = {name: in_an_hour if "epoch" in hint else hint for name, hint in hints.items()}
    with (
        hostile(lambda asked: reply(status=status, **hints)) as server,
        Client(server.base_url, "key_abc", patience=60) as client,
        pytest.raises(RateLimited, match=r"Try again at 20[\d: -]+ UTC: .* the 60 s of") as caught,
    ):
        client.pages("equipment_list")
    assert (caught.value.status, round(caught.value.retry_after, -2)) == (status, 3600)
    assert str(caught.value).count("GET /v1/equipment") == 1
    assert len(server.asked) == 1


def test_a_burst_that_is_refused_while_the_hour_has_requests_left_is_no_wait_for_the_hour():
    def answer(asked):
        hour = {"X_RateLimit_Remaining": str(4000 - asked.n), "X_RateLimit_Reset": "3600"}
        return reply({"success": True, "data": []}, 200 if asked.n > 1 else 429, **hour)

    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        assert len(client.pages("service_list")) == 1
    assert len(server.asked) == 2


@pytest.mark.slow
def test_a_quota_that_never_comes_back_is_given_up_within_the_patience(monkeypatch):
    # No wait alone is longer than the patience; and it must end though nothing is wrong with it.
    monkeypatch.setattr("fleetkit.client.retry.CAP", 0.1)

    def answer(asked):
        return reply({"success": True, "data": []}, 429 if asked.n < 900 else 200, Retry_After="0")

    for patience in (0.5, 10):  # a busy machine may not answer in half a second
        with (
            hostile(answer) as server,
            Client(server.base_url, "key_abc", patience=patience) as client,
            pytest.raises(ApiError) as caught,
        ):
            client.pages("service_list")
        if isinstance(caught.value, RateLimited):
            break
    told = f"later: the service took no request in the {patience:g} s of"
    assert (type(caught.value), told in str(caught.value)) == (RateLimited, True)
    assert len(server.asked) <= 60 * patience


def test_an_announced_end_of_quota_far_away_is_put_to_the_test():
    hints = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "86400"}
    with (
        hostile(lambda asked: reply({"success": True, "data": []}, **hints)) as server,
        Client(server.base_url, "key_abc") as client,
    ):
        assert [len(client.pages("service_list")) for _ in range(3)] == [1, 1, 1]


def test_a_missing_scope_is_no_quota_though_the_last_request_was_spent_on_it():
    body = {"error": {"code": "FORBIDDEN", "message": "no scope"}}
    hints = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "60"}
    with (
        hostile(lambda asked: reply(body, 403, **hints)) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(Forbidden),
    ):
        client.pages("service_list")
    assert len(server.asked) == 1


def test_maintenance_longer_than_the_patience_says_when_to_come_back():
    with (
        hostile(lambda asked: reply(status=503, Retry_After="3600")) as server,
        Client(server.base_url, "key_abc", patience=60) as client,
        pytest.raises(ApiError, match="Try again in 3600 s, as the service asks"),
    ):
        client.pages("equipment_list")
    assert len(server.asked) == 1


def test_a_client_starts_with_4_connections_and_has_4_times_as_many_after_each_round_trip():
    barriers = {4: threading.Barrier(4), 20: threading.Barrier(16), 84: threading.Barrier(64)}

    def answer(asked):
        # Each round is answered only once it has arrived in full.
        barriers[min(last for last in barriers if asked.n <= last)].wait(timeout=20)
        return found(asked)

    with hostile(answer) as server, Client(server.base_url, "k", concurrency=64) as client:
        assert len(list(client.records("project", [f"proj_{n}" for n in range(84)]))) == 84
    assert server.most_at_once == 64


def assert_no_more_may_start(limiter):
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(StoppedError):
        limiter.acquire(stop)


def test_no_more_requests_are_under_way_than_the_concurrency_whoever_sends_them():
    limiter, go_on = RequestLimiter(2, patience=60), threading.Event()
    first = [limiter.acquire(go_on), limiter.acquire(go_on)]
    assert_no_more_may_start(limiter)
    for number in first:
        limiter.release(number, answered=True, latency=1e-6)
    assert [limiter.acquire(go_on), limiter.acquire(go_on)] == [3, 4]
    assert_no_more_may_start(limiter)


def test_4_answers_to_requests_of_one_round_trip_are_one_step_of_growth():
    limiter, go_on = RequestLimiter(64, patience=60), threading.Event()
    for number in [limiter.acquire(go_on) for _ in range(4)]:
        limiter.release(number, answered=True, latency=1e-6)
    assert [limiter.acquire(go_on) for _ in range(16)] == list(range(5, 21))
    assert_no_more_may_start(limiter)


def test_who_is_to_stop_starts_nothing_and_waits_for_no_quota():
    limiter, stop = RequestLimiter(2, patience=60), threading.Event()
    stop.set()
    with pytest.raises(StoppedError):
        limiter.acquire(stop)
    assert limiter.started == 0
    limiter.pause(0, seconds=30)
    begun = monotonic()
    assert_no_more_may_start(limiter)
    assert monotonic() - begun < 15


def test_the_longest_of_several_pauses_holds():
    limiter, go_on = RequestLimiter(2, patience=60), threading.Event()
    numbers = [limiter.acquire(go_on) for _ in range(2)]
    for number, seconds in zip(numbers, (30, 0), strict=True):
        limiter.release(number, answered=True)
        limiter.pause(number, seconds)
    assert_no_more_may_start(limiter)


def test_a_fleet_asks_for_no_more_at_once_than_the_concurrency_that_it_is_given():
    def answer(asked):
        sleep(0.01)
        listed = asked.path.endswith("/projects")
        return reply(page(asked, records(8, "proj"))) if listed else found(asked)

    with hostile(answer) as server, fk.connect(server.base_url, "k", concurrency=1) as fleet:
        assert len(fleet.projects(details=True)) == 8
    assert server.most_at_once == 1


def test_requests_are_spread_over_the_round_trip():
    limiter, go_on = RequestLimiter(2, patience=60), threading.Event()
    limiter.release(limiter.acquire(go_on), answered=True, latency=0.3)
    sleep(0.1)  # the first of the next ones waits for nothing
    begun = monotonic()
    for _ in range(4):  # 3 begin in a round trip of 0.3 s where 2 may be under way
        limiter.release(limiter.acquire(go_on), answered=True)
    assert monotonic() - begun >= 0.299


def test_they_are_spread_over_the_fastest_round_trip():
    limiter, go_on = RequestLimiter(2, patience=60), threading.Event()
    for latency in (1e-6, 30.0):
        limiter.release(limiter.acquire(go_on), answered=True, latency=latency)
    begun = monotonic()
    for _ in range(4):
        limiter.release(limiter.acquire(go_on), answered=True)
    assert monotonic() - begun < 15


def test_after_a_quota_was_used_up_1_request_may_start_and_then_2():
    limiter, go_on = RequestLimiter(8, patience=60), threading.Event()
    limiter.release(limiter.acquire(go_on), Hint(left=0, reset=0.01), answered=True, latency=1e-6)
    second = limiter.acquire(go_on)  # of a window that has begun anew
    assert_no_more_may_start(limiter)
    limiter.release(second, answered=True, latency=1e-6)
    assert [limiter.acquire(go_on), limiter.acquire(go_on)] == [3, 4]
    assert_no_more_may_start(limiter)


def test_after_a_rejection_1_request_may_start_and_then_2():
    limiter, go_on = RequestLimiter(8, patience=60), threading.Event()
    limiter.pause(rejected := limiter.acquire(go_on), seconds=0)
    limiter.release(rejected, answered=True)
    limiter.release(limiter.acquire(go_on), answered=True, latency=1e-6)
    assert [limiter.acquire(go_on), limiter.acquire(go_on)] == [3, 4]
    assert_no_more_may_start(limiter)


def test_pauses_in_a_row_are_counted_also_where_a_window_held_1_request():
    limiter, go_on = RequestLimiter(8, patience=60), threading.Event()
    limiter.release(limiter.acquire(go_on), answered=True, latency=1e-6)
    for _ in range(5):
        limiter.release(rejected := limiter.acquire(go_on), answered=True)
        limiter.pause(rejected, seconds=0)
    assert limiter.pauses == 5
    limiter.release(limiter.acquire(go_on), answered=True, latency=1e-6)
    assert limiter.pauses == 0


def test_rejections_of_requests_that_were_under_way_together_are_one_pause():
    limiter, go_on = RequestLimiter(8, patience=60), threading.Event()
    together = [limiter.acquire(go_on) for _ in range(2)]
    for number in together:
        limiter.release(number, answered=True)
        limiter.pause(number, seconds=0)
    assert limiter.pauses == 1


def test_an_answer_to_a_request_sent_before_a_pause_does_not_end_the_row_of_pauses():
    limiter, go_on = RequestLimiter(8, patience=60), threading.Event()
    rejected, other = limiter.acquire(go_on), limiter.acquire(go_on)
    limiter.release(rejected, answered=True)
    limiter.pause(rejected, seconds=0)
    limiter.release(other, answered=True, latency=1e-6)
    assert limiter.pauses == 1


def test_the_last_request_that_a_window_is_expected_to_hold_is_sent_alone():
    limiter, go_on = RequestLimiter(8, patience=60), threading.Event()
    for _ in range(3):
        limiter.release(limiter.acquire(go_on), answered=True, latency=1e-6)
    limiter.release(rejected := limiter.acquire(go_on), answered=True)
    limiter.pause(rejected, seconds=0)
    for _ in range(2):  # of the 3 that the window before held
        limiter.release(limiter.acquire(go_on), answered=True, latency=1e-6)
    assert limiter.acquire(go_on) == 7
    assert_no_more_may_start(limiter)


def test_after_a_rejection_the_end_of_a_window_that_was_named_before_is_forgotten():
    quota = LearnedQuota(concurrency=8)
    quota.update(Hint(left=0, reset=60), 0)
    quota.count_rejection()
    assert quota.wait(0, 1) is None


def test_a_window_that_a_rejection_ended_is_expected_to_hold_as_many_again():
    quota = LearnedQuota(concurrency=8)
    for _ in range(3):
        assert not quota.count_start()
        quota.count_success()
    quota.count_start()
    quota.count_rejection()
    assert [quota.count_start() for _ in range(4)] == [False, False, True, False]


def quota_after_windows(*held):
    """Return what is learnt of windows that held so many requests, each ended by a rejection."""
    quota = LearnedQuota(concurrency=8)
    for count in held:
        for _ in range(count):
            quota.count_start()
            quota.count_success()
        quota.count_start()
        quota.count_rejection()
    return quota


def test_each_window_is_expected_to_hold_as_many_as_the_last_one_that_a_rejection_ended():
    quota = quota_after_windows(3, 2)
    assert [quota.count_start() for _ in range(3)] == [False, True, False]


def test_whole_seconds_to_go_are_taken_as_rounded_up_until_that_was_wrong_twice():
    quota, waits = LearnedQuota(concurrency=8), []
    quota.count_rejection()  # of no window that was assumed to be over
    for now in (0, 10, 20):
        quota.update(Hint(left=0, reset=1.5, rounded=True), now)
        waits.append(quota.wait(0, now))
        quota.wait(0, now + 1.25)
        for _ in range(2):  # two that are turned away show one wrong guess
            quota.count_rejection()
    assert waits == [1, 1, 1.5]


def test_a_count_that_rises_by_more_than_answers_overtake_each_other_opens_a_window():
    quota, waits = LearnedQuota(concurrency=8), []
    for left in (0, 8, 9):
        quota.update(Hint(left=left, reset=10.0), 0)
        waits.append(quota.wait(0, 0))
    assert waits == [10, 10, None]


def test_the_lowest_count_and_the_earliest_end_hold_and_what_is_under_way_uses_it_up():
    quota = LearnedQuota(concurrency=8)
    for left, reset in ((3, 10.0), (2, 7.5), (4, 20.0)):
        quota.update(Hint(left=left, reset=reset), 0)
    assert [quota.wait(under_way, 1) for under_way in (1, 2)] == [None, 6.5]
    assert quota.wait(2, 7.5) is None  # the window is over


@pytest.mark.parametrize(("reset", "rounded"), [(0.5, True), (1.5, False)])
def test_less_than_a_second_or_what_is_not_rounded_is_waited_for_whole(reset, rounded):
    quota = LearnedQuota(concurrency=8)
    quota.update(Hint(left=0, reset=reset, rounded=rounded), 0)
    quota.update(Hint(after=9), 0)
    assert quota.wait(0, 0) == reset


def test_a_window_of_which_no_request_succeeded_says_nothing_of_how_many_the_next_holds():
    quota = quota_after_windows(3, 0)
    assert [quota.count_start() for _ in range(3)] == [False, False, True]


def test_the_earliest_end_that_was_named_tells_whether_a_guess_was_wrong():
    quota = LearnedQuota(concurrency=8)
    for now in (0, 10):
        for reset in (1.5, 3.5):  # of two answers that overtook each other
            quota.update(Hint(left=0, reset=reset, rounded=True), now)
        assert quota.wait(0, now + 1.75) is None
        quota.count_rejection()
    quota.update(Hint(left=0, reset=1.5, rounded=True), 20)
    assert quota.wait(0, 20) == 1


@pytest.mark.parametrize(("left", "passed"), [(5, 1.25), (0, 1.75)])
def test_a_rejection_with_requests_left_or_after_the_named_end_shows_no_wrong_guess(left, passed):
    quota = LearnedQuota(concurrency=8)
    for now in (0, 10):
        quota.update(Hint(left=left, reset=1.5, rounded=True), now)
        assert quota.wait(0, now + passed) is None
        quota.count_rejection()
    quota.update(Hint(left=0, reset=1.5, rounded=True), 20)
    assert quota.wait(0, 20) == 1


def test_a_count_of_requests_left_that_rises_by_the_concurrency_is_of_the_same_window():
    quota = LearnedQuota(concurrency=8)
    quota.update(Hint(left=0, reset=60), 0)
    quota.update(Hint(left=8, reset=60), 1)
    assert quota.wait(0, 1) == 59
    quota.update(Hint(left=9, reset=60), 2)
    assert quota.wait(0, 2) is None
