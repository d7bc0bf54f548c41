"""Order documents as a shop makes them, and what it says of those that are settled."""

SETTLED = {
    "paid": ({"date_paid": "2019-06-06T17:17:58", "payment_method_title": "Card", "status": "processing"},
             "the shop says it was paid on 2019-06-06 through Card"),
    "paid, in universal time": ({"date_paid_gmt": "2019-06-06T17:17:58", "status": "completed"},
                                "the shop says it was paid on 2019-06-06"),
    "refunded": ({"date_paid": "2019-06-06T17:17:58", "status": "refunded"}, "the shop says it was refunded"),
    "cancelled": ({"status": "cancelled"}, "the shop says it was canceled"),
    "trash": ({"status": "trash"}, "the shop says it is in the trash"),
}


def document(**more):
    return {"id": 1001, "number": "1001", "status": "pending", "currency": "EUR", "total": "12.50",
            "line_items": [{"name": "Teapot", "quantity": 1, "total": "12.50", "total_tax": "0.00"}],
            **more}
