public import TillCore
import TillJournal

/// What a member of staff is at the shop: a name, and what it may do.
public struct StaffRole: Hashable, Sendable {
    /// Roles of a shop's own at most.
    public static let maximumOwn = 32
    /// Currencies that one role has limits in at most.
    public static let maximumLimits = 16
    /// Bytes of a name.
    public static let maximumNameBytes = 32

    /// Lower-case letters, digits and dashes.
    public let name: String
    public let permissions: Set<StaffPermission>
    /// What is given back of one payment at most, in minor units, without ``StaffPermission/refundFreely``. A currency
    /// without a limit is not given back at all.
    public let refundLimits: [Currency: Int64]

    /// - Throws: ``StaffError`` for a name or a limit that cannot be taken.
    public init(
        name: String, permissions: Set<StaffPermission>, refundLimits: [Currency: Int64] = [:]
    ) throws(StaffError) {
        guard (1...StaffRole.maximumNameBytes).contains(name.utf8.count),
            name.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            })
        else { throw .invalidRoleName }
        guard refundLimits.count <= StaffRole.maximumLimits, refundLimits.values.allSatisfy({ $0 > 0 }) else {
            throw .invalidLimit
        }
        self.init(trusted: name, permissions.complete, refundLimits)
    }

    private init(trusted name: String, _ permissions: Set<StaffPermission>, _ limits: [Currency: Int64]) {
        self.name = name
        self.permissions = permissions
        refundLimits = limits
    }

    /// Sells; whatever is given back needs somebody's approval.
    public static let cashier = StaffRole(trusted: "cashier", [.sell, .refund, .readers], [:])
    /// Runs a shift: all but staff and settings.
    public static let manager = StaffRole(
        trusted: "manager", .all.subtracting([.staff, .settings]), [:])
    /// May do everything, staff and settings too.
    public static let owner = StaffRole(trusted: "owner", .all, [:])
    /// Those that every shop has.
    public static let builtIn: [StaffRole] = [cashier, manager, owner]
}

/// A role of a shop's own, as it is kept.
struct StaffRoleRecord: RecordDocument, Hashable {
    static let collection: RecordCollection = "staff_role"

    let account: AccountID
    let role: StaffRole

    static func key(_ account: AccountID, _ name: String) -> String { "\(account.rawValue)/\(name)" }
    static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    init(account: AccountID, role: StaffRole) {
        self.account = account
        self.role = role
    }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        role.members(into: &writer)
        writer.endObject()
        return Record(
            RecordID(StaffRoleRecord.collection, StaffRoleRecord.key(account, role.name)), body: writer.bytes,
            fields: ["account": account.rawValue])
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        account = AccountID(rawValue: try body.text("account"))
        // A word of a later release grants nothing here.
        let permissions = Set(
            (body.json["permissions"]?.arrayValue ?? []).compactMap {
                $0.stringValue.flatMap { StaffPermission(rawValue: $0) }
            })
        var limits: [Currency: Int64] = [:]
        for member in body.json["refund_limits"]?.objectValue ?? [] {
            guard let currency = Currency(ifValid: member.key), let units = member.value.int64Value else {
                throw body.damaged("refund_limits")
            }
            limits[currency] = units
        }
        let name = try body.text("name")
        do throws(StaffError) {
            role = try StaffRole(name: name, permissions: permissions, refundLimits: limits)
        } catch { throw body.damaged("name") }
    }
}

extension StaffRole {
    /// Whether every shop has it, as it is.
    public var isBuiltIn: Bool { StaffRole.builtIn.contains { $0.name == name } }

    /// Its object, as programs are shown it.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        members(into: &writer)
        writer.field("built_in", isBuiltIn)
        writer.endObject()
    }

    /// What is kept of it.
    func members(into writer: inout JSONWriter) {
        writer.field("name", name)
        writer.key("permissions")
        writer.beginArray()
        for word in permissions.words { writer.string(word) }
        writer.endArray()
        writer.key("refund_limits")
        writer.beginObject()
        for (currency, units) in refundLimits.sorted(by: { $0.key.code < $1.key.code }) {
            writer.field(currency.code, units)
        }
        writer.endObject()
    }
}
