import Testing
import TillCore
import TillCounter
import TillJournal
import TillWeb

@Suite("Approvals on the spot")
struct ApprovalsTests {
    private func discount(
        _ saved: Int64, _ reason: String = "Scratched", charging: Int64 = 1_100
    ) throws -> Approvable {
        let amount = Money(minorUnits: charging, currency: .eur)
        let discount = try Discount(Money(minorUnits: saved, currency: .eur), reason: reason, beside: amount)
        return .discount(ApprovableDiscount(discount, charging: amount))
    }

    @Test("One of a discount is for that discount, its reason and its sale, once, and by one request for a day")
    func discounts() async throws {
        let place = try SessionPlace()
        let onDuty = StaffOnDuty(place.store, clock: place.clock)
        let mona = try await onDuty.directory(.main).add(name: "Mona", role: "manager", pin: nil)
        let carl = try await onDuty.directory(.main).add(name: "Carl", role: "cashier", pin: nil)
        let approver = try #require(try await onDuty.grant(of: mona))
        let person = try #require(try await onDuty.grant(of: carl))
        let approvals = Approvals(place.store, staff: onDuty, clock: place.measuring)
        let incoming = Incoming(
            request: SessionPlace.request(), account: .main, credential: .session(hash: [1, 2, 3]), person: person,
            maximumBodyBytes: 0)
        let what = try discount(151)
        let approval = try await approvals.approve(what, by: approver, for: incoming, key: "a-1")
        #expect(try await approvals.approve(what, by: approver, for: incoming, key: "a-1") == approval)

        func refusal(_ asked: Approvable, _ key: String, mayApprove: Bool = true) async -> String? {
            do {
                let grant = try await approvals.use(approval.id, for: asked, person, incoming, key: key) { _ in
                    mayApprove
                }
                return grant == approver ? nil : "another approver"
            } catch { return (error as? Problem)?.code ?? "\(error)" }
        }
        for other in [try discount(152), try discount(151, "Friend"), try discount(151, charging: 1_099)] {
            #expect(await refusal(other, "s-1") == "approval_invalid")
        }
        #expect(await refusal(what, "s-1", mayApprove: false) == "approval_invalid")
        #expect(await refusal(what, "s-1") == nil)
        #expect(await refusal(what, "s-2") == "approval_spent")
        place.pass(.minutes(2))
        #expect(await refusal(what, "s-1") == nil, "the same request")
        place.pass(Approvals.kept)
        #expect(await refusal(what, "s-1") == "approval_spent")
        try await place.close()
    }
}
