public import TillCore

/// Stripe's card readers over REST: locations, readers, configurations, and the commands of a smart reader.
///
/// ```swift
/// let terminal = StripeTerminal(stripe)
/// let key = IdempotencyKey(rawValue: "register-counter-1")
/// let reader = try await terminal.register(
///     code: "quick-brown-fox", label: "Counter 1", location: "tml_shop", key: key)
/// for known in try await terminal.readers() { print(known.id, known.label) }
/// ```
///
/// A value: any number of calls may run concurrently. Each call is sent once, with the given key; there are no retries
/// here. A reader's report is a hint; the payment intent alone determines the movement of money.
public struct StripeTerminal: Sendable {
    /// The maximum number of pages read from a list, 100 entries each.
    public static let maximumPages = 20

    let client: StripeClient
    let clock: any TillClock
    /// The time limit of each call.
    public let deadline: Span

    /// Creates access to the readers of the provider's account, over the same connections.
    public init(_ provider: StripeProvider) {
        client = provider.client
        clock = provider.clock
        deadline = provider.deadline
    }

    // MARK: Places

    /// Creates a location.
    public func createLocation(
        _ draft: TerminalLocationDraft, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalLocation {
        try await read(TerminalCall.putLocation(nil, draft, key: key), TerminalLocation.init)
    }

    public func location(_ id: String) async throws(StripeTerminalError) -> TerminalLocation {
        try await read(.get(TerminalCall.location(id)), TerminalLocation.init)
    }

    /// Changes the given fields of a location.
    public func updateLocation(
        _ id: String, _ draft: TerminalLocationDraft, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalLocation {
        try await read(TerminalCall.putLocation(id, draft, key: key), TerminalLocation.init)
    }

    public func locations() async throws(StripeTerminalError) -> [TerminalLocation] {
        try await list(TerminalLocation.init, id: \.id) { TerminalCall.listLocations(after: $0) }
    }

    /// Deletes a location. Its readers must be removed first.
    public func deleteLocation(_ id: String) async throws(StripeTerminalError) {
        _ = try await answer(.delete(TerminalCall.location(id)))
    }

    // MARK: Readers

    /// Registers a reader with the account, by the code that it shows.
    public func register(
        code: String, label: String?, location: String?, metadata: [String: String] = [:], key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(
            TerminalCall.register(code: code, label: label, location: location, metadata: metadata, key: key),
            TerminalReader.init)
    }

    /// Returns the current state of a reader.
    public func reader(_ id: String) async throws(StripeTerminalError) -> TerminalReader {
        try await read(.get(TerminalCall.reader(id)), TerminalReader.init)
    }

    /// Returns all readers that match a filter.
    public func readers(_ filter: TerminalReaderFilter = TerminalReaderFilter()) async throws(StripeTerminalError)
        -> [TerminalReader]
    {
        try await list(TerminalReader.init, id: \.id) { TerminalCall.listReaders(filter, after: $0) }
    }

    /// Returns the reader with the given id, serial number or label.
    /// - Throws: ``StripeTerminalError`` with `reader_not_found` or `reader_ambiguous`.
    public func reader(named name: String) async throws(StripeTerminalError) -> TerminalReader {
        if name.hasPrefix("tmr_") { return try await reader(name) }
        let all = try await readers()
        let fitting = all.filter { $0.label == name || $0.serialNumber == name }
        let loosely = all.filter { $0.label.lowercased() == name.lowercased() }
        let found = fitting.isEmpty ? loosely : fitting
        guard let first = found.first else {
            throw StripeTerminalError(.refused, code: "reader_not_found", "There is no reader \(name).")
        }
        guard found.count == 1 else {
            throw StripeTerminalError(.refused, code: "reader_ambiguous", "Several readers are called \(name).")
        }
        return first
    }

    /// Renames a reader.
    public func rename(
        _ id: String, to label: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.updateReader(id, label: label, key: key), TerminalReader.init)
    }

    /// Removes a reader from the account.
    public func deleteReader(_ id: String) async throws(StripeTerminalError) {
        _ = try await answer(.delete(TerminalCall.reader(id)))
    }

    // MARK: Settings and tokens

    public func createConfiguration(
        _ draft: TerminalConfigurationDraft, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalConfiguration {
        try await read(TerminalCall.putConfiguration(nil, draft, key: key), TerminalConfiguration.init)
    }

    public func configuration(_ id: String) async throws(StripeTerminalError) -> TerminalConfiguration {
        try await read(.get(TerminalCall.configuration(id)), TerminalConfiguration.init)
    }

    /// Changes the given fields of a configuration.
    public func updateConfiguration(
        _ id: String, _ draft: TerminalConfigurationDraft, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalConfiguration {
        try await read(TerminalCall.putConfiguration(id, draft, key: key), TerminalConfiguration.init)
    }

    /// Returns all configurations, or only the account's default.
    public func configurations(
        isAccountDefault: Bool? = nil
    ) async throws(StripeTerminalError) -> [TerminalConfiguration] {
        try await list(TerminalConfiguration.init, id: \.id) {
            TerminalCall.listConfigurations(isAccountDefault: isAccountDefault, after: $0)
        }
    }

    /// Creates a token for Stripe's SDK on a phone or tablet.
    /// - Parameter location: restricts the token to the smart readers of one location.
    public func connectionToken(
        location: String?, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalConnectionToken {
        try await read(
            TerminalCall.connectionToken(location: location, key: key),
            { json in
                guard let secret = json["secret"]?.stringValue, (1...1024).contains(secret.utf8.count) else {
                    return nil
                }
                return TerminalConnectionToken(
                    secret: Secret(secret), location: TerminalText.identifier(json["location"]))
            })
    }

    // MARK: What a reader is asked to do

    /// Collects a card and charges it. Money may move from this call on.
    public func process(
        _ intent: ProviderReference, at reader: String, _ settings: TerminalCollection, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(
            TerminalCall.process(reader, intent, settings, key: key), TerminalReader.init, isAboutMoney: true)
    }

    /// Collects a card only; nothing is charged.
    public func collect(
        for intent: ProviderReference, at reader: String, _ settings: TerminalCollection, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.collect(reader, intent, settings, key: key), TerminalReader.init)
    }

    /// Charges the collected card. Money may move from this call on.
    public func confirm(
        _ intent: ProviderReference, at reader: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.confirm(reader, intent, key: key), TerminalReader.init, isAboutMoney: true)
    }

    /// Saves a card for later; nothing is charged.
    public func processSetup(
        _ setupIntent: String, at reader: String, allowRedisplay: String, customerCancels: Bool? = nil,
        key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(
            TerminalCall.processSetup(
                reader, setupIntent: setupIntent, allowRedisplay: allowRedisplay, customerCancels: customerCancels,
                key: key), TerminalReader.init)
    }

    /// Refunds to the card that the customer presents again.
    public func refund(
        _ refund: TerminalRefund, at reader: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.refund(reader, refund, key: key), TerminalReader.init, isAboutMoney: true)
    }

    public func display(
        _ cart: TerminalCart, at reader: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.display(reader, cart, key: key), TerminalReader.init)
    }

