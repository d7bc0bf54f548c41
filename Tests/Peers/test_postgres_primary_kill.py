"""The primary of PostgreSQL dies while sales stand at every numbered point, and its synchronous standby is promoted:
money moves once or not at all, nothing acknowledged is missing, and the provider's ledger is the judge.

stop_at_point.c, loaded into each process, makes it stand still at the point where it would otherwise end itself. Once
all of them are there, one death of the primary is a death at all these points.
"""
import concurrent.futures
import contextlib
import os

import pytest
from postgres import Counter, charged_by_order, sell
from test_kill import AT_ONCE, journeys
from test_postgres_kill import Shop
from test_postgres_wire import COMMIT
from wire import Wire

import counter
import deaths

# All journeys at one promotion, or each at one of its own, and then at all points.
ROUNDS = [[journey] for journey in deaths.PASSES] if "TILL_EVERY_DEATH" in os.environ else [list(deaths.PASSES)]
PROMOTIONS = int(os.environ.get("TILL_PROMOTIONS", "1"))


class Journey:
    """One way of moving money, on a line of its own to the primary, that stands still at one point."""

    def __init__(self, name, point, pair, sandbox, folder, schema="public"):
        self.name, self.number, self.schema = name, point[0], schema
        self.order = f"o-{name}-{self.number}"
        self.line, self.place = Wire(pair.primary.port), folder / self.order
        self.shop = Shop(pair.address(schema, self.line.port), sandbox)
        self.payment = self.end = self.cut = None

    def go(self, pool, library):
        """As far as the point, or to its end if it does not come there."""
        before, act = journeys(self.shop, self.order)[self.name]
        self.payment = before()
        env = {"LD_PRELOAD": str(library), "TILL_FAILPOINT": str(self.number), "TILL_STOPPED": str(self.place)}
        self.end = pool.submit(act, self.payment, env)
        assert counter.until(lambda: self.stands or self.end.done(), 50), f"{self.order} comes nowhere"

    @property
    def stands(self):
        return self.place.exists()

    def go_on(self):
        self.place.unlink(missing_ok=True)

    def check(self, pair):
        """The journal of the new primary against what the customer was told, and against the provider's ledger."""
        ended, shop = self.end.result(), self.shop
        note = f"{self.order}: {ended}"
        assert ended.code >= 0 and ended.json, note
        known = pair.standby.psql(f"SELECT id FROM {self.schema}.payment WHERE order_id = '{self.order}'").split()
        told = ended.json if ended.code == 0 else {}
        acknowledged = self.payment or told.get("id")
        assert len(known) <= 1 and (acknowledged is None or known == [acknowledged]), (note, known)
        assert known or not deaths.charges_of(shop.stripe, self.order), f"{note}: a charge that the journal lacks"
        deaths.check_money(shop, self.order, known[0] if known else None, note)
        if told:
            now = shop.show(acknowledged)
            assert [now["status"], *(counter.amount(now, name) for name in ("captured", "refunded"))] == [
                told["status"], *(counter.amount(told, name) for name in ("captured", "refunded"))], f"{note}: {now}"


@contextlib.contextmanager
def standing_at_their_points(made, folder):
    """Those of the journeys that came to their points; all have ended afterwards."""
    library = counter.library("stop_at_point", folder)
    with (concurrent.futures.ThreadPoolExecutor(len(made)) as pool,
          concurrent.futures.ThreadPoolExecutor(AT_ONCE) as starting):
        try:
            list(starting.map(lambda journey: journey.go(pool, library), made))
            standing = [journey for journey in made if journey.stands]
            if "TILL_EVERY_DEATH" not in os.environ:
                missed = {journey.number for journey in made} - {journey.number for journey in standing}
                assert not missed, f"no journey stands at {missed}"
            yield standing
        finally:
            for journey in made:
                journey.go_on()


def tell(made, standing, caught):
    points, done = {journey.number for journey in standing}, [journey.end.result().code == 0 for journey in made]
    print(f"{len(points)} points, {len(standing)} journeys stand there, {caught} of them are in a commit when the "
          f"primary dies, {sum(done)} of {len(made)} are acknowledged")


