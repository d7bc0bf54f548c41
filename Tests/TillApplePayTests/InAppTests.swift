import Synchronization
import Testing
import TillApplePay
import TillCore

private let price = Money(minorUnits: 1250, currency: .gbp)

private func basket(_ service: SheetBasket.Service = .delivery) -> SheetBasket {
    SheetBasket(
        id: "b-1", currency: .gbp, service: service, lines: [SheetItem(label: "A", amount: price)],
        shippingMethods: [
            SheetShippingMethod(
                identifier: "s", label: "Slow", detail: "", amount: Money(minorUnits: 100, currency: .gbp))
        ])
}

private let ada = WalletContact(
    givenName: "Ada", familyName: "Lovelace", emailAddress: "ada@example.com", phoneNumber: "020 7946 0000",
    addressLines: ["1 Fleet Place"], locality: "London", postalCode: "EC4M 7RF", countryCode: "GB")

private func authorized(_ contact: WalletContact = ada, token: [UInt8] = [1]) -> AuthorizedWalletPayment {
    AuthorizedWalletPayment(token: Secret(token), shipping: contact, billing: nil)
}

private struct Preparing: CheckoutService {
    func prepare(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> PreparedCheckout {
        PreparedCheckout(basket: basket, applicationData: Array("binds it".utf8))
    }
}

/// A back end that prices selections: a coupon takes off, everything else is answered with an error.
private struct Pricing: CheckoutService {
    func prepare(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> PreparedCheckout {
        PreparedCheckout(basket: basket)
    }

    func select(_ selection: SheetSelection, in basket: SheetBasket) async -> SheetRevision? {
        guard selection == .coupon("TEN") else {
            return SheetRevision(basket: basket, errors: [SheetError(.unknown, nil, "asked")])
        }
        var reduced = basket
        reduced.apply(SheetBasket.Coupon(code: "TEN", discount: Money(minorUnits: 125, currency: .gbp)))
        return SheetRevision(basket: reduced)
    }
}

/// A back end that answers as told and counts; it can be held.
private actor Backend: PaymentBackend {
    private var answers: [Result<PlacedOrder, PaymentBackendError>]
    private(set) var placements: [OrderPlacement] = []
    private var gate: CheckedContinuation<Void, Never>?
    private let isHeld: Bool

    init(_ answers: [Result<PlacedOrder, PaymentBackendError>], isHeld: Bool = false) {
        self.answers = answers
        self.isHeld = isHeld
    }

    func place(_ placement: OrderPlacement) async throws(PaymentBackendError) -> PlacedOrder {
        placements.append(placement)
        if isHeld { await withCheckedContinuation { gate = $0 } }
        guard !answers.isEmpty else { throw .unknown }
        return try answers.removeFirst().get()
    }

    var isWaiting: Bool { gate != nil }
    func release() {
        gate?.resume()
        gate = nil
    }
}

private let placed = PlacedOrder(id: OrderID(rawValue: "b-1"), amount: price)

@Suite("A wallet's payment in an app")
struct ApplePayPaymentHandlerTests {
    @Test("The states go from idle to placed, and a stream tells them")
    func states() async throws {
        let handler = ApplePayPaymentHandler(
            basket: basket(), checkout: Preparing(), backend: Backend([.success(placed)]))
        let states = await handler.states()
        _ = try await handler.prepare()
        #expect(await handler.submit(authorized()) == .placed(placed))
        var seen: [WalletPaymentState] = []
        for await state in states { seen.append(state) }
        #expect(seen == [.idle, .preparing, .prepared, .submitting, .placed(placed)])
        #expect(seen.map(\.completedUnits) == [0, 1, 2, 3, 4])
    }

    @Test("Two authorizations at once send one token")
    func once() async throws {
        let backend = Backend([.success(placed), .success(placed)], isHeld: true)
        let handler = ApplePayPaymentHandler(basket: basket(), checkout: Preparing(), backend: backend)
        _ = try await handler.prepare()
        async let first = handler.submit(authorized())
        while await !backend.isWaiting { await Task.yield() }
        #expect(await handler.submit(authorized()) == .submitting)
        await backend.release()
        #expect(await first == .placed(placed))
        #expect(await handler.submit(authorized()) == .placed(placed))
        #expect(await backend.placements.count == 1)
    }

