import TillCore

extension Promise {
    private static let whole = Moved.amount.minorUnits

    /// A journey with a hold, or with the money taken where the provider takes it at once.
    static func begun(_ world: any ProviderWorld, _ findings: inout Findings) async throws -> Journey {
        var journey = Journey(world)
        let mode: CaptureMode = world.provider.capabilities.separateCapture ? .manual : .automatic
        let answer = await journey.authorize(nil, Moved.amount, mode)
        findings.expect(answer.isApproved, "authorize: \(answer)")
        return journey
    }

    /// A journey whose money is taken.
    static func taken(_ world: any ProviderWorld, _ findings: inout Findings) async throws -> Journey {
        var journey = try await begun(world, &findings)
        guard try await world.moved().captured == 0 else { return journey }
        let answer = try await journey.settled { await $0.capture() }
        findings.expect(answer.isApproved, "capture: \(answer)")
        return journey
    }

    static let money: [Promise] = [
        Promise("a hold takes nothing, and is one hold however often its key is sent") { make in
            let world = try await make()
            guard world.provider.capabilities.separateCapture else { return [] }
            var findings = Findings()
            var journey = try await begun(world, &findings)
            try await findings.expect(world, Moved(live: 1, captured: 0, refunded: 0), "held")
            guard world.provider.capabilities.replayWindow.milliseconds > 0 else { return findings.all }
            let again = await journey.authorize()
            findings.expect(!again.isNo, "the same key again: \(again)")
            try await findings.expect(world, Moved(live: 1, captured: 0, refunded: 0), "the same key again")
            return findings.all
        },
        Promise("a capture takes what it says, once however often its key is sent; the query says the same") { make in
            let world = try await make()
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: 0), "captured")
            if world.provider.capabilities.separateCapture { _ = try await journey.settled { await $0.capture() } }
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: 0), "the same key again")
            if case .approved(let seen) = try await journey.settled({ await $0.query() }),
                case .authorized = seen.standing
            {
                findings.expect(seen.captured.minorUnits == whole, "the query says \(seen.captured)")
            }
            return findings.all
        },
        Promise("a part is captured where that is declared, and is all that is captured") { make in
            let world = try await make()
            guard world.provider.capabilities.separateCapture else { return [] }
            var findings = Findings()
            var journey = try await begun(world, &findings)
            let answer = try await journey.settled { await $0.capture(500) }
            let isDeclared = world.provider.capabilities.partialCapture
            findings.expect(answer.isApproved == isDeclared, "a part: \(answer)")
            try await findings.expect(world, Moved(live: 1, captured: isDeclared ? 500 : 0, refunded: 0), "a part")
            return findings.all
        },
        Promise("several captures are made where that is declared, and otherwise never take more than the first") {
            make in
            let world = try await make()
            let capabilities = world.provider.capabilities
            guard capabilities.separateCapture, capabilities.partialCapture else { return [] }
            var findings = Findings()
            var journey = try await begun(world, &findings)
            let isFirstFinal = !capabilities.multipleCapture
            let first = try await journey.settled { await $0.capture(500, isFinal: isFirstFinal) }
            findings.expect(first.isApproved, "the first part: \(first)")
            let second = try await journey.settled { await $0.capture(700, part: 2) }
            let sum: Int64 = capabilities.multipleCapture ? 1200 : 500
            if capabilities.multipleCapture { findings.expect(second.isApproved, "the second part: \(second)") }
            try await findings.expect(world, Moved(live: 1, captured: sum, refunded: 0), "two parts")
            return findings.all
        },
        Promise("a void releases the hold, and nothing of it can be captured after that") { make in
            let world = try await make()
            guard world.provider.capabilities.separateCapture else { return [] }
            var findings = Findings()
            var journey = try await begun(world, &findings)
            let answer = try await journey.settled { await $0.void() }
            findings.expect(answer.isApproved, "void: \(answer)")
            try await findings.expect(world, .nothing, "voided")
            let capture = try await journey.settled { await $0.capture() }
            findings.expect(!capture.isApproved, "captured what was voided: \(capture)")
            try await findings.expect(world, .nothing, "captured after the void")
            return findings.all
        },
        Promise("refunds give back what they say, each once, and never more than was captured") { make in
            let world = try await make()
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await world.wait()
            let part = try await journey.settled { await $0.refund(500) }
            findings.expect(part.isApproved, "a part: \(part)")
            _ = try await journey.settled { await $0.refund(500, again: true) }
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: 500), "the same key again")
            // Cash in hand knows no limit; the engine is its guard.
            guard world.line != nil else { return findings.all }
            let tooMuch = try await journey.settled { await $0.refund(whole, part: 2) }
            findings.expect(!tooMuch.isApproved, "more than is left: \(tooMuch)")
            let rest = try await journey.settled { await $0.refund(750, part: 3) }
            findings.expect(rest.isApproved, "the rest: \(rest)")
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: whole), "all of it")
            return findings.all
        },
        Promise("two payments do not know each other: voiding one leaves the other as it is") { make in
            let world = try await make()
            guard world.provider.capabilities.separateCapture else { return [] }
            var findings = Findings()
            var first = try await begun(world, &findings)
            var second = Journey(world, number: 2)
            findings.expect(await second.authorize().isApproved, "the second payment")
            findings.expect(try await first.settled { await $0.void() }.isApproved, "void")
            try await findings.expect(world, Moved(live: 1, captured: 0, refunded: 0), "one of two voided")
            findings.expect(try await second.settled { await $0.capture() }.isApproved, "capture of the other")
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: 0), "the other captured")
            return findings.all
        },
    ]

    static let refusals: [Promise] = [
        Promise("a card that the issuer refuses is declined, and nothing moves") { make in
            let world = try await make()
            guard let (tender, amount) = world.declined else { return [] }
            var findings = Findings()
            var journey = Journey(world)
            let answer = await journey.authorize(tender, amount)
            findings.expect(answer.isDeclined, "\(answer)")
            try await findings.expect(world, .nothing, "declined")
            return findings.all
        },
        Promise("a challenge is neither a yes nor a no, and nothing is captured while it is open") { make in
            let world = try await make()
            guard let tender = world.challenged else { return [] }
            var findings = Findings()
            var journey = Journey(world)
            let answer = await journey.authorize(tender)
            if case .requiresAction = answer {} else { findings.expect(false, "\(answer)") }
            try await findings.expect(world, .nothing, "challenged")
            let capture = await journey.capture()
            findings.expect(!capture.isApproved, "captured before the customer has answered: \(capture)")
            try await findings.expect(world, .nothing, "capture of a challenge")
            let void = try await journey.settled { await $0.void() }
            // PayPal changes no order that waits for its payer: such a void is not confirmed before the order has
            // ended.
            findings.expect(void.isApproved || void.isPending, "void: \(void)")
            try await findings.expect(world, .nothing, "voided")
            return findings.all
        },
        Promise("what is not declared is refused, and moves nothing: renewing, cash, cards") {
            make in
            let world = try await make()
            let capabilities = world.provider.capabilities
            var findings = Findings()
            var journey = try await begun(world, &findings)
            let before = try await world.moved()
            if capabilities.honorPeriod == nil {
                let answer = await journey.renew()
                findings.expect(answer.isDeclined, "renew: \(answer)")
            }
            try await findings.expect(world, before, "renewed")
            var other = Journey(world, number: 2)
            if world.provider.name != .cash {
                let cash = await other.authorize(.cash(tendered: Moved.amount))
                findings.expect(cash.isNo, "cash: \(cash)")
            } else if case .declined = await other.authorize(Wrong.card) {
            } else {
                findings.expect(false, "a card in the drawer")
            }
            try await findings.expect(world, before, "another tender")
            return findings.all
        },
        Promise("a query changes nothing, whatever there is to ask about") { make in
            let world = try await make()
            var findings = Findings()
            var nobody = Journey(world, number: 9)
            let answer = try await nobody.settled { await $0.query() }
            if case .approved(let seen) = answer {
                switch seen.standing {
                case .notFound, .unconfirmed: break
                default: findings.expect(false, "what was never asked for is \(seen.standing)")
                }
            }
            findings.expect(!answer.isDeclined, "a query is no request for money: \(answer)")
            var journey = try await begun(world, &findings)
            let before = try await world.moved()
            for _ in 0..<3 { _ = await journey.query() }
            try await findings.expect(world, before, "asked three times")
            return findings.all
        },
    ]
}

/// Tenders at the wrong place.
enum Wrong {
    static let card = Tender.cardPresent(CardPresentPayload(reader: "r", sealed: Secret("sealed"), card: nil))
}
