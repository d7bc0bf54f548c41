import HTTPTypes
package import Hummingbird
package import NIOCore
package import TillCore
package import TillCounter

/// An authenticated or open request with its caller.
package struct Incoming: Sendable {
    package var request: Request
    package var account: AccountID
    /// The credential of the request; `nil` for an open route.
    package var credential: Principal.Credential?
    /// The credential charged for it in the account's stream limits; `nil` for an open route.
    package var share: Principal.Credential?
    /// The caller in the audit log.
    package var actor: Actor
    /// The caller's scopes; none for an open route.
    package var scopes: Set<APIScope>
    /// The calling staff member; `nil` for a key, and without staff.
    package var person: StaffGrant?
    package var maximumBodyBytes: Int
    /// The time limit for receiving the body.
    package var bodyTimeout: Span
    /// The path parameters.
    package var parameters: Parameters
    /// Authenticates the request again after a body that was long in coming; `nil` for an open route.
    package var authenticator: RequestAuthenticator?

    package init(
        request: Request, account: AccountID, credential: Principal.Credential? = nil,
        share: Principal.Credential? = nil, actor: Actor = .customer, scopes: Set<APIScope> = [],
        person: StaffGrant? = nil, maximumBodyBytes: Int, bodyTimeout: Span = .seconds(20),
        parameters: Parameters = Parameters(), authenticator: RequestAuthenticator? = nil
    ) {
        self.request = request
        self.account = account
        self.credential = credential
        self.share = share
        self.actor = actor
        self.scopes = scopes
        self.person = person
        self.maximumBodyBytes = maximumBodyBytes
        self.bodyTimeout = bodyTimeout
        self.parameters = parameters
        self.authenticator = authenticator
    }

    /// The time after which a request whose body has not come yet is authenticated again: a withdrawn access ends
    /// within it everywhere.
    private static let trust = PageSessionRecord.cacheLifetime

    /// The members that hold a card, a wallet token, a password or a passkey, in which any digits are valid: their
    /// consumers treat them as secrets.
    private static let cardMembers: Set<String> = [
        "tender", "token", "card", "accountNumber", "password", "new_password", "passkey",
    ]

    /// The free-text members, over which a card number may be split.
    private static let freeTexts: Set<String> = [
        "order_id", "description", "reason", "note", "name", "label", "evidence", "actor",
    ]

    /// The names among them.
    private static let names: Set<String> = ["order_id"]

    /// Returns the whole body, which must have a JSON type unless it is empty. Misplaced card numbers are masked before
    /// any further processing; in an order's name they are refused instead, since a masked name would be another
    /// order's.
    /// - Parameters:
    ///   - secrets: further members in which any digits are valid, and which the consumer treats as secrets.
    ///   - identifiers: returns further names of things in the document, with their places. They are refused instead of
    ///     masked, too.
    package func document(
        requiresJSON: Bool = true, secrets: Set<String> = [],
        identifiers: (JSONValue) -> [(place: String, value: JSONValue)] = { _ in [] }
    ) async throws -> JSONValue {
        let buffer = try await bytes()
        guard buffer.readableBytes > 0 else { return .object([]) }
        if requiresJSON {
            guard Incoming.isJSON(request.headers.value(of: .contentType) ?? "") else {
                throw Problem(
                    .unsupportedMediaType, "unsupported_media_type", "The body is not application/json.",
                    next: "Send JSON with the header Content-Type: application/json.")
            }
        }
        let limits = JSONLimits(maximumBytes: maximumBodyBytes)
        let value = try JSONValue(parsing: buffer.readableBytesView, limits: limits)
        guard value.objectValue != nil else { throw Problem.field("body", "It must be a JSON object.") }
        try Incoming.checkName(value["order_id"], in: "order_id")
        try Incoming.checkName(value["order"]?["id"], in: "order.id")
        let untouched = secrets.isEmpty ? Incoming.cardMembers : Incoming.cardMembers.union(secrets)
        let masked = value.withoutCardNumbers(except: untouched)
            .withoutSplitCardNumbers(in: Incoming.freeTexts, keeping: Incoming.names)
        for (given, kept) in zip(identifiers(value), identifiers(masked)) where given.value != kept.value {
            throw Incoming.cardNumber(in: given.place)
        }
        return masked
    }

    private static func isJSON(_ header: String) -> Bool {
        // As nearly every client writes it, without parameters.
        if header == "application/json" { return true }
        return header.lowercased().prefix { $0 != ";" && $0 != " " } == "application/json"
    }

    /// Refuses an order's name that reads as a card number.
    private static func checkName(_ name: JSONValue?, in place: String) throws(Problem) {
        guard let name, readsAsCardNumber(name) else { return }
        throw cardNumber(in: place)
    }

    private static func cardNumber(in place: String) -> Problem {
        Problem.field(place, "\(IdentifierError.cardNumber)", code: "card_number_refused")
    }

    /// Returns `true` if the JSON of a name reads as a card number.
    private static func readsAsCardNumber(_ name: JSONValue) -> Bool {
        // The JSON of a text without escapes is the text in quotation marks, which are part of no number.
        if case .string(let text) = name, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
            return CardNumberMask.finds(in: text)
        }
        return CardNumberMask.finds(in: name.text)
    }

    /// Returns the raw body.
    package func bytes() async throws -> ByteBuffer {
        if let length = request.headers.value(of: .contentLength).flatMap({ Int($0) }), length > maximumBodyBytes {
            throw Problem.tooLarge
        }
        let place = Connection.current?.place
        place?.startWaiting()
        var whole = ByteBuffer()
        let began = ContinuousClock.now
        let end = began + bodyTimeout.duration
        var parts = request.body.makeAsyncIterator()
        do {
            while var part = try await parts.next() {
                // Checked with each part, so that a slow sender cannot hold a place; a silent connection is closed by
                // its deadline.
                guard ContinuousClock.now < end else { throw Problem.tooSlow }
                guard whole.readableBytes + part.readableBytes <= maximumBodyBytes else { throw Problem.tooLarge }
                if whole.readableBytes == 0 { whole = part } else { whole.writeBuffer(&part) }
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Incoming.brokenOff
        }
        guard place?.endWaiting() ?? true else { throw Incoming.brokenOff }
        // Whoever holds a body back does nothing with an access that was withdrawn meanwhile.
        if let authenticator, began.duration(to: .now) >= Incoming.trust.duration {
            try await authenticator.authenticateAgain(request)
        }
        return whole
    }

    private static let brokenOff = Problem(
        .badRequest, "body_broken_off", "The body broke off.", next: "Send the whole request again.")

    /// Returns a query parameter; a repeated one is refused.
    package func query(_ name: String) throws -> String? {
        var found: String?
        for (key, value) in request.uri.queryParameters where key == name {
            guard found == nil else { throw Problem.field(name, "It is given twice.") }
            found = String(value)
        }
        return found
    }

    /// Returns the request's idempotency key: 1 to 255 printable ASCII characters without space.
    package func idempotencyKey() throws -> String {
        guard let key = request.headers.value(of: Incoming.idempotencyKeyName) else {
            throw Problem(
                .badRequest, "idempotency_key_missing", "The header Idempotency-Key is missing.",
                next: "Send a new key for each thing to be done, and the same one when you repeat it.")
        }
        return try Incoming.checked(idempotencyKey: key)
    }

    /// Returns an idempotency key if it is 1 to 255 printable ASCII characters without space.
    package static func checked(idempotencyKey key: String) throws(Problem) -> String {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(
                .badRequest, "idempotency_key_invalid",
                "The Idempotency-Key must have 1 to 255 printable ASCII characters without space.",
                next: "Send another key.")
        }
        guard !CardNumberMask.finds(in: key) else {
            throw Problem(
                .badRequest, "card_number_refused", "The Idempotency-Key has a card number in it.",
                next: "Send another key, such as a random one.")
        }
        return key
    }

    private static let idempotencyKeyName = HTTPField.Name.literal("Idempotency-Key")
}