    @Test("Giving up works until the token is on its way, and not after")
    func cancel() async throws {
        let backend = Backend([.success(placed)], isHeld: true)
        let handler = ApplePayPaymentHandler(basket: basket(), checkout: Preparing(), backend: backend)
        _ = try await handler.prepare()
        async let paying = handler.submit(authorized())
        while await !backend.isWaiting { await Task.yield() }
        #expect(await handler.cancel() == false)
        await backend.release()
        #expect(await paying == .placed(placed))

        let other = ApplePayPaymentHandler(basket: basket(), checkout: Preparing(), backend: backend)
        _ = try await other.prepare()
        #expect(await other.cancel())
        #expect(await other.submit(authorized()) == .canceled)
        #expect(await backend.placements.count == 1)
    }

    @Test("No answer is pending, never refused, and nothing is sent again")
    func unknown() async throws {
        let backend = Backend([.failure(.unknown)])
        let handler = ApplePayPaymentHandler(basket: basket(), checkout: Preparing(), backend: backend)
        _ = try await handler.prepare()
        #expect(await handler.submit(authorized()) == .pending)
        #expect(await handler.submit(authorized()) == .pending)
        #expect(await backend.placements.count == 1)
    }

    @Test("A simulator's empty token and an incomplete contact send nothing")
    func incomplete() async throws {
        let backend = Backend([.success(placed)])
        let handler = ApplePayPaymentHandler(basket: basket(), checkout: Preparing(), backend: backend)
        _ = try await handler.prepare()
        guard case .refused = await handler.submit(authorized(token: [])) else {
            Issue.record("an empty token was taken")
            return
        }
        var silent = ada
        silent.phoneNumber = nil
        guard case .refused(let errors) = await handler.submit(authorized(silent)) else {
            Issue.record("a contact without telephone was taken")
            return
        }
        #expect(errors.map(\.field) == [.phoneNumber])
        #expect(await backend.placements.isEmpty)
        #expect(await handler.submit(authorized()) == .placed(placed))
    }
}

/// A sheet whose customer does what the test says.
@MainActor private final class ScriptedSheet: PaymentSheetPresenter {
    var device = ApplePayAvailability.available
    var request: PaymentSheetRequest?
    var isDismissed = false
    let customer: @MainActor (any PaymentSheetDelegate) async -> Void

    init(_ customer: @escaping @MainActor (any PaymentSheetDelegate) async -> Void) { self.customer = customer }

    func availability(networks: [String]) -> ApplePayAvailability { device }
    func present(_ request: PaymentSheetRequest, delegate: any PaymentSheetDelegate) async -> Bool {
        self.request = request
        Task { await customer(delegate) }
        return true
    }
    func dismiss() async { isDismissed = true }
}

@MainActor private final class Screens: StandardCheckout {
    func pay(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> WalletPaymentState { .placed(placed) }
}

@Suite("The sheet in an app")
@MainActor struct ApplePayServiceTests {
    private let area = DeliveryArea(country: "GB", areas: ["EC4M"])
    private let factory = ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "GB")

    private func service(_ sheet: ScriptedSheet) -> ApplePayService {
        ApplePayService(presenter: sheet, factory: factory, area: area) { code, _ in
            code == "TEN"
                ? .success(SheetBasket.Coupon(code: code, discount: Money(minorUnits: 125, currency: .gbp)))
                : .failure(SheetError(.couponCodeInvalid, nil, "Not known."))
        }
    }

    private func handler(_ backend: Backend) -> ApplePayPaymentHandler {
        ApplePayPaymentHandler(basket: basket(), checkout: Preparing(), backend: backend)
    }

