"""The pages of docs/integrate as something that can be run: their requests, answers and deliveries, and how what is
shown is compared with what came."""
import json
import re

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REST = "…"


class Differs(AssertionError):
    """The page does not show what the product does."""


class Message:
    """A request or an answer as the page shows it."""

    def __init__(self, text):
        head, _, body = text.strip().partition("\n\n")
        self.first, *lines = head.splitlines()
        self.fields = dict(line.split(": ", 1) for line in lines)
        self.body = body

    @property
    def is_answer(self):
        return self.first.startswith("HTTP/1.1 ")

    @property
    def status(self):
        return int(self.first.split(" ")[1])

    @property
    def method(self):
        return self.first.split(" ")[0]

    @property
    def path(self):
        return self.first.split(" ")[1]

    @property
    def json(self):
        return json.loads(self.body) if self.body else None


class Exchange:
    """A request with its answer; a delivery if the shop gets it."""

    def __init__(self, request, answer):
        self.request, self.answer = request, answer

    @property
    def is_delivery(self):
        return "Host" in self.request.fields


def blocks(page, language):
    return [text for name, text in FENCE.findall(page) if name == language]


def exchanges(page):
    messages = [Message(text) for text in blocks(page, "http")]
    if [m.is_answer for m in messages] != [False, True] * (len(messages) // 2):
        raise Differs("a request without its answer, or an answer without its request")
    return [Exchange(*pair) for pair in zip(messages[::2], messages[1::2])]


class Elisions:
    """What stands in the place of `…`. One with a text before it, such as `pay_…`, is one value everywhere, if the
    text names something: it ends in an underscore."""

    def __init__(self, names=("pay_",)):
        self.names, self.values = names, {}

    def forget(self):
        self.values = {}

    def filled(self, text):
        """A text of a request, with the values that are known."""
        for name, value in self.values.items():
            text = text.replace(name + REST, value)
        if REST in text:
            raise Differs(f"it is not known what … is in {text}")
        return text

    def check(self, shown, came, place):
        """Compares a text, and learns the values of names in it."""
        for name in self.names:
            if name + REST in shown:
                if name not in self.values:
                    found = re.match(re.escape(shown.split(name + REST)[0]) + f"({name}[0-9a-z]+)", came)
                    if not found:
                        raise Differs(f"{place}: shown is {shown!r}, came {came!r}")
                    self.values[name] = found[1]
                shown = shown.replace(name + REST, self.values[name])
        if shown == REST:
            fits = bool(came)
        elif shown.endswith(REST):
            start = shown.removesuffix(REST)
            fits = came.startswith(start) and len(came) > len(start)
        else:
            fits = shown == came
        if not fits:
            raise Differs(f"{place}: shown is {shown!r}, came {came!r}")

    def compare(self, shown, came, place="answer"):
        """Compares two documents, member by member."""
        if shown == REST:
            return
        if type(shown) is not type(came):
            raise Differs(f"{place}: shown is {shown!r}, came {came!r}")
        if isinstance(shown, dict):
            more = {key for key in shown if key == REST}
            names = set(shown) - more
            if names - set(came) or (set(came) - names and not more):
                raise Differs(f"{place}: shown are {sorted(names)}, came {sorted(came)}")
            for name in shown:
                if name != REST:
                    self.compare(shown[name], came[name], f"{place}.{name}")
        elif isinstance(shown, list):
            if len(shown) != len(came):
                raise Differs(f"{place}: shown are {len(shown)}, came {len(came)}")
            for number, (one, other) in enumerate(zip(shown, came)):
                self.compare(one, other, f"{place}[{number}]")
        elif isinstance(shown, str):
            self.check(shown, came, place)
        elif shown != came:
            raise Differs(f"{place}: shown is {shown!r}, came {came!r}")

    def compare_fields(self, shown, came, place):
        for name, value in shown.items():
            if name not in came:
                raise Differs(f"{place}: the field {name} did not come")
            self.check(value, came[name], f"{place}, {name}")
