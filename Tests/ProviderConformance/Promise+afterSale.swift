import TillCore

extension Promise {
    private static let whole = Moved.amount.minorUnits

    /// Lets it happen, and queries; `nil` if the query was not answered. A second query says the same.
    private static func seen(
        after news: AfterSaleNews, of journey: inout Journey, _ findings: inout Findings
    ) async throws -> ProviderSnapshot? {
        let world = journey.world
        guard let reference = journey.reference else { return nil }
        findings.expect(try await world.happens(news, to: reference), "\(news.rawValue) did not happen")
        try await world.wait()
        let first = try await journey.settled { await $0.query(isAtRest: true) }
        let second = await journey.query(isAtRest: true)
        findings.expect(first == second, "two queries of the same say \(first) and \(second)")
        guard case .approved(let snapshot) = first else {
            findings.expect(false, "after \(news.rawValue): \(first)")
            return nil
        }
        return snapshot
    }

    static let afterSale: [Promise] = [
        Promise("a refund in the dashboard is found, and is none of ours") { make in
            let world = try await make()
            guard world.canHappen.contains(.refund) else { return [] }
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await world.wait()
            guard let seen = try await seen(after: .refund, of: &journey, &findings) else { return findings.all }
            findings.expect(seen.captured.minorUnits == whole, "captured \(seen.captured)")
            findings.expect(
                seen.refunds.map(\.amount.minorUnits) == [500] && seen.refunds.map(\.status) == [.succeeded],
                "refunds \(seen.refunds)")
            findings.expect(seen.refunds.first?.refund?.rawValue.contains("-r") != true, "taken for one of ours")
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: 500), "refunded there")
            return findings.all
        },
        Promise("a refund of ours that comes to nothing later is found, and only that one") { make in
            let world = try await make()
            guard world.canHappen.contains(.failRefund) else { return [] }
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await world.wait()
            for (part, units) in [(1, Int64(500)), (2, 300)] {
                let done = try await journey.settled { await $0.refund(units, part: part) }
                findings.expect(done.isApproved, "refund: \(done)")
            }
            try await world.wait()
            guard let seen = try await seen(after: .failRefund, of: &journey, &findings) else { return findings.all }
            for refund in seen.refunds {
                var hasFailed = false
                if case .failed = refund.status { hasFailed = true }
                let isLast = refund.refund?.rawValue.hasSuffix("-r2") == true
                findings.expect(hasFailed == isLast, "\(refund)")
            }
            findings.expect(seen.refunds.count == 2, "\(seen.refunds.count) refunds")
            try await findings.expect(world, Moved(live: 1, captured: whole, refunded: 500), "failed later")
            return findings.all
        },
        Promise("a capture in the dashboard is found") { make in
            let world = try await make()
            guard world.canHappen.contains(.capture) else { return [] }
            var findings = Findings()
            var journey = try await begun(world, &findings)
            guard let seen = try await seen(after: .capture, of: &journey, &findings) else { return findings.all }
            findings.expect(seen.captured.minorUnits == whole, "captured \(seen.captured)")
            return findings.all
        },
        Promise("a capture that comes to nothing later is found, by its name") { make in
            let world = try await make()
            guard world.canHappen.contains(.failCapture) else { return [] }
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await world.wait()
            guard let seen = try await seen(after: .failCapture, of: &journey, &findings) else { return findings.all }
            findings.expect(seen.captured.isZero, "captured \(seen.captured)")
            findings.expect(seen.failedCaptures.count == 1, "failed: \(seen.failedCaptures)")
            let name = seen.failedCaptures.first?.capture?.rawValue ?? "pay_conformance1-c1"
            findings.expect(name == "pay_conformance1-c1", "failed: \(name)")
            return findings.all
        },
        Promise("a dispute is found with its money, once, and its end gives the money back") { make in
            let world = try await make()
            guard world.canHappen.contains(.dispute) else { return [] }
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await world.wait()
            guard let opened = try await seen(after: .dispute, of: &journey, &findings) else { return findings.all }
            findings.expect(opened.disputes.map(\.withdrawn) == [Moved.amount], "\(opened.disputes)")
            findings.expect(opened.disputes.map(\.outcome) == [nil], "open: \(opened.disputes)")
            findings.expect(opened.captured.minorUnits == whole, "captured \(opened.captured)")
            guard let won = try await seen(after: .winDispute, of: &journey, &findings) else { return findings.all }
            findings.expect(won.disputes.map(\.withdrawn.minorUnits) == [0], "\(won.disputes)")
            findings.expect(won.disputes.map(\.outcome) == [.won], "won: \(won.disputes)")
            findings.expect(
                won.disputes.map(\.facts.reference) == opened.disputes.map(\.facts.reference), "it has two names")
            return findings.all
        },
        Promise("a bank's question is a dispute that moves no money") { make in
            let world = try await make()
            guard world.canHappen.contains(.inquiry) else { return [] }
            var findings = Findings()
            var journey = try await taken(world, &findings)
            try await world.wait()
            guard let seen = try await seen(after: .inquiry, of: &journey, &findings) else { return findings.all }
            findings.expect(seen.disputes.map(\.withdrawn.minorUnits) == [0], "\(seen.disputes)")
            findings.expect(seen.disputes.first?.facts.amount.isPositive == true, "about nothing")
            return findings.all
        },
    ]
}