    @Test("A coupon changes the lines, an address far away is told, and what was shown is what is placed")
    func selections() async throws {
        let backend = Backend([.success(placed)])
        let sheet = ScriptedSheet { delegate in
            let far = RedactedContact(locality: "", administrativeArea: "", postalCode: "BN15", countryCode: "GB")
            #expect(await delegate.selected(contact: far).errors.map(\.code) == [.addressUnserviceable])
            #expect(await delegate.entered(coupon: "nothing").errors.map(\.code) == [.couponCodeInvalid])
            let update = await delegate.entered(coupon: "ten")
            #expect(update.errors.isEmpty)
            #expect(update.items.last?.amount.minorUnits == 1225)
            #expect(await delegate.authorized(authorized()) == .success)
            await delegate.finished()
        }
        #expect(try await service(sheet).pay(with: handler(backend)) == .placed(placed))
        #expect(sheet.request?.applicationData == Array("binds it".utf8))
        let placement = try #require(await backend.placements.first)
        #expect(try placement.basket.total().minorUnits == 1225)
        #expect(placement.contact.address?.postalCode == "EC4M 7RF")
    }

    @Test("A new list of shipping methods begins with the one that is charged, after a change of address or a coupon")
    func shippingMethods() async throws {
        let methods = [("van", 100), ("courier", 400)].map { name, cost in
            SheetShippingMethod(
                identifier: name, label: name, detail: "", amount: Money(minorUnits: Int64(cost), currency: .gbp))
        }
        let goods = SheetBasket(
            id: "b-1", currency: .gbp, service: .delivery, lines: [SheetItem(label: "A", amount: price)],
            shippingMethods: methods)
        let backend = Backend([.success(placed)])
        let sheet = ScriptedSheet { delegate in
            let near = RedactedContact(locality: "", administrativeArea: "", postalCode: "EC4M", countryCode: "GB")
            #expect(await delegate.selected(contact: near).shippingMethods.map(\.identifier) == ["van", "courier"])
            _ = await delegate.selected(shippingMethod: "courier")
            for update in [await delegate.selected(contact: near), await delegate.entered(coupon: "ten")] {
                #expect(update.shippingMethods.map(\.identifier) == ["courier", "van"])
            }
            #expect(await delegate.authorized(authorized()) == .success)
            await delegate.finished()
        }
        let handler = ApplePayPaymentHandler(basket: goods, checkout: Preparing(), backend: backend)
        #expect(try await service(sheet).pay(with: handler) == .placed(placed))
        #expect(await backend.placements.first?.basket.shippingMethod?.identifier == "courier")
    }

    @Test("An address without postcode and town pays where the shop delivers everywhere, and in no area")
    func withoutPostcode() async throws {
        let chan = WalletContact(
            givenName: "Tai Man", familyName: "Chan", emailAddress: "chan@example.com", phoneNumber: "+852 2123 4567",
            addressLines: ["1 Connaught Place", "Central"], administrativeArea: "Hong Kong Island", countryCode: "HK")
        let place = RedactedContact(
            locality: "", administrativeArea: "Hong Kong Island", postalCode: "", countryCode: "HK")
        var unfinished = ada
        unfinished.postalCode = nil
        for isEverywhere in [true, false] {
            let backend = Backend([.success(placed)])
            let sheet = ScriptedSheet { [unfinished] delegate in
                #expect(await delegate.selected(contact: place).errors.isEmpty == isEverywhere)
                // A postcode that the country has is named as missing, whatever the area.
                let early = await delegate.authorized(authorized(unfinished))
                let missing = SheetError(.shippingContactInvalid, .postalCode, "A postcode is needed.")
                #expect(early == .failure([missing]))
                let far = SheetError(.addressUnserviceable, .postalAddress, "We do not deliver to this address.")
                let result = await delegate.authorized(authorized(chan))
                #expect(result == (isEverywhere ? .success : .failure([far])))
                await delegate.finished()
            }
            let paying = isEverywhere ? ApplePayService(presenter: sheet, factory: factory) : service(sheet)
            _ = try await paying.pay(with: handler(backend))
            let address = await backend.placements.first?.contact.address
            #expect(address?.countryCode == (isEverywhere ? "HK" : nil))
        }
    }

