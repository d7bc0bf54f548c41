import TillCore

extension Promise {
    /// No verb makes more calls than this.
    private static let mostCalls = 12

    /// Runs a verb with each of its calls going wrong in turn, each in its own world.
    /// - Parameters:
    ///   - begin: what there must be before.
    ///   - act: the verb; `isAgain` for every time but the first.
    ///   - effect: how often the verb has had its effect, by the ledger.
    private static func sweep<Success>(
        _ make: Make, _ verb: Verb, begin: (any ProviderWorld, inout Findings) async throws -> Journey,
        act: (inout Journey, _ isAgain: Bool) async -> ProviderAnswer<Success>,
        effect: (any ProviderWorld, Moved) async throws -> Int64
    ) async throws -> [String] {
        var findings = Findings()
        for fault in LineFault.allCases {
            for call in 0..<mostCalls {
                let world = try await make()
                guard let line = world.line else { return [] }
                var journey = try await begin(world, &findings)
                let before = try await world.moved()
                let place = "\(verb.rawValue), call \(call + 1) \(fault.rawValue)"
                line.arm(fault, after: call, of: verb)
                let first = await act(&journey, false)
                guard line.disarm() else { break }
                let once = try await effect(world, before)
                findings.expect(once <= 1, "\(place): done \(once) times")
                if first.isApproved { findings.expect(once == 1, "\(place): \(first), and not done") }
                if first.isNo { findings.expect(once == 0, "\(place): \(first), and done") }
                let last = try await journey.settled { await act(&$0, true) }
                let twice = try await effect(world, before)
                findings.expect(twice <= 1, "\(place), then again: done \(twice) times")
                findings.expect(last.isApproved, "\(place), then again: \(last)")
                if last.isApproved { findings.expect(twice == 1, "\(place), then again: \(last), and not done") }
            }
        }
        return findings.all
    }

    static let lostAnswers: [Promise] = [
        Promise("an authorization whose answer is lost is never told as refused, and a query and a void end it") {
            make in
            var findings = Findings()
            for fault in LineFault.allCases {
                for call in 0..<mostCalls {
                    let world = try await make()
                    guard let line = world.line, world.provider.capabilities.separateCapture else { return [] }
                    var journey = Journey(world)
                    await journey.prepare(Moved.amount, .manual)
                    let place = "authorize, call \(call + 1) \(fault.rawValue)"
                    line.arm(fault, after: call, of: .authorize)
                    let answer = await journey.authorize()
                    guard line.disarm() else { break }
                    let live = try await world.moved().live
                    findings.expect(live <= 1, "\(place): \(live) holds")
                    if answer.isApproved { findings.expect(live == 1, "\(place): \(answer), and nothing is held") }
                    if answer.isNo { findings.expect(live == 0, "\(place): \(answer), and money is held") }
                    guard case .unknown = answer else { continue }
                    try await world.wait()
                    if case .approved(let seen) = try await journey.settled({ await $0.query() }),
                        case .authorized(let held) = seen.standing
                    {
                        findings.expect(live == 1, "\(place): the query finds a hold that is not there")
                        journey.reference = held.reference
                    }
                    let void = try await journey.settled { await $0.void() }
                    try await world.wait()
                    let left = try await world.moved().live
                    if void.isApproved { findings.expect(left == 0, "\(place): voided, and \(left) holds are left") }
                }
            }
            return findings.all
        },
        Promise("a capture whose answer is lost is made once, and found when it is sent again") { make in
            guard try await make().provider.capabilities.separateCapture else { return [] }
            return try await sweep(make, .capture) { world, findings in
                try await begun(world, &findings)
            } act: { journey, _ in
                await journey.capture()
            } effect: { world, before in
                (try await world.moved().captured - before.captured) / Moved.amount.minorUnits
            }
        },
        Promise("a void whose answer is lost is made, and found when it is sent again") { make in
            guard try await make().provider.capabilities.separateCapture else { return [] }
            return try await sweep(make, .void) { world, findings in
                try await begun(world, &findings)
            } act: { journey, _ in
                await journey.void()
            } effect: { world, before in
                Int64(before.live - (try await world.moved().live))
            }
        },
        Promise("a refund whose answer is lost is made once, and found when it is sent again") { make in
            try await sweep(make, .refund) { world, findings in
                let journey = try await taken(world, &findings)
                try await world.wait()
                return journey
            } act: { journey, isAgain in
                await journey.refund(500, again: isAgain)
            } effect: { world, before in
                (try await world.moved().refunded - before.refunded) / 500
            }
        },
    ]

    static let storedOnce = Promise("what is stored is stored once, moves nothing, and once taken back stays away") {
        make in
        let world = try await make()
        var findings = Findings()
        var journey = Journey(world)
        let (first, second) = (
            await journey.authorize(nil, Moved.amount, .automatic),
            await journey.authorize(nil, Moved.amount, .automatic)
        )
        if case .stored(let tap) = first { journey.reference = tap.record } else { findings.expect(false, "\(first)") }
        findings.expect(first == second, "the same key again: \(second)")
        var hold = Journey(world, number: 2)
        findings.expect(await hold.authorize().isDeclined, "nothing can be held offline")
        findings.expect(!(await journey.capture()).isApproved, "captured what is only stored")
        findings.expect(!(await journey.refund(500)).isApproved, "refunded what is only stored")
        try await findings.expect(world, .nothing, "stored")
        findings.expect(await journey.void().isApproved, "taken back")
        findings.expect(await journey.void().isApproved, "taken back again")
        if case .approved(let seen) = await journey.query(), case .stored = seen.standing {
            findings.expect(false, "taken back, and still stored")
        }
        try await findings.expect(world, .nothing, "taken back")
        return findings.all
    }

    /// The true transcript: everything that is returned, said of the provider, and stands in an address.
    static let scrubbed = Promise("no card number, code or key stands in an answer, a description or an address") {
        make in
        var findings = Findings()
        for fault in [LineFault?.none, .answerLost, .requestLost] {
            let world = try await make()
            if let fault { world.line?.arm(fault, after: 1, of: .authorize) }
            var journey = Journey(world)
            _ = await journey.authorize()
            _ = world.line?.disarm()
            if journey.reference != nil {
                _ = await journey.capture()
                try await world.wait()
                _ = await journey.refund(500)
                _ = await journey.void()
            }
            _ = await journey.query()
            var other = Journey(world, number: 2)
            if let (tender, amount) = world.declined { _ = await other.authorize(tender, amount) }
            var provider = ""
            dump(world.provider, to: &provider)
            let texts =
                journey.said + other.said + (world.line?.addresses ?? [])
                + [provider, "\(world.provider)", String(reflecting: world.provider)]
            for secret in world.secrets {
                let leaks = texts.filter { $0.contains(secret) }
                findings.expect(leaks.isEmpty, "…\(secret.suffix(3)) stands in: \(leaks.first?.prefix(200) ?? "")")
            }
        }
        return findings.all
    }
}
