import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A press of the customer: what the app needs to find the same charge again.
struct Press: Hashable, Sendable {
    /// The numbers that a press may have.
    static let numbers = 1...1_000_000

    /// The way in which a press pays.
    enum Way: Hashable, Sendable {
        /// A reference of the provider's fields. A secret.
        case token(String)
        case payPal
        case payPalCard
        case adyenSession

        /// The name in the file, which is the counter's word for the tender.
        var name: String {
            switch self {
            case .token: "token"
            case .payPal: "paypal"
            case .payPalCard: "paypal_card"
            case .adyenSession: "adyen_session"
            }
        }
    }

    let payment: PaymentID
    let way: Way
    let number: Int
    /// The session of the payment, as the shop's server was given it. A secret.
    var session: String
}

/// The content of a ``PressFile``.
enum KeptPress: Hashable, Sendable {
    /// A press without a known outcome.
    case underWay(Press)
    /// The number of a payment's last press, whose outcome was known. Nothing secret is kept of it.
    case over(PaymentID, press: Int)

    /// The session of the press under way.
    var session: String? {
        switch self {
        case .underWay(let press): press.session
        case .over: nil
        }
    }

    var json: JSONValue {
        switch self {
        case .underWay(let press):
            var members = KeptPress.members(press.payment, press.number)
            members.append(JSONMember(key: "way", value: .string(press.way.name)))
            if case .token(let token) = press.way { members.append(JSONMember(key: "token", value: .string(token))) }
            members.append(JSONMember(key: "session", value: .string(press.session)))
            return .object(members)
        case .over(let payment, let number): return .object(KeptPress.members(payment, number))
        }
    }

    /// Reads what ``json`` has written; `nil` for anything else.
    init?(_ json: JSONValue) {
        guard let payment = json["payment"]?.stringValue.flatMap({ PaymentID(ifValid: $0) }),
            let number = json["press"]?.int64Value.flatMap({ Int(exactly: $0) }), Press.numbers.contains(number)
        else { return nil }
        guard let name = json["way"]?.stringValue else {
            self = .over(payment, press: number)
            return
        }
        guard let session = json["session"]?.stringValue else { return nil }
        let way: Press.Way
        switch name {
        case "token":
            guard let token = json["token"]?.stringValue else { return nil }
            way = .token(token)
        case "paypal": way = .payPal
        case "paypal_card": way = .payPalCard
        case "adyen_session": way = .adyenSession
        default: return nil
        }
        self = .underWay(Press(payment: payment, way: way, number: number, session: session))
    }

    private static func members(_ payment: PaymentID, _ number: Int) -> [JSONMember] {
        [
            JSONMember(key: "payment", value: .string(payment.rawValue)),
            JSONMember(key: "press", value: .number("\(number)")),
        ]
    }
}

/// The file in which an app keeps the press that is under way, readable by its owner only. An app on a phone keeps the
/// same in its keychain. A file is one app's: two programs do not share it.
struct PressFile: Sendable {
    /// The maximum size. A session is of 128 bytes, and a reference of a few kilobytes.
    static let maximumBytes = 65_536

    let path: String

    /// Returns what was kept last; `nil` if there is no file.
    /// - Throws: ``AppError/unreadable(_:)``: a press may be under way that this app does not know.
    func load() throws(AppError) -> KeptPress? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .unreadable("\(path) cannot be opened.") }
            return nil
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= PressFile.maximumBytes {
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable("\(path) cannot be read.") }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        guard bytes.count <= PressFile.maximumBytes, let json = JSONValue(ifValid: bytes), let kept = KeptPress(json)
        else { throw .unreadable("\(path) has another form than a kept press.") }
        return kept
    }

    /// Replaces the file as a whole: an app that is killed meanwhile finds the old content or the new one.
    func save(_ kept: KeptPress) throws(AppError) {
        let bytes = kept.json.bytes()
        guard bytes.count <= PressFile.maximumBytes else {
            throw .notKept("The press is longer than \(PressFile.maximumBytes) bytes.")
        }
        let new = path + ".new"
        // What a killed app has left of it.
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .notKept("\(new) cannot be created.") }
        let isWritten =
            bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count && fsync(file) == 0
        guard close(file) == 0, isWritten, rename(new, path) == 0 else {
            unlink(new)
            throw .notKept("\(path) cannot be written.")
        }
    }
}
