"""A process dies at every numbered point with its journal in PostgreSQL, beside a counter that goes on selling and
takes over what the dead ones held: money moves once or not at all, and the provider's ledger is the judge."""
import concurrent.futures
import threading

from postgres import Counter, charged_by_order, sell, verified
from test_kill import AT_ONCE, journeys

import counter
import deaths


class Shop(counter.Shop):
    """The command line on a journal in a database."""

    def __init__(self, address, stripe):
        super().__init__(".", stripe)
        self.journal = address
        self.common = ["--journal", self.journal, "--json", *stripe.flags]


def die(shop, point, journey):
    """One journey, killed at one point: its order, what payment is acknowledged, and whether it came to that point."""
    number, _ = point
    order = f"o-{journey}-{number}"
    before, act = journeys(shop, order)[journey]
    payment = before()
    ended = act(payment, {"TILL_FAILPOINT": str(number)})
    assert ended.killed or ended.code == 0, (order, ended)
    return order, payment or (None if ended.killed else ended.json["id"]), ended.killed and number


def test_a_death_at_any_point_is_taken_over_by_the_counter_beside_it(cluster, sandbox, tmp_path):
    shop = Shop(cluster.address(), sandbox)
    tries = [(point, journey) for journey in deaths.PASSES for point in deaths.points(journey)]
    sold, stop = [], threading.Event()
    with Counter(tmp_path / "beside", cluster, *sandbox.flags) as beside:

        def clerk():
            while not stop.is_set():
                order = f"o-beside-{len(sold)}"
                assert sell(lambda: beside, order), order
                sold.append(order)

        with concurrent.futures.ThreadPoolExecutor(AT_ONCE + 1) as pool:
            selling = pool.submit(clerk)
            ends = list(pool.map(lambda each: die(shop, *each), tries))
            stop.set()
            selling.result()
        # The counter proves the deaths, which were on its machine, and finishes what they held.
        held = "SELECT count(*) FROM outbox WHERE owner IS NOT NULL OR due_at < till_clock()"
        assert counter.until(lambda: cluster.psql(held) == "0", 60), cluster.psql("SELECT * FROM outbox")
    deaths.settle(shop)
    reached = {number for _, _, number in ends if number}
    missed = [name for number, name in deaths.points("sale") if number not in reached]
    assert not missed, f"no journey reaches {missed}"
    for order, payment, died in ends:
        known = cluster.psql(f"SELECT id FROM payment WHERE order_id = '{order}'").split()
        assert len(known) <= 1 and (payment is None or known == [payment]), (order, known, payment)
        deaths.check_money(shop, order, known[0] if known else None, f"{order}, killed at {died}")
        assert known or not deaths.charges_of(sandbox, order), f"{order}: a charge that the journal lacks"
    books = charged_by_order(sandbox)
    assert {order: books[order] for order in sold} == {order: [1250] for order in sold}
    verified(cluster)
    print(f"{len(reached)} points, {len(ends)} journeys, {len(sold)} sales beside them")