def between_writes(pair, standing):
    """Nothing is on its way to the database; what comes next meets the standby."""
    pair.promote()
    return 0


def in_a_commit_that_the_standby_has(pair, standing):
    """The next commit of each is in both servers, and nobody hears of it."""
    for journey in standing:
        journey.cut = journey.line.cut(COMMIT, ends=False)
        journey.go_on()
    assert counter.until(lambda: all(journey.cut.done.is_set() or journey.end.done() for journey in standing))
    pair.promote()
    for journey in standing:
        journey.line.drop()
    caught = sum(journey.cut.done.is_set() for journey in standing)
    assert caught > 0, "nothing was in a commit"
    return caught


@pytest.mark.parametrize("turn", range(PROMOTIONS))
@pytest.mark.parametrize("names", ROUNDS, ids="-".join)
@pytest.mark.parametrize("moment", [between_writes, in_a_commit_that_the_standby_has], ids=lambda each: each.__name__)
def test_a_primary_that_dies_at_any_point_leaves_every_journey_to_its_standby(
        pair, sandbox, tmp_path, moment, names, turn):
    made = [Journey(name, point, pair, sandbox, tmp_path) for name in names for point in deaths.points(name)]
    with Counter(tmp_path / "beside", pair.primary, *sandbox.flags, address=pair.address()) as beside:
        with standing_at_their_points(made, tmp_path) as standing:
            caught = moment(pair, standing)
        # Sales go on, and what a process has left is finished by the counter.
        assert sell(lambda: beside, "o-after"), "nobody sells any more"
        held = "SELECT count(*) FROM outbox WHERE owner IS NOT NULL OR due_at < till_clock()"
        assert counter.until(lambda: pair.standby.psql(held) == "0", 60), pair.standby.psql("SELECT * FROM outbox")
    deaths.settle(Shop(pair.address(), sandbox))
    for journey in made:
        journey.check(pair)
        journey.line.close()
    assert charged_by_order(sandbox)["o-after"] == [deaths.PRICE]
    tell(made, standing, caught)


@pytest.mark.parametrize("turn", range(PROMOTIONS))
@pytest.mark.parametrize("names", ROUNDS, ids="-".join)
def test_a_commit_that_dies_with_the_primary_is_made_again_or_found_out(pair, sandbox, tmp_path, names, turn):
    """It waits for the standby, which it never reaches. A journal is written by one at a time, so each has its own."""
    tries = [(name, point) for name in names for point in deaths.points(name)]
    made = [Journey(*each, pair, sandbox, tmp_path, f"journal_{number}") for number, each in enumerate(tries)]
    pair.primary.psql("; ".join(f"CREATE SCHEMA {journey.schema} AUTHORIZATION shop" for journey in made))
    # What comes next is the writer's session, its commit, or the goodbye of a process that has written all; each may
    # wait for a heartbeat of its own, which waits for the standby.
    waiting = ("SELECT count(*) FROM pg_stat_activity WHERE (wait_event = 'SyncRep' OR wait_event_type = 'Lock') "
               "AND ltrim(query, E' \\n') ~ '^(UPDATE counter_live SET session|CALL|WITH left_now)'")

    def all_wait():
        waited.append(int(pair.primary.psql(waiting)))
        return waited[-1] >= sum(not journey.end.done() for journey in standing)

    waited = []
    with standing_at_their_points(made, tmp_path) as standing, pair.line.hold():
        for journey in standing:
            journey.go_on()
        assert counter.until(all_wait) and waited[-1], f"not all come to a commit: {waited}"
        written = pair.primary.psql("SELECT pg_current_wal_flush_lsn()")
        assert pair.standby.psql(f"SELECT pg_last_wal_receive_lsn() < '{written}'") == "t", "the standby has it all"
        pair.promote()

    def settle_and_check(journey):
        deaths.settle(journey.shop)
        journey.check(pair)
        journey.line.close()

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(settle_and_check, made))
    tell(made, standing, waited[-1])
