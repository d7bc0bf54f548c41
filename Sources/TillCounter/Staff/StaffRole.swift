public import TillCore
import TillJournal

/// A role of staff: a name and its permissions.
public struct StaffRole: Hashable, Sendable {
    /// The maximum number of a shop's own roles.
    public static let maximumOwn = 32
    /// The maximum number of currencies with a limit in one role.
    public static let maximumLimits = 16
    /// The maximum of a limit, in minor units: a payment's.
    public static let maximumLimit: Int64 = 999_999_999_999
    /// The maximum length of a name, in bytes.
    public static let maximumNameBytes = 32

    /// The name: lower-case letters, digits and dashes.
    public let name: String
    public let permissions: Set<StaffPermission>
    /// The maximum total refund of one payment by currency, in minor units, without ``StaffPermission/refundFreely``. A
    /// currency without a limit allows no refund.
    public let refundLimits: [Currency: Int64]
    /// The maximum discount on one payment by currency, in minor units, without ``StaffPermission/discountFreely``. A
    /// currency without a limit allows no discount.
    public let discountLimits: [Currency: Int64]

    /// - Throws: ``StaffError`` for an invalid name or limit.
    public init(
        name: String, permissions: Set<StaffPermission>, refundLimits: [Currency: Int64] = [:],
        discountLimits: [Currency: Int64] = [:]
    ) throws(StaffError) {
        guard (1...StaffRole.maximumNameBytes).contains(name.utf8.count),
            name.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            })
        else { throw .invalidRoleName }
        for limits in [refundLimits, discountLimits] {
            guard limits.count <= StaffRole.maximumLimits,
                limits.values.allSatisfy({ (1...StaffRole.maximumLimit).contains($0) })
            else { throw .invalidLimit }
        }
        self.init(trusted: name, permissions.complete, refundLimits, discountLimits)
    }

    private init(
        trusted name: String, _ permissions: Set<StaffPermission>, _ refundLimits: [Currency: Int64] = [:],
        _ discountLimits: [Currency: Int64] = [:]
    ) {
        self.name = name
        self.permissions = permissions
        self.refundLimits = refundLimits
        self.discountLimits = discountLimits
    }

    /// Sells; any refund and any discount needs approval.
    public static let cashier = StaffRole(trusted: "cashier", [.sell, .refund, .readers])
    /// Runs a shift: all permissions except staff and settings.
    public static let manager = StaffRole(
        trusted: "manager", .all.subtracting([.staff, .settings]))
    /// All permissions, including staff and settings.
    public static let owner = StaffRole(trusted: "owner", .all)
    /// The roles that every shop has.
    public static let builtIn: [StaffRole] = [cashier, manager, owner]
}

/// The stored form of a shop's own role.
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
        // A permission unknown to this release grants nothing.
        var permissions = Set(
            (body.json["permissions"]?.arrayValue ?? []).compactMap {
                $0.stringValue.flatMap { StaffPermission(rawValue: $0) }
            })
        // A role with all permissions of an earlier release keeps all: an update takes nothing from who has it. A role
        // of this release has the member and says itself what it may.
        if body.json["discount_limits"] == nil,
            StaffPermission.beforeDiscounts.isSubset(of: permissions)
        {
            permissions.formUnion([.discount, .discountFreely])
        }
        let refundLimits = try StaffRoleRecord.limits("refund_limits", of: body)
        // Roles of earlier releases have none.
        let discountLimits = try StaffRoleRecord.limits("discount_limits", of: body)
        let name = try body.text("name")
        do throws(StaffError) {
            role = try StaffRole(
                name: name, permissions: permissions, refundLimits: refundLimits, discountLimits: discountLimits)
        } catch { throw body.damaged("name") }
    }

    private static func limits(_ name: String, of body: RecordBody) throws(JournalError) -> [Currency: Int64] {
        var limits: [Currency: Int64] = [:]
        for member in body.json[name]?.objectValue ?? [] {
            guard let currency = Currency(ifValid: member.key), let units = member.value.int64Value else {
                throw body.damaged(name)
            }
            // Earlier releases kept any; no payment has more than the maximum.
            limits[currency] = min(units, StaffRole.maximumLimit)
        }
        return limits
    }
}

extension StaffRole {
    /// `true` for a role that every shop has and that cannot be changed.
    public var isBuiltIn: Bool { StaffRole.builtIn.contains { $0.name == name } }

    /// A digest of the name, the permissions and the limits, in hexadecimal: another one as soon as any of them is
    /// another.
    public var tag: String {
        var writer = JSONWriter()
        writer.beginObject()
        members(into: &writer)
        writer.endObject()
        return Hex.lowercase(digest(writer.bytes).prefix(StaffRole.bytesOfTag))
    }

    /// The length of a tag, in bytes of the digest.
    private static let bytesOfTag = 16

    /// Writes the public JSON object.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        members(into: &writer)
        writer.field("built_in", isBuiltIn)
        writer.field("tag", tag)
        writer.endObject()
    }

    /// Writes the stored members.
    package func members(into writer: inout JSONWriter) {
        writer.field("name", name)
        writer.key("permissions")
        writer.beginArray()
        for word in permissions.words { writer.string(word) }
        writer.endArray()
        for (name, limits) in [("refund_limits", refundLimits), ("discount_limits", discountLimits)] {
            writer.key(name)
            writer.beginObject()
            for (currency, units) in limits.sorted(by: { $0.key.code < $1.key.code }) {
                writer.field(currency.code, units)
            }
            writer.endObject()
        }
    }
}

extension StaffRole {
    /// The route scopes that the role opens. Every staff member can read.
    package var scopes: Set<APIScope> { permissions.reduce(into: [.read]) { $0.formUnion($1.scopes) } }

    /// Returns `true` if the role includes every permission and limit of `other`.
    package func covers(_ other: StaffRole) -> Bool {
        guard other.permissions.isSubset(of: permissions) else { return false }
        func cover(_ limits: [Currency: Int64], _ own: [Currency: Int64]) -> Bool {
            limits.allSatisfy { currency, units in units <= own[currency] ?? 0 }
        }
        return (permissions.contains(.refundFreely) || cover(other.refundLimits, refundLimits))
            && (permissions.contains(.discountFreely) || cover(other.discountLimits, discountLimits))
    }
}
