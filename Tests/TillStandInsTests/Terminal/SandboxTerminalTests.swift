import Synchronization
import Testing
import TillCore
import TillProvider
import TillSandbox
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// The stand-in's own rules, over its wire.
@Suite("Terminal sandbox", .timeLimit(.minutes(30))) struct SandboxTerminalTests {
    let world: TerminalWorld

    init() throws { world = try TerminalWorld() }

    private func call(
        _ method: String, _ path: String, _ form: String = "", key: String? = nil, account: String = TerminalWorld.key
    ) async throws -> (status: Int, json: JSONValue, isReplay: Bool) {
        let answer = try await world.stripe.answer(
            SandboxStripe.Request(
                method: method, path: path.split(separator: "/").map(String.init), form: StripeForm(form), key: key,
                authorization: "Bearer \(account)"))
        return (answer.status, try JSONValue(parsing: Array(answer.body.utf8)), answer.isReplay)
    }

    private func intent(_ amount: Int64 = 1200, _ currency: String = "usd", _ more: String = "") async throws -> String
    {
        let types = currency == "cad" ? "&payment_method_types[1]=interac_present" : ""
        let made = try await call(
            "POST", "/v1/payment_intents",
            "amount=\(amount)&currency=\(currency)&capture_method=manual&payment_method_types[0]=card_present\(types)\(more)"
        )
        return try #require(made.json["id"]?.stringValue)
    }

    private func process(_ reader: TerminalReader, _ intent: String, _ more: String = "") async throws -> JSONValue {
        try await call(
            "POST", "/v1/terminal/readers/\(reader.id)/process_payment_intent", "payment_intent=\(intent)\(more)"
        ).json
    }

    private func present(_ reader: TerminalReader, _ form: String = "") async throws -> (Int, JSONValue) {
        let answer = try await call(
            "POST", "/v1/test_helpers/terminal/readers/\(reader.id)/present_payment_method", form)
        return (answer.status, answer.json)
    }

    @Test("readers of each kind are registered with their codes", arguments: SandboxReader.codes.keys.sorted())
    func kinds(_ code: String) async throws {
        let reader = try await world.register(code: code)
        #expect(reader.deviceType.rawValue == SandboxReader.codes[code])
        #expect(reader.deviceType.isSimulated && reader.deviceType.isSmart)
        #expect(reader.status == .online)
        #expect(try await world.readers.readers(TerminalReaderFilter(serialNumber: reader.serialNumber)).count == 1)
    }

    @Test("a code that no reader shows is refused")
    func unknownCode() async throws {
        let answer = try await call("POST", "/v1/terminal/readers", "registration_code=quick-brown-fox")
        #expect(answer.status == 400)
        #expect(answer.json["error"]?["code"]?.stringValue == "registration_code_invalid")
    }

    @Test("every published card does what its name says", arguments: TerminalTestCard.known.map(\.name))
    func cards(_ name: String) async throws {
        let card = try #require(TerminalTestCard.known.first { $0.name == name })
        let isInterac = card.brand == "interac"
        let currency = isInterac ? "cad" : card.brand == "eftpos_au" ? "aud" : "usd"
        let reader = try await world.register()
        let id = try await intent(1200, currency)
        _ = try await process(reader, id)
        let type = isInterac ? "interac_present" : "card_present"
        let (status, json) = try await present(reader, "type=\(type)&\(type)[number]=\(card.number)")
        #expect(status == 200)
        let isDecline = name.hasPrefix("charge_declined")
        #expect(json["action"]?["status"]?.stringValue == (isDecline ? "failed" : "succeeded"))
        let after = try await call("GET", "/v1/payment_intents/\(id)", "expand[0]=latest_charge").json
        if isDecline {
            #expect(after["status"]?.stringValue == "requires_payment_method")
            #expect(after["last_payment_error"]?["code"]?.stringValue != nil)
            #expect(json["action"]?["api_error"]?["decline_code"]?.stringValue != nil)
        } else {
            let isTaken = isInterac || card.brand == "eftpos_au"
            #expect(after["status"]?.stringValue == (isTaken ? "succeeded" : "requires_capture"))
            let details = after["latest_charge"]?["payment_method_details"]
            #expect(details?["type"]?.stringValue == type)
            #expect(details?[type]?["last4"]?.stringValue == String(card.number.suffix(4)))
            #expect(details?[type]?["brand"]?.stringValue == card.brand)
        }
    }

    @Test(
        "the physical test card: the last two digits of the amount decide",
        arguments: SandboxTestCard.amounts.keys.sorted() + [0, 50])
    func amounts(_ cents: Int64) async throws {
        let reader = try await world.register()
        let id = try await intent(1200 + cents)
        _ = try await process(reader, id)
        let (_, json) = try await present(reader)
        let wanted = SandboxTestCard.amounts[cents]
        #expect(json["action"]?["api_error"]?["decline_code"]?.stringValue == wanted)
        #expect(json["action"]?["status"]?.stringValue == (wanted == nil ? "succeeded" : "failed"))
    }

    @Test("the next command takes the reader's one slot; the earlier sale is not charged by the later card")
    func oneSlot() async throws {
        let reader = try await world.register()
        let (first, second) = (try await intent(), try await intent(900))
        _ = try await process(reader, first)
        let json = try await process(reader, second)
        #expect(json["action"]?["process_payment_intent"]?["payment_intent"]?.stringValue == second)
        _ = try await present(reader)
        #expect(
            try await call("GET", "/v1/payment_intents/\(first)").json["status"]?.stringValue
                == "requires_payment_method")
        #expect(
            try await call("GET", "/v1/payment_intents/\(second)").json["status"]?.stringValue == "requires_capture")
    }

    @Test("while a card is in the reader it is busy, and nothing can be canceled; then it is done")
    func busy() async throws {
        let reader = try await world.register()
        // The stand-in's own task ends this wait.
        world.stripe.terminal?.state.withLock { state in
            state.readers[reader.id]?.action = SandboxAction(
                number: 999, type: "process_payment_intent", details: .object([]),
                stage: .working(SandboxPresentation(card: SandboxTestCard.physical(wireAmount: 0))),
                startedAt: world.clock.now())
        }
        let id = try await intent()
        for answer in [
            try await process(reader, id),
            try await call("POST", "/v1/terminal/readers/\(reader.id)/cancel_action").json,
        ] {
            #expect(answer["error"]?["code"]?.stringValue == "terminal_reader_busy")
        }
    }

    @Test("tips: added if asked for, refused if not")
    func tips() async throws {
        let reader = try await world.register()
        let plain = try await intent()
        _ = try await process(reader, plain, "&process_config[skip_tipping]=true")
        #expect(try await present(reader, "amount_tip=100").0 == 400)
        _ = try await call("POST", "/v1/terminal/readers/\(reader.id)/cancel_action")
        let tipped = try await intent()
        _ = try await process(reader, tipped)
        #expect(try await present(reader, "amount_tip=150").0 == 200)
        let after = try await call("GET", "/v1/payment_intents/\(tipped)").json
        #expect(after["amount"]?.int64Value == 1350)
        #expect(after["amount_capturable"]?.int64Value == 1350)
        #expect(after["amount_details"]?["tip"]?["amount"]?.int64Value == 150)
    }

    @Test("collect, then confirm: nothing is charged before the second")
    func twoSteps() async throws {
        let reader = try await world.register()
        let id = try await intent()
        _ = try await call(
            "POST", "/v1/terminal/readers/\(reader.id)/collect_payment_method", "payment_intent=\(id)")
        let (_, collected) = try await present(reader, "type=card_present&card_present[number]=5555555555554444")
        let method = collected["action"]?["collect_payment_method"]?["payment_method"]
        #expect(method?["card_present"]?["last4"]?.stringValue == "4444")
        #expect(
            try await call("GET", "/v1/payment_intents/\(id)").json["status"]?.stringValue == "requires_confirmation")
        #expect(try await world.stripe.ledger.charges().map(\.authorized) == [0])
        let confirmed = try await call(
            "POST", "/v1/terminal/readers/\(reader.id)/confirm_payment_intent", "payment_intent=\(id)"
        ).json
        #expect(confirmed["action"]?["status"]?.stringValue == "succeeded")
        #expect(try await world.stripe.ledger.charges().map(\.authorized) == [1200])
    }

    @Test("questions are answered, skipped, or nobody answers")
    func inputs() async throws {
        let reader = try await world.register()
        let questions =
            "inputs[0][type]=selection&inputs[0][custom_text][title]=Bag&inputs[0][selection][choices][0][id]=yes"
            + "&inputs[0][selection][choices][0][text]=Yes&inputs[1][type]=email&inputs[1][custom_text][title]=Mail"
            + "&inputs[1][required]=true&inputs[1][toggles][0][title]=News&inputs[1][toggles][0][default_value]=enabled"
        func ask() async throws {
            let asked = try await call("POST", "/v1/terminal/readers/\(reader.id)/collect_inputs", questions)
            #expect(asked.json["action"]?["status"]?.stringValue == "in_progress")
        }
        try await ask()
        let answered = try await world.readers.succeedInputs(at: reader.id, skipping: "all", key: world.key("s1"))
        #expect(answered.action?.inputs.map(\.isSkipped) == [true, false])
        #expect(answered.action?.inputs.last?.value == "customer@example.com")
        #expect(answered.action?.inputs.last?.toggles == [true])
        try await ask()
        let chosen = try await world.readers.succeedInputs(at: reader.id, key: world.key("s2"))
        #expect(chosen.action?.inputs.first?.value == "yes")
        try await ask()
        let late = try await world.readers.timeOutInputs(at: reader.id, key: world.key("s3"))
        #expect(late.action?.status == .failed)
    }

    @Test("the same key gets the same answer, does nothing twice, and belongs to one request")
    func keys() async throws {
        let first = try await call("POST", "/v1/terminal/readers", "registration_code=simulated-wpe&label=A", key: "k")
        let again = try await call("POST", "/v1/terminal/readers", "registration_code=simulated-wpe&label=A", key: "k")
        #expect(again.isReplay)
        #expect(first.json == again.json)
        let other = try await call("POST", "/v1/terminal/readers", "registration_code=simulated-wpe&label=B", key: "k")
        #expect(other.json["error"]?["type"]?.stringValue == "idempotency_error")
        #expect(try await world.readers.readers().count == 1)
        // Another account's key of the same text is another key.
        let foreign = try await call(
            "POST", "/v1/terminal/readers", "registration_code=simulated-wpe&label=A", key: "k", account: "sk_test_b")
        #expect(!foreign.isReplay && foreign.status == 200)
    }

    @Test("an intent that cannot be charged any more is refused before the reader wakes")
    func wrongIntents() async throws {
        let reader = try await world.register(country: "US")
        let canceled = try await intent()
        _ = try await call("POST", "/v1/payment_intents/\(canceled)/cancel")
        #expect(try await process(reader, canceled)["error"]?["code"]?.stringValue == "intent_invalid_state")
        let online = try await call("POST", "/v1/payment_intents", "amount=500&currency=usd").json
        let refused = try await process(reader, try #require(online["id"]?.stringValue))
        #expect(refused["error"]?["code"]?.stringValue == "payment_intent_incompatible_payment_method")
        let euro = try await process(reader, try await intent(1200, "eur"))
        #expect(euro["error"]?["code"]?.stringValue == "terminal_reader_invalid_location_for_payment")
        #expect(try await process(reader, "pi_nothing")["error"]?["code"]?.stringValue == "resource_missing")
        #expect(try await world.readers.reader(reader.id).action == nil)
    }

    @Test("an intent that is canceled while the reader waits is not charged by the card that comes")
    func canceledMeanwhile() async throws {
        let reader = try await world.register()
        let id = try await intent()
        _ = try await process(reader, id)
        _ = try await call("POST", "/v1/payment_intents/\(id)/cancel")
        let (_, json) = try await present(reader)
        #expect(json["action"]?["failure_code"]?.stringValue == "intent_invalid_state")
        #expect(try await world.stripe.ledger.charges().map(\.authorized) == [0])
    }

    @Test("a hold is raised only if it was asked to allow it, and lasts longer only if asked")
    func holds() async throws {
        let reader = try await world.register()
        let options = "payment_method_options[card_present]"
        let flexible = try await intent(
            1200, "usd",
            "&\(options)[request_incremental_authorization_support]=true&\(options)[request_extended_authorization]=true"
        )
        let plain = try await intent()
        for id in [flexible, plain] {
            _ = try await process(reader, id)
            _ = try await present(reader, "type=card_present&card_present[number]=4242424242424242")
        }
        let amount = try await world.readers.incrementAuthorization(
            of: ProviderReference(rawValue: flexible), to: 1500, key: world.key("i"))
        #expect(amount == 1500)
        await #expect(throws: StripeTerminalError.self) {
            _ = try await world.readers.incrementAuthorization(
                of: ProviderReference(rawValue: plain), to: 1500, key: world.key("j"))
        }
        let ends = try await world.stripe.ledger.charges().compactMap(\.holdEndsAt)
        #expect(ends.count == 2)
        #expect(ends[0] - ends[1] >= Span.days(20).milliseconds)
    }

    @Test("a card is saved with a setup intent")
    func setup() async throws {
        let reader = try await world.register()
        let id = try await world.readers.createSetupIntent(key: world.key("seti"))
        _ = try await world.readers.processSetup(id, at: reader.id, allowRedisplay: "always", key: world.key("p"))
        _ = try await present(reader, "type=card_present&card_present[number]=4242424242424242")
        let after = try await call("GET", "/v1/setup_intents/\(id)").json
        #expect(after["status"]?.stringValue == "succeeded")
        #expect(after["payment_method"]?.stringValue?.hasPrefix("pm_") == true)
    }

    @Test("places and configurations come and go; a token is for one place")
    func places() async throws {
        let reader = try await world.register(country: "FR")
        let place = try #require(reader.location)
        let draft = TerminalConfigurationDraft(
            tipping: ["eur": TerminalTipping(fixedAmounts: [100, 200], percentages: [5, 10], threshold: 900)],
            rebootWindow: TerminalRebootWindow(startHour: 2, endHour: 4))
        let settings = try await world.readers.createConfiguration(draft, key: world.key("c"))
        #expect(
            settings.tipping["eur"] == TerminalTipping(fixedAmounts: [100, 200], percentages: [5, 10], threshold: 900))
        let changed = try await world.readers.updateLocation(
            place, TerminalLocationDraft(configuration: settings.id), key: world.key("l"))
        #expect(changed.configuration == settings.id)
        #expect(changed.address.country == "FR")
        let token = try await world.readers.connectionToken(location: place, key: world.key("t"))
        #expect(token.location == place)
        #expect(token.secret.reveal().hasPrefix("pst_test_"))
        await #expect(throws: StripeTerminalError.self) {
            _ = try await world.readers.connectionToken(location: "tml_other", key: world.key("t2"))
        }
        await #expect(throws: StripeTerminalError.self) { try await world.readers.deleteLocation(place) }
        try await world.readers.deleteReader(reader.id)
        try await world.readers.deleteLocation(place)
        #expect(try await world.readers.locations().isEmpty)
    }

    @Test("no card number is in any answer or book")
    func noNumbers() async throws {
        let reader = try await world.register()
        let id = try await intent()
        _ = try await process(reader, id)
        let (_, json) = try await present(reader, "type=card_present&card_present[number]=4000056655665556")
        let books = try await call("GET", "/v1/payment_intents/\(id)", "expand[0]=latest_charge").json
        #expect(!json.text.contains("4000056655665556") && !books.text.contains("4000056655665556"))
    }
}
