import Testing
import TillCheckout
import TillCore

@Suite("An order that another payment occupies")
struct OccupiedOrderTests {
    private let world = World()

    private enum Outcome: String { case new, continued, replaced, refused }

    private func draft(_ units: Int64, _ mode: CaptureMode = .automatic) throws -> PaymentDraft {
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: World.eur(units))
        return world.checkout.draft(account: .main, order: order, captureMode: mode)
    }

    private func outcome(
        _ policy: OccupiedOrderPolicy, occupant: PaymentID?, _ units: Int64 = 100, _ mode: CaptureMode = .automatic
    ) async throws -> Outcome {
        let draft = try draft(units, mode)
        do throws(CheckoutError) {
            let (payment, isNew) = try await world.checkout.open(draft, whenOccupied: policy)
            guard isNew else { return payment.id == occupant ? .continued : .refused }
            guard let occupant else { return .new }
            let before = try await world.checkout.payment(occupant, account: .main)
            return before.status == .canceled ? .replaced : .new
        } catch {
            guard case .orderOccupied = error else { throw error }
            return .refused
        }
    }

    @Test("is created when nothing occupies it", arguments: OccupiedOrderPolicy.allCases)
    func free(_ policy: OccupiedOrderPolicy) async throws {
        #expect(try await outcome(policy, occupant: nil) == .new)
    }

    @Test(
        "is continued, replaced or refused by its policy",
        arguments: [
            // Occupied by the same unpaid sale, an unpaid one of another amount, one of another mode, a paid one.
            (OccupiedOrderPolicy.replaceUnpaid, ["continued", "replaced", "replaced", "refused"]),
            (.continueSameSale, ["continued", "refused", "refused", "continued"]),
            (.continueOrReplaceUnpaid, ["continued", "replaced", "continued", "continued"]),
        ])
    func policies(_ policy: OccupiedOrderPolicy, _ expected: [String]) async throws {
        for (number, (isPaid, units, mode)) in [
            (false, Int64(100), CaptureMode.automatic), (false, 120, .automatic), (false, 100, .manual),
            (true, 100, .automatic),
        ].enumerated() {
            let world = OccupiedOrderTests()
            let occupant = try await world.world.create("o-1")
            if isPaid { _ = try await world.world.confirm(occupant) }
            let found = try await world.outcome(policy, occupant: occupant, units, mode)
            #expect(found.rawValue == expected[number], "\(policy), case \(number)")
            #expect(try await world.world.problems() == [])
        }
    }

    @Test("keeps the money of a paid one where the policy continues it for another amount")
    func paidOfAnotherAmount() async throws {
        let id = try await world.create("o-1")
        _ = try await world.confirm(id)
        #expect(try await outcome(.replaceUnpaid, occupant: id, 120) == .refused)
        #expect(try await outcome(.continueSameSale, occupant: id, 120) == .refused)
        #expect(try await outcome(.continueOrReplaceUnpaid, occupant: id, 120) == .continued)
        #expect(try await world.payment(id).captured == World.eur(100))
    }
}
