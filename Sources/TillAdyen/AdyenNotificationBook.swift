internal import Foundation
public import TillCore

/// What Adyen's webhooks have told, kept, because Adyen can not be asked later.
///
/// With a file each event is a line that is on the disk before ``take(_:)`` returns, so before Adyen hears that it was
/// taken; without one they are kept in memory. The same event counts once. The file holds no card data.
public actor AdyenNotificationBook {
    /// The most events that are kept in memory; the oldest are dropped first.
    public static let mostKept = 200_000
    /// The largest file that is read, in bytes.
    public static let largestFile = 256 << 20

    /// How a step ended.
    enum Outcome: Hashable, Sendable {
        case done(reference: String)
        case failed(reason: String)
    }

    private var names: Set<String> = []
    private var events: [AdyenNotification] = []
    private var byReference: [String: [Int]] = [:]
    private var byPayment: [String: [Int]] = [:]
    private let file: FileHandle?

    /// In memory.
    public init() { file = nil }

    /// Beside a journal; the file is made if there is none. A line that was cut short by a crash is passed over: Adyen
    /// sends again what it was not told was taken.
    /// - Throws: ``AdyenBookError``.
    public init(path: String) throws(AdyenBookError) {
        if !FileManager.default.fileExists(atPath: path),
            !FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        {
            throw .unusable(path)
        }
        guard let handle = FileHandle(forUpdatingAtPath: path), let size = try? handle.seekToEnd(),
            size <= UInt64(AdyenNotificationBook.largestFile), (try? handle.seek(toOffset: 0)) != nil,
            let data = try? handle.readToEnd() ?? Data()
        else { throw .unusable(path) }
        file = handle
        var known = Known()
        for line in data.split(separator: 0x0A) {
            guard let value = try? JSONValue(parsing: Array(line)), let event = AdyenNotification(kept: value) else {
                continue
            }
            known.add(event)
        }
        (names, events, byReference, byPayment) = (known.names, known.events, known.byReference, known.byPayment)
        // A cut line must not swallow the next one.
        if let last = data.last, last != 0x0A { try? handle.write(contentsOf: Data([0x0A])) }
    }

    /// Keeps what is new.
    /// - Returns: the events that were not known before.
    /// - Throws: ``AdyenBookError/notWritten`` when they are not safely on the disk; nothing is kept then.
    @discardableResult
    public func take(_ told: [AdyenNotification]) throws(AdyenBookError) -> [AdyenNotification] {
        let fresh = told.filter { !names.contains($0.name) }
        guard !fresh.isEmpty else { return [] }
        if let file {
            let lines: [UInt8] = fresh.flatMap { event -> [UInt8] in event.kept.bytes() + [0x0A] }
            do {
                try file.write(contentsOf: Data(lines))
                try file.synchronize()
            } catch { throw .notWritten }
        }
        var known = Known(names: names, events: events, byReference: byReference, byPayment: byPayment)
        for event in fresh { known.add(event) }
        (names, events, byReference, byPayment) = (known.names, known.events, known.byReference, known.byPayment)
        return fresh
    }

    /// The payment of an attempt, as its webhook told it; one that worked before one that did not.
    func payment(_ attempt: AttemptID) -> AdyenNotification? {
        let names = [true, false].map { AdyenProvider.reference(attempt, isAtOnce: $0) }
        let found = names.flatMap { byReference[$0] ?? [] }.map { events[$0] }
            .filter { $0.eventCode == .authorisation }
        return found.first(where: \.success) ?? found.last
    }

    /// Which of our payments an event is about; nil when that can not be told.
    public func ownPayment(of event: AdyenNotification) -> PaymentID? {
        var reference = event.merchantReference
        if event.eventCode != .authorisation, let original = event.originalReference,
            let found = events.last(where: { $0.eventCode == .authorisation && $0.pspReference == original })
        {
            reference = found.merchantReference
        }
        if reference.hasSuffix(AdyenProvider.takenAtOnce) { reference.removeLast(AdyenProvider.takenAtOnce.count) }
        guard let end = reference.range(of: "-a", options: .backwards) else { return nil }
        return try? PaymentID(validating: String(reference[..<end.lowerBound]))
    }

    /// What happened to a payment later.
    func modifications(of payment: String) -> [AdyenNotification] { (byPayment[payment] ?? []).map { events[$0] } }

    /// How the step with our name ended; nil when nobody has told.
    func outcome(
        of reference: String, among codes: Set<AdyenEventCode>, denying: Set<AdyenEventCode>
    ) -> Outcome? {
        let found = (byReference[reference] ?? []).map { events[$0] }
        if let failed = found.last(where: { denying.contains($0.eventCode) }) {
            return .failed(reason: failed.reason ?? failed.eventCode.rawValue)
        }
        guard let told = found.last(where: { codes.contains($0.eventCode) }) else { return nil }
        return told.success
            ? .done(reference: told.pspReference) : .failed(reason: told.reason ?? "refused by the provider")
    }

    /// The lists, built up in `init`, where the actor's own can not be changed yet.
    private struct Known {
        var names: Set<String> = []
        var events: [AdyenNotification] = []
        var byReference: [String: [Int]] = [:]
        var byPayment: [String: [Int]] = [:]

        mutating func add(_ event: AdyenNotification) {
            guard names.insert(event.name).inserted else { return }
            if events.count >= AdyenNotificationBook.mostKept { drop() }
            byReference[event.merchantReference, default: []].append(events.count)
            if let payment = event.originalReference { byPayment[payment, default: []].append(events.count) }
            events.append(event)
        }

        /// Half of it, the older half.
        private mutating func drop() {
            let kept = events.suffix(AdyenNotificationBook.mostKept / 2)
            self = Known()
            for event in kept { add(event) }
        }
    }
}

/// Why events can not be kept.
public enum AdyenBookError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file can not be read or made.
    case unusable(String)
    /// The disk did not take it.
    case notWritten

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unusable(let path): "The file of Adyen's webhooks, \(path), can not be read or made."
        case .notWritten: "The disk did not take Adyen's webhook."
        }
    }
}

extension AdyenNotification {
    /// As a line of the file.
    fileprivate var kept: JSONValue {
        .adyen([
            "eventCode": .string(eventCode.rawValue), "pspReference": .string(pspReference),
            "originalReference": originalReference.map { .string($0) },
            "merchantReference": .string(merchantReference), "merchantAccountCode": .string(merchantAccount),
            "minor": amount.map { .number("\($0.minorUnits)") }, "currency": amount.map { .string($0.currency.code) },
            "success": .bool(success), "reason": reason.map { .string($0) },
        ])
    }

    fileprivate init?(kept value: JSONValue) {
        guard let code = value["eventCode"]?.stringValue, let name = value["pspReference"]?.stringValue,
            let reference = value["merchantReference"]?.stringValue, let success = value["success"]?.boolValue
        else { return nil }
        let currency = value["currency"]?.stringValue.flatMap { try? Currency(code: $0) }
        self.init(
            eventCode: AdyenEventCode(rawValue: code), pspReference: name,
            originalReference: value["originalReference"]?.stringValue, merchantReference: reference,
            merchantAccount: value["merchantAccountCode"]?.stringValue ?? "",
            amount: currency.flatMap { currency in
                value["minor"]?.int64Value.map { Money(minorUnits: $0, currency: currency) }
            }, success: success, reason: value["reason"]?.stringValue)
    }
}
