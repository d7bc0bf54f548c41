import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillSimulation
import TillTestSupport

@Suite("Every order of steps of two processes on one payment")
struct ScheduleTests {
    /// Every two actions. What is done to a hold that is there for longer is what can be done to one.
    private static func pairs(from start: GatedWorld.Start) -> [[GatedWorld.Action]] {
        let all = GatedWorld.Action.allCases.filter { action in
            switch action {
            case _ where action.isAfterSale: false
            case .renew: start.isRenewable
            case .confirm: !start.isRenewable
            case .refund, .refundPart: !start.isRenewable || start == .overduePart
            default: true
            }
        }
        return all.indices.flatMap { first in all[first...].map { [all[first], $0] } }
    }

    @Test(
        "no order of steps of any two of confirm, capture, void, renewal, refund, webhook, expiry and recovery fails",
        arguments: GatedWorld.Start.allCases, [true, false])
    func all(start: GatedWorld.Start, preparesFirst: Bool) async {
        // Where the customer has passed a challenge or the hold is old, the preparation is long over.
        guard preparesFirst || !(start == .challenged || start.isRenewable) else { return }
        var (schedules, cut) = (0, 0)
        let pairs = ScheduleTests.pairs(from: start)
        for pair in pairs {
            let search = ScheduleSearch(actions: pair, start: start, preparesFirst: preparesFirst)
            let outcome = await Aside.run { search.run() }
            schedules += outcome.count
            cut += outcome.isCut ? 1 : 0
            if let breach = outcome.breach { Issue.record("\(breach)") }
        }
        print("from \(start.rawValue): \(pairs.count) pairs, \(schedules) orders of steps")
        #expect(cut == 0, "pairs not searched to the end")
        #expect(schedules > 100)
    }

    @Test(
        "the search sees a safeguard that is switched off",
        arguments: [
            PlantedFault.ignoresExpectedVersion, .keyNotForwarded, .renewedNameForgotten, .capturesMoreAfterRenewal,
        ])
    func switchedOff(plant: PlantedFault) async {
        let breach = await Aside.run {
            GatedWorld.Start.allCases.lazy.compactMap { start in
                ScheduleTests.pairs(from: start).lazy.compactMap { pair in
                    ScheduleSearch(actions: pair, start: start, plant: plant).run().breach
                }.first
            }.first
        }
        #expect(breach != nil, "\(plant.rawValue) went unseen")
        print("\(plant.rawValue): \(breach ?? "unseen")")
    }
}

/// Defects that other payment systems have had in public, shown absent in every order of steps.
@Suite("Defects of others, in every order of steps")
struct KnownDefectScheduleTests {
    private func started(_ name: String, _ end: GatedWorld.End) -> Int {
        end.events.filter { $0.record.event.name == name }.count
    }

    @Test("two refunds of 60 of 100: one of them is refused (Hyperswitch)") func simultaneousRefunds() {
        let outcome = ScheduleSearch(actions: [.refundPart, .refundPart], start: .captured, switches: .max).run { end in
            end.charges.map(\.refunded) == [60] && started("refund.started", end) == 1 ? nil : "not refunded once"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("two captures: the money is taken once (Medusa)") func doubleCapture() {
        let outcome = ScheduleSearch(actions: [.capture, .capture], start: .held, switches: .max).run { end in
            end.charges.flatMap(\.captures).map(\.amount) == [100] ? nil : "not captured once"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("two part captures of 60 of 100: one of them is refused (Medusa)") func doublePartCapture() {
        let outcome = ScheduleSearch(actions: [.capturePart, .capturePart], start: .held, switches: .max).run { end in
            end.charges.flatMap(\.captures).map(\.amount) == [60] ? nil : "not captured once"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("a webhook that races the reply makes no second charge (Saleor)", arguments: [true, false])
    func webhookRace(preparesFirst: Bool) {
        let search = ScheduleSearch(
            actions: [.confirm, .webhook], start: .created, preparesFirst: preparesFirst, switches: .max)
        let outcome = search.run { end in
            guard end.charges.count == 1, end.charges.flatMap(\.captures).count == 1 else { return "not one charge" }
            return end.payment.status == .succeeded ? nil : "the sale ended as \(end.payment.status.rawValue)"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 5)
    }

    @Test("two confirmations make one charge (craftcms)", arguments: [true, false])
    func doubleConfirm(preparesFirst: Bool) {
        let search = ScheduleSearch(
            actions: [.confirm, .confirm], start: .created, preparesFirst: preparesFirst, switches: .max)
        let outcome = search.run { end in
            end.charges.count == 1 && started("attempt.started", end) == 1 ? nil : "not one charge"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("two renewals of one hold: one is sent, the other refused") func doubleRenewal() {
        let outcome = ScheduleSearch(actions: [.renew, .renew], start: .overdue, switches: .max).run { end in
            started("renewal.started", end) == 1 && end.charges.map { $0.renewals?.count ?? 0 } == [1]
                ? nil : "not renewed once"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("a renewal and a capture: the money is taken once, of the hold that there is") func renewalAgainstCapture() {
        let outcome = ScheduleSearch(actions: [.renew, .capture], start: .overdue, switches: .max).run { end in
            let renewals = end.charges.first?.renewals ?? []
            // The capture is refused while the renewal is under way; the hold is then let go at its end.
            let isTaken = end.charges.map(\.captured) == [100]
            return isTaken || (renewals.count == 1 && end.payment.status == .expired) ? nil : "neither taken nor let go"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("two voids void once (Lago)") func doubleVoid() {
        let outcome = ScheduleSearch(actions: [.void, .void], start: .held, switches: .max).run { end in
            started("void.started", end) == 1 && end.payment.status == .canceled ? nil : "not voided once"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("the rest of a hold is captured or let go, never both; the captured part stays", arguments: [true, false])
    func releaseAgainstCapture(isRenewed: Bool) {
        let start = isRenewed ? GatedWorld.Start.overduePart : .partlyCaptured
        let outcome = ScheduleSearch(actions: [.void, .capture], start: start, switches: .max).run { end in
            let isTaken = end.charges.map(\.captured) == [100] && end.payment.released.isZero
            let isVoided = end.charges.map(\.captured) == [40] && end.payment.released.minorUnits == 60
            return end.payment.status == .succeeded && (isTaken || isVoided) ? nil : "neither taken nor let go"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("two who let the rest of a hold go let it go once") func doubleRelease() {
        let outcome = ScheduleSearch(actions: [.void, .void], start: .partlyCaptured, switches: .max).run { end in
            let isRight = end.payment.released.minorUnits == 60 && end.payment.cancelReason == nil
            return started("void.started", end) == 1 && isRight ? nil : "not let go once"
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }

    @Test("a void and a capture: one of them wins, and the journal knows which") func voidAgainstCapture() {
        let outcome = ScheduleSearch(actions: [.void, .capture], start: .held, switches: .max).run { end in
            switch end.payment.status {
            case .canceled: end.charges.map(\.captured) == [0] ? nil : "canceled with money"
            case .succeeded: end.charges.map(\.captured) == [100] ? nil : "paid without money"
            default: "it ended as \(end.payment.status.rawValue)"
            }
        }
        #expect(outcome.breach == nil)
        #expect(outcome.count > 10)
    }
}
