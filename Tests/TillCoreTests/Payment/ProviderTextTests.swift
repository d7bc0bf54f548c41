import Testing
import TillCore

/// Whatever a provider sends, the journal keeps a bounded line without card numbers of it.
@Suite("What is kept of a provider's texts") struct ProviderTextTests {
    private typealias Examples = PaymentExamples

    /// One character of 600,001 bytes.
    private static let tower = "x" + String(repeating: "\u{301}", count: 300_000)
    private static let card = "4539148803436467"

    private func events(_ answer: ProviderAnswer<Authorization>) throws -> [PaymentEvent] {
        try Examples.payment(.automatic, [Examples.started]).observe(
            .authorized(Examples.attempt, answer), at: Examples.now)
    }

    private func snapshot(_ standing: ProviderSnapshot.Standing) throws -> [PaymentEvent] {
        let lost = [Examples.started, Examples.lost(.attempt(Examples.attempt))]
        let answer = ProviderSnapshot(reference: Examples.reference, standing: standing, captured: Examples.eur(0))
        return try Examples.payment(.automatic, lost).observe(
            .snapshot(Examples.attempt, .approved(answer)), at: Examples.now)
    }

    @Test("a text is cut by its bytes, between two Unicode scalars")
    func cut() {
        #expect(ProviderText.cut("abc", atMost: 3) == "abc" && ProviderText.cut("abcd", atMost: 3) == "abc")
        #expect(ProviderText.cut("aé", atMost: 2) == "a" && ProviderText.cut("aé", atMost: 3) == "aé")
        #expect(ProviderText.cut("😀", atMost: 3).isEmpty && ProviderText.cut("x", atMost: 0).isEmpty)
        #expect(Self.tower.count == 1 && ProviderText.sentence(Self.tower).utf8.count == ProviderText.sentenceBytes - 1)
    }

    @Test("a sentence is one line, hides a card number also at its end, and turns no direction")
    func sentence() {
        #expect(ProviderText.sentence("No:\r\n\u{1B}[2J\u{202E}no \(Self.card)!") == "No:   [2Jno ************6467!")
        let before = String(repeating: "a", count: ProviderText.sentenceBytes - 10) + " "
        #expect(!ProviderText.sentence(before + Self.card).contains("45391"))
    }

    @Test("every text of a decline, an unknown outcome and a challenge is bounded and masked")
    func answers() throws {
        let long = Self.card + " " + Self.tower
        var emv = EMVReceiptData()
        emv.accountType = Self.tower
        let card = CardSummary(brand: long, lastFour: long, entryMode: long, emv: emv, network: long)
        let decline = Decline(
            reason: DeclineReason(rawValue: long), code: long, message: long, requestID: long, card: card)
        let action = CustomerAction(kind: long, url: "https://bank.example/" + Self.tower)
        let hold = Authorization(reference: Examples.reference, amount: Examples.eur(100), card: card)
        let all = [
            try events(.declined(decline)), try events(.unknown(reason: long)), try events(.notSent(reason: long)),
            try events(.unknown(.keySpent(long))), try events(.keyRejected(reason: long)),
            try events(.requiresAction(action)), try events(.approved(hold)), try snapshot(.declined(decline)),
            try snapshot(.authorized(hold)), try snapshot(.requiresAction(action)),
        ]
        for events in all {
            #expect(!events.isEmpty)
            for event in events {
                let shown = String(reflecting: event)
                #expect(shown.utf8.count < 16_384 && !shown.contains(Self.card), "\(event.name)")
            }
        }
    }

    @Test(
        "a customer is sent over TLS or to this machine, to an address of printable ASCII",
        arguments: [
            ("https://bank.example/c?x=1", true), ("http://127.0.0.1:8091/challenge", true),
            ("http://bank.example/", false), ("http://127.0.0.1.evil.example/", false), ("javascript:alert(1)", false),
            ("file:///etc/passwd", false), ("https://bank.example/\u{1B}[2J", false),
            ("https://bank.example/a b", false),
            ("", false),
        ])
    func address(_ text: String, isTaken: Bool) throws {
        let events = try events(.requiresAction(CustomerAction(kind: "redirect", url: text)))
        #expect(
            events == [.actionRequired(Examples.attempt, CustomerAction(kind: "redirect", url: isTaken ? text : nil))])
    }

    @Test("what fits is kept as it is")
    func ordinary() throws {
        let decline = Decline(
            reason: .insufficientFunds, code: "insufficient_funds", message: "Zu wenig – “Guthaben”.",
            requestID: "8835513921644842", card: CardSummary(brand: "visa", lastFour: "4242", entryMode: "keyed"))
        #expect(try events(.declined(decline)) == [.attemptDeclined(Examples.attempt, decline)])
    }
}
