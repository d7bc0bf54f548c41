"""Receipts that are longer than a sheet, and papers that are asked for, on CUPS's own printer; CUPS's own library reads
the raster."""
import ctypes
import ctypes.util
import json
import re
import subprocess

import pytest

import printers
from printers import prints, states

pytestmark = printers.needs_printer


class Header(ctypes.Structure):
    """cups_page_header2_t"""
    _fields_ = [
        ("texts", ctypes.c_char * 64 * 4), ("start", ctypes.c_uint32 * 5), ("resolution", ctypes.c_uint32 * 2),
        ("middle", ctypes.c_uint32 * 17), ("page", ctypes.c_uint32 * 2), ("more", ctypes.c_uint32 * 3),
        ("width", ctypes.c_uint32), ("height", ctypes.c_uint32), ("kind", ctypes.c_uint32),
        ("bits", ctypes.c_uint32 * 2), ("line", ctypes.c_uint32), ("order", ctypes.c_uint32),
        ("space", ctypes.c_uint32), ("rest", ctypes.c_uint32 * 5), ("borderless", ctypes.c_float),
        ("size", ctypes.c_float * 2), ("box", ctypes.c_float * 4), ("integers", ctypes.c_uint32 * 16),
        ("reals", ctypes.c_float * 16), ("strings", ctypes.c_char * 64 * 16), ("names", ctypes.c_char * 64 * 3),
    ]


def raster_pages(file):
    """Width, height, pages that the header tells of, and the share of dark dots, page by page as libcups reads them."""
    assert ctypes.sizeof(Header) == 1796
    cups = ctypes.CDLL(ctypes.util.find_library("cups"))
    cups.cupsRasterOpen.restype = ctypes.c_void_p
    cups.cupsRasterReadHeader2.argtypes = [ctypes.c_void_p, ctypes.POINTER(Header)]
    cups.cupsRasterReadPixels.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint]
    cups.cupsRasterClose.argtypes = [ctypes.c_void_p]
    pages = []
    with open(file, "rb") as source:
        raster = cups.cupsRasterOpen(source.fileno(), 0)
        header = Header()
        while cups.cupsRasterReadHeader2(raster, ctypes.byref(header)):
            line, dark = ctypes.create_string_buffer(header.line), 0
            for _ in range(header.height):
                assert cups.cupsRasterReadPixels(raster, line, header.line) == header.line, "a line is missing"
                dark += sum(byte < 128 for byte in line.raw)
            pages.append((header.width, header.height, header.integers[0], dark / (header.width * header.height)))
        cups.cupsRasterClose(raster)
    return pages


@pytest.fixture
def long_sale(till, tmp_path):
    return sale_of(till, tmp_path, 200)


