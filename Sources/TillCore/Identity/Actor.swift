/// Who caused a change: a person, a program, an outside party, or Till itself.
///
/// It is a statement for the records and grants nothing. Names in it are of at most ``maximumNameBytes``.
public enum Actor: Hashable, Sendable {
    /// The longest name or label that is kept of an actor, in bytes; longer ones are cut.
    public static let maximumNameBytes = 80

    /// Somebody who works at the till, with the name that they had then.
    case staff(StaffID, name: String)
    /// A program with a key: the key's identifier, or for one of the settings the first digits of its SHA-256.
    case key(id: String, label: String?)
    /// Whoever signed in to the counter's page with a start code: the owner.
    case owner
    /// Who ran a command on the machine of the journal, as the operating system knows them.
    case operatingSystemUser(uid: UInt32, name: String)
    /// A card reader or phone of the shop, by itself.
    case device(DeviceID)
    /// A provider, with a webhook.
    case provider(ProviderName)
    /// Who pays, at a page that is open to anybody.
    case customer
    /// Somebody who was not let in.
    case stranger
    /// Till itself, in the course of a duty that nobody asked for.
    case till(TillDuty)
    /// Nobody has said. In a running counter and in commands it does not occur: a test searches for it.
    case unattributed
    /// One of a later release, by the word that it has there.
    case unrecognized(kind: String)

    /// The word under which it is kept.
    public var kind: String {
        switch self {
        case .staff: "staff"
        case .key: "key"
        case .owner: "owner"
        case .operatingSystemUser: "os_user"
        case .device: "device"
        case .provider: "provider"
        case .customer: "customer"
        case .stranger: "stranger"
        case .till: "till"
        case .unattributed: "unattributed"
        case .unrecognized(let kind): kind
        }
    }

    /// What distinguishes it from others of its kind; `nil` where there is only one.
    public var id: String? {
        switch self {
        case .staff(let id, _): id.rawValue
        case .key(let id, _): id
        case .operatingSystemUser(let uid, _): String(uid)
        case .device(let id): id.rawValue
        case .provider(let name): name.rawValue
        case .till(let duty): duty.rawValue
        case .owner, .customer, .stranger, .unattributed, .unrecognized: nil
        }
    }

    /// What people call it, where it has a name of its own.
    public var name: String? {
        switch self {
        case .staff(_, let name), .operatingSystemUser(_, let name): name
        case .key(_, let label): label
        case .owner, .device, .provider, .customer, .stranger, .till, .unattributed, .unrecognized: nil
        }
    }
}

extension Actor: CustomStringConvertible {
    /// The words for the records.
    public var description: String {
        switch self {
        case .staff(_, let name): name
        case .key(let id, let label): label.map { "key \(id) (\($0))" } ?? "key \(id)"
        case .owner: "counter page"
        case .operatingSystemUser(_, let name): "command line, user \(name)"
        case .device(let id): "device \(id)"
        case .provider(let name): "webhook of \(name)"
        case .customer: "customer"
        case .stranger: "somebody who was not let in"
        case .till(let duty): "Till (\(duty.words))"
        case .unattributed: "nobody named"
        case .unrecognized(let kind): kind
        }
    }
}

/// What Till does by itself, without anybody asking at that moment.
public enum TillDuty: String, Hashable, Sendable, CaseIterable {
    /// It continues with what was interrupted, is due or has expired.
    case recovery
    /// It asks a provider about a payment that somebody watches.
    case watch
    /// It asks about what may change after the sale.
    case afterSale = "after_sale"
    /// After a restore it asks providers what the journal lacks.
    case restoreSweep = "restore_sweep"
    /// It forwards what was stored without a connection.
    case offlineForwarding = "offline_forwarding"
    /// It prints and mails receipts.
    case receipts
    /// It fetches and reads providers' statements.
    case statements
    /// It listens to a card reader.
    case readers
    /// It starts, stops and watches over its own files.
    case housekeeping

    /// The duty's name in the audit log and on the page, in English.
    public var words: String {
        switch self {
        case .recovery: "recovery"
        case .watch: "watched payment"
        case .afterSale: "after the sale"
        case .restoreSweep: "sweep after a restore"
        case .offlineForwarding: "forwarding of stored cards"
        case .receipts: "receipts"
        case .statements: "statements"
        case .readers: "card readers"
        case .housekeeping: "housekeeping"
        }
    }
}