    @Test("A back end that prices selections is asked for each, and its errors are shown")
    func backEndPrices() async throws {
        let backend = Backend([.success(placed)])
        let sheet = ScriptedSheet { delegate in
            let near = RedactedContact(locality: "", administrativeArea: "", postalCode: "EC4M", countryCode: "GB")
            #expect(await delegate.selected(contact: near).errors.map(\.message) == ["asked"])
            #expect(await delegate.selected(shippingMethod: "s").errors.map(\.message) == ["asked"])
            #expect(await delegate.selected(isCredit: true).errors.map(\.message) == ["asked"])
            #expect(await delegate.entered(coupon: " ten ").items.last?.amount.minorUnits == 1225)
            #expect(await delegate.authorized(authorized()) == .success)
            await delegate.finished()
        }
        let handler = ApplePayPaymentHandler(basket: basket(), checkout: Pricing(), backend: backend)
        let service = ApplePayService(presenter: sheet, factory: factory)
        #expect(try await service.pay(with: handler) == .placed(placed))
        #expect(try await backend.placements.first?.basket.total().minorUnits == 1225)
    }

    @Test("A sheet that is closed before authorization gives the payment up")
    func closed() async throws {
        let backend = Backend([])
        let sheet = ScriptedSheet { await $0.finished() }
        #expect(try await service(sheet).pay(with: handler(backend)) == .canceled)
        #expect(await backend.placements.isEmpty)
    }

    @Test("A sheet that is lost while the token is on its way does not lose the order")
    func lost() async throws {
        let backend = Backend([.success(placed)], isHeld: true)
        let sheet = ScriptedSheet { delegate in
            Task { _ = await delegate.authorized(authorized()) }
            while await !backend.isWaiting { await Task.yield() }
            await delegate.finished()
            await backend.release()
        }
        #expect(try await service(sheet).pay(with: handler(backend)) == .placed(placed))
    }

    @Test("A refusal after the sheet is gone ends the payment, and another one can be made")
    func refusedAfterLost() async throws {
        let refusal = SheetError(.unknown, nil, "Declined.")
        let backend = Backend([.failure(.refused([refusal]))], isHeld: true)
        let sheet = ScriptedSheet { delegate in
            Task { _ = await delegate.authorized(authorized()) }
            while await !backend.isWaiting { await Task.yield() }
            await delegate.finished()
            await backend.release()
        }
        let service = service(sheet)
        #expect(try await service.pay(with: handler(backend)) == .canceled)
        let next = Backend([])
        let closing = ScriptedSheet { await $0.finished() }
        #expect(try await self.service(closing).pay(with: handler(next)) == .canceled)
    }

    @Test("An address that is not delivered to is refused at authorization, and nothing sent")
    func farAway() async throws {
        let backend = Backend([])
        var far = ada
        far.postalCode = "BN15 9AA"
        let sheet = ScriptedSheet { [far] delegate in
            guard case .failure(let errors) = await delegate.authorized(authorized(far)) else {
                Issue.record("taken")
                return
            }
            #expect(errors.map(\.code) == [.addressUnserviceable])
            await delegate.finished()
        }
        #expect(try await service(sheet).pay(with: handler(backend)) == .canceled)
        #expect(await backend.placements.isEmpty)
    }

    @Test("Apple Pay is offered first where the device has it, and the standard checkout everywhere")
    func flow() async throws {
        let backend = Backend([.success(placed)])
        let sheet = ScriptedSheet { delegate in
            _ = await delegate.authorized(authorized())
            await delegate.finished()
        }
        let flow = PaymentFlowController(
            service: service(sheet), standard: Screens(), checkout: Preparing(), backend: backend)
        #expect(flow.methods == [.applePay, .standard])
        var seen: [WalletPaymentState] = []
        #expect(try await flow.pay(basket(), by: .applePay) { seen.append($0) } == .placed(placed))
        #expect(seen.last == .placed(placed))
        #expect(try await flow.pay(basket(), by: .standard) == .placed(placed))
        sheet.device = .unavailable
        #expect(flow.methods == [.standard])
        await #expect(throws: ApplePayServiceError.unavailable) { try await flow.pay(basket(), by: .applePay) }
    }
}
