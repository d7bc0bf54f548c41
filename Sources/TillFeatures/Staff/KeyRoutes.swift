import HTTPTypes
import Hummingbird
package import TillCore
package import TillCounter
package import TillWeb

/// `/v1/keys`: an account's API keys, listed, made and revoked, and renewed by the devices whose sessions they are. A
/// key is in the answer that made it and nowhere else.
package struct KeyRoutes: Sendable {
    /// The maximum request body size, in bytes.
    package static let maximumBodyBytes = 4_096
    /// The maximum number of keys in the list. Those in force come first.
    package static let maximumListed = 500
    /// The maximum number of stored keys of an account, ended ones included, from which none is made here: no account
    /// takes the places of the others.
    package static let maximumOfAccount = 1_000
    /// The lifetimes of a key, in days.
    private static let days = 1...APIKeys.maximumLife.milliseconds / Span.days(1).milliseconds
    /// The lifetimes of a device's session between two renewals, in minutes.
    private static let sessionMinutes =
        APIKeys.minimumSessionLife.milliseconds / 60_000...APIKeys.maximumSessionLife.milliseconds / 60_000
    /// The times for which a device renews its session, in days.
    private static let renewableDays = 1...APIKeys.maximumRenewal.milliseconds / Span.days(1).milliseconds

    private let keys: APIKeys
    private let clock: any TillClock

    package init(keys: APIKeys, clock: any TillClock) { (self.keys, self.clock) = (keys, clock) }

    package func register(on router: CounterRouter) {
        func post(_ path: String, _ handler: @escaping CounterRouter.Handler) {
            router.post(
                path, for: .admin, of: .caller, needs: .settings, maximumBodyBytes: KeyRoutes.maximumBodyBytes,
                use: handler)
        }
        router.get("/v1/keys", for: .admin, of: .caller, needs: .settings) { try await list($0) }
        post("/v1/keys") { try await make($0) }
        post("/v1/keys/{id}/revoke") { try await revoke($0.parameters.identifier(), $0) }
        router.post("/v1/keys/renew", for: .read, of: .caller, maximumBodyBytes: KeyRoutes.maximumBodyBytes) {
            try await renew($0)
        }
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        let uses = try await keys.lastUses()
        let now = clock.now()
        let own = try await keys.all().filter { $0.account == incoming.account }
        let (inForce, ended) = (own.filter { $0.isInForce(at: now) }, own.filter { !$0.isInForce(at: now) })
        let found = Array(inForce.reversed()) + ended.reversed()
        var writer = JSONWriter(reserving: 4_096)
        writer.beginObject()
        writer.key("keys")
        writer.beginArray()
        for key in found.prefix(KeyRoutes.maximumListed) {
            write(key, usedAt: uses[key.hash], incoming, at: now, into: &writer)
        }
        writer.endArray()
        writer.field("has_more", found.count > KeyRoutes.maximumListed)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func make(_ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["label", "scopes", "valid_days", "valid_minutes", "renewable_days"])
        guard let label = try body.text("label", atMost: APIKeys.maximumLabelBytes) else {
            throw Problem.field("label", "It is missing.")
        }
        let scopes = try scopes(in: body)
        let (life, renewable) = try lives(in: body)
        try incoming.checkGrant(of: scopes)
        try await checkLife(renewable ?? life, incoming)
        try await checkCount(incoming)
        let made = try await keys.create(
            .made(for: incoming.account, by: key), account: incoming.account, label: label, scopes: scopes, life: life,
            renewable: renewable, by: incoming.makerName)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("key", made.key.reveal())
        members(made.record, usedAt: nil, incoming, at: clock.now(), into: &writer)
        writer.endObject()
        return .json(writer.bytes, status: .created)
    }

    private func revoke(_ id: APIKeyID, _ incoming: Incoming) async throws -> Response {
        try (try await incoming.document()).allow([])
        guard try await keys.all().contains(where: { $0.id == id && $0.account == incoming.account }) else {
            throw APIKeyError.unknown(id)
        }
        let revoked = try await keys.revoke(id, by: incoming.makerName)
        let uses = try await keys.lastUses()
        var writer = JSONWriter()
        write(revoked, usedAt: uses[revoked.hash], incoming, at: clock.now(), into: &writer)
        return .json(writer.bytes)
    }

    /// Extends the key of the request itself: no other credential renews it, also no session of the page.
    private func renew(_ incoming: Incoming) async throws -> Response {
        try (try await incoming.document()).allow([])
        guard case .key(let hash)? = incoming.credential else { throw APIKeyError.notRenewable }
        let renewed = try await keys.renew(hash: hash)
        let now = clock.now()
        var writer = JSONWriter()
        // The request is the last use.
        write(renewed, usedAt: now, incoming, at: now, into: &writer)
        return .json(writer.bytes)
    }

    // MARK: Parts

    private func scopes(in body: JSONValue) throws -> Set<APIScope> {
        guard let list = body["scopes"]?.arrayValue, (1...APIScope.allCases.count).contains(list.count) else {
            throw Problem.field("scopes", "It must be a list of 1 to \(APIScope.allCases.count) scopes.")
        }
        var scopes: Set<APIScope> = []
        for entry in list {
            guard let scope = entry.stringValue.flatMap({ APIScope(rawValue: $0) }) else {
                let known = APIScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.field("scopes", "Each must be one of \(known).")
            }
            scopes.insert(scope)
        }
        return scopes
    }

    /// Returns the lifetime, and the time for which a device may renew it.
    private func lives(in body: JSONValue) throws -> (life: Span?, renewable: Span?) {
        let days = try number("valid_days", in: body, KeyRoutes.days)
        let minutes = try number("valid_minutes", in: body, KeyRoutes.sessionMinutes)
        let renewable = try number("renewable_days", in: body, KeyRoutes.renewableDays)
        guard (minutes == nil) == (renewable == nil) else {
            throw Problem.field(
                minutes == nil ? "valid_minutes" : "renewable_days",
                "The session of a device has both valid_minutes and renewable_days.")
        }
        guard days == nil || minutes == nil else {
            throw Problem.field("valid_days", "The session of a device has valid_minutes instead.")
        }
        return (minutes.map { Span.minutes($0) } ?? days.map { Span.days($0) }, renewable.map { Span.days($0) })
    }

    private func number(_ name: String, in body: JSONValue, _ range: ClosedRange<Int64>) throws -> Int64? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let number = value.int64Value, range.contains(number) else {
            throw Problem.field(name, "It must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// A key, and a session that was begun with one, make no key that outlives it.
    /// - Parameter life: The time after which the key ends, however often it is renewed.
    private func checkLife(_ life: Span?, _ incoming: Incoming) async throws {
        guard case .key(let hash)? = incoming.share, let end = try await keys.key(ofHash: hash)?.expiresAt else {
            return
        }
        if let life, clock.now().adding(life) <= end { return }
        throw Problem(
            .forbidden, "key_exceeds_yours",
            "The key would be valid for longer than that of the request, which ends at \(end). No key was made.",
            next: "Give it a shorter time, or use a key that ends later."
        ).claimed(by: incoming.actor)
    }

    private func checkCount(_ incoming: Incoming) async throws {
        let now = clock.now()
        let count = try await keys.all().count {
            $0.account == incoming.account && !APIKeys.mayForget($0, at: now)
        }
        guard count < KeyRoutes.maximumOfAccount else {
            throw Problem(
                .conflict, "too_many_keys",
                "The account has \(count) keys, ended ones included. No key was made.",
                next: "Use one that there is, or make one on the counter's machine with till keys create.")
        }
    }

    private func write(
        _ key: APIKeyRecord, usedAt: Timestamp?, _ incoming: Incoming, at now: Timestamp, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        members(key, usedAt: usedAt, incoming, at: now, into: &writer)
        writer.endObject()
    }

    private func members(
        _ key: APIKeyRecord, usedAt: Timestamp?, _ incoming: Incoming, at now: Timestamp, into writer: inout JSONWriter
    ) {
        key.members(lastUsedAt: usedAt, into: &writer)
        writer.field("state", key.standing(at: now).word)
        // By the counter's clock, so that a device whose clock is wrong renews in time.
        let left = key.expiresAt.map { max(0, $0.since(now).milliseconds / 1_000) }
        writer.field("expires_in", left.map { JSONValue.number("\($0)") } ?? .null)
        // The key of the request, or the one with which its session was begun.
        writer.field("current", incoming.share == Principal.Credential.key(hash: key.hash))
    }
}

extension APIKeyRecord.Standing {
    /// The name in JSON.
    fileprivate var word: String {
        switch self {
        case .inForce: "in_force"
        case .revoked: "revoked"
        case .expired: "expired"
        }
    }
}

extension APIKeyRecord {
    /// Returns `true` if the key lets its holder in.
    fileprivate func isInForce(at now: Timestamp) -> Bool { standing(at: now) == .inForce }
}

extension Incoming {
    /// The caller as the maker of a key. Of a key its identifier alone: a label may be as long as the name.
    fileprivate var makerName: String {
        if case .key(let id, _) = actor, person == nil { "key \(id)" } else { actorName }
    }

    /// Prevents privilege escalation: a key that the caller makes may do no more than the caller. A key has no limits
    /// of a role, so a person needs every permission that its scopes stand for.
    fileprivate func checkGrant(of scopes: Set<APIScope>) throws {
        let missing = scopes.subtracting(self.scopes)
        guard missing.isEmpty else {
            throw exceeding("which lacks the scopes \(missing.words.joined(separator: ", "))")
        }
        guard let person else { return }
        let lacking = Incoming.permissions(of: scopes).subtracting(person.role.permissions)
        guard lacking.isEmpty else {
            throw exceeding("whose role lacks \(lacking.words.joined(separator: ", "))")
        }
    }

    private func exceeding(_ reason: String) -> Problem {
        Problem(
            .forbidden, "key_exceeds_yours", "The key may do more than \(actorName), \(reason). No key was made.",
            next: "Give it fewer scopes, or have somebody make it who may do at least as much."
        ).claimed(by: actor)
    }

    /// Returns the permissions of staff that nothing keeps from the holder of a key with these scopes.
    private static func permissions(of scopes: Set<APIScope>) -> Set<StaffPermission> {
        Set(
            StaffPermission.allCases.filter { permission in
                switch permission {
                case .totals: scopes.contains(.read)
                case .drawer: scopes.contains(.readers) || scopes.contains(.sell)
                case .sell, .hold, .void, .refund, .refundFreely, .discount, .discountFreely, .readers, .review, .staff,
                    .settings:
                    !permission.scopes.isDisjoint(with: scopes)
                }
            })
    }
}
