import Testing
import TillCore
import TillTestSupport

@Suite("Card numbers in texts and in machines' names")
struct CardNumberMaskTests {
    @Test(
        "in a name that a machine has given a card number stands by itself",
        arguments: [
            ("4111111111111111", "************1111"),
            ("pi_4111111111111111", "pi_************1111"),
            ("4111-1111-1111-1111/2", "****-****-****-1111/2"),
            ("ab_4111111111111111_c1", "ab_************1111_c1"),
            ("4111111111111111 5555555555554444", "************1111 ************4444"),
        ])
    func byItself(name: String, masked: String) {
        #expect(CardNumberMask.maskedName(name) == masked)
        #expect(CardNumberMask.finds(inName: name))
    }

    @Test(
        "in hexadecimal names digits are a part of a longer word",
        arguments: [
            "sb_9f4111111111111111ab/0", "sb_4111111111111111ab", "sb_9f4111111111111111", "re_a4111111111111111_1",
            "4111111111111111é",
        ])
    func hexadecimal(name: String) {
        #expect(CardNumberMask.maskedName(name) == name)
        #expect(!CardNumberMask.finds(inName: name))
        #expect(CardNumberMask.finds(in: name), "a person's text is searched more strictly")
    }

    @Test(
        "what is percent-encoded is read as what it stands for",
        arguments: [
            ("4111%201111%201111%201111", "****%20****%20****%201111"),
            ("key=4111%2D1111%2d1111%2D1111", "key=****%2D****%2d****%2D1111"),
            ("%34111111111111111", "%3************1111"),
            ("%4111111111111111", "%************1111"),
        ])
    func percentEncoded(text: String, masked: String) {
        #expect(CardNumberMask.masked(text) == masked)
    }

    @Test("a percent sign alone, or before anything else, is none", arguments: ["4111%", "4111 1111 1111 %2", "%zz%2"])
    func percentSign(text: String) {
        #expect(CardNumberMask.masked(text) == text)
    }

    @Test("A random name is none, however many digits it has in sequence")
    func randomNames() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            let digits = (0..<32).map { _ in Array("0123456789abcdef")[Int.random(in: 0..<16, using: &random)] }
            let hexadecimal = String(digits)
            var uuid = digits
            for place in [20, 16, 12, 8] { uuid.insert("-", at: place) }
            for name in [hexadecimal, String(uuid), "order-" + String(uuid), String(uuid).uppercased() + ":confirm"]
            where digits.count(where: \.isLetter) >= 7 {
                #expect(!CardNumberMask.finds(in: name), "\(name)")
            }
        }
    }

    @Test(
        "A card number beside a random name, or in the form of one, is found",
        arguments: [
            "4111111111111111-9f1c-4b2a-8e6d-0123456789ab", "550e8400-e29b-41d4-a716-446655440000 4111111111111111",
            "41111111-1111-1111-9999-999999999999", "4111111111111111", "k-4111-1111-1111-1111",
        ])
    func besideRandomNames(text: String) {
        #expect(CardNumberMask.finds(in: text))
    }

    @Test(
        "For people a digest stays whole, and twelve digits beside it do not",
        arguments: [
            (
                "13:195459380f6215280530409c3a182ca23e942efaee4da575739dcc0c3a8ceb03",
                "13:195459380f6215280530409c3a182ca23e942efaee4da575739dcc0c3a8ceb03"
            ),
            ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
            (
                "123456 789012 195459380f6215280530409c3a182ca23e942efaee4da575739dcc0c3a8ceb03",
                "•••• 195459380f6215280530409c3a182ca23e942efaee4da575739dcc0c3a8ceb03"
            ),
            ("Call 0301 1234-56789 - now", "Call •••• - now"),
            ("k123456789012x", "k••••x"), ("12345678901", "12345678901"),
        ])
    func forPeople(text: String, kept: String) {
        #expect(CardNumberMask.maskedForPeople(text) == kept)
    }
}
