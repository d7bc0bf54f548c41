"""Orders as WooCommerce computes them, from a seed: the arithmetic of its cart and of its order screen, and the form of
its REST interface (v3). Written from what the shop does, not from what till expects.

Amounts are counted in cents with four further digits, as the shop counts; documents show the shop's decimal places.
"""
import random
from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal

CURRENCIES = [("EUR", 2), ("USD", 2), ("GBP", 2), ("JPY", 0), ("KRW", 0), ("KWD", 3), ("HUF", 0), ("CHF", 2)]
NAMES = [
    "Beanie", "T-Shirt &amp; Co", "Crème brûlée", "Kaffee 🍰 &quot;Wiener Art&quot;", "日本茶", "قهوة",
    "Hoodie - Blue, M",
    "<b>Bold</b> claim", "5 &times; A4", "Zero&#8209;width",
]


def to(value, places, rounding=ROUND_HALF_UP):
    return Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=rounding)


class Shop:
    """One shop's settings."""

    def __init__(self, dice):
        self.currency, self.places = dice.choice(CURRENCIES)
        if self.currency in ("EUR", "USD") and dice.random() < 0.1:
            self.places = 0
        self.includes_tax = dice.random() < 0.5
        self.rounds_at_subtotal = dice.random() < 0.4
        self.has_tax = dice.random() < 0.85
        count = 1 if dice.random() < 0.7 else dice.choice([2, 3])
        self.rates = [Decimal(dice.choice(["19", "7", "8.875", "20", "5.5", "2", "25", "9.9750", "4", "21", "0.5"]))
                      for _ in range(count)] if self.has_tax else []

    def cents(self, value):
        """With precision: so many cents, four digits behind them."""
        return to(Decimal(value).scaleb(self.places), 6 - self.places if self.places <= 6 else 0)

    def shown(self, cents):
        """As the REST interface writes an amount."""
        return str(to(cents.scaleb(-self.places), self.places))

    def raw(self, cents):
        """As the database keeps an amount: without zeros at the end."""
        text = format(to(cents.scaleb(-self.places), 8).normalize(), "f")
        return text

    def taxes(self, cents, inclusive):
        """One amount of tax for each rate, to six digits of a cent."""
        whole = Decimal(1) + sum(self.rates, Decimal(0)) / 100
        base = cents / whole if inclusive else cents
        return [to(base * rate / 100, 6) for rate in self.rates]

    def tax_total(self, cents):
        """Half down where prices include tax, half up elsewhere."""
        return to(cents, 0, ROUND_HALF_DOWN if self.includes_tax else ROUND_HALF_UP)

    def line_tax(self, cents):
        return cents if self.rounds_at_subtotal else self.tax_total(cents)

    def item_total(self, cents):
        return cents if self.rounds_at_subtotal else to(cents, 0)


class Line:
    def __init__(self, shop, price, quantity, name):
        self.shop, self.quantity, self.name = shop, quantity, name
        self.price = shop.cents(Decimal(price) * quantity)
        self.discount = Decimal(0)

    def compute(self):
        shop = self.shop
        self.before_taxes = shop.taxes(self.price, shop.includes_tax)
        self.subtotal = self.price - sum(self.before_taxes, Decimal(0)) if shop.includes_tax else self.price
        left = self.price - self.discount
        self.all_taxes = shop.taxes(left, shop.includes_tax)
        self.total = left - sum(self.all_taxes, Decimal(0)) if shop.includes_tax else left


