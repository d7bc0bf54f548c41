import Foundation
import HTTPTypes
import Testing
import TillCore
import TillProvider

@testable import TillStripe

/// Each call for readers is, field for field, the one that Stripe's own Python library makes.
@Suite("Terminal requests") struct TerminalRequestTests {
    static let recorded: [String: JSONValue] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Peers/stripe_terminal_requests.json")
        guard let data = try? Data(contentsOf: file), let json = try? JSONValue(parsing: Array(data)) else {
            return [:]
        }
        let calls = (json["calls"]?.arrayValue ?? []).compactMap { call in
            call["name"]?.stringValue.map { ($0, call) }
        }
        return Dictionary(calls) { $1 }
    }()

    private static func key(_ text: String) -> IdempotencyKey { IdempotencyKey(rawValue: text) }
    private static let intent = ProviderReference(rawValue: "pi_1")

    /// The same calls with the same arguments as in Tests/Peers/stripe_terminal_requests.py.
    static let ours: [String: StripeRequest] = places.merging(settings) { $1 }.merging(actions) { $1 }
        .merging(helpers) { $1 }

    private static var places: [String: StripeRequest] {
        let whole = TerminalLocationDraft(
            displayName: "Café & Söhne",
            address: TerminalAddress(
                line1: "1 Rue de l'Église", line2: "2nd floor", city: "Montréal", state: "QC", country: "CA",
                postalCode: "H2X 1Y4"),
            phone: "+15145550100", configuration: "tmc_1", metadata: ["till": "1"])
        let least = TerminalLocationDraft(
            displayName: "HQ",
            address: TerminalAddress(
                line1: "1 Main St", city: "Springfield", state: "IL", country: "US", postalCode: "62701"))
        let change = TerminalLocationDraft(displayName: "New name", configuration: "")
        let filter = TerminalReaderFilter(
            deviceType: TerminalDeviceType(rawValue: "simulated_wisepos_e"), location: "tml_1", serialNumber: "s-1",
            status: .online)
        return [
            "location_create": TerminalCall.putLocation(nil, whole, key: key("k-location")),
            "location_create_least": TerminalCall.putLocation(nil, least, key: key("k-location-least")),
            "location_retrieve": .get(TerminalCall.location("tml_1")),
            "location_update": TerminalCall.putLocation("tml_1", change, key: key("k-location-update")),
            "location_list": TerminalCall.listLocations(after: "tml_1"),
            "location_delete": .delete(TerminalCall.location("tml_1")),
            "reader_create": TerminalCall.register(
                code: "simulated-wpe", label: "Front counter", location: "tml_1", metadata: ["till": "1"],
                key: key("k-register")),
            "reader_create_least": TerminalCall.register(
                code: "quick-brown-fox", label: nil, location: nil, metadata: [:], key: key("k-register-least")),
            "reader_retrieve": .get(TerminalCall.reader("tmr_1")),
            "reader_update": TerminalCall.updateReader("tmr_1", label: "Bar", key: key("k-reader-update")),
            "reader_list": TerminalCall.listReaders(TerminalReaderFilter(), after: nil),
            "reader_list_filtered": TerminalCall.listReaders(filter, limit: 10, after: "tmr_1"),
            "reader_delete": .delete(TerminalCall.reader("tmr_1")),
        ]
    }

    private static var settings: [String: StripeRequest] {
        let bar = TerminalConfigurationDraft(
            name: "Bar",
            tipping: ["eur": TerminalTipping(fixedAmounts: [100, 200], percentages: [5, 10, 15], threshold: 1000)],
            takesOffline: false, rebootWindow: TerminalRebootWindow(startHour: 2, endHour: 5))
        let later = TerminalConfigurationDraft(rebootWindow: TerminalRebootWindow(startHour: 3, endHour: 4))
        var draft = TerminalIntentDraft(amount: 1250, currency: "cad")
        draft.paymentMethodTypes = ["card_present", "interac_present"]
        draft.requestsExtendedAuthorization = true
        draft.requestsIncrementalAuthorization = true
        draft.requestedPriority = "domestic"
        draft.description = "Order 1"
        draft.statementDescriptor = "TILL SHOP"
        draft.receiptEmail = "jo@shop.example"
        draft.applicationFee = 25
        draft.metadata = ["till_order": "o-1"]
        return [
            "configuration_create": TerminalCall.putConfiguration(nil, bar, key: key("k-configuration")),
            "configuration_retrieve": .get(TerminalCall.configuration("tmc_1")),
            "configuration_update": TerminalCall.putConfiguration("tmc_1", later, key: key("k-configuration-update")),
            "configuration_list": TerminalCall.listConfigurations(isAccountDefault: true),
            "configuration_delete": .delete(TerminalCall.configuration("tmc_1")),
            "connection_token": TerminalCall.connectionToken(location: "tml_1", key: key("k-token")),
            "connection_token_everywhere": TerminalCall.connectionToken(location: nil, key: key("k-token-all")),
            "intent_create": TerminalCall.createIntent(draft, key: key("k-intent")),
            "increment_authorization": TerminalCall.increment(intent, to: 1500, key: key("k-increment")),
            "setup_intent_create": TerminalCall.createSetupIntent(usage: "off_session", key: key("k-setup-intent")),
        ]
    }

    private static var actions: [String: StripeRequest] {
        let plain = TerminalCollection(customerCancels: true, skipsTipping: true)
        let whole = TerminalCollection(
            customerCancels: false, skipsTipping: false, tipEligible: 1000, allowRedisplay: "limited",
            returnURL: "https://shop.example/back?a=1")
        let cart = TerminalCart(
            currency: "eur",
            lines: [
                TerminalCart.Line(description: "Café crème", amount: 350, quantity: 2),
                TerminalCart.Line(description: "Tarte 100%", amount: 550, quantity: 1),
            ], tax: 120, total: 1370)
        let questions = [
            TerminalInput(
                kind: "selection", title: "Bag?", details: "It costs nothing.", skipButton: "Later", isRequired: false,
                choices: [
                    TerminalInput.Choice(id: "yes", text: "Yes", style: "primary"),
                    TerminalInput.Choice(id: "no", text: "No", style: "secondary"),
                ]),
            TerminalInput(
                kind: "email", title: "Receipt", submitButton: "Send", isRequired: true,
                toggles: [TerminalInput.Toggle(title: "News", details: "Once a month", isOn: false)]),
        ]
        let refund = TerminalRefund(
            paymentIntent: intent, amount: 500, metadata: ["till_refund": "pay_1-r1"], customerCancels: true)
        return [
            "process_payment_intent": TerminalCall.process("tmr_1", intent, plain, key: key("k-process")),
            "process_payment_intent_whole": TerminalCall.process("tmr_1", intent, whole, key: key("k-process-whole")),
            "collect_payment_method": TerminalCall.collect("tmr_1", intent, plain, key: key("k-collect")),
            "confirm_payment_intent": TerminalCall.confirm("tmr_1", intent, key: key("k-confirm")),
            "confirm_payment_intent_returning": TerminalCall.confirm(
                "tmr_1", intent, returnURL: "https://shop.example/back", key: key("k-confirm-url")),
            "process_setup_intent": TerminalCall.processSetup(
                "tmr_1", setupIntent: "seti_1", allowRedisplay: "always", customerCancels: true, key: key("k-setup")),
            "refund_payment": TerminalCall.refund("tmr_1", refund, key: key("k-refund")),
            "refund_payment_of_charge": TerminalCall.refund(
                "tmr_1", TerminalRefund(charge: "ch_1"), key: key("k-refund-charge")),
            "set_reader_display": TerminalCall.display("tmr_1", cart, key: key("k-display")),
            "collect_inputs": TerminalCall.inputs(
                "tmr_1", questions, metadata: ["till_order": "o-1"], key: key("k-inputs")),
            "cancel_action": TerminalCall.cancelAction("tmr_1", key: key("k-cancel")),
        ]
    }

    private static var helpers: [String: StripeRequest] {
        [
            "present_payment_method": TerminalCall.present(
                "tmr_1", TerminalTestCard(kind: "card_present", number: "4242424242424242", tip: 100),
                key: key("k-present")),
            "present_payment_method_interac": TerminalCall.present(
                "tmr_1", TerminalTestCard(kind: "interac_present", number: "4506445006931933"), key: key("k-interac")),
            "present_payment_method_least": TerminalCall.present("tmr_1", TerminalTestCard(), key: key("k-any")),
            "succeed_input_collection": TerminalCall.succeedInputs("tmr_1", skipping: "all", key: key("k-succeed")),
            "timeout_input_collection": TerminalCall.timeOutInputs("tmr_1", key: key("k-timeout")),
        ]
    }

    @Test("every recorded call is one that we can make, and the other way round")
    func noneIsMissing() {
        #expect(Set(Self.recorded.keys) == Set(Self.ours.keys))
        #expect(Self.recorded.count >= 39)
    }

    // Accept-Encoding and Connection belong to the connection, not to the call; answers are never asked compressed.
    @Test("method, path, query, body and headers are those of the library", arguments: ours.keys.sorted())
    func equal(_ name: String) throws {
        let call = try #require(Self.recorded[name])
        let request = try #require(Self.ours[name])
        let (wire, body) = request.wire(
            scheme: "https", authority: "api.stripe.com", secretKey: Secret("sk_test_peer"))
        let query = call["query"]?.stringValue ?? ""
        #expect(wire.method.rawValue == call["method"]?.stringValue)
        #expect(wire.path == (call["path"]?.stringValue ?? "") + (query.isEmpty ? "" : "?" + query))
        #expect(String(decoding: body, as: UTF8.self) == call["body"]?.stringValue)
        var theirs: [String: String] = [:]
        for member in call["headers"]?.objectValue ?? [] { theirs[member.key] = member.value.stringValue }
        var ours: [String: String] = [:]
        for field in wire.headerFields { ours[field.name.rawName] = field.value }
        for name in ["User-Agent", "Accept-Encoding", "Connection"] {
            theirs[name] = nil
            ours[name] = nil
        }
        #expect(ours == theirs)
    }

    @Test("no identifier can name another path")
    func quoting() {
        #expect(
            TerminalCall.reader("../payment_intents?x=1", "process")
                == "/v1/terminal/readers/..%2Fpayment_intents%3Fx%3D1/process")
    }
}
