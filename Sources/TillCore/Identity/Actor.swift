/// The originator of a change: a person, a program, an external party, or Till itself.
///
/// It is audit information and grants no permissions. Names in it are limited to ``maximumNameBytes``.
public enum Actor: Hashable, Sendable {
    /// The longest name or label kept of an actor, in bytes; longer ones are truncated.
    public static let maximumNameBytes = 80

    /// A staff member, with the name in use at the time.
    case staff(StaffID, name: String)
    /// A program with an API key: the key's identifier, or for a key from the settings the first digits of its SHA-256.
    case key(id: String, label: String?)
    /// The owner, signed in to the counter's page with a start code.
    case owner
    /// The operating-system user that ran a command on the journal's machine.
    case operatingSystemUser(uid: UInt32, name: String)
    /// A card reader or phone of the shop, acting on its own.
    case device(DeviceID)
    /// A provider, through a webhook.
    case provider(ProviderName)
    /// The customer, on a public payment page.
    case customer
    /// An unauthenticated caller that was refused.
    case stranger
    /// Till itself, in the course of an automatic duty.
    case till(TillDuty)
    /// No attribution. It does not occur in a running counter or in commands: a test searches for it.
    case unattributed
    /// A kind of actor from a later release, by its stored kind.
    case unrecognized(kind: String)

    /// The stored kind of the actor.
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

    /// The identifier that distinguishes the actor from others of its kind; `nil` if there is only one.
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

    /// The display name of the actor, if it has one.
    public var name: String? {
        switch self {
        case .staff(_, let name), .operatingSystemUser(_, let name): name
        case .key(_, let label): label
        case .owner, .device, .provider, .customer, .stranger, .till, .unattributed, .unrecognized: nil
        }
    }
}

extension Actor: CustomStringConvertible {
    /// The description for the records.
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

/// An automatic duty of Till, performed without a request.
public enum TillDuty: String, Hashable, Sendable, CaseIterable {
    /// Resumption of interrupted, due or expired work.
    case recovery
    /// Queries of a payment that is being watched.
    case watch
    /// Queries for changes after the sale.
    case afterSale = "after_sale"
    /// Queries, after a restore, for charges that the journal lacks.
    case restoreSweep = "restore_sweep"
    /// Forwarding of taps stored while offline.
    case offlineForwarding = "offline_forwarding"
    /// Printing and mailing of receipts.
    case receipts
    /// Download and import of providers' statements.
    case statements
    /// Communication with card readers.
    case readers
    /// Sending of webhooks.
    case webhooks
    /// Work with connected shops: their orders, and what they are told of payments.
    case shops
    /// Startup, shutdown and monitoring of Till's own files.
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
        case .webhooks: "webhooks"
        case .shops: "connected shops"
        case .housekeeping: "housekeeping"
        }
    }
}
