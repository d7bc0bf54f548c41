"""The programs of Examples/, run as their reader would: what they print is what the documentation says."""
import pathlib
import subprocess

import pytest

import counter

SAYS = {
    "FirstSale": ["is succeeded: captured 12.50 EUR"],
    "ReaderSale": ["reader: ", "12.50", "4.50 EUR of 12.50 EUR given back"],
    "TapToPay": ["Member ••0001, visit 1", "approved: 12.50 EUR", "12.50 EUR of 12.50 EUR given back, approved"],
    "OnlineOrder": ["Money moved: no", "asked again: the same order"],
    "ApplePayToken": ["the order for 42.01 GBP", "order-1: accepted", "order-2: ", "used for a payment before"],
}


@pytest.mark.parametrize("name", SAYS)
def test_an_example_does_what_it_says(name, tmp_path):
    program = pathlib.Path(counter.binary()).resolve().parent / name
    for _ in range(2):  # a second run finds what the first one left
        ran = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        assert "Fatal" not in ran.stderr
        for text in SAYS[name]:
            assert text in ran.stdout, ran.stdout
    assert "4868719196829038" not in ran.stdout


def test_every_example_is_run():
    folder = pathlib.Path(__file__).parents[2] / "Examples"
    # These pay at a running counter: test_counter_reader.py, test_applepay_app.py, test_app_checkout.py,
    # test_app_journeys.py, test_sample_shops.py.
    apart = {"CounterSale", "ApplePaySale", "AppCheckout", "ShopInPython", "ShopInSwift"}
    assert {path.name for path in folder.iterdir() if path.is_dir()} <= {*SAYS, *apart}
