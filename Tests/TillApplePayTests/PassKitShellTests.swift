#if os(Linux)
    import Foundation
    import PassKit
    import Testing
    import TillApplePay
    import TillApplePayShell
    import TillCore

    @Suite("PassKit's shell")
    @MainActor struct PassKitShellTests {
        private func request() throws -> PaymentSheetRequest {
            let shop = SheetBasket.ShopAddress(
                name: "Shop", addressLines: ["1 Road", "Yard"], locality: "Town", postalCode: "BN1 1AA",
                countryCode: "GB")
            let basket = SheetBasket(
                id: "b", currency: .kwd, service: .collection(shop),
                lines: [SheetItem(label: "A", amount: Money(minorUnits: 12_345, currency: .kwd))])
            return try ApplePayPaymentRequestFactory(displayName: "Shop", countryCode: "KW").request(
                for: basket, applicationData: [1, 2])
        }

        @Test("A request arrives whole: exact amounts, contact fields, pick-up")
        func conversion() throws {
            let converted = try #require(
                PassKitConversion.request(try request(), merchantIdentifier: "merchant.x"))
            #expect(converted.paymentSummaryItems.last?.amount == NSDecimalNumber(string: "12.345"))
            #expect(converted.requiredShippingContactFields == [.name, .emailAddress, .phoneNumber, .postalAddress])
            #expect(converted.shippingType == .storePickup)
            #expect(converted.shippingContactEditingMode == .storePickup)
            #expect(converted.shippingContact?.postalAddress?.street == "1 Road\nYard")
            #expect(converted.applicationData == Data([1, 2]))
            #expect(converted.supportedNetworks == [.visa, .masterCard, .amex])
        }

        @Test("Every network of Apple's reaches the sheet in its order, and an unknown one under its own name")
        func networks() throws {
            let table: [(String, PKPaymentNetwork)] = [
                ("cartesBancaires", .cartesBancaires), ("mada", .mada), ("eftpos", .eftpos), ("interac", .interac),
                ("jcb", .JCB), ("chinaUnionPay", .chinaUnionPay), ("privateLabel", .privateLabel), ("visa", .visa),
                ("electron", .electron), ("maestro", .maestro), ("vPay", .vPay), ("girocard", .girocard),
                ("elo", .elo), ("quicPay", .quicPay), ("idCredit", .idCredit), ("suica", .suica),
                ("bancontact", .bancontact), ("dankort", .dankort), ("mir", .mir), ("nanaco", .nanaco),
                ("waon", .waon), ("postFinance", .postFinance), ("tmoney", .tmoney), ("meeza", .meeza),
                ("pagoBancomat", .pagoBancomat), ("bankAxept", .bankAxept), ("himyan", .himyan), ("jaywan", .jaywan),
                ("barcode", .barcode), ("amex", .amex), ("masterCard", .masterCard), ("discover", .discover),
                // The device has it, in other capitals.
                ("napas", PKPaymentNetwork(rawValue: "NAPAS")), ("Visa", .visa),
                // Nobody here knows it.
                ("tomorrow", PKPaymentNetwork(rawValue: "tomorrow")),
            ]
            var request = try request()
            request.supportedNetworks = table.map(\.0)
            let converted = try #require(PassKitConversion.request(request, merchantIdentifier: "merchant.x"))
            #expect(converted.supportedNetworks == table.map(\.1))
            let sheet = PassKitPaymentSheet(merchantIdentifier: "merchant.x")
            #expect(sheet.availability(networks: ["mada"]) == .available)
            #expect(sheet.availability(networks: ["tomorrow"]) == .available)
        }

        @Test("Without networks no sheet is shown, and no set-up is offered")
        func noNetworks() async throws {
            var request = try request()
            request.supportedNetworks = []
            #expect(PassKitConversion.request(request, merchantIdentifier: "merchant.x") == nil)
            let sheet = PassKitPaymentSheet(merchantIdentifier: "merchant.x")
            #expect(await !sheet.present(request, delegate: Answers()))
            #expect(sheet.availability(networks: []) == .unavailable)
        }

        private func request(_ agreement: PaymentSheetRequest.Agreement) throws -> PaymentSheetRequest {
            var request = try request()
            request.agreement = agreement
            return request
        }

        private func billing(
            _ terms: BillingAgreement.Terms, management: String = "https://shop.example/box",
            notification: String? = "https://shop.example/n"
        ) -> PaymentSheetRequest.Agreement {
            .billing(
                BillingAgreement(
                    description: "Box club", text: "Until canceled.", managementURL: management,
                    notificationURL: notification, terms: terms))
        }

        private let box = SheetItem(label: "Box", amount: Money(minorUnits: 9_001, currency: .kwd))

        @Test("An agreement arrives whole, or no sheet is shown")
        func agreements() async throws {
            func convert(_ agreement: PaymentSheetRequest.Agreement) throws -> PKPaymentRequest? {
                PassKitConversion.request(try request(agreement), merchantIdentifier: "merchant.x")
            }
            let start = Timestamp(milliseconds: 1_800_000_000_000)
            let regular = BillingAgreement.RecurringBilling(item: box, every: 2, .month, start: start)
            let trial = BillingAgreement.RecurringBilling(item: box, every: 7, .day, end: start)
            let recurring = try #require(
                try convert(billing(.recurring(regular: regular, trial: trial)))?.recurringPaymentRequest)
            #expect(recurring.regularBilling.amount == NSDecimalNumber(string: "9.001"))
            #expect(recurring.regularBilling.intervalUnit == .month && recurring.regularBilling.intervalCount == 2)
            #expect(recurring.regularBilling.startDate == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(recurring.trialBilling?.endDate == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(recurring.trialBilling?.intervalUnit == .day && recurring.trialBilling?.intervalCount == 7)
            #expect(recurring.billingAgreement == "Until canceled.")
            #expect(recurring.managementURL.absoluteString == "https://shop.example/box")
            #expect(recurring.tokenNotificationURL?.absoluteString == "https://shop.example/n")
            let free = BillingAgreement.FreeCancellation(until: start, timeZone: "GMT")
            let deferred = try #require(try convert(billing(.deferred(box, on: start, free)))?.deferredPaymentRequest)
            #expect(deferred.deferredBilling.deferredDate == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(deferred.freeCancellationDate == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(deferred.freeCancellationDateTimeZone == TimeZone(identifier: "GMT"))
            let reload = try #require(
                try convert(billing(.automaticReload(box, threshold: box.amount), notification: nil))?
                    .automaticReloadPaymentRequest)
            #expect(reload.automaticReloadBilling.thresholdAmount == NSDecimalNumber(string: "9.001"))
            #expect(reload.paymentDescription == "Box club" && reload.tokenNotificationURL == nil)
            let nowhere = BillingAgreement.FreeCancellation(until: start, timeZone: "Nowhere/Else")
            for agreement in [
                billing(.deferred(box, on: start, nowhere)), .multiToken([]),
                billing(.deferred(box, on: start, nil), management: ""),
                billing(.deferred(box, on: start, nil), notification: ""),
            ] {
                #expect(try convert(agreement) == nil)
                let sheet = PassKitPaymentSheet(merchantIdentifier: "merchant.x")
                #expect(await !sheet.present(try request(agreement), delegate: Answers()))
            }
        }

        @Test("Contacts come back field by field, and a redacted one has no more than its parts")
        func contacts() {
            let address = CNMutablePostalAddress()
            address.street = "1 Road\nYard"
            address.city = "Town"
            address.postalCode = "BN1 1AA"
            address.isoCountryCode = "gb"
            let contact = PKContact()
            contact.name = PersonNameComponents(givenName: "Ada", familyName: "Lovelace")
            contact.emailAddress = "ada@example.com"
            contact.phoneNumber = CNPhoneNumber(stringValue: "020 7946 0000")
            contact.postalAddress = address
            let whole = PassKitConversion.contact(contact)
            #expect(whole.addressLines == ["1 Road", "Yard"])
            #expect(whole.countryCode == "GB")
            #expect(whole.givenName == "Ada")
            #expect(PassKitConversion.redacted(contact).postalCode == "BN1 1AA")
            #expect(PassKitConversion.contact(PKContact()) == WalletContact())
        }

        @Test("The controller's questions reach the delegate, and its answers the controller")
        func questions() async throws {
            let sheet = PassKitPaymentSheet(merchantIdentifier: "merchant.x")
            #expect(sheet.availability(networks: ["visa"]) == .available)
            let delegate = Answers()
            #expect(await sheet.present(try request(), delegate: delegate))
            let controller = try #require(PKPaymentAuthorizationController.testPresented)
            let method = PKShippingMethod(label: "Fast", amount: 1)
            method.identifier = "f"
            let update = await sheet.paymentAuthorizationController(controller, didSelectShippingMethod: method)
            #expect(update.paymentSummaryItems.map(\.label) == ["f"])
            let payment = PKPayment()
            payment.token.paymentData = Data(#"{"version":"EC_v1"}"#.utf8)
            payment.token.paymentMethod.displayName = "Visa 0075"
            payment.token.paymentMethod.network = .visa
            payment.token.transactionIdentifier = "T1"
            let result = await sheet.paymentAuthorizationController(controller, didAuthorizePayment: payment)
            #expect(result.status == .failure)
            #expect(result.errors.count == 1)
            let token = try JSONValue(parsing: try #require(delegate.tokens.first))
            #expect(token["paymentData"]?["version"] == .string("EC_v1"))
            #expect(token["paymentMethod"]?["displayName"] == .string("Visa 0075"))
            #expect(token["paymentMethod"]?["network"] == .string("Visa"))
            #expect(token["transactionIdentifier"] == .string("T1"))
            payment.token.paymentData = Data()
            _ = await sheet.paymentAuthorizationController(controller, didAuthorizePayment: payment)
            #expect(delegate.tokens.last == [])
        }
    }

    @MainActor private final class Answers: PaymentSheetDelegate {
        var tokens: [[UInt8]] = []

        func selected(contact: RedactedContact) async -> PaymentSheetUpdate { PaymentSheetUpdate(items: []) }
        func selected(shippingMethod identifier: String) async -> PaymentSheetUpdate {
            PaymentSheetUpdate(items: [SheetItem(label: identifier, amount: .zero(.gbp))])
        }
        func selected(isCredit: Bool) async -> PaymentSheetUpdate { PaymentSheetUpdate(items: []) }
        func entered(coupon: String) async -> PaymentSheetUpdate { PaymentSheetUpdate(items: []) }
        func authorized(_ payment: AuthorizedWalletPayment) async -> PaymentSheetResult {
            tokens.append(payment.token.reveal())
            return .failure([SheetError(.addressUnserviceable, .postalCode, "No.")])
        }
        func finished() async {}
    }
#endif