def sale_of(till, tmp_path, lines, name="Line"):
    """A sale of so many lines of one euro."""
    (tmp_path / "order.json").write_text(json.dumps({
        "id": 7, "number": "7", "currency": "EUR", "total": f"{lines}.00", "total_tax": "0.00",
        "discount_total": "0.00", "shipping_total": "0.00", "line_items": [
            {"name": f"{name} {n}", "quantity": 1, "subtotal": "1.00", "subtotal_tax": "0.00", "total": "1.00",
             "total_tax": "0.00"} for n in range(lines)]}))
    done = till.run("sale", "--order", tmp_path / "order.json", "--reader", "simulated", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["payment_id"]


def test_a_long_receipt_on_sheets_is_one_raster_document_of_all_its_pages(till, printer, long_sale, tmp_path):
    sheets = printer("a4", formats='"image/pwg-raster"')
    done = till.print(long_sale, sheets.address)
    assert states(done) == ["printed"], done.stdout + done.stderr
    (kind, _, media, file, _), = sheets.jobs()
    assert kind == "image/pwg-raster" and "x-dimension=21000 y-dimension=29700" in media
    pages = raster_pages(file)
    # The same receipt as PDF, drawn by another hand, says how many pages there are and how dark each is.
    pdf = tmp_path / "r.pdf"
    assert till.run("receipts", "show", long_sale, "--format", "pdf", "--width", "A4", "-o", pdf).returncode == 0
    count = int(re.search(r"Pages:\s+(\d+)", subprocess.check_output(["pdfinfo", pdf], text=True)).group(1))
    assert len(pages) == count >= 4
    for number, (width, height, told, dark) in enumerate(pages, 1):
        assert told == count and abs(width / height - 210 / 297) < 0.002
        picture = subprocess.run(["pdftoppm", "-r", "100", "-gray", "-f", str(number), "-l", str(number), pdf],
                                 capture_output=True, check=True).stdout
        dots = picture[-827 * 1169:]
        theirs = sum(byte < 128 for byte in dots) / len(dots)
        assert dark > 0.002 and abs(dark - theirs) < max(0.002, theirs * 0.25), (number, dark, theirs)


def test_the_same_on_a_roll_is_one_long_page(till, printer, long_sale):
    roll = printer("roll", formats='"image/pwg-raster"')
    assert states(till.print(long_sale, roll.address)) == ["printed"]
    ((width, height, told, dark),) = raster_pages(roll.jobs()[0][3])
    assert width == 639 and height > 6000 and told == 1 and dark > 0.005


def test_a_printer_of_pictures_only_is_not_sent_the_first_page_for_the_whole(till, printer, long_sale):
    sheets = printer("a4", formats='"image/jpeg"')
    done = till.print(long_sale, sheets.address)
    (job,) = prints(done)
    assert (job["state"], job["reason"], job["tries"]) == ("failed", "receipt_longer_than_paper", 1), job
    assert "pages, and the printer takes pictures only" in job["message"]
    assert sheets.jobs() == []
    assert states(till.print(till.sale(), sheets.address)) == ["printed"]


def test_what_is_longer_than_the_paper_fails_at_once_and_is_not_tried_again(till, printer, tmp_path):
    # A thousand lines of three rows are some ten meters, and the roll's longest paper is a third of that.
    words = "A name of what was sold that has so many words that it takes three rows of the paper of a roll, and line"
    roll, sale = printer("roll"), sale_of(till, tmp_path, 1000, words)
    done = till.print(sale, roll.address)
    (job,) = prints(done)
    assert done.returncode == 1 and (job["state"], job["reason"], job["tries"]) == (
        "failed", "receipt_longer_than_paper", 1), job
    assert "the printer has no paper of that length" in job["message"]
    assert states(till.run("receipts", "print", "--waiting", "--json")) == [] and roll.jobs() == []
    (listed,) = prints(till.run("receipts", "queue", "--json"))
    assert listed == job and job["message"][:60] in till.run("receipts", "queue").stdout.replace("\n  ", " ")
    # What the printer can print later still waits for it.
    roll.stop()
    waits = prints(till.print(till.sale(), roll.address))[0]
    assert (waits["state"], waits["reason"]) == ("waiting", "printer_unreachable"), waits
    roll.start()
    assert states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"]


def test_the_paper_that_is_asked_for_is_the_paper_that_is_taken_or_none(till, printer):
    roll, sheets, payment = printer("roll"), printer("a4"), till.sale()
    assert states(till.print(payment, roll.address, "--width", "58")) == ["printed"]
    assert "x-dimension=5800 " in roll.jobs()[0][2]
    for printer_, width in ((roll, "A4"), (sheets, "80")):
        done = till.print(payment, printer_.address, "--width", width)
        assert states(done) == ["waiting"] and "it takes no " in prints(done)[0]["message"], done.stdout
    assert len(roll.jobs()) == 1 and sheets.jobs() == []
    unknown = till.print(payment, roll.address, "--width", "70")
    assert unknown.returncode == 1 and json.loads(unknown.stdout)["error"]["code"] == "unknown_width"
    # What waits remembers its paper.
    for job in till.queue(payment):
        if job["state"] == "waiting":
            assert job["width"] in ("A4", "80")
            till.run("receipts", "cancel", job["id"])
    roll.stop()
    assert states(till.print(payment, roll.address, "--width", "58")) == ["waiting"]
    roll.start()
    assert states(till.run("receipts", "print", "--waiting", "--json")) == ["printed"]
    assert "x-dimension=5800 " in roll.jobs()[1][2]


def test_the_receipt_of_one_refund_is_printed_too(till, printer):
    roll, payment = printer("roll"), till.sale()
    refunded = till.run("payments", "refund", payment, "--amount", "5.00", "--json")
    refund = json.loads(refunded.stdout)["refunds"][0]["id"]
    done = till.print(payment, roll.address, "--refund", refund)
    assert states(done) == ["printed"] and prints(done)[0]["reprint"] is False, done.stdout + done.stderr
    text = subprocess.check_output(["pdftotext", "-layout", roll.jobs()[0][3], "-"], text=True)
    assert "REFUNDED" in text and "5.00" in text and "12.50" not in text
    assert states(till.print(payment, roll.address)) == ["printed"]
    none = till.print(payment, roll.address, "--refund", "re_none")
    assert none.returncode == 1 and json.loads(none.stdout)["error"]["code"] == "refund_not_found"
    assert len(roll.jobs()) == 2