    /// Prompts the customer for input.
    public func collectInputs(
        _ inputs: [TerminalInput], at reader: String, metadata: [String: String] = [:], key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(
            TerminalCall.inputs(reader, inputs, metadata: metadata, key: key), TerminalReader.init)
    }

    /// Cancels the reader's action. Refused with `terminal_reader_busy` once the card is being charged; the only option
    /// then is to wait.
    public func cancelAction(
        at reader: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.cancelAction(reader, key: key), TerminalReader.init)
    }

    // MARK: Intents and holds

    /// Creates a payment intent for collection by a reader. Moves no money.
    public func createIntent(
        _ draft: TerminalIntentDraft, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> ProviderReference {
        try await read(
            TerminalCall.createIntent(draft, key: key),
            { TerminalText.identifier($0["id"]).map { ProviderReference(rawValue: $0) } })
    }

    /// Raises a hold to a new total, in wire units. Requires an intent created with incremental authorization.
    /// - Returns: the held amount, in wire units.
    public func incrementAuthorization(
        of intent: ProviderReference, to amount: Int64, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> Int64 {
        try await read(
            TerminalCall.increment(intent, to: amount, key: key), { $0["amount"]?.int64Value }, isAboutMoney: true)
    }

    /// Creates a setup intent for saving a card at a reader.
    /// - Returns: its id.
    public func createSetupIntent(
        usage: String = "off_session", key: IdempotencyKey
    ) async throws(StripeTerminalError) -> String {
        try await read(
            TerminalCall.createSetupIntent(usage: usage, key: key), { TerminalText.identifier($0["id"]) })
    }

    // MARK: Help for tests

    /// Presents a test card at a simulated reader.
    public func present(
        _ card: TerminalTestCard, at reader: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.present(reader, card, key: key), TerminalReader.init)
    }

    /// Answers the prompts of a simulated reader.
    /// - Parameter skipping: `all` or `none` of the optional inputs.
    public func succeedInputs(
        at reader: String, skipping: String? = nil, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.succeedInputs(reader, skipping: skipping, key: key), TerminalReader.init)
    }

    /// Lets the prompts of a simulated reader time out.
    public func timeOutInputs(
        at reader: String, key: IdempotencyKey
    ) async throws(StripeTerminalError) -> TerminalReader {
        try await read(TerminalCall.timeOutInputs(reader, key: key), TerminalReader.init)
    }
}

extension StripeTerminal {
    /// Sends a call and parses the single object in its response.
    func read<Value>(
        _ call: StripeRequest, _ parse: (JSONValue) -> Value?, isAboutMoney: Bool = false
    ) async throws(StripeTerminalError) -> Value {
        let json = try await answer(call, isAboutMoney: isAboutMoney)
        guard let value = parse(json) else {
            throw StripeTerminalError(.unknown, "the answer cannot be read", isAboutMoney: isAboutMoney)
        }
        return value
    }

    func answer(_ call: StripeRequest, isAboutMoney: Bool = false) async throws(StripeTerminalError) -> JSONValue {
        switch await client.send(call, within: deadline) {
        case .answered(let json): return json
        case .failed(let error): throw StripeTerminalError(error, isAboutMoney: isAboutMoney)
        case .notSent(let reason): throw StripeTerminalError(.notSent, reason, isAboutMoney: isAboutMoney)
        case .unknown(let reason): throw StripeTerminalError(.unknown, reason, isAboutMoney: isAboutMoney)
        }
    }

    private func list<Value>(
        _ parse: (JSONValue) -> Value?, id: (Value) -> String, _ call: (String?) -> StripeRequest
    ) async throws(StripeTerminalError) -> [Value] {
        var all: [Value] = []
        var after: String?
        for _ in 0..<StripeTerminal.maximumPages {
            let json = try await answer(call(after))
            guard let data = json["data"]?.arrayValue else {
                throw StripeTerminalError(.unknown, "the answer cannot be read")
            }
            // Unreadable entries are skipped: a new kind of reader must not hide the others.
            let page = data.compactMap(parse)
            all += page
            guard json["has_more"]?.boolValue == true, let last = page.last else { return all }
            after = id(last)
        }
        return all
    }
}