extension JSONValue {
    /// Refuses unknown members: a misspelled one would otherwise count as missing.
    package func allow(_ names: Set<String>, in place: String = "") throws {
        for member in objectValue ?? [] where !names.contains(member.key) { throw JSONValue.unknown(member, place) }
    }

    /// Refuses members other than a few, which cost less to compare one by one than to put into a set.
    package func allow(_ names: [String], in place: String = "") throws {
        for member in objectValue ?? [] where !names.contains(member.key) { throw JSONValue.unknown(member, place) }
    }

    private static func unknown(_ member: JSONMember, _ place: String) -> Problem {
        Problem.field(place + String(member.key.prefix(64)), "There is no such field.")
    }

    /// Returns an optional text of at most this many bytes.
    package func text(_ name: String, in place: String = "", atMost limit: Int = 500) throws -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.stringValue, text.utf8.count <= limit else {
            throw Problem.field(place + name, "It must be text of at most \(limit) bytes.")
        }
        return text
    }

    /// Returns the name of a drawer; `nil` if none is named. An empty one is ``DrawerName/main``.
    package func drawer(in place: String = "") throws -> DrawerName? {
        guard let name = try text("drawer", in: place, atMost: DrawerName.maximumBytes) else { return nil }
        return try DrawerName(requested: name, in: place)
    }

    /// Returns an optional positive amount in minor units.
    package func amount(_ name: String, in place: String = "", _ currency: Currency) throws -> Money? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let units = value.int64Value, units > 0 else {
            throw Problem.field(
                place + name, "It must be a whole number of minor units above zero.", code: "invalid_amount")
        }
        return Money(minorUnits: units, currency: currency)
    }
}

extension DrawerName {
    /// Reads a name in a request. An empty one is ``main``.
    /// - Throws: a `Problem` about the field `drawer` for a text that is no name.
    package init(requested text: String, in place: String = "") throws {
        guard !text.isEmpty else {
            self = .main
            return
        }
        guard let name = DrawerName(ifValid: text) else { throw Problem.field(place + "drawer", DrawerName.form) }
        self = name
    }
}