def document(seed):
    """One order, and what the shop would charge for it."""
    dice = random.Random(seed)
    shop = Shop(dice)
    step = Decimal(1).scaleb(-shop.places)
    lines = []
    for _ in range(dice.choice([1, 1, 2, 3, 5, 9, 17])):
        price = Decimal(dice.randrange(1, 20000)) * step
        if shop.places <= 2 and dice.random() < 0.1:
            price = price / 3  # a price with more digits than the shop shows
        lines.append(Line(shop, price, dice.choice([1, 1, 2, 3, 7, 12]), dice.choice(NAMES)))
    coupon = dice.choice([None, None, 5, 10, 15, 33])
    if coupon:
        for line in lines:
            line.discount = to(line.price * coupon / 100, 0, ROUND_DOWN)
    for line in lines:
        line.compute()
    shipping = shop.cents(Decimal(dice.randrange(0, 3000)) * step) if dice.random() < 0.7 else None
    ship_taxes = shop.taxes(shipping, False) if shipping is not None and dice.random() < 0.8 else []
    fees = []
    for _ in range(dice.choice([0, 0, 0, 1, 2])):
        amount = shop.cents(Decimal(dice.randrange(-300, 900)) * step)
        fees.append((amount, shop.taxes(amount, False) if dice.random() < 0.7 else []))
    items = sum((shop.item_total(line.total) for line in lines), Decimal(0))
    goods_tax = sum((shop.line_tax(tax) for line in lines for tax in line.all_taxes), Decimal(0))
    fee_tax = sum((shop.line_tax(tax) for _, taxes in fees for tax in taxes), Decimal(0))
    ship_tax = sum((shop.line_tax(tax) for tax in ship_taxes), Decimal(0))
    total = to(items + sum((fee for fee, _ in fees), Decimal(0)) + (shipping or 0) + goods_tax + fee_tax + ship_tax, 0)
    discount_taxes = [sum(shop.taxes(line.discount, shop.includes_tax), Decimal(0)) for line in lines]
    if dice.random() < 0.5:  # at checkout: from the coupon
        discount = sum((line.discount for line in lines), Decimal(0))
        if shop.includes_tax:
            discount -= sum(discount_taxes, Decimal(0))
    else:  # on the order screen: from the lines
        discount = sum((shop.item_total(line.subtotal) - shop.item_total(line.total) for line in lines), Decimal(0))
    cart_tax = goods_tax + fee_tax
    # Some versions round the order's tax once, others that of goods and that of shipping.
    apart = random.Random(f"{seed} tax").random() < 0.5
    parts = [cart_tax, ship_tax] if apart else [cart_tax + ship_tax]
    total_tax = sum((shop.tax_total(part) for part in parts), Decimal(0))

    def taxed(taxes, before=None):
        return [
            {"id": number, "total": shop.raw(tax), "subtotal": shop.raw(before[number - 1]) if before else ""}
            for number, tax in enumerate(taxes, 1)
        ]

    def item_tax(taxes):
        return shop.shown(sum((shop.line_tax(tax) for tax in taxes), Decimal(0)))

    order = {
        "id": 1_000_000 + seed, "parent_id": 0, "number": str(1_000_000 + seed), "status": "pending",
        "currency": shop.currency, "prices_include_tax": shop.includes_tax,
        "discount_total": shop.shown(discount), "discount_tax": shop.shown(sum(discount_taxes, Decimal(0))),
        "shipping_total": shop.shown(shipping or Decimal(0)), "shipping_tax": shop.shown(ship_tax),
        "cart_tax": shop.shown(cart_tax), "total": shop.shown(total),
        "total_tax": str(to(total_tax.scaleb(-shop.places), shop.places)),
        "date_paid": None, "date_paid_gmt": None, "refunds": [], "customer_note": "",
        "line_items": [
            {
                "id": number, "name": line.name, "product_id": 10 + number, "variation_id": 0,
                "quantity": line.quantity,
                "tax_class": "", "subtotal": shop.shown(line.subtotal),
                "subtotal_tax": item_tax(line.before_taxes), "total": shop.shown(line.total),
                "total_tax": item_tax(line.all_taxes), "taxes": taxed(line.all_taxes, line.before_taxes),
                "meta_data": [], "sku": dice.choice(["", None, "SKU-1"]),
                "price": float(Decimal(shop.raw(line.total)) / line.quantity),
            }
            for number, line in enumerate(lines, 1)
        ],
        "shipping_lines": [] if shipping is None else [
            {"id": 50, "method_title": "Flat rate", "method_id": "flat_rate", "total": shop.shown(shipping),
             "total_tax": item_tax(ship_taxes), "taxes": taxed(ship_taxes), "meta_data": []}
        ],
        "fee_lines": [
            {"id": 60, "name": "Fee", "tax_class": "", "tax_status": "taxable", "amount": shop.raw(fee),
             "total": shop.shown(fee), "total_tax": item_tax(taxes), "taxes": taxed(taxes), "meta_data": []}
            for fee, taxes in fees
        ],
        "coupon_lines": [] if not coupon else [
            {"id": 70, "code": "sale", "discount": shop.raw(discount),
             "discount_tax": shop.raw(sum(discount_taxes, Decimal(0))), "meta_data": []}
        ],
        "tax_lines": [], "meta_data": [{"id": 1, "key": "_subscription_renewal", "value": "77"}],
    }
    return order, int(total), shop
