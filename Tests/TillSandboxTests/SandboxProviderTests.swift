import Foundation
import Testing
import TillCards
import TillCore
import TillHardware
import TillSandbox
import TillTestSupport

@Suite struct SandboxProviderTests {
    let clock = ManualClock(waits: .moveTime())
    let store = SandboxMemoryStore()

    private func provider(_ rules: SandboxRules = SandboxRules(), preparesFirst: Bool = true) -> SandboxProvider {
        SandboxProvider(store: store, clock: clock, rules: rules, preparesFirst: preparesFirst)
    }

    private func eur(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, currency: .eur) }

    private func context(_ attempt: String = "pay_1-a1", _ reference: ProviderReference? = nil) -> AttemptContext {
        AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: attempt), startedAt: clock.now(), reference: reference)
    }

    private func ask(
        _ amount: Money, _ reference: ProviderReference? = nil, attempt: String = "pay_1-a1"
    ) -> AuthorizationRequest {
        AuthorizationRequest(
            context: context(attempt, reference), amount: amount, captureMode: .automatic,
            prepareKey: IdempotencyKey(rawValue: attempt + "-prepare"),
            key: IdempotencyKey(rawValue: attempt + "-authorize"))
    }

    private func take(
        _ amount: Money, _ reference: ProviderReference, isFinal: Bool = true, key: String = "c1"
    ) -> CaptureRequest {
        CaptureRequest(
            context: context("pay_1-a1", reference), capture: CaptureID(rawValue: key), amount: amount,
            isFinal: isFinal, key: IdempotencyKey(rawValue: key))
    }

    private func giveBack(_ amount: Money, _ reference: ProviderReference, key: String = "r1") -> RefundRequest {
        RefundRequest(
            context: context("pay_1-a1", reference), refund: RefundID(rawValue: key), amount: amount, reason: nil,
            key: IdempotencyKey(rawValue: key))
    }

    private func letGo(_ reference: ProviderReference? = nil) -> VoidRequest {
        VoidRequest(
            context: context("pay_1-a1", reference),
            authorizationKey: IdempotencyKey(rawValue: "pay_1-a1-authorize"), reason: "abandoned",
            key: IdempotencyKey(rawValue: "pay_1-a1-void"))
    }

    private func look(_ reference: ProviderReference? = nil) -> QueryRequest {
        QueryRequest(
            context: context("pay_1-a1", reference),
            authorizationKey: IdempotencyKey(rawValue: "pay_1-a1-authorize"), amount: eur(1250))
    }

    private func card(_ number: String = "4242424242424242") throws -> Tender {
        let isAmex = number.hasPrefix("3")
        return .card(
            try PaymentCard(
                number: number, expiry: "12/30", securityCode: isAmex ? "1234" : "123", now: clock.now()
            ).details)
    }

    private func held(_ provider: SandboxProvider, _ amount: Money) async throws -> ProviderReference {
        let answer = await provider.authorize(ask(amount), with: try card())
        guard case .approved(let authorization) = answer else { throw Unexpected(text: "\(answer)") }
        return authorization.reference
    }

    struct Unexpected: Error { var text: String }

    @Test func aPreparedChargeIsHeldCapturedAndRefundedOnce() async throws {
        let provider = provider()
        guard case .approved(let made) = await provider.prepare(ask(eur(1250))), let reference = made.reference else {
            Issue.record("not prepared")
            return
        }
        #expect(reference.rawValue.hasPrefix("sb_"))
        for _ in 0..<3 {
            guard case .approved(let held) = await provider.authorize(ask(eur(1250), reference), with: try card())
            else {
                Issue.record("not held")
                return
            }
            #expect(held.reference == reference)
            #expect(held.amount == eur(1250))
            #expect(await provider.capture(take(eur(1250), reference)).isApproved)
            #expect(await provider.refund(giveBack(eur(500), reference)).isApproved)
        }
        let charges = try await provider.ledger.charges()
        #expect(charges.count == 1)
        #expect(charges.first?.captured == 1250)
        #expect(charges.first?.refunded == 500)
        guard case .approved(let snapshot) = await provider.query(look(reference)) else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.captured == eur(1250))
        #expect(snapshot.refunds.map(\.refund) == [RefundID(rawValue: "r1")])
    }

    @Test func afterTheReplayWindowTheSameKeyIsChargedAgain() async throws {
        let provider = provider()
        let first = try await held(provider, eur(1250))
        clock.advance(by: .hours(23))
        #expect(try await held(provider, eur(1250)) == first)
        clock.advance(by: .hours(2))
        #expect(try await held(provider, eur(1250)) != first)
        #expect(try await provider.ledger.charges().count == 2)
    }

    @Test func limitsHoldAndAKeyWithOtherParametersIsRefused() async throws {
        let provider = provider()
        let reference = try await held(provider, eur(1250))
        #expect(await provider.capture(take(eur(1251), reference, key: "c1")).declineCode == "amount_too_large")
        #expect(await provider.capture(take(eur(1000), reference, isFinal: false, key: "c2")).isApproved)
        #expect(await provider.capture(take(eur(999), reference, key: "c2")).declineCode == "idempotency_error")
        #expect(await provider.capture(take(eur(251), reference, key: "c3")).declineCode == "amount_too_large")
        #expect(await provider.capture(take(eur(50), reference, key: "c4")).isApproved)
        #expect(await provider.capture(take(eur(1), reference, key: "c5")).declineCode == "already_captured")
        #expect(await provider.void(letGo(reference)).declineCode == "already_captured")
        #expect(await provider.refund(giveBack(eur(1051), reference, key: "r1")).declineCode == "amount_too_large")
        #expect(await provider.refund(giveBack(eur(.max), reference, key: "r2")).declineCode == "amount_too_large")
        #expect(await provider.refund(giveBack(eur(1050), reference, key: "r3")).isApproved)
        #expect(await provider.refund(giveBack(eur(1), reference, key: "r4")).declineCode == "amount_too_large")
    }

    @Test func aProviderThatAllowsOverRefundsDoes() async throws {
        let provider = provider(SandboxRules(allowsOverRefund: true))
        let reference = try await held(provider, eur(100))
        _ = await provider.capture(take(eur(100), reference))
        #expect(await provider.refund(giveBack(eur(101), reference)).isApproved)
    }

    @Test func aVoidedUnknownKeyIsDeadForEver() async throws {
        let provider = provider(preparesFirst: false)
        #expect(await provider.void(letGo()).isApproved)
        clock.advance(by: .days(30))
        #expect(await provider.authorize(ask(eur(1250)), with: try card()).declineCode == "voided")
        _ = await provider.prepare(ask(eur(1250)))
        #expect(await provider.authorize(ask(eur(1250)), with: try card()).declineCode == "voided")
        guard case .approved(let snapshot) = await provider.query(look()) else { return }
        #expect(snapshot.standing == .voided)
        #expect(try await provider.ledger.charges().allSatisfy { $0.authorized == 0 })
    }

    @Test func aHoldEndsByTime() async throws {
        let provider = provider()
        let reference = try await held(provider, eur(1250))
        clock.advance(by: .days(7))
        #expect(await provider.capture(take(eur(1250), reference)).declineCode == "authorization_expired")
        guard case .approved(let snapshot) = await provider.query(look(reference)) else { return }
        #expect(snapshot.standing == .voided)
    }

    @Test(arguments: [
        ("4000000000009995", DeclineReason.insufficientFunds), ("4000000000000002", .generic),
        ("4000000000000069", .expiredCard), ("4000000000009987", .fraud), ("4000000000000127", .incorrectCVC),
    ])
    func testCardsAreDeclinedForTheirReason(number: String, reason: DeclineReason) async throws {
        guard case .declined(let decline) = await provider().authorize(ask(eur(1250)), with: try card(number)) else {
            Issue.record("not declined")
            return
        }
        #expect(decline.reason == reason)
    }

    @Test func aChallengeIsAnsweredByTheCustomer() async throws {
        let provider = provider()
        let answer = await provider.authorize(ask(eur(1250)), with: try card("4000002760003184"))
        #expect(answer == .requiresAction(CustomerAction(kind: "sandbox_challenge")))
        let charge = try #require(try await provider.ledger.charges().first)
        try await provider.ledger.completeAction(ProviderReference(rawValue: charge.reference), succeeds: true)
        guard case .approved(let snapshot) = await provider.query(look()), case .authorized = snapshot.standing else {
            Issue.record("not authorized")
            return
        }
    }

    @Test func aReadersCardIsTakenWithItsReceiptDataAndSingleMessageAtOnce() async throws {
        let cad = Money(minorUnits: 1250, currency: .cad)
        let reader = await SimulatedCardReader.connected(card: try SimulatedCard(parsing: "interac"))
        let payload = try await reader.collectPaymentMethod(
            PaymentIntentParameters(amount: cad, order: OrderID(rawValue: "o-1")))
        guard case .approved(let taken) = await provider().authorize(ask(cad), with: .cardPresent(payload)) else {
            Issue.record("not taken")
            return
        }
        #expect(taken.isCaptured)
        #expect(taken.card?.emv?.dedicatedFileName == "A0000002771010")
        #expect(taken.card?.emv?.accountType == "checking")
        #expect(taken.card?.lastFour == "1933")
        let abroad = await provider().authorize(ask(eur(1250), attempt: "pay_2-a1"), with: .cardPresent(payload))
        #expect(abroad.declineCode == "currency_not_supported")
    }

    @Test(arguments: ["", "sim:", "sim:declined:", "sim:x:visa:contact_emv", "sealed", "sim:4242:visa:contact_emv"])
    func whatNoReaderSealedIsRefused(sealed: String) async {
        let payload = CardPresentPayload(reader: "simulated", sealed: Secret(sealed), card: nil)
        let answer = await provider().authorize(ask(eur(1)), with: .cardPresent(payload))
        #expect(answer.declineCode == "tender_not_supported")
    }

    @Test(arguments: [
        (SandboxFault.timeoutBeforeCommit, false), (.timeoutAfterCommit, true), (.serverErrorAfterSuccess, true),
        (.conflict, false), (.outage, false),
    ])
    func afterAFaultNothingIsKnownAndTheSameKeyFindsOut(fault: SandboxFault, happened: Bool) async throws {
        let provider = provider()
        provider.faults.fail(.authorize, with: fault)
        guard case .unknown = await provider.authorize(ask(eur(1250)), with: try card()) else {
            Issue.record("not unknown")
            return
        }
        #expect(try await provider.ledger.charges().contains { $0.authorized == 1250 } == happened)
        _ = try await held(provider, eur(1250))
        #expect(try await provider.ledger.charges().count == 1)
    }

    @Test func amountsFailOnceAndOnlyTheirOwnOperation() async throws {
        let provider = provider()
        let reference = try await held(provider, eur(90_012))
        guard case .unknown = await provider.capture(take(eur(90_012), reference)) else {
            Issue.record("not unknown")
            return
        }
        #expect(await provider.capture(take(eur(90_012), reference)).isApproved)
        #expect(try await provider.ledger.charges().first?.captured == 90_012)
        provider.faults.fail(.refund, with: .duplicateDelivery)
        #expect(await provider.refund(giveBack(eur(10), reference)).isApproved)
        #expect(try await provider.ledger.charges().first?.refunded == 10)
    }

    @Test func aScriptIsTheSameForTheSameSeed() {
        let at = clock.now()
        func faults(_ seed: UInt64) -> [SandboxFault?] {
            let script = SandboxScript(seed: seed, everyFaultPerMillion: 200_000)
            return (0..<1000).map { script.fault(.capture, key: "k\($0)", at: at) }
        }
        #expect(faults(7) == faults(7))
        #expect(faults(7) != faults(8))
        #expect((100...300).contains(faults(7).count { $0 != nil }))
    }

    /// Repeated, since both open the file at once, and SQLite refuses one of them only now and then.
    @Test(arguments: 0..<10) func twoProcessesShareOneFile(_: Int) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("sandbox-\(UUID()).sqlite").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let one = SandboxProvider(store: SandboxFileStore(path: path), clock: clock)
        let two = SandboxProvider(store: SandboxFileStore(path: path), clock: clock)
        let tender = try card()
        let requests = (0..<40).map { ask(eur(100), attempt: "pay_\($0 / 2)-a1") }
        await withTaskGroup(of: Bool.self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask {
                    await (index.isMultiple(of: 2) ? one : two).authorize(request, with: tender).isApproved
                }
            }
            for await isApproved in group { #expect(isApproved) }
        }
        #expect(try await two.ledger.charges().count == 20)
    }

    @Test func whatAnotherProcessHasChangedIsReadAnew() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("sandbox-\(UUID()).sqlite").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let one = SandboxProvider(store: SandboxFileStore(path: path), clock: clock)
        let two = SandboxProvider(store: SandboxFileStore(path: path), clock: clock)
        let reference = try await held(one, eur(1250))
        #expect(await two.capture(take(eur(1250), reference)).isApproved)
        #expect(await one.capture(take(eur(1250), reference, key: "c2")).declineCode == "already_captured")
        #expect(await one.refund(giveBack(eur(500), reference)).isApproved)
        #expect(await two.refund(giveBack(eur(751), reference, key: "r2")).declineCode == "amount_too_large")
        let charge = try #require(try await one.ledger.charge(reference))
        #expect(charge.captured == 1250 && charge.refunded == 500)
        #expect(try await two.ledger.charges() == [charge])
    }

    @Test func moreChargesThanAreRememberedAreReadFromTheFile() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("sandbox-\(UUID()).sqlite").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let provider = SandboxProvider(store: SandboxFileStore(path: path), clock: clock)
        let tender = try card()
        let requests = (0..<300).map { ask(eur(100), attempt: "pay_\($0)-a1") }
        for request in requests { #expect(await provider.authorize(request, with: tender).isApproved) }
        for request in requests { #expect(await provider.authorize(request, with: tender).isApproved) }
        #expect(try await provider.ledger.charges().count == requests.count)
    }
}

extension ProviderAnswer {
    var isApproved: Bool { if case .approved = self { true } else { false } }
    var declineCode: String? { if case .declined(let decline) = self { decline.code } else { nil } }
}
