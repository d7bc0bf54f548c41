import Synchronization
import Testing
import TillApplePay
import TillApplePayClient
import TillClient
import TillCore
import TillTestSupport

@Suite("Apple Pay in an app, at the shop's counter")
struct CounterApplePayTests {
    private let clock = ManualClock(waits: .moveTime())

    private func backEnd(_ counter: SheetCounter) throws -> CounterApplePay {
        CounterApplePay(address: try CounterAddress("https://counter.example"), transport: counter, clock: clock)
    }

    private func basket(_ counter: SheetCounter) -> SheetBasket { counter.books.withLock { $0.basket } }

    private func contact() throws -> FullContact {
        try FullContact(
            WalletContact(
                givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@example.com",
                phoneNumber: "020 7946 0000", addressLines: ["1 Fleet Place"], locality: "London",
                postalCode: "EC4M 7RF", countryCode: "GB"), needsAddress: true)
    }

    private func placement(_ basket: SheetBasket) throws -> OrderPlacement {
        OrderPlacement(basket: basket, token: Secret(Array(#"{"data":"x"}"#.utf8)), contact: try contact())
    }

    private func placed(_ counter: SheetCounter) async throws -> Result<PlacedOrder, PaymentBackendError> {
        let backEnd = try backEnd(counter)
        let prepared = try await backEnd.prepare(basket(counter), CheckoutDetails())
        do throws(PaymentBackendError) { return .success(try await backEnd.place(try made(prepared.basket))) } catch {
            return .failure(error)
        }
    }

    private func made(_ basket: SheetBasket) throws(PaymentBackendError) -> OrderPlacement {
        do { return try placement(basket) } catch { throw .unknown }
    }

    private let order = PlacedOrder(id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1350, currency: .gbp))

    @Test("The sheet is built from the counter's answer, and its token is bound to the basket")
    func prepares() async throws {
        let counter = SheetCounter()
        let backEnd = try backEnd(counter)
        let sheet = try await backEnd.sheet(of: "b-1")
        #expect(sheet.factory.displayName == "Shop")
        #expect(sheet.factory.countryCode == "GB")
        let prepared = try await backEnd.prepare(
            sheet.basket, CheckoutDetails(notes: "Ring twice", preferredTime: clock.now()))
        #expect(prepared.applicationData == SheetCounter.bound)
        #expect(counter.lines.last == "POST /applepay/basket/b-1/details")
        #expect(counter.books.withLock { $0.proofs.last } == "proof-1")
        #expect(counter.books.withLock { $0.bodies.last }?["note"] == .string("Ring twice"))
    }

    @Test("A sheet that shows another total than its goods is not opened")
    func total() async throws {
        let counter = SheetCounter()
        counter.books.withLock { $0.shown = "1.00" }
        let backEnd = try backEnd(counter)
        await #expect(throws: CounterApplePayError.unreadable) { try await backEnd.sheet(of: "b-1") }
    }

    @Test("A basket that is paid, or may be paid, opens no sheet")
    func paidAlready() async throws {
        let counter = SheetCounter()
        let backEnd = try backEnd(counter)
        counter.books.withLock {
            $0.outcome = #"{"status":"placed","orderId":"1001","amount":"13.50","currency":"GBP"}"#
        }
        await #expect(throws: CounterApplePayError.paid(order)) {
            try await backEnd.prepare(basket(counter), CheckoutDetails())
        }
        counter.books.withLock { $0.outcome = #"{"status":"a later version's word"}"# }
        await #expect(throws: CounterApplePayError.pending("b-1")) {
            try await backEnd.prepare(basket(counter), CheckoutDetails())
        }
        #expect(try await backEnd.outcome(of: "b-1") == .pending)
    }

    @Test("A selection has the counter's price; an error is the counter's, or says that it is not reached")
    func selections() async throws {
        let counter = SheetCounter()
        let backEnd = try backEnd(counter)
        let sheet = try await backEnd.sheet(of: "b-1")
        let fast = try #require(await backEnd.select(.shippingMethod("fast"), in: sheet.basket))
        #expect(try fast.basket.total().minorUnits == 1550)
        let coupon = try #require(await backEnd.select(.coupon("X"), in: fast.basket))
        #expect(coupon.errors.map(\.code) == [.couponCodeInvalid])
        counter.books.withLock { $0.isDown = true }
        let lost = try #require(await backEnd.select(.shippingMethod("slow"), in: fast.basket))
        #expect(lost.basket == fast.basket)
        #expect(lost.errors.count == 1)
        // The selection may have been applied: what the sheet shows is not certain, and is not paid.
        counter.books.withLock { $0.isDown = false }
        await #expect(throws: PaymentBackendError.self) { try await backEnd.place(placement(lost.basket)) }
        #expect(counter.payments == 0)
    }

    @Test("A selection that was applied and whose answer was lost is found at the counter")
    func lostSelection() async throws {
        let counter = SheetCounter(.pays)
        let backEnd = try backEnd(counter)
        let sheet = try await backEnd.sheet(of: "b-1")
        counter.books.withLock { $0.losesUpdates = true }
        let fast = try #require(await backEnd.select(.shippingMethod("fast"), in: sheet.basket))
        #expect(fast.errors.count == 1)
        #expect(try fast.basket.total().minorUnits == 1550)
        #expect(fast.basket.version == 2)
        counter.books.withLock { $0.paid = "15.50" }
        #expect(try await backEnd.place(placement(fast.basket)).amount.minorUnits == 1550)
    }

    private let notChosen = PaymentBackendError.refused([
        SheetError(
            .unknown, nil,
            "The shop did not get your choice of delivery. Nothing was charged. Please close this sheet and pay again.")
    ])

    @Test("A choice of shipping that never arrived is not paid as the one before, also after other answers")
    func droppedSelection() async throws {
        let counter = SheetCounter(.pays)
        let backEnd = try backEnd(counter)
        let sheet = try await backEnd.sheet(of: "b-1")
        counter.books.withLock { $0.dropsUpdates = true }
        let before = try #require(await backEnd.select(.shippingMethod("fast"), in: sheet.basket))
        #expect(before.basket == sheet.basket && before.errors.count == 1)
        await #expect(throws: notChosen) { try await backEnd.place(placement(before.basket)) }
        counter.books.withLock { $0.dropsUpdates = false }
        // Its update has no list of methods, so the sheet shows the chosen one still.
        let card = try #require(await backEnd.select(.card(isCredit: false), in: before.basket))
        await #expect(throws: notChosen) { try await backEnd.place(placement(card.basket)) }
        #expect(counter.payments == 0)
        let fast = try #require(await backEnd.select(.shippingMethod("fast"), in: card.basket))
        counter.books.withLock { $0.paid = "15.50" }
        #expect(try await backEnd.place(placement(fast.basket)).amount.minorUnits == 1550)
    }

    @Test("A basket that another sheet has paid is that sheet's order, whatever this one shows")
    func paidElsewhere() async throws {
        let counter = SheetCounter()
        let backEnd = try backEnd(counter)
        let sheet = try await backEnd.sheet(of: "b-1")
        let before = try #require(await backEnd.select(.shippingMethod("none"), in: sheet.basket))
        counter.books.withLock { $0.outcome = #"{"status":"pending","moneyMoved":"unknown"}"# }
        await #expect(throws: PaymentBackendError.unknown) { try await backEnd.place(placement(before.basket)) }
        counter.books.withLock {
            $0.outcome = #"{"status":"placed","orderId":"1001","amount":"13.50","currency":"GBP"}"#
        }
        #expect(try await backEnd.place(placement(before.basket)) == order)
        #expect(counter.payments == 0)
    }

    @Test("A choice of shipping that the counter refuses is not paid as the one before, until the sheet has a new list")
    func refusedSelection() async throws {
        let counter = SheetCounter(.pays)
        let backEnd = try backEnd(counter)
        let sheet = try await backEnd.sheet(of: "b-1")
        let before = try #require(await backEnd.select(.shippingMethod("none"), in: sheet.basket))
        #expect(before.errors.map(\.message) == ["This delivery method is not offered."])
        await #expect(throws: notChosen) { try await backEnd.place(placement(before.basket)) }
        #expect(counter.payments == 0)
        let here = RedactedContact(
            locality: "London", administrativeArea: "", postalCode: "EC4M", countryCode: "GB")
        let listed = try #require(await backEnd.select(.contact(here), in: before.basket))
        #expect(try await backEnd.place(placement(listed.basket)).amount.minorUnits == 1350)
    }

    @Test("Paid, with the contact and the version that were shown")
    func pays() async throws {
        let counter = SheetCounter(.pays)
        #expect(try await placed(counter) == .success(order))
        let body = try #require(counter.books.withLock { $0.bodies.last })
        #expect(body["version"]?.int64Value == 1)
        #expect(body["token"]?["data"] == .string("x"))
        #expect(body["shippingContact"]?["postalCode"] == .string("EC4M 7RF"))
    }

    @Test("A lost answer is looked up: the paid order is found and not paid again")
    func lostAnswer() async throws {
        let counter = SheetCounter(.paysUnheard)
        #expect(try await placed(counter) == .success(order))
        #expect(counter.payments == 1)
    }

    @Test("A request that never arrived is sent again, with the same token")
    func neverArrived() async throws {
        let counter = SheetCounter(.lost, .notSent, .pays)
        #expect(try await placed(counter) == .success(order))
        #expect(counter.payments == 3)
    }

    @Test("No answer within the limit is unknown, never refused")
    func unknown() async throws {
        let counter = SheetCounter(.lost)
        #expect(try await placed(counter) == .failure(.unknown))
    }

    @Test("What was never sent is certainly not charged")
    func notSent() async throws {
        let counter = SheetCounter(.notSent)
        counter.books.withLock { $0.fates = Array(repeating: .notSent, count: 1_000) }
        guard case .failure(.refused(let errors)) = try await placed(counter) else {
            Issue.record("not refused")
            return
        }
        #expect(errors.map(\.message) == ["The shop cannot be reached. Nothing was charged."])
    }

    private static let declined =
        #"{"status":"declined","moneyMoved":"no","errors":[{"code":"unknown","message":"Declined."}]}"#

    @Test("A refusal shows the counter's words")
    func refusal() async throws {
        let counter = SheetCounter(.answers(402, CounterApplePayTests.declined))
        #expect(try await placed(counter) == .failure(.refused([SheetError(.unknown, nil, "Declined.")])))
    }

    @Test("A refusal after a lost try is none while that try may be paid")
    func refusalAfterLost() async throws {
        let counter = SheetCounter(.lost, .answers(409, #"{"code":"replay","money_moved":"no"}"#))
        counter.books.withLock { $0.outcome = #"{"status":"pending","moneyMoved":"unknown"}"# }
        let backEnd = try backEnd(counter)
        // The proof is known from an earlier sheet.
        _ = try await backEnd.sheet(of: "b-1")
        await #expect(throws: PaymentBackendError.unknown) { try await backEnd.place(placement(basket(counter))) }
    }

    @Test(
        "A refusal that holds for copies settles a lost try; one of access does not",
        arguments: [
            (402, CounterApplePayTests.declined, true),
            (422, #"{"status":"refused","code":"token_refused","moneyMoved":"no","errors":[]}"#, true),
            (422, #"{"status":"refused","code":"earlier_refused","moneyMoved":"no","errors":[]}"#, false),
            (403, #"{"code":"basket_proof","money_moved":"no"}"#, false),
            (429, #"{"code":"too_many","money_moved":"no"}"#, false),
        ])
    func refusalOfCopies(_ status: Int, _ text: String, isLasting: Bool) async throws {
        let counter = SheetCounter(.lost)
        counter.books.withLock { $0.fates += Array(repeating: .answers(status, text), count: 1_000) }
        let result = try await placed(counter)
        #expect((result == .failure(.unknown)) == !isLasting)
        #expect(counter.payments >= 2)
    }

    @Test(
        "Nobody is told that nothing was charged when nobody knows",
        arguments: [
            CounterApplePayError.notAnswered(reason: "x"), .unreadable, .notFound("b-1"), .pending("b-1"),
        ])
    func unknownErrors(_ error: CounterApplePayError) {
        #expect(error.moneyMoved == .unknown)
    }

    @Test("The whole wait for an outcome is limited, also by a counter that takes its time")
    func limited() async throws {
        let counter = SheetCounter(onCall: { [clock] span in clock.advance(by: span) })
        let began = clock.now()
        let backEnd = try backEnd(counter)
        let basket = try await backEnd.sheet(of: "b-1").basket
        counter.books.withLock { $0.slowness = .seconds(20) }
        await #expect(throws: PaymentBackendError.unknown) { try await backEnd.place(placement(basket)) }
        let limits = CounterApplePayLimits()
        let most = limits.settling.milliseconds + limits.lastLook.milliseconds + limits.pause.milliseconds
        #expect(clock.now().since(began).milliseconds <= most)
    }

    @Test(
        "An answer that says nothing of money, or of another amount, settles nothing",
        arguments: [
            SheetCounter.Fate.answers(502, "<html>"), .answers(409, #"{"code":"x"}"#), .answers(200, "{}"),
            .answers(201, #"{"status":"placed","orderId":"1001","amount":"99.00","currency":"GBP"}"#),
            .answers(201, #"{"status":"placed","orderId":"1001","amount":"13.50","currency":"EUR"}"#),
        ])
    func unreadable(_ fate: SheetCounter.Fate) async throws {
        #expect(try await placed(SheetCounter(fate)) == .failure(.unknown))
    }

    @Test("A guest's token comes with the order")
    func guest() async throws {
        let counter = SheetCounter(
            .answers(
                201, #"{"status":"placed","orderId":"1001","amount":"13.50","currency":"GBP","guestToken":"g-1"}"#))
        #expect(try await placed(counter).get().guestToken?.reveal() == "g-1")
    }

    @Test("A basket's name with other characters does not reach the path")
    func hostileName() async throws {
        let counter = SheetCounter()
        let backEnd = try backEnd(counter)
        await #expect(throws: CounterApplePayError.notFound("../v1/keys?x")) {
            try await backEnd.sheet(of: "../v1/keys?x")
        }
        #expect(counter.lines == ["GET /applepay/basket/-"])
    }
}
